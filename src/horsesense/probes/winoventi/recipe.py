"""A probe from schemas: what people wrote and what a machine wrote never in one."""

from __future__ import annotations

import random
from collections.abc import Iterable

from horsesense.errors import UserError
from horsesense.probes.winoventi.checks import Checked
from horsesense.probes.winoventi.nouns import Noun, clean_nouns, is_plural
from horsesense.probes.winoventi.schemas import items_of
from horsesense.records import Card, Probe

HUMAN, MACHINE = "people", "machine"


def build_winoventi(
    checked: Iterable[Checked],
    *,
    machine: bool = False,
    literal: bool = False,
    keep_objections: bool = False,
    limit: int | None = None,
    seed: int = 0,
) -> Probe:
    """The probe of those schemas that nothing speaks against, by people or, with ``machine``, by a machine.

    ``keep_objections`` keeps what checks object to, as a facet: for people to judge.
    """
    schemas = list(checked)
    wanted = [one for one in schemas if (one.schema.origin == "machine") == machine]
    passing = [one for one in wanted if one.passes or keep_objections]
    kind = MACHINE if machine else HUMAN
    if not passing:
        raise UserError(
            f"none of {len(schemas):,} schemas is written by {kind} and passes the checks",
            fix="look at the column objections" if wanted else "with --machine a probe is made of machine-made ones",
        )
    items = []
    name = "winoventi-machine" if machine else "winoventi"
    for one in passing:
        made = items_of(one.schema, _noun(one.schema.triplet.noun, literal), literal=literal, probe=name)
        items.append(made)
    distinct = {pair[0].family: pair for pair in items}
    notes = {
        "schemas of the other origin left out": len(schemas) - len(wanted),
        "schemas with objections left out": len(wanted) - len(passing),
        "repeated schemas": len(items) - len(distinct),
    }
    families = sorted(distinct)
    if limit is not None:
        random.Random(seed).shuffle(families)
        families = sorted(families[: max(1, limit // 2)])
    card = Card(
        name=name,
        method="winoventi",
        licence="",
        made="Schemas written by a machine and checked by rules; no person has validated them."
        if machine
        else "Schemas written by people, checked by rules; validated where a label says so.",
        seed=seed if limit is not None else None,
        normalise="sum",
        group="noun",
    )
    return Probe.of(
        [item for family in families for item in distinct[family]], card, {k: n for k, n in notes.items() if n}
    )


def _noun(word: str, literal: bool) -> Noun:
    if literal:
        return Noun(word)
    (noun,) = clean_nouns([(0, word)]).nouns
    # The spelling of a triplet is kept: its noun names a group.
    return Noun(word, plural=is_plural(word), proper=noun.proper)
