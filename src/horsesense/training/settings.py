"""What a model is trained on and tested on, a word a setting (RICA, section 3.3; WinoVenti, section 3.3). Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from horsesense.core import Item, Probe
from horsesense.errors import UserError, argument, unknown
from horsesense.training.exception_splits import FULL, HALF, exception_parts
from horsesense.training.facts import names
from horsesense.training.leaks import without_leaks
from horsesense.training.splits import HELD_OUT, hold_out, judged

SHARES = (10, 20, 30, 50)
"""Per cent of the training set, low-resource."""
TIMES = 5
"""How often a statement stands in the training set, high-resource: RICA's own number."""
UNSEEN_NOUNS = "-unseen-nouns"
"""Ends the name of a WinoVenti setting in which nouns are drawn, not schemas as in the paper."""
_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxz", "aeiouy"


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """One training and what it is measured on."""

    name: str
    """The setting and its number, such as ``low-resource 10 %``."""
    train: Sequence[Item]
    dev: Sequence[Item]
    tests: Mapping[str, Sequence[Item]]
    entities: bool = False
    """Whether names in training must not stand in a test."""
    leaks_by_design: str = ""
    """Why the paper's own setting leaks; such results are split by seen and unseen."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What was left out, and how much of it."""


@dataclass(frozen=True, slots=True)
class TrainingMaterial:
    """What the user gives to train and test on."""

    train: Probe
    dev: Probe | None
    tests: Mapping[str, Probe]
    seed: int = 0


def plans(setting: str, material: TrainingMaterial, numbers: Sequence[int] = ()) -> list[TrainingPlan]:
    """The trainings of a setting: one for each number (per cent, times, statements), or for its usual ones."""
    if setting not in SETTINGS:
        raise unknown("setting", setting, SETTINGS)
    make, usual = SETTINGS[setting]
    return [make(material, number) for number in (numbers or usual)]


def _full(material: TrainingMaterial, number: int) -> TrainingPlan:
    """Everything, or for a size curve so many statements of one shuffled order: a larger set holds the smaller.

    Beyond the end of the set, the same statements come again about others (RICA, figure 4c: up to 80,000).
    """
    if number < 0:
        raise UserError(f"{number} statements cannot be trained on", fix="use 1 or more; before training is shown too")
    train, dev = _parts(material)
    if not number:
        return TrainingPlan("full", train, dev, _tests(material))
    again = number > len(train)
    pool = _high_resource(material, -(-number // len(train))).train if again else train
    order = sorted(pool, key=lambda item: (_lot(material.seed, item.id), item.id))
    return TrainingPlan(f"full {number}", order[:number], dev, _tests(material), entities=again)


def _low_resource(material: TrainingMaterial, number: int) -> TrainingPlan:
    train, dev = _parts(material)
    if not 0 < number < 100:
        raise UserError(f"{number} per cent is no part of a training set", fix=f"use {', '.join(map(str, SHARES))}")
    _, part = hold_out(train, number / 100, material.seed, material.train.card.group)
    return TrainingPlan(f"low-resource {number} %", part, dev, _tests(material))


def _high_resource(material: TrainingMaterial, number: int) -> TrainingPlan:
    """Every statement ``number`` times, each time about others; no name of a test is used."""
    train, dev = _parts(material)
    tests = _tests(material)
    taken = {name for items in (train, dev, *tests.values()) for item in items for name in names(item)}
    return TrainingPlan(
        f"high-resource {number} times", renamed(train, number, material.seed, taken), dev, tests, entities=True
    )


def _noisy(material: TrainingMaterial, number: int) -> TrainingPlan:
    """A large raw set without the axioms of the tests: what shares one, or half of one, is left out and counted."""
    train, dev = _parts(material)
    tests = _tests(material)
    group = material.train.card.group
    test_units = {item.unit(group) for items in tests.values() for item in items}
    apart = [item for item in train if item.unit(group) not in test_units]
    kept = without_leaks(apart, [item for items in tests.values() for item in items])
    if not kept:
        raise UserError(f"every training item shares its {group} with a test", fix="give another training set")
    counts = {
        f"left out: the {group} of a test": len(train) - len(apart),
        "left out: a fact of a test, or half of one": len(apart) - len(kept),
    }
    if number and number < len(kept):
        kept = sorted(kept, key=lambda item: (_lot(material.seed, item.id), item.id))[:number]
    return TrainingPlan("noisy", kept, dev, tests, counts=counts)


def _exception(setting: str, nouns: bool) -> Callable[[TrainingMaterial, int], TrainingPlan]:
    """WinoVenti's settings; the generic twins of training exceptions stand in the tests of full-exception.

    The sentence is the same but for the context word, so that the paper's own setting leaks.
    """

    def plan(material: TrainingMaterial, number: int) -> TrainingPlan:
        parts = exception_parts(_schemas(material), setting, material.seed, HELD_OUT, nouns)
        why = "full-exception tests the generic twins of exceptions that were trained on" if setting == FULL else ""
        name = f"{setting}{UNSEEN_NOUNS}" if nouns else setting
        return TrainingPlan(name, parts.train, parts.dev, parts.tests, leaks_by_design=why)

    return plan


def _parts(material: TrainingMaterial) -> tuple[list[Item], list[Item]]:
    train = judged(material.train.items, "training")
    if material.dev is not None:
        return train, judged(material.dev.items, "development")
    return hold_out(train, HELD_OUT, 0, material.train.card.group)


def _tests(material: TrainingMaterial) -> dict[str, Sequence[Item]]:
    if not material.tests:
        raise UserError("there is nothing to test on", fix=f"give {argument('tests', 'PROBE')}")
    tests: dict[str, Sequence[Item]] = {name: judged(probe.items, name) for name, probe in material.tests.items()}
    if len(tests) > 1:
        # RICA's third column: the verified and the curated set together.
        tests["joint"] = list({item.id: item for items in tests.values() for item in items}.values())
    return tests


def _schemas(material: TrainingMaterial) -> list[Item]:
    items = judged(material.train.items, "training")
    if any(item.facets.get("test") not in ("generic", "exception") for item in items):
        raise UserError(
            "the setting wants schemas with a facet 'test' of generic and exception",
            fix="use it on a WinoVenti probe, or choose another setting",
        )
    if material.tests:
        raise UserError("the setting makes its own tests", fix=f"leave {argument('tests')} out")
    return items


def _lot(seed: int, identity: str) -> float:
    return random.Random(f"{seed} {identity}").random()


def made_up_name(lot: random.Random) -> str:
    """A name that nobody has: two to four syllables.

    >>> made_up_name(random.Random(0)).isalpha()
    True
    """
    syllables = (lot.choice(_CONSONANTS) + lot.choice(_VOWELS) for _ in range(lot.randint(2, 4)))
    return "".join(syllables) + lot.choice(_CONSONANTS)


def renamed(items: Sequence[Item], times: int, seed: int, taken: Collection[str] = ()) -> list[Item]:
    """Each statement so many times, the first as it stands, the others with names that are not ``taken``.

    >>> statement = Item(probe="demo", form="cloze", text="wob is ice, so wob is ___ than zim",
    ...                  options=("more", "less"), answer=0, family="wob zim")
    >>> [item.text.count("wob") for item in renamed([statement], 3, seed=0)]
    [2, 0, 0]
    """
    lot, used, statements = random.Random(seed), set(taken), list[Item]()
    for item in items:
        about = names(item)
        if not about:
            raise UserError(f"item {item.id} is not about made-up names", fix="high-resource is for RICA's statements")
        statements.append(item)
        for _ in range(times - 1):
            fresh = []
            for _ in about:
                while (name := made_up_name(lot)) in used:
                    pass
                used.add(name)
                fresh.append(name)
            statements.append(_about(item, dict(zip(about, fresh, strict=True))))
    return statements


def _about(item: Item, names: dict[str, str]) -> Item:
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")

    def change(text: str) -> str:
        return pattern.sub(lambda match: names[match[0]], text)

    renamed_item = replace(item, text=change(item.text), options=tuple(map(change, item.options)))
    others = " ".join(names.values())
    if item.groups.get("entities"):
        return replace(renamed_item, groups={**item.groups, "entities": others})
    return replace(renamed_item, family=others)


SETTINGS: dict[str, tuple[Callable[[TrainingMaterial, int], TrainingPlan], tuple[int, ...]]] = {
    "full": (_full, (0,)),
    "low-resource": (_low_resource, SHARES[:1]),
    "high-resource": (_high_resource, (TIMES,)),
    "noisy": (_noisy, (0,)),
    HALF: (_exception(HALF, nouns=False), (0,)),
    FULL: (_exception(FULL, nouns=False), (0,)),
    f"{HALF}{UNSEEN_NOUNS}": (_exception(HALF, nouns=True), (0,)),
    f"{FULL}{UNSEEN_NOUNS}": (_exception(FULL, nouns=True), (0,)),
}
"""Name → how it is made, and its usual numbers."""
