"""The starter probe: minimal pairs of our own making, shipped with the package (see docs/guides/own-probe.md)."""

from __future__ import annotations

from pathlib import Path

from horsesense.core import Card, Item, Probe, Source
from horsesense.methods.starter.schemas import StarterSchema, read_schemas

__all__ = ["STARTER", "StarterSchema", "read_schemas", "starter_probe"]

STARTER = Path(__file__).with_name("schemas.md")
"""The schemas that the probe is made of."""

LICENCE = "Apache-2.0"

CARD = Card(
    name="starter",
    method="starter",
    licence=LICENCE,
    made="written by hand for horsesense as schemas of two premises and two outcomes, each outcome right once; "
    "not yet judged by a crowd",
    metric="accuracy",
    normalise="mean",
    group="family",
)


def starter_probe() -> Probe:
    """The probe, built from its schemas.

    >>> probe = starter_probe()
    >>> for item in probe.items[2:4]:
    ...     print(item.family, item.member, item.options[item.answer])
    balloon a When Tom let go of the brick, it went straight down.
    balloon b When Tom let go of the helium balloon, it went straight up.
    """
    return Probe.of([item for schema in read_schemas(STARTER) for item in questions(schema)], CARD)


def questions(schema: StarterSchema) -> tuple[Item, Item]:
    """The two questions of a schema: the same outcomes, under either premise."""
    return _question(schema, 0), _question(schema, 1)


def _question(schema: StarterSchema, premise: int) -> Item:
    order = schema.order()
    return Item(
        probe=CARD.name,
        form="sentences",
        options=tuple(schema.reading(premise, outcome) for outcome in order),
        answer=order.index(premise),
        family=schema.name,
        member="ab"[premise],
        facets={"task": schema.task, "skill": schema.skill, "split": "test"},
        source=Source(file=STARTER.name, line=schema.line, licence=LICENCE),
    )
