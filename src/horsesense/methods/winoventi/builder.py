"""Build a probe from schemas.

Human and machine-written schemas are never in one probe. `own_probe` ships with the package: our table of circumstances
made its schemas, one noun per frame; the generic word is the one that smollm2-masked prefers without a premise. A
language model audited all of them blindly, no person; the status of each item and the card say so.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from horsesense.core import Card, Probe
from horsesense.core.card import card_path, read_card
from horsesense.errors import UserError, argument, translate_errors
from horsesense.methods.winoventi.checks import check_schema
from horsesense.methods.winoventi.nouns import Noun, clean_nouns
from horsesense.methods.winoventi.schemas import CheckedSchema, items_of, read_schemas

OWN_NAME = "winoventi-own"
OWN = Path(__file__).with_name("data") / "own_schemas.tsv"
_OWN_LICENCE = "Apache-2.0"


@translate_errors()
def build(
    schemas: str | Path,
    *,
    machine: bool = False,
    skip_bad: bool = False,
    unchecked: bool = False,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    as_paper: bool = False,
) -> Probe:
    """Build a probe from schemas: pairs of texts that differ in one word, each with its own outcome.

    Args:
        schemas: Table with noun, generic, exception and premise, or the folder of a pipeline.
        machine: Use machine-written schemas, which are never mixed with people's.
        skip_bad: Skip and count lines that cannot be read.
        unchecked: Keep schemas with objections, for people to judge.
        limit: Maximum number of items; whole families are drawn.
        seed: Random seed.
        as_paper: Use the literal sentence of the paper.

    Returns:
        The probe; the same options and seed give the same items.
    """
    source = Path(schemas)
    path = source / "schemas.tsv" if source.is_dir() else source
    if source.is_dir() and not path.is_file():
        raise UserError("the folder has no schemas.tsv", file=source, fix="run: horsesense winoventi make … to its end")
    read, skipped = read_schemas(path, skip_bad=skip_bad)

    def check(checked: CheckedSchema) -> CheckedSchema:
        objections = check_schema(checked.schema, Noun.of(checked.schema.triplet.noun)).objections
        return replace(checked, objections=tuple(dict.fromkeys((*checked.objections, *objections))))

    # The folder of a pipeline has its objections; the user's table gets those that need no model.
    known = read if source.is_dir() else [check(each) for each in read]
    probe = build_winoventi(known, machine=machine, as_paper=as_paper, unchecked=unchecked, limit=limit, seed=seed)
    notes = {"bad lines skipped": len(skipped)} if skipped else {}
    return replace(Probe.of(probe.items, probe.card, notes), skipped=skipped)


def build_winoventi(
    schemas: Iterable[CheckedSchema],
    *,
    machine: bool | None = False,
    as_paper: bool = False,
    unchecked: bool = False,
    limit: int | None = None,
    seed: int = 0,
) -> Probe:
    """Build a probe from the schemas without objections, by people or, with ``machine``, by a machine.

    None takes both, as in a pipeline, where it matters who validated a schema. ``unchecked`` keeps schemas with
    objections, for people to judge.
    """
    everything = list(schemas)
    by_origin = [each for each in everything if machine is None or (each.schema.origin == "machine") == machine]
    passing = [checked for checked in by_origin if checked.passes or unchecked]
    if not passing:
        writers = "anybody" if machine is None else "machine" if machine else "people"
        raise UserError(
            f"none of {len(everything):,} schemas is written by {writers} and passes the checks",
            fix="look at the column objections"
            if by_origin
            else f"with {argument('machine')} a probe is made of machine-made ones",
        )
    name = "winoventi-machine" if machine else "winoventi"
    pairs = [
        items_of(checked.schema, _noun(checked.schema.triplet.noun, as_paper), as_paper=as_paper, probe=name)
        for checked in passing
    ]
    distinct = {pair[0].family: pair for pair in pairs}
    notes = {
        "schemas of the other origin left out": len(everything) - len(by_origin),
        "schemas with objections left out": len(by_origin) - len(passing),
        "repeated schemas": len(pairs) - len(distinct),
    }
    families = sorted(distinct)
    if limit is not None:
        random.Random(seed).shuffle(families)
        families = sorted(families[: max(1, limit // 2)])
    card = Card(
        name=name,
        method="winoventi",
        licence="",
        made=_made_by(passing, machine),
        seed=seed if limit is not None else None,
        normalise="sum",
        group="noun",
    )
    return Probe.of(
        [item for family in families for item in distinct[family]], card, {k: n for k, n in notes.items() if n}
    )


def _made_by(schemas: Sequence[CheckedSchema], machine: bool | None) -> str:
    if all(each.schema.validated for each in schemas):
        return "Schemas for a model's own associations, each passed by people or by a stated judge (facet status)."
    if machine is False:
        return "Schemas written by people, checked by rules; validated where a label says so."
    return "Schemas that checks by rule and machine let pass; nobody has validated all of them (facet status)."


def _noun(word: str, as_paper: bool) -> Noun:
    if as_paper:
        return Noun(word)
    (noun,) = clean_nouns([(0, word)]).nouns
    # Keep the spelling of the triplet: its noun names a group.
    return replace(Noun.of(word), proper=noun.proper)


def own_probe() -> Probe:
    """Return the shipped probe, built from its schemas.

    >>> probe = own_probe()
    >>> {item.facets["status"] for item in probe.items}
    {'validated by a language model, no person'}
    """
    items = []
    for checked in read_schemas(OWN)[0]:
        noun = Noun.of(checked.schema.triplet.noun)
        items += items_of(checked.schema, noun, licence=_OWN_LICENCE, probe=OWN_NAME)
    return Probe.of(items, read_card(card_path(OWN.with_suffix(".jsonl"))))
