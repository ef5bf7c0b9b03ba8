"""The two training settings of WinoVenti (section 3.3): which texts are trained on and which are tested.

`exception_parts` splits for training and for files alike; `write_splits` writes the files.

Half-exception: half of the schemas, with both of their texts, are trained on (1,088 + 1,088 texts of the whole set);
the other half is the test. Full-exception: four fifths of the exceptions are trained on. Its tests are the other
exceptions, all generic texts, and the unseen exceptions mixed with an equal number of generic texts drawn at random.

The paper draws schemas, so that nearly every noun of a test also occurs in training. With ``nouns``, whole nouns are
drawn instead, and no test schema is about a noun that was trained on (except the generic twins of exceptions).

A generic text differs from its exception in one word, and four fifths of the generic tests are twins of a trained
exception. The facet ``twin`` of each test item in the files says so.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge, Interval

from horsesense.core import Item, Probe, write_probe
from horsesense.core.catalogue import as_probe
from horsesense.core.document import Document
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.methods.winoventi.schemas import pairs_of
from horsesense.training.settings import HELD_OUT, TrainingMaterial, TrainingPlan, TrainingSetting, with_gold

HALF, FULL = "half-exception", "full-exception"
EXCEPTION_SETTINGS = (HALF, FULL)
UNSEEN_NOUNS = "-unseen-nouns"
"""Suffix of a setting in which nouns are drawn instead of schemas."""
UNSEEN_EXCEPTIONS, ALL_GENERICS, MIXED, OTHER_HALF = "unseen-exceptions", "all-generics", "mixed", "held-out"
TRAIN_SHARE = 0.8
"""Share of the exceptions that the full-exception setting trains on."""
_MIN_SCHEMAS = 5

Pairs = Mapping[str, Mapping[str, Item]]
"""Schema → generic and exception → item."""


@dataclass(frozen=True, slots=True)
class ExceptionParts:
    """Items to train on and to test on."""

    train: list[Item]
    dev: list[Item]
    """Schemas held out of training for model selection; the paper has none."""
    tests: dict[str, list[Item]]
    """``held-out`` in the half-exception setting; ``unseen-exceptions``, ``all-generics``, ``mixed`` in the other."""


def exception_parts(
    items: Sequence[Item], setting: str, seed: int = 0, dev: float = 0.0, nouns: bool = False
) -> ExceptionParts:
    """Split schemas as a setting says; ``dev`` is the share of training schemas that are held out.

    >>> texts = [(str(n), test) for n in range(10) for test in ("generic", "exception")]
    >>> items = [Item("wv", "cloze", text=f"{n} {t} ___.", options=("a", "b"), answer=0, family=n, member=t,
    ...               facets={"test": t}) for n, t in texts]
    >>> parts = exception_parts(items, "full-exception")
    >>> len(parts.train), {name: len(test) for name, test in parts.tests.items()}
    (8, {'unseen-exceptions': 2, 'all-generics': 10, 'mixed': 4})
    """
    if setting not in EXCEPTION_SETTINGS:
        raise unknown("setting", setting, EXCEPTION_SETTINGS)
    if not 0 <= dev < 1:
        raise UserError(f"the share {dev} for development is not between 0 and 1", fix="use 0.1")
    pairs = pairs_of(items)
    if len(pairs) < _MIN_SCHEMAS:
        raise UserError(
            f"the probe has {len(pairs)} schemas with a generic and an exception item, too few to split",
            fix="give a WinoVenti probe, built or imported",
        )
    names = _shuffled(pairs, seed, nouns)
    share = 0.5 if setting == HALF else TRAIN_SHARE
    trained = _first(names, pairs, share, nouns)
    held = _first(trained, pairs, dev, nouns) if dev else []
    training, unseen = trained[len(held) :], names[len(trained) :]
    if setting == HALF:
        return ExceptionParts(_both(pairs, training), _both(pairs, held), {OTHER_HALF: _both(pairs, unseen)})
    exceptions = [pairs[name]["exception"] for name in unseen]
    generics = [pairs[name]["generic"] for name in names]
    mixed = [*exceptions, *random.Random(f"{seed} mixed").sample(generics, len(exceptions))]
    train, development = ([pairs[name]["exception"] for name in part] for part in (training, held))
    return ExceptionParts(train, development, {UNSEEN_EXCEPTIONS: exceptions, ALL_GENERICS: generics, MIXED: mixed})


def _noun(pairs: Pairs, name: str) -> str:
    return pairs[name]["generic"].groups.get("noun", name)


def _shuffled(pairs: Pairs, seed: int, nouns: bool) -> list[str]:
    """Shuffle the schemas; those of one noun stay together where nouns are drawn."""
    names = sorted(pairs)
    random.Random(seed).shuffle(names)
    if not nouns:
        return names
    order: dict[str, int] = {}
    for name in names:
        order.setdefault(_noun(pairs, name), len(order))
    return sorted(names, key=lambda name: order[_noun(pairs, name)])


def _first(names: Sequence[str], pairs: Pairs, share: float, nouns: bool) -> list[str]:
    """Return the first share of the schemas; no noun is split where nouns are drawn."""
    count = round(share * len(names))
    if nouns:
        while 0 < count < len(names) and _noun(pairs, names[count - 1]) == _noun(pairs, names[count]):
            count += 1
    return list(names[:count])


def _both(pairs: Pairs, names: Sequence[str]) -> list[Item]:
    return [pairs[name][member] for name in names for member in ("generic", "exception")]


def _setting(name: str, nouns: bool) -> Callable[[TrainingMaterial, int], TrainingPlan]:
    """Return the function that makes the plan of a setting.

    The tests of full-exception contain the generic twins of training exceptions, which differ only in the context word:
    the paper's own setting leaks.
    """

    def plan(material: TrainingMaterial, number: int) -> TrainingPlan:
        parts = exception_parts(_schemas(material), name, material.seed, HELD_OUT, nouns)
        why = "full-exception tests the generic twins of exceptions that were trained on" if name == FULL else ""
        plan_name = f"{name}{UNSEEN_NOUNS}" if nouns else name
        return TrainingPlan(plan_name, parts.train, parts.dev, parts.tests, leaks_by_design=why)

    return plan


def _schemas(material: TrainingMaterial) -> list[Item]:
    items = with_gold(material.train.items, "training")
    if any(item.facets.get("test") not in ("generic", "exception") for item in items):
        raise UserError(
            "the setting needs schemas with a facet 'test' of generic and exception",
            fix="use it on a WinoVenti probe, or choose another setting",
        )
    if material.tests:
        raise UserError("the setting makes its own tests", fix=f"leave {argument('tests')} out")
    return items


HALF_EXCEPTION = TrainingSetting(_setting(HALF, nouns=False), masked_objective="random-mask")
"""Words of the filled sentence are masked at random, as in the paper."""
FULL_EXCEPTION = TrainingSetting(_setting(FULL, nouns=False), masked_objective="random-mask")
HALF_EXCEPTION_UNSEEN_NOUNS = TrainingSetting(_setting(HALF, nouns=True))
FULL_EXCEPTION_UNSEEN_NOUNS = TrainingSetting(_setting(FULL, nouns=True))


# The splits as files.


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


def make_splits(probe: Probe, setting: str, seed: int = 0, dev: float = 0.0, nouns: bool = False) -> dict[str, Probe]:
    """Split a WinoVenti probe into ``train``, ``dev`` and the tests of the setting.

    Every test item has the facets ``twin`` (``seen`` if the other text of its schema was trained on, else ``unseen``)
    and ``noun_seen`` (whether a training item has its noun). ``dev`` is the share of training schemas held out for
    development. With ``nouns`` whole nouns are drawn.
    """
    parts = exception_parts(probe.items, setting, seed, dev, nouns)
    families = {item.family for item in parts.train}
    trained_nouns = {item.groups.get("noun", "") for item in parts.train}
    ids = {item.id for item in parts.train}

    def marked(item: Item, name: str) -> Item:
        if name == "train":
            return replace(item, facets={**item.facets, "split": "train"})
        twin = "seen" if item.family in families and item.id not in ids else "unseen"
        about = {"split": "dev" if name == "dev" else "test", "scenario": name, "twin": twin}
        noun_seen = item.groups.get("noun", "") in trained_nouns
        return replace(item, facets={**item.facets, **about, "noun_seen": noun_seen})

    splits = {}
    for name, items in {"train": parts.train, "dev": parts.dev, **parts.tests}.items():
        description = f"{probe.card.made} The {name} part of the {setting} setting.".strip()
        card = replace(probe.card, name=f"{probe.card.name}-{setting}-{name}", made=description, notes={})
        part = [marked(item, name) for item in items]
        splits[name] = Probe.of(part, card, None if name in ("train", "dev") else {_TWINS: _twins_seen(part)})
    return splits


_TWINS = "twins of trained items"


def _twins_seen(items: Sequence[Item]) -> int:
    return sum(item.facets.get("twin") == "seen" for item in items)


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
    parts = []
    for name, part in make_splits(as_probe(probe), setting, seed, dev, unseen_nouns).items():
        if part.items:
            path = Path(out) / f"{name}.jsonl"
            write_probe(path, part)
            members = [item.member for item in part.items]
            tests = members.count("generic"), members.count("exception")
            parts.append(SplitPart(name, path, len(members), *tests, _twins_seen(part.items)))
    return WrittenSplits(setting, seed, tuple(parts))
