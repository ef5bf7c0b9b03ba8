"""The training settings of RICA (section 3.3): low-resource, high-resource and noisy."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import replace

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.lexicons.novel_names import rename_entities
from horsesense.training.leaks import names, without_leaks
from horsesense.training.settings import (
    TrainingMaterial,
    TrainingPlan,
    TrainingSetting,
    hold_out,
    items_of_tests,
    shuffled,
    train_and_dev,
)

PERCENTAGES = (10, 20, 30, 50)
"""Percentages of the training set in the low-resource setting."""
COPIES = 5
"""Copies of each statement in the high-resource setting: the paper's own number."""
_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxz", "aeiouy"


def low_resource(material: TrainingMaterial, number: int) -> TrainingPlan:
    """Train on a percentage of the training set."""
    train, dev = train_and_dev(material)
    if not 0 < number < 100:
        raise UserError(
            f"{number} per cent is not a part of a training set", fix=f"use {', '.join(map(str, PERCENTAGES))}"
        )
    _, part = hold_out(train, number / 100, material.seed, material.train.card.group)
    return TrainingPlan(f"low-resource {number} %", part, dev, items_of_tests(material))


def high_resource(material: TrainingMaterial, number: int) -> TrainingPlan:
    """Train on ``number`` copies of every statement, each about other entities; no name of a test is used."""
    train, dev = train_and_dev(material)
    tests = items_of_tests(material)
    taken = {name for items in (train, dev, *tests.values()) for item in items for name in names(item)}
    copies = renamed(train, number, material.seed, taken)
    return TrainingPlan(f"high-resource {number} times", copies, dev, tests, entities=True)


def noisy(material: TrainingMaterial, number: int) -> TrainingPlan:
    """Train on a large raw set without the axioms of the tests: items that share one, or half of one, are left out."""
    train, dev = train_and_dev(material)
    tests = items_of_tests(material)
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
        kept = shuffled(kept, material.seed)[:number]
    return TrainingPlan("noisy", kept, dev, tests, counts=counts)


def novel_name(rng: random.Random) -> str:
    """Make up a name of two to four syllables.

    >>> novel_name(random.Random(0)).isalpha()
    True
    """
    syllables = (rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(rng.randint(2, 4)))
    return "".join(syllables) + rng.choice(_CONSONANTS)


def renamed(items: Sequence[Item], times: int, seed: int, taken: Collection[str] = ()) -> list[Item]:
    """Return ``times`` copies of each statement: the first as it is, the others with names that are not ``taken``.

    >>> statement = Item(probe="demo", form="cloze", text="wob is ice, so wob is ___ than zim",
    ...                  options=("more", "less"), answer=0, family="wob zim")
    >>> [item.text.count("wob") for item in renamed([statement], 3, seed=0)]
    [2, 0, 0]
    """
    rng, used, statements = random.Random(seed), set(taken), list[Item]()
    for item in items:
        entities = names(item)
        if not entities:
            raise UserError(f"item {item.id} is not about made-up names", fix="high-resource is for RICA's statements")
        statements.append(item)
        for _ in range(times - 1):
            fresh = []
            for _ in entities:
                while (name := novel_name(rng)) in used:
                    pass
                used.add(name)
                fresh.append(name)
            statements.append(_rename(item, dict(zip(entities, fresh, strict=True))))
    return statements


def _rename(item: Item, new_names: dict[str, str]) -> Item:
    text, *options = (rename_entities(text, new_names) for text in (item.text, *item.options))
    copy = replace(item, text=text, options=tuple(options))
    entities = " ".join(new_names.values())
    if item.groups.get("entities"):
        return replace(copy, groups={**item.groups, "entities": entities})
    return replace(copy, family=entities)


LOW_RESOURCE = TrainingSetting(low_resource, PERCENTAGES[:1])
HIGH_RESOURCE = TrainingSetting(high_resource, (COPIES,))
NOISY = TrainingSetting(noisy)
