"""What trainings gave: each test before and after, means over seeds, whole and by facet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from horsesense.core import Item, Probe
from horsesense.stats import Estimate, accuracy, chance
from horsesense.stats.resampling import Floats
from horsesense.training.leaks import Leaks
from horsesense.training.settings import TrainingPlan
from horsesense.training.training_record import Recipe, Trained

ModelAndTest = tuple[str, str]
"""Which model was asked which test; the model before training has no name."""
Credits = Mapping[ModelAndTest, Mapping[str, float]]
"""What each item earned, by its id."""


@dataclass(frozen=True, slots=True)
class Change:
    """Accuracy before and after training; intervals are over units of dependence."""

    before: Estimate | None
    """None where the model cannot be asked before it has a head."""
    after: Estimate
    """The mean over seeds."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One test set, before and after training."""

    test: str
    whole: Change
    each: tuple[float, ...]
    """Accuracy of each seed."""
    slices: Mapping[str, Mapping[str, Change]]
    """By facet and value. ``twin``, whether training saw the other member of the family, counts answers of all
    seeds."""

    @property
    def spread(self) -> float | None:
        """Standard deviation over seeds."""
        return float(np.std(self.each, ddof=1)) if len(self.each) > 1 else None


@dataclass(frozen=True, slots=True)
class Point:
    """One setting with one number."""

    plan: str
    items: int
    """Items trained on."""
    trained: tuple[Trained, ...]
    """One a seed; none where nothing was trained (a curve's beginning)."""
    tests: tuple[Scored, ...]
    leaks: Leaks
    counts: Mapping[str, int]
    """What was left out of training, and how much of it."""


@dataclass(frozen=True, slots=True)
class TrainingResults:
    """What a model gained under a setting, with each of the setting's numbers."""

    model: str
    setting: str
    recipe: Recipe
    out: Path
    """Where the trained models, their answers and these results are kept."""
    points: tuple[Point, ...]


def scored(
    test: str, plans: Sequence[TrainingPlan], names: Sequence[str], runs: Credits, probe: Probe, facets: Sequence[str]
) -> Scored:
    """A test that each of the plans' models was asked; ``probe`` says what its units of dependence are."""
    items = list({item.id: item for plan in plans for item in plan.tests[test]}.values())
    after = np.array(
        [np.mean([runs[name, test][item.id] for name in names if item.id in runs[name, test]]) for item in items]
    )
    first = runs.get(("", test))
    before = None if first is None else np.array([first[item.id] for item in items])
    group = probe.card.group
    slices: dict[str, Mapping[str, Change]] = {}
    if plans[0].leaks_by_design:
        slices["twin"] = _by_twin(test, plans, names, runs, group)
    for facet in facets:
        slices[facet] = _cut([str(item.facets.get(facet, "")) for item in items], items, group, before, after)
    return Scored(
        test=test,
        whole=_change(items, group, before, after),
        each=tuple(float(np.mean(list(runs[name, test].values()))) for name in names),
        slices=slices,
    )


def _by_twin(
    test: str, plans: Sequence[TrainingPlan], names: Sequence[str], runs: Credits, group: str
) -> dict[str, Change]:
    """Whether training saw the other member of the family differs from seed to seed, so answers are counted here."""
    labels, items, before, after = list[str](), list[Item](), list[float](), list[float]()
    first = runs.get(("", test))
    for plan, name in zip(plans, names, strict=True):
        trained = {item.family for item in plan.train}
        for item in plan.tests[test]:
            labels.append("seen" if item.family in trained else "unseen")
            items.append(item)
            after.append(runs[name, test][item.id])
            before += [first[item.id]] if first is not None else []
    return _cut(labels, items, group, np.array(before) if before else None, np.array(after))


def _cut(
    labels: Sequence[str], items: Sequence[Item], group: str, before: Floats | None, after: Floats
) -> dict[str, Change]:
    places: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    return {
        label: _change([items[n] for n in at], group, None if before is None else before[at], after[at])
        for label, at in sorted(places.items())
    }


def _change(items: Sequence[Item], group: str, before: Floats | None, after: Floats) -> Change:
    units = [item.unit(group) for item in items]
    guess = chance([len(item.options) for item in items])
    return Change(
        None if before is None else accuracy(before, units, chance=guess), accuracy(after, units, chance=guess)
    )
