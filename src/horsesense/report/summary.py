"""What a page says of a run, as plain values: results, facets, errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.analysis import Credits, Sliced, by_facet
from horsesense.records import Item
from horsesense.runs.results import Answered, Result, result_of

MOST_VALUES = 25
"""A facet with more values than this is not a slice but a label."""
ERRORS = 12


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
    facets: dict[str, Sliced]
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


def family_verdict(result: Result) -> str:
    """The same for whole families: a model that leans to one option gets half of a pair for nothing."""
    e = result.strict
    if e is None or e.chance is None:
        return ""
    return (
        f"Whole families right: {e.value:.1%} ({e.low:.1%} to {e.high:.1%}, {e.n:,} families); guessing {e.chance:.1%}."
    )


def _facets(answered: Answered, earned: Credits) -> dict[str, Sliced]:
    facets = [item.facets for item in answered.items]
    guesses = [1 / len(item.options) for item in answered.items]
    found = {}
    for name in sorted({name for own in facets for name in own}):
        values = {own[name] for own in facets if name in own}
        # A facet with very many values is a label, not a slice.
        if 1 < len(values) <= MOST_VALUES:
            found[name] = by_facet(earned.values, answered.units, facets, name, guesses)
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
