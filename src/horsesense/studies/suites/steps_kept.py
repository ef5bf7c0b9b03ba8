"""Accuracy by inference steps, on a two-choice scale (CATs, section "Number of Inference Steps", figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from horsesense.analysis import Estimate
from horsesense.analysis.accuracy import accuracy
from horsesense.analysis.two_choice import ByNumber, Counted, beaten, by_number
from horsesense.errors import UserError
from horsesense.probes.cats.steps import steps
from horsesense.records import Item
from horsesense.records.document import Document
from horsesense.runs.results import Answered
from horsesense.scoring.normalise import Normalisation


@dataclass(frozen=True, slots=True)
class SetSteps:
    """One probe: how many steps its items take, and how a model does on it."""

    probe: str
    mean_steps: float
    """Mean steps of the items whose steps are known."""
    accuracy: Estimate
    """Share of wrong options that the right one beats, over these items."""
    by_steps: tuple[ByNumber, ...]
    """The same for each number of steps, the smallest first."""


@dataclass(frozen=True, slots=True)
class ModelSteps:
    """One model over all probes, ranked by their steps."""

    model: str
    sets: tuple[SetSteps, ...]
    """Its probes, those with the fewest steps first."""
    by_steps: tuple[ByNumber, ...]
    """Over all probes together."""


@dataclass(frozen=True, slots=True)
class PeopleCounting:
    """How people counted steps."""

    agreement: float
    """Share of pairs of people who said the same of an item."""
    pairs: int
    """How many such pairs there are."""


@dataclass(frozen=True, slots=True)
class StepsOfRuns(Document):
    """Accuracy by inference steps, for every model of some runs."""

    counted_by: Literal["people", "rule"]
    """Who counted the steps."""
    people: PeopleCounting | None
    """How far people agree; null where a rule counted."""
    models: tuple[ModelSteps, ...]
    """One entry a model."""


def steps_of_runs(answered: Sequence[Answered], counts: Counted | None = None) -> StepsOfRuns:
    """Accuracy by steps, which people counted, or else a rule."""
    models = tuple(steps_kept(answered, counts.means if counts else None))
    people = PeopleCounting(counts.agreement, counts.pairs) if counts else None
    return StepsOfRuns("people" if counts else "rule", people, models)


def steps_of(item: Item) -> float | None:
    """The steps of an item by rule, counted in its right option; a judged one has a right option to count in."""
    if item.answer is None or item.form != "sentences":
        return None
    return steps(item.options[item.answer])


def steps_kept(
    answered: Sequence[Answered], told: Mapping[str, float] | None = None, how: Normalisation | None = None
) -> list[ModelSteps]:
    """For each model: its probes in the order of their steps, and accuracy by steps.

    ``told`` are steps by item that people counted; without it they are counted by rule.
    """
    models = list(dict.fromkeys(one.part.model.name for one in answered))
    found = [_of_model(name, [one for one in answered if one.part.model.name == name], told, how) for name in models]
    if not any(each.sets for each in found):
        raise UserError("no item of these runs has steps", fix="use probes of sentences, and judgements of their items")
    return found


def _of_model(
    name: str, answered: Sequence[Answered], told: Mapping[str, float] | None, how: Normalisation | None
) -> ModelSteps:
    sets, values, units, numbers = [], [], [], []
    for one in answered:
        credit = beaten(one.scores(how or one.primary()), [item.answer for item in one.items])
        counts = [steps_of(item) if told is None else told.get(item.id) for item in one.items]
        own = [item.unit(one.probe.card.group) for item in one.items]
        known = [place for place, count in enumerate(counts) if count is not None and not np.isnan(credit[place])]
        if not known:
            continue
        mean = float(np.mean([count for place in known if (count := counts[place]) is not None]))
        overall = accuracy(credit[known], [own[place] for place in known], chance=0.5)
        sets.append(SetSteps(one.part.probe.name, mean, overall, tuple(by_number(credit, own, counts))))
        values.append(credit)
        units += own
        numbers += counts
    together = by_number(np.concatenate(values), units, numbers) if values else []
    return ModelSteps(name, tuple(sorted(sets, key=lambda each: each.mean_steps)), tuple(together))
