"""From option scores to accuracy: predictions, credits, chance level, and mean credit with an interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from horsesense.core import Item
from horsesense.core.arrow import LazySequence
from horsesense.errors import UserError
from horsesense.stats.intervals import Estimate, check_level, rate_interval, unit_note
from horsesense.stats.resampling import RESAMPLES, Floats, Names, mean_spread, unit_array


@dataclass(frozen=True, slots=True)
class Credits:
    """The credit of a model on each item."""

    values: Floats
    """1 for a correct answer, 0 for a wrong one, 1/k where k options tie for the highest score and the gold is one of
    them; nan for items without a gold."""
    margins: Floats
    """Score of the gold minus the highest other score: positive if correct, 0 for a tie; nan if the item has no gold or
    no other option."""
    predicted: tuple[tuple[int, ...], ...]
    """The predicted option, or all options that tie for it; also set for items without a gold."""
    ties: int
    """Number of items with a gold where several options tie for the highest score."""
    unjudged: int
    """Number of items without a gold, which are left out of every rate."""


class Rows(LazySequence[tuple[float, ...]]):
    """Ragged rows of numbers stored as one array; a row is converted to a tuple on access.

    >>> rows = Rows(np.array([-1.0, -2.0, -3.0]), np.array([0, 2, 3]))
    >>> list(rows), rows[1], rows == [(-1.0, -2.0), (-3.0,)]
    ([(-1.0, -2.0), (-3.0,)], (-3.0,), True)
    """

    def __init__(self, flat: Floats, begins: NDArray[np.int64]) -> None:
        self.flat, self.begins = flat, begins
        """All numbers, and the offset of each row followed by the end of the last row."""

    def __len__(self) -> int:
        return len(self.begins) - 1

    def member(self, place: int) -> tuple[float, ...]:
        return tuple(self.flat[self.begins[place] : self.begins[place + 1]].tolist())

    def __iter__(self) -> Iterator[tuple[float, ...]]:
        flat = self.flat.tolist()
        return (tuple(flat[start:end]) for start, end in pairwise(self.begins.tolist()))


def credits(
    scores: Sequence[Sequence[float]],
    answers: Sequence[int | None] | NDArray[np.int64],
    ids: Sequence[str] | None = None,
) -> Credits:
    """Compute the credit of each item. Scores tie only if exactly equal; ``ids`` name the items in errors.

    ``answers`` may be an array with -1 for items without a gold.

    >>> earned = credits([[-1.0, -2.0], [-3.0, -3.0], [-2.0, -1.0], [-1.0, -5.0]], [0, 1, 0, None])
    >>> earned.values.tolist(), earned.margins.tolist()
    ([1.0, 0.5, 0.0, nan], [1.0, 0.0, -1.0, nan])
    >>> earned.predicted, earned.ties, earned.unjudged
    (((0,), (0, 1), (1,), (0,)), 1, 1)
    """
    if len(scores) != len(answers):
        raise UserError(f"there are scores for {len(scores)} items and answers for {len(answers)}")
    table, counts = score_table(scores, ids)
    n = len(counts)
    if isinstance(answers, np.ndarray):
        gold, judged = answers, answers >= 0
    else:
        gold = np.array([-1 if answer is None else answer for answer in answers], dtype=np.int64)
        judged = np.array([answer is not None for answer in answers], dtype=bool)
    if (wrong := judged & ((gold < 0) | (gold >= counts))).any():
        i = int(np.argmax(wrong))
        raise UserError(f"{_name(ids, i)} has {counts[i]} scores, but its answer is option {gold[i]} (from 0)")

    best = table == table.max(axis=1, keepdims=True) if n else np.zeros((0, 0), dtype=bool)
    shared = best.sum(axis=1)
    values, margins = np.full(n, np.nan), np.full(n, np.nan)
    rows = np.flatnonzero(judged)
    values[rows] = best[rows, gold[rows]] / shared[rows]
    others = table[rows]
    others[np.arange(len(rows)), gold[rows]] = -np.inf
    if len(rows):
        margins[rows] = np.where(counts[rows] > 1, table[rows, gold[rows]] - others.max(axis=1), np.nan)
    alone = [(option,) for option in range(table.shape[1])]  # one shared tuple for all items with this prediction
    predicted = [alone[option] for option in best.argmax(axis=1).tolist()] if n else []
    for index in np.flatnonzero(shared > 1).tolist():
        predicted[index] = tuple(np.flatnonzero(best[index]).tolist())
    return Credits(
        values=values,
        margins=margins,
        predicted=tuple(predicted),
        ties=int((shared[rows] > 1).sum()),
        unjudged=n - len(rows),
    )


def chance(option_counts: Sequence[int]) -> float:
    """Compute the chance level: the mean of 1/n over items, which differs from 1 over the mean of n.

    >>> chance([2, 2, 4, 4])
    0.375
    """
    if not len(option_counts) or min(option_counts) < 1:
        raise UserError("chance needs at least one item, and at least one option per item")
    return float(np.mean(1.0 / np.asarray(option_counts, dtype=np.float64)))


def score_table(
    scores: Sequence[Sequence[float]], ids: Sequence[str] | None = None
) -> tuple[Floats, NDArray[np.int64]]:
    """Return scores as a table padded with -inf (scores are finite), and the length of each row."""
    counts = np.diff(scores.begins) if isinstance(scores, Rows) else np.array([len(row) for row in scores], np.int64)
    if len(counts) and not counts.all():
        raise UserError(f"{_name(ids, int(counts.argmin()))} has no scores", fix="give one for each option")
    flat = scores.flat if isinstance(scores, Rows) else np.array([score for row in scores for score in row], np.float64)
    if not (finite := np.isfinite(flat)).all():
        index = int(np.argmin(finite))
        item = int(np.searchsorted(np.cumsum(counts), index, side="right"))
        raise UserError(f"{_name(ids, item)} has the score {flat[index]}", fix="a score must be a finite number")
    table = np.full((len(counts), int(counts.max(initial=0))), -np.inf)
    table[np.arange(table.shape[1]) < counts[:, None]] = flat
    return table, counts


def _name(ids: Sequence[Any] | None, place: int) -> str:
    return f"item {ids[place]}" if ids is not None else f"item {place} (from 0)"


def accuracy(
    values: Floats | Sequence[float],
    units: Names,
    chance: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
    crossed: Names | None = None,
) -> Estimate:
    """Estimate mean credit with a cluster-robust interval: items of one cluster are resampled together.

    ``units`` name the cluster of each item, ``crossed`` a second grouping (parts × wholes). Items with value nan (no
    gold) are left out. The order of the items does not matter.

    >>> rate = accuracy([1, 1, 1, 1] * 30 + [0, 0, 0, 0] * 10, [str(i // 4) for i in range(160)], chance=0.5)
    >>> rate.n, rate.clusters, rate.value, round(rate.low, 2), round(rate.high, 2)
    (160, 40, 0.75, 0.59, 0.87)
    """
    check_level(level)
    credit = np.asarray(values, dtype=np.float64)
    if len(credit) != len(units) or (crossed is not None and len(crossed) != len(units)):
        raise UserError(f"there are {len(credit)} values, but a different number of clusters")
    judged = ~np.isnan(credit)
    if not judged.any():
        raise UserError("no item has a gold answer, so there is no accuracy")
    credit = credit[judged]
    if credit.min() < 0 or credit.max() > 1:
        raise UserError("a credit is not between 0 and 1")
    names = unit_array(units)[judged]
    others = None if crossed is None else unit_array(crossed)[judged]
    variance, number = mean_spread(credit, names, others, seed, resamples)
    value = min(1.0, float(np.sort(credit).mean()))
    ends = rate_interval(value, variance, number, level)
    return Estimate(
        n=len(credit),
        clusters=number,
        value=value,
        ci=ends,
        level=level,
        chance=chance,
        method="cluster bootstrap, beta" if crossed is None else "two-way cluster bootstrap, beta",
        seed=seed,
        note=unit_note(number),
    )


def mean_estimate(
    values: Floats | Sequence[float], units: Names, crossed: Names | None = None, chance: float | None = None
) -> Estimate:
    """Estimate the mean of any numbers with a t interval, clustered as in `accuracy`.

    >>> mean = mean_estimate([3.0, 5.0] * 30, [str(i) for i in range(60)])
    >>> mean.value, round(mean.low, 2), round(mean.high, 2)
    (4.0, 3.74, 4.26)
    """
    numbers = np.asarray(values, dtype=np.float64)
    variance, number = mean_spread(numbers, unit_array(units), None if crossed is None else unit_array(crossed))
    value = float(np.sort(numbers).mean())
    reach = float(scipy.special.stdtrit(number - 1, 0.975)) * variance**0.5 if number > 1 else float("inf")
    return Estimate(
        n=len(numbers),
        clusters=number,
        value=value,
        ci=(value - reach, value + reach),
        chance=chance,
        method="cluster bootstrap, t" if crossed is None else "two-way cluster bootstrap, t",
        note=unit_note(number),
    )


def item_accuracy(items: Sequence[Item], values: Floats | Sequence[float], group: str = "family") -> Estimate:
    """Estimate the accuracy on items: clustered by one of their groups, with the chance level of those with a gold.

    >>> items = [Item("demo", "choice", text=str(n), options=("a", "b"), answer=0) for n in range(40)]
    >>> rate = item_accuracy(items, [1.0, 1.0, 1.0, 0.0] * 10)
    >>> rate.value, rate.chance, rate.clusters
    (0.75, 0.5, 40)
    """
    counts = [len(item.options) for item, value in zip(items, values, strict=True) if value == value]
    return accuracy(values, [item.unit(group) for item in items], chance(counts) if counts else None)


LEAST_FAMILIES = 4
"""Minimum number of families for a cluster's own accuracy."""
AVERAGED = "average over clusters, bootstrap, beta"


def unit_average(
    values: Floats | Sequence[float], units: Names, families: Names, chance: float | None = None
) -> Estimate | None:
    """Average the accuracies of clusters with enough families, each with equal weight; None for fewer than two of them.

    A cluster with many items (one property asked a hundred times) then has the same weight as one with few.

    >>> rate = unit_average([1] * 40 + [0] * 8, ["ice"] * 40 + ["fire"] * 8, [str(i) for i in range(48)])
    >>> rate.value, rate.clusters, rate.n
    (0.5, 2, 48)
    """
    averages = unit_shares(values, units, families)
    if averages is None:
        return None
    shares, n = averages
    return replace(accuracy(shares, np.arange(len(shares)), chance), n=n, method=AVERAGED)


def unit_shares(values: Floats | Sequence[float], units: Names, families: Names) -> tuple[Floats, int] | None:
    """Return the accuracy of each cluster with enough families, by name, and their item count; None below two.

    >>> shares, n = unit_shares([1] * 4 + [0] * 5, ["ice"] * 4 + ["fire"] * 5, [str(i) for i in range(9)])
    >>> shares.tolist(), n
    ([0.0, 1.0], 9)
    """
    credit = np.asarray(values, dtype=np.float64)
    judged = ~np.isnan(credit)
    names, members = unit_array(units)[judged], unit_array(families)[judged]
    credit = credit[judged]
    _, unit = np.unique(names, return_inverse=True)
    _, family = np.unique(members, return_inverse=True)
    pairs = np.unique(np.stack([unit, family]), axis=1)
    enough = np.bincount(pairs[0], minlength=int(unit.max(initial=-1)) + 1) >= LEAST_FAMILIES
    if enough.sum() < 2:
        return None
    counts = np.bincount(unit)
    shares: Floats = (np.bincount(unit, weights=credit) / counts)[enough].clip(0, 1)
    return shares, int(counts[enough].sum())


def effective_units(units: Names) -> float:
    """Compute the effective number of clusters (Kish, 1965): the squared sum of sizes over the sum of squares.

    >>> effective_units(["ice"] * 5 + ["fire"] * 5), round(effective_units(["ice"] * 9 + ["fire"]), 2)
    (2.0, 1.22)
    """
    _, counts = np.unique(unit_array(units), return_counts=True)
    return float(counts.sum() ** 2 / (counts.astype(np.float64) ** 2).sum())
