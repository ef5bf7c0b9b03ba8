"""A probe from schemas, and what a model is trained and tested on in the paper's two settings (winoventi.txt, 3.3).

What people wrote and what a machine wrote are never in one probe. `own_probe` is the one that ships: our table of
circumstances made its schemas, one noun a frame; the generic word is the one that smollm2-masked prefers without a
premise. A language model read all of them without the key, no person: each says so in its status, and the card has the
reading.

The settings themselves are in `horsesense.methods.winoventi.training_settings`: training and files are split in one
way. A generic text differs from its exception in one word, and four fifths of the generic tests are twins of an
exception that was trained on. Each test item says so in its facet ``twin``.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from horsesense.core import Card, Item, Probe, write_probe
from horsesense.core.card import card_path, read_card
from horsesense.core.document import Document
from horsesense.errors import UserError, argument
from horsesense.methods.winoventi.checks import CheckedSchema
from horsesense.methods.winoventi.nouns import Noun, clean_nouns, is_plural
from horsesense.methods.winoventi.schemas import items_of
from horsesense.methods.winoventi.training_settings import exception_parts
from horsesense.methods.winoventi.triplet_files import read_schemas

OWN_NAME = "winoventi-own"
OWN = Path(__file__).with_name("data") / "own_schemas.tsv"
_OWN_LICENCE = "Apache-2.0"


def build_winoventi(
    schemas: Iterable[CheckedSchema],
    *,
    machine: bool | None = False,
    literal: bool = False,
    keep_objections: bool = False,
    limit: int | None = None,
    seed: int = 0,
) -> Probe:
    """The probe of those schemas that nothing speaks against, by people or, with ``machine``, by a machine.

    None takes both, as a pipeline does: there it counts who passed a schema, not who wrote it.
    ``keep_objections`` keeps what checks object to: for people to judge.
    """
    everything = list(schemas)
    wanted = [each for each in everything if machine is None or (each.schema.origin == "machine") == machine]
    passing = [checked for checked in wanted if checked.passes or keep_objections]
    if not passing:
        writers = "anybody" if machine is None else "machine" if machine else "people"
        raise UserError(
            f"none of {len(everything):,} schemas is written by {writers} and passes the checks",
            fix="look at the column objections"
            if wanted
            else f"with {argument('machine')} a probe is made of machine-made ones",
        )
    name = "winoventi-machine" if machine else "winoventi"
    pairs = [
        items_of(checked.schema, _noun(checked.schema.triplet.noun, literal), literal=literal, probe=name)
        for checked in passing
    ]
    distinct = {pair[0].family: pair for pair in pairs}
    notes = {
        "schemas of the other origin left out": len(everything) - len(wanted),
        "schemas with objections left out": len(wanted) - len(passing),
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
    # The spelling of a triplet is kept: its noun names a group.
    return Noun(word, plural=is_plural(word), proper=noun.proper)


def own_probe() -> Probe:
    """The probe, built from its schemas.

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
class Splits:
    """Probes to learn from and to be tested on."""

    setting: str
    train: Probe
    dev: Probe
    """Schemas taken out of training to choose steps and rates by; empty unless asked for, as in the paper."""
    tests: Mapping[str, Probe]
    """``held-out`` in the half-exception setting; ``unseen-exceptions``, ``all-generics``, ``mixed`` in the other."""


@dataclass(frozen=True, slots=True)
class SplitPart:
    """One part of a split, and what is in it."""

    part: str
    """``train``, ``dev``, or the name of a test."""
    out: Path
    """Its file."""
    items: int
    generic: int
    """Items of the generic test."""
    exception: int
    """Items of the exception test."""
    twins_seen: int
    """Items whose twin is in training."""


@dataclass(frozen=True, slots=True)
class WrittenSplits(Document):
    """A split that was written."""

    setting: str
    """half-exception or full-exception."""
    seed: int
    """Seed of the draw."""
    parts: tuple[SplitPart, ...]
    """Parts that have items."""


def make_splits(probe: Probe, setting: str, seed: int = 0, dev: float = 0.0, nouns: bool = False) -> Splits:
    """Split a WinoVenti probe; ``dev`` is the share of training schemas that are held back.

    Every test item has the facets ``twin`` (``seen`` where the other text of its schema was trained on, else
    ``unseen``) and ``noun_seen`` (whether a training item has its noun). With ``nouns`` whole nouns are drawn.
    """
    parts = exception_parts(probe.items, setting, seed, dev, nouns)
    return _splits(probe, setting, parts.train, parts.dev, parts.tests)


def _splits(probe: Probe, setting: str, train: list[Item], dev: list[Item], tests: Mapping[str, list[Item]]) -> Splits:
    ids = {item.id for item in train}
    families = {item.family for item in train}
    nouns = {item.groups.get("noun", "") for item in train}

    def part(name: str, items: list[Item]) -> Probe:
        marked = [_marked(item, name, ids, families, nouns) for item in items]
        seen = sum(item.facets.get("twin") == "seen" for item in marked)
        made = f"{probe.card.made} The {name} part of the {setting} setting."
        card = replace(probe.card, name=f"{probe.card.name}-{setting}-{name}", made=made.strip(), notes={})
        return Probe.of(marked, card, {"twins of trained items": seen} if name not in ("train", "dev") else None)

    return Splits(
        setting, part("train", train), part("dev", dev), {name: part(name, items) for name, items in tests.items()}
    )


def _marked(item: Item, part: str, ids: Collection[str], families: Collection[str], nouns: Collection[str]) -> Item:
    """The item with its part and, in a test, with what training saw of it: ids, families and nouns are training's."""
    if part == "train":
        return replace(item, facets={**item.facets, "split": "train"})
    twin = "seen" if item.family in families and item.id not in ids else "unseen"
    split = "dev" if part == "dev" else "test"
    noun_seen = item.groups.get("noun", "") in nouns
    return replace(item, facets={**item.facets, "split": split, "scenario": part, "twin": twin, "noun_seen": noun_seen})


def write_splits(splits: Splits, seed: int, folder: Path) -> WrittenSplits:
    """Write every part that has items into a folder."""
    parts = []
    for name, part in {"train": splits.train, "dev": splits.dev, **splits.tests}.items():
        if not part.items:
            continue
        path = folder / f"{name}.jsonl"
        write_probe(path, part)
        members = [item.member for item in part.items]
        seen = sum(item.facets.get("twin") == "seen" for item in part.items)
        parts.append(SplitPart(name, path, len(members), members.count("generic"), members.count("exception"), seen))
    return WrittenSplits(splits.setting, seed, tuple(parts))
