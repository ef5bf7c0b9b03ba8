"""The row of CATs' table 3: accuracy on each set, and their average with an interval of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from horsesense.analysis import Estimate
from horsesense.analysis.intervals import rate_interval, unit_note
from horsesense.analysis.resampling import RESAMPLES, Floats, spread, totals
from horsesense.runs.results import Answered, result_of
from horsesense.scoring.normalise import Normalisation


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """One model on the sets that were asked."""

    model: str
    kind: Literal["measured"]
    """Not taken from a paper."""
    direction: str
    """unidirectional or bidirectional."""
    parameters: int
    """How many the model has."""
    sets: Mapping[str, Estimate]
    """Accuracy by set."""
    average: Estimate
    """Mean over these sets, each counting once."""
    sets_averaged: int
    """How many sets the average is over."""


def accuracy_row(answered: Mapping[str, Answered], how: Normalisation | None = None) -> AccuracyRow:
    """Sum up the answers of one model, by set."""
    sets = {name: result_of(one, how).estimate for name, one in answered.items()}
    first = next(iter(answered.values()))
    record = first.part.model
    earned = {name: one.credits(how or one.primary()).values for name, one in answered.items()}
    # Names, not numbers: a unit that two sets share must be known as one.
    units = {name: [item.unit(one.probe.card.group) for item in one.items] for name, one in answered.items()}
    chances = [estimate.chance for estimate in sets.values()]
    guess = float(np.mean([chance for chance in chances if chance is not None]))
    average = average_of(earned, units, guess)
    return AccuracyRow(record.name, "measured", record.direction, record.parameters, sets, average, len(sets))


def average_of(
    credits: Mapping[str, Floats],
    units: Mapping[str, Sequence[str]],
    chance: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Mean of the accuracies of several sets, whose items may share units of dependence.

    Units are drawn once for all sets: where a statement stands in two of them, both stand or fall with it.

    >>> sets = {"a": np.array([1.0, 1.0, 0.0, 1.0]), "b": np.array([0.0, 1.0])}
    >>> found = average_of(sets, {"a": list("wxyz"), "b": list("wx")})
    >>> found.value, found.n, found.clusters
    (0.625, 6, 4)
    """
    names = list(credits)
    judged = {name: ~np.isnan(credits[name]) for name in names}
    rows = [(name, place) for name in names for place in np.flatnonzero(judged[name]).tolist()]
    columns = []
    for wanted in names:
        right = [credits[name][place] if name == wanted else 0.0 for name, place in rows]
        count = [1.0 if name == wanted else 0.0 for name, _ in rows]
        columns += [np.array(right), np.array(count)]
    table = totals(columns, [units[name][place] for name, place in rows])
    value = float(_mean(table.total[None, :])[0])
    ends = rate_interval(value, spread(_mean, table, seed, resamples), table.number, level)
    return Estimate(
        n=len(rows),
        clusters=table.number,
        value=value,
        ci=ends,
        level=level,
        chance=chance,
        method="cluster bootstrap over all sets, beta",
        seed=seed,
        note=unit_note(table.number),
    )


def _mean(drawn: Floats) -> Floats:
    right, count = drawn[:, 0::2], drawn[:, 1::2]
    # A resample without any item of a small set says nothing about it, and leaves it out of its mean.
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.nanmean(np.where(count > 0, right / count, np.nan), axis=1)
    return means
