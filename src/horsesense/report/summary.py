"""What a page says of a run, as plain values: results, facets, errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.analysis.accuracy import Estimate, accuracy
from horsesense.analysis.prediction import Credits
from horsesense.records import Item
from horsesense.runs.results import Answered, Result, result_of

MOST_VALUES = 25
"""A facet with more values than this is not a slice but a label."""
ERRORS = 12


@dataclass(frozen=True, slots=True)
class Slice:
    """One value of one facet."""

    value: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Shown:
    """An item as a reader sees it."""

    item: Item
    margin: float
    """Score of the right option minus that of the best other."""
    scores: tuple[float, ...]
    chosen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """One model on one probe."""

    result: Result
    verdict: str
    facets: dict[str, list[Slice]]
    errors: list[Shown]
    """Wrong, and by the widest margin."""
    close: list[Shown]
    """Decided by the narrowest margin, right or wrong."""


def summarise(answered: Answered) -> Summary:
    """All that the page tells of one model on one probe."""
    result = result_of(answered)
    how = answered.primary()
    earned, scores = answered.credits(how), answered.scores(how)
    return Summary(
        result=result,
        verdict=verdict(result),
        facets=_facets(answered, earned),
        errors=_shown(answered.items, earned, scores, np.argsort(earned.margins, kind="stable"), wrong=True),
        close=_shown(answered.items, earned, scores, np.argsort(np.abs(earned.margins), kind="stable"), wrong=False),
    )


def verdict(result: Result) -> str:
    """The answer in one sentence."""
    e = result.estimate
    told = f"{result.model} gets {e.value:.1%} of {result.probe} right ({e.low:.1%} to {e.high:.1%}, n = {e.n:,})"
    if e.chance is None:
        return f"{told}."
    if e.low > e.chance:
        return f"{told}: better than guessing, which gets {e.chance:.1%}."
    if e.high < e.chance:
        return f"{told}: worse than guessing, which gets {e.chance:.1%}."
    return f"{told}: not to be told from guessing, which gets {e.chance:.1%}."


def _facets(answered: Answered, earned: Credits) -> dict[str, list[Slice]]:
    names = sorted({name for item in answered.items for name in item.facets})
    units = np.array([item.unit(answered.probe.card.group) for item in answered.items], dtype=object)
    found: dict[str, list[Slice]] = {}
    for name in names:
        values = [item.facets.get(name) for item in answered.items]
        distinct = sorted({value for value in values if value is not None}, key=lambda v: (str(type(v)), v))
        if not 1 < len(distinct) <= MOST_VALUES:
            continue
        slices = []
        for value in distinct:
            chosen = np.array([other == value for other in values]) & ~np.isnan(earned.values)
            if chosen.any():
                guess = float(np.mean([1 / len(answered.items[int(i)].options) for i in np.flatnonzero(chosen)]))
                slices.append(Slice(str(value), accuracy(earned.values[chosen], list(units[chosen]), chance=guess)))
        found[name] = slices
    return found


def _shown(
    items: Sequence[Item],
    earned: Credits,
    scores: Sequence[tuple[float, ...]],
    order: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    wrong: bool,
) -> list[Shown]:
    chosen = [int(i) for i in order if not np.isnan(earned.margins[i]) and (not wrong or earned.margins[i] < 0)]
    return [Shown(items[i], float(earned.margins[i]), tuple(scores[i]), earned.predicted[i]) for i in chosen[:ERRORS]]
