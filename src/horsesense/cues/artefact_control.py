"""Artefact control: the accuracy of the best cue, and that of a model where this cue misleads.

The accuracy of a model that relies on cues drops where they mislead; that of a model that understands does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Answer, Item
from horsesense.cues.battery import Bools, Cue, battery, given, phrase, shares
from horsesense.cues.relatedness import Relatedness
from horsesense.cues.search import Prepared, check_units, choose, halvings, prepare
from horsesense.cues.table import table_of
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.stats.accuracy import accuracy
from horsesense.stats.accuracy import chance as chance_of
from horsesense.stats.accuracy import credits as credits_of
from horsesense.stats.combined import difference_of, rates_of
from horsesense.stats.intervals import Estimate, unit_note
from horsesense.stats.resampling import Floats, Names


@dataclass(frozen=True, slots=True)
class ChosenCue:
    """Answers by the cue that is best on the half without the item, as if it were a model."""

    answers: Sequence[Answer]
    """One answer per item, in order."""
    picks: tuple[str, ...]
    """Answering rule per half: "the option with the most words"; a single entry if both halves choose the same."""
    tried: int
    """Number of cues it was chosen from."""

    @property
    def rule(self) -> str:
        """The answering rule, of each half of the items if the halves choose different ones; empty without a cue."""
        return " (first half) or ".join(self.picks) + " (second half)" * (len(self.picks) > 1)


def chosen_cue(
    items: Sequence[Item],
    group: str = "family",
    taxonomy: Graph | None = None,
    extra: Mapping[str, Sequence[Sequence[float]]] | None = None,
    seed: int = 0,
    also: Sequence[Cue] = (),
) -> ChosenCue:
    """Return the answers of the best cue, and its answering rule.

    The option that the cue picks scores 1; tied options share it. Items without a gold are not used to choose a cue, so
    their options tie.
    """
    table = table_of(items, group, taxonomy)
    check_units(table)
    cues = [*battery(), *(given(name, scores, items) for name, scores in (extra or {}).items()), *also]
    prepared = prepare(table, cues)
    flat, picks = _crossed_shares(prepared, seed)
    index_of = {id(item): number for number, item in enumerate(table.items)}
    answers = []
    for item in items:
        scores = tuple(1 / len(item.options) for _ in item.options)
        number = index_of.get(id(item))
        if number is not None:
            scores = tuple(flat[table.starts[number] : table.starts[number + 1]].tolist())
        answers.append(Answer(item=item.id, view=item.form, scores=scores))
    return ChosenCue(answers, picks, len(prepared.cues))


def cues_right(answers: Sequence[Answer], items: Sequence[Item]) -> NDArray[np.bool_]:
    """Return per item whether the cue picks the correct option alone."""
    return np.array(
        [i.answer is not None and a.scores[i.answer] == 1.0 for a, i in zip(answers, items, strict=True)], dtype=bool
    )


def _crossed_shares(prepared: Prepared, seed: int) -> tuple[Floats, tuple[str, ...]]:
    """Return flat shares by the cue that is best on the half without the item, and the answering rule of each half."""
    table = prepared.table
    flat = table.chance[table.item_of]
    picks: dict[str, None] = {}
    (half,) = halvings(table.unit, 1, seed)
    for train in (half, ~half):
        chosen = choose(prepared, train, seed)
        if len(chosen.worth):
            winner = int(np.argmax(chosen.worth))
            test = ~train[table.item_of]
            flat[test] = _shares_of(prepared, winner, chosen.direction, train)[test]
            turned = chosen.direction[winner] if winner < prepared.numbers else 0
            picks[f"the option {phrase(prepared.cues[winner], turned)}"] = None
    return flat, tuple(picks)


def _shares_of(prepared: Prepared, cue: int, direction: Sequence[int], train: Bools) -> Floats:
    table = prepared.table
    if cue < prepared.numbers:
        scores = prepared.scores[cue].astype(np.float64)
        return shares(table, -scores if direction[cue] else scores)[0]
    return shares(table, prepared.learners[cue - prepared.numbers].scores(train, table.gold))[0]


@dataclass(frozen=True, slots=True)
class BestCue:
    """The best cue of a probe, as if it were a model."""

    accuracy: Estimate
    """Accuracy, with the cue chosen on the half without the item."""
    right: NDArray[np.bool_]
    """Whether it picks the correct option alone, per item."""
    drawn: str = ""
    """Number of items in the sample, if not all items were evaluated."""
    whole: int = 0
    """Number of items it was evaluated on, if the model answered only some of them."""
    relatedness: tuple[Relatedness, ...] | None = None
    """Accuracy of the option nearest to the question on the answered items, by encoder; None if it was not measured."""


def best_cue(items: Sequence[Item], group: str, units: Names, taxonomy: Graph | None = None) -> BestCue:
    """Find the best cue of a probe: ``group`` names the cluster variable, ``units`` are the clusters of the items."""
    answers = chosen_cue(items, group, taxonomy).answers
    earned = credits_of([answer.scores for answer in answers], [item.answer for item in items])
    guess = chance_of([len(item.options) for item in items if item.answer is not None])
    return BestCue(accuracy(earned.values, units, guess), cues_right(answers, items))


@dataclass(frozen=True, slots=True)
class WhereCuesFail:
    """A model's accuracy where the best cue is correct and where it is not."""

    answered: Estimate | None
    """Accuracy on items that the best cue answers correctly; None without such items."""
    missed: Estimate | None
    """Accuracy on items that it misses; None without such items."""
    gap: Estimate | None
    """First minus second: the possible contribution of the cue; None if one side is empty."""


def where_cues_fail(
    credits: Sequence[float] | Floats,
    answered: Sequence[bool] | NDArray[np.bool_],
    units: Names,
    chance: float | None = None,
    seed: int = 0,
) -> WhereCuesFail:
    """Split a model's credits by whether cues answer the item. Items with credit nan are left out.

    >>> split = where_cues_fail([1, 1, 1, 0], [True, True, False, False], ["a", "b", "c", "d"])
    >>> split.answered.value, split.missed.value, split.gap.value
    (1.0, 0.5, 0.5)
    """
    earned, right = np.asarray(credits, dtype=np.float64), np.asarray(answered, dtype=bool)
    if not len(earned) == len(right) == len(units):
        raise UserError(f"there are {len(earned)} credits, {len(right)} answers of cues and {len(units)} clusters")
    names = np.asarray(units)
    judged = ~np.isnan(earned)
    sides = [
        accuracy(earned[side], names[side], chance, seed=seed) if side.any() else None
        for side in (judged & right, judged & ~right)
    ]
    first, second = sides
    gap = None
    if first and second:
        gap = _gap(earned[judged], right[judged], names[judged], first.value - second.value, seed)
    return WhereCuesFail(first, second, gap)


def _gap(earned: Floats, right: NDArray[np.bool_], names: Names, value: float, seed: int) -> Estimate:
    """Estimate the difference with its interval; clusters with items on both sides are correlated."""
    units = np.asarray(names)
    rates = rates_of([earned[right], earned[~right]], [units[right], units[~right]], seed)
    number = len(set(units.tolist()))
    # The smaller side limits the precision: 3 items there are few, however many are on the other.
    note, method = unit_note(min(rates.numbers)), "intervals of both sides, combined"
    return Estimate(value, difference_of(rates), len(earned), number, None, method=method, seed=seed, note=note)


@dataclass(frozen=True, slots=True)
class ArtefactControl:
    """A model compared with the best cue."""

    cue: Estimate
    model: Estimate
    """Accuracy of the model on all items."""
    where: WhereCuesFail
    """Accuracy of the model on items that the cue answers, and on items that it misses."""
    drawn: str = ""
    """Number of items in the sample, if the cue was not evaluated on all items."""
    whole: int = 0
    """Number of items the cue was evaluated on, if the model answered only some of them."""
    relatedness: tuple[Relatedness, ...] | None = None
    """Accuracy of the option nearest to the question, by encoder; empty if there is none, None if it was not
    measured."""

    @property
    def cue_works(self) -> bool:
        """Whether the cue is above chance."""
        return self.cue.chance is not None and self.cue.low > self.cue.chance


def control(cue: BestCue, model: Estimate, earned: Floats, units: Names) -> ArtefactControl:
    """Compare one model with the best cue; ``earned`` is its credit on each item."""
    where = where_cues_fail(earned, cue.right, units, cue.accuracy.chance)
    return ArtefactControl(cue.accuracy, model, where, cue.drawn, cue.whole, cue.relatedness)
