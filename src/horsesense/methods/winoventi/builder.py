"""Build a probe from schemas, and the training and test splits of the paper's two settings (winoventi.txt, 3.3).

Human and machine-written schemas are never in one probe. `own_probe` ships with the package: our table of circumstances
made its schemas, one noun per frame; the generic word is the one that smollm2-masked prefers without a premise. A
language model audited all of them blindly, no person; the status of each item and the card say so.

`training_settings` defines the settings, for training and for files alike. A generic text differs from its exception
in one word, and four fifths of the generic tests are twins of a trained exception. The facet ``twin`` of each test item
says so.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge, Interval

from horsesense.core import Card, Item, Probe, write_probe
from horsesense.core.card import card_path, read_card
from horsesense.core.document import Document
from horsesense.errors import UserError, argument, translate_errors
from horsesense.methods.winoventi.checks import check_schema
from horsesense.methods.winoventi.nouns import Noun, clean_nouns, is_plural
from horsesense.methods.winoventi.schemas import CheckedSchema, items_of, read_schemas
from horsesense.methods.winoventi.training_settings import exception_parts

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
        noun = checked.schema.triplet.noun
        objections = check_schema(checked.schema, Noun(noun, is_plural(noun))).objections
        return replace(checked, objections=tuple(dict.fromkeys((*checked.objections, *objections))))

    # The folder of a pipeline has its objections; the user's table gets those that need no model.
    known = read if source.is_dir() else [check(each) for each in read]
    probe = build_winoventi(known, machine=machine, literal=as_paper, keep_objections=unchecked, limit=limit, seed=seed)
    notes = {"bad lines skipped": len(skipped)} if skipped else {}
    return replace(Probe.of(probe.items, probe.card, notes), skipped=skipped)


def build_winoventi(
    schemas: Iterable[CheckedSchema],
    *,
    machine: bool | None = False,
    literal: bool = False,
    keep_objections: bool = False,
    limit: int | None = None,
    seed: int = 0,
) -> Probe:
    """Build a probe from the schemas without objections, by people or, with ``machine``, by a machine.

    None takes both, as in a pipeline, where it matters who validated a schema. ``keep_objections`` keeps schemas with
    objections, for people to judge.
    """
    everything = list(schemas)
    by_origin = [each for each in everything if machine is None or (each.schema.origin == "machine") == machine]
    passing = [checked for checked in by_origin if checked.passes or keep_objections]
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
        items_of(checked.schema, _noun(checked.schema.triplet.noun, literal), literal=literal, probe=name)
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


def _noun(word: str, literal: bool) -> Noun:
    if literal:
        return Noun(word)
    (noun,) = clean_nouns([(0, word)]).nouns
    # Keep the spelling of the triplet: its noun names a group.
    return Noun(word, plural=is_plural(word), proper=noun.proper)


def own_probe() -> Probe:
    """Return the shipped probe, built from its schemas.

    >>> probe = own_probe()
    >>> {item.facets["status"] for item in probe.items}
    {'validated by a language model, no person'}
    """
    items = []
    for checked in read_schemas(OWN)[0]:
        word = checked.schema.triplet.noun
        items += items_of(checked.schema, Noun(word, is_plural(word)), licence=_OWN_LICENCE, probe=OWN_NAME)
    return Probe.of(items, read_card(card_path(OWN.with_suffix(".jsonl"))))


# The two settings.


@dataclass(frozen=True, slots=True)
class ExceptionSplits:
    """Probes for training and testing."""

    setting: str
    train: Probe
    dev: Probe
    """Schemas held out of training to choose steps and learning rates; empty by default, as in the paper."""
    tests: Mapping[str, Probe]
    """``held-out`` in the half-exception setting; ``unseen-exceptions``, ``all-generics``, ``mixed`` in the other."""


@dataclass(frozen=True, slots=True)
class SplitPart:
    """One part of a split."""

    part: str
    """``train``, ``dev``, or the name of a test."""
    out: Path
    """File."""
    items: int
    generic: int
    """Number of items of the generic test."""
    exception: int
    """Number of items of the exception test."""
    twins_seen: int
    """Number of items whose twin is in training."""


@dataclass(frozen=True, slots=True)
class WrittenSplits(Document):
    """The files of a split."""

    setting: str
    """half-exception or full-exception."""
    seed: int
    """Random seed."""
    parts: tuple[SplitPart, ...]
    """Parts that have items."""


def make_splits(probe: Probe, setting: str, seed: int = 0, dev: float = 0.0, nouns: bool = False) -> ExceptionSplits:
    """Split a WinoVenti probe; ``dev`` is the share of training schemas held out for development.

    Every test item has the facets ``twin`` (``seen`` if the other text of its schema was trained on, else ``unseen``)
    and ``noun_seen`` (whether a training item has its noun). With ``nouns`` whole nouns are drawn.
    """
    parts = exception_parts(probe.items, setting, seed, dev, nouns)
    return _splits(probe, setting, parts.train, parts.dev, parts.tests)


def _splits(
    probe: Probe, setting: str, train: list[Item], dev: list[Item], tests: Mapping[str, list[Item]]
) -> ExceptionSplits:
    ids = {item.id for item in train}
    families = {item.family for item in train}
    nouns = {item.groups.get("noun", "") for item in train}

    def part(name: str, items: list[Item]) -> Probe:
        marked = [_marked(item, name, ids, families, nouns) for item in items]
        seen = sum(item.facets.get("twin") == "seen" for item in marked)
        description = f"{probe.card.made} The {name} part of the {setting} setting."
        card = replace(probe.card, name=f"{probe.card.name}-{setting}-{name}", made=description.strip(), notes={})
        return Probe.of(marked, card, {"twins of trained items": seen} if name not in ("train", "dev") else None)

    return ExceptionSplits(
        setting, part("train", train), part("dev", dev), {name: part(name, items) for name, items in tests.items()}
    )


def _marked(item: Item, part: str, ids: Collection[str], families: Collection[str], nouns: Collection[str]) -> Item:
    """Mark an item with its part and, in a test, with what training saw of it."""
    if part == "train":
        return replace(item, facets={**item.facets, "split": "train"})
    twin = "seen" if item.family in families and item.id not in ids else "unseen"
    split = "dev" if part == "dev" else "test"
    noun_seen = item.groups.get("noun", "") in nouns
    return replace(item, facets={**item.facets, "split": split, "scenario": part, "twin": twin, "noun_seen": noun_seen})


@translate_errors()
def write_splits(
    probe: Probe | str | Path,
    *,
    setting: Literal["half-exception", "full-exception"],
    out: str | Path,
    dev: Annotated[float, Interval(ge=0, le=0.9)] = 0.0,
    seed: Annotated[int, Ge(0)] = 0,
    unseen_nouns: bool = False,
) -> WrittenSplits:
    """Write the half- or full-exception split of the paper; test items say whether their twin was trained on.

    Args:
        probe: Name or file of a WinoVenti probe. In Python, also a `Probe`.
        setting: Setting of the paper.
        out: Folder for train.jsonl, dev.jsonl and the tests.
        dev: Share of training schemas held out for development.
        seed: Random seed.
        unseen_nouns: Draw whole nouns, not schemas as the paper does, so that no test noun is in training.

    Returns:
        The files, and the number of items in each.
    """
    import horsesense as hs

    whole = probe if isinstance(probe, Probe) else hs.load_probe(probe)
    splits = make_splits(whole, setting, seed, dev, unseen_nouns)
    parts = []
    for name, part in {"train": splits.train, "dev": splits.dev, **splits.tests}.items():
        if not part.items:
            continue
        path = Path(out) / f"{name}.jsonl"
        write_probe(path, part)
        members = [item.member for item in part.items]
        seen = sum(item.facets.get("twin") == "seen" for item in part.items)
        parts.append(SplitPart(name, path, len(members), members.count("generic"), members.count("exception"), seen))
    return WrittenSplits(setting, seed, tuple(parts))
