"""Training settings: which items are trained on, chosen on and tested on. Pure.

``full`` is here; the others belong to the methods that define them.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from horsesense.core import Item, Probe
from horsesense.errors import UserError, argument, unknown
from horsesense.registry import load, provided

HELD_OUT = 0.1
"""Share of a training set that is held out for model selection without a development set."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """One training and its tests."""

    name: str
    """The setting and its number, such as ``low-resource 10 %``."""
    train: Sequence[Item]
    dev: Sequence[Item]
    tests: Mapping[str, Sequence[Item]]
    entities: bool = False
    """Whether a name that occurs in training must not occur in a test."""
    leaks_by_design: str = ""
    """Why the paper's own setting leaks; such results are split by seen and unseen."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Items that were left out, by reason."""


@dataclass(frozen=True, slots=True)
class TrainingMaterial:
    """Probes to train and test on."""

    train: Probe
    dev: Probe | None
    tests: Mapping[str, Probe]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class TrainingSetting:
    """A way to make a training set from a probe."""

    plan: Callable[[TrainingMaterial, int], TrainingPlan]
    """Returns the plan for one size of the setting."""
    numbers: tuple[int, ...] = (0,)
    """The numbers that are used where the user gives none."""
    masked_objective: str = ""
    """Objective of masked models under this setting; empty: the usual one."""


def find_setting(name: str) -> TrainingSetting:
    """Return a setting by name: ``full``, or one of a method.

    >>> find_setting("low-resource").numbers
    (10,)
    """
    known = {"full": f"{__name__}:FULL"} | provided("settings")
    if name not in known:
        raise unknown("setting", name, known)
    setting: TrainingSetting = load(known[name])
    return setting


def plans(name: str, material: TrainingMaterial, numbers: Sequence[int] = ()) -> list[TrainingPlan]:
    """Return the trainings of a setting: one for each number (per cent, copies, statements), or for its usual ones."""
    setting = find_setting(name)
    return [setting.plan(material, number) for number in (numbers or setting.numbers)]


def _full(material: TrainingMaterial, number: int) -> TrainingPlan:
    """Train on everything or, for a size curve, on the first ``number`` statements of one shuffled order.

    A larger set contains the smaller ones. Beyond the size of the training set, statements are repeated about other
    entities (Zhou et al. 2021, figure 4c: up to 80,000).
    """
    if number < 0:
        raise UserError(f"{number} statements cannot be trained on", fix="use 1 or more; before training is shown too")
    train, dev = train_and_dev(material)
    if not number:
        return TrainingPlan("full", train, dev, items_of_tests(material))
    repeat = number > len(train)
    pool = find_setting("high-resource").plan(material, -(-number // len(train))).train if repeat else train
    part = shuffled(pool, material.seed)[:number]
    return TrainingPlan(f"full {number}", part, dev, items_of_tests(material), entities=repeat)


FULL = TrainingSetting(_full)


def train_and_dev(material: TrainingMaterial) -> tuple[list[Item], list[Item]]:
    """Return training and development items; a tenth of the training items is held out where there is no dev probe."""
    train = with_gold(material.train.items, "training")
    if material.dev is not None:
        return train, with_gold(material.dev.items, "development")
    return hold_out(train, HELD_OUT, 0, material.train.card.group)


def items_of_tests(material: TrainingMaterial) -> dict[str, Sequence[Item]]:
    """Return the items of each test, and of all of them together (``joint``) where there are several."""
    if not material.tests:
        raise UserError("there is nothing to test on", fix=f"give {argument('tests', 'PROBE')}")
    tests: dict[str, Sequence[Item]] = {name: with_gold(probe.items, name) for name, probe in material.tests.items()}
    if len(tests) > 1:
        tests["joint"] = list({item.id: item for items in tests.values() for item in items}.values())
    return tests


def shuffled(items: Sequence[Item], seed: int) -> list[Item]:
    """Return items in an order that depends on their ids and the seed only."""
    return sorted(items, key=lambda item: (random.Random(f"{seed} {item.id}").random(), item.id))


def hold_out(items: Sequence[Item], share: float, seed: int, group: str = "family") -> tuple[list[Item], list[Item]]:
    """Split items into those that stay and those that are held out: about ``share`` of them, in whole clusters.

    Clusters are sorted before they are shuffled, so that the order of the file does not matter; both parts keep it.

    >>> items = [Item(probe="demo", form="choice", text=str(n), options=("a",), family=str(n // 2)) for n in range(8)]
    >>> stay, held = hold_out(items, 0.25, seed=0)
    >>> len(stay), len(held), {item.family for item in stay} & {item.family for item in held}
    (6, 2, set())
    """
    if not 0 < share < 1:
        raise UserError(f"a share of {share} cannot be held out", fix="use more than 0 and less than 1")
    members: dict[str, list[str]] = defaultdict(list)
    for item in items:
        members[item.unit(group)].append(item.id)
    clusters = sorted(members)
    if len(clusters) < 2:
        raise UserError(
            f"all items are of one {group}, so nothing can be held out",
            fix=f"give {argument('dev')}, or name another group",
        )
    random.Random(seed).shuffle(clusters)
    target, held = round(share * len(items)), set[str]()
    for cluster in clusters[:-1]:  # at least one stays
        if held and len(held) >= target:
            break
        held.update(members[cluster])
    return [item for item in items if item.id not in held], [item for item in items if item.id in held]


def with_gold(items: Sequence[Item], what: str) -> list[Item]:
    """Return the items with a gold answer; a part without any is an error."""
    judged = [item for item in items if item.answer is not None]
    if not judged:
        raise UserError(f"the {what} part has no item with a gold answer", fix="give a probe with golds")
    return judged
