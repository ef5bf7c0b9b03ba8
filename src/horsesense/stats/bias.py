"""Positivity bias: does a model know the answer or prefer the positive word? (RICA, section 4.3, figure 5.)

Accuracy by valence of the correct word mixes two effects: how well a model recognises when the positive word is
correct, and how readily it chooses that word. Signal detection theory separates them: sensitivity d′ and criterion c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.lexicons.valence import comparative_valence
from horsesense.stats.accuracy import accuracy
from horsesense.stats.combined import Function, combined_interval, rates_of, z
from horsesense.stats.intervals import Estimate, check_level, unit_note
from horsesense.stats.resampling import RESAMPLES, Floats, Names, Statistic, unit_array

LEAST = 20
"""Minimum number of items of each valence for an estimate of bias."""

NO_LIMIT = (
    "answers of one valence may all be right or all wrong, which has no z: the interval has no limit on that side"
)


@dataclass(frozen=True, slots=True)
class Bias:
    """Dependence of answers on the valence of the correct word."""

    positive: Estimate
    """Accuracy where the positive word is correct."""
    negative: Estimate
    """Accuracy where the negative word is correct."""
    sensitivity: Estimate
    """d′: 0 for a model that cannot discriminate, whatever its preference."""
    criterion: Estimate
    """c: negative for a preference for the positive word, 0 for no preference."""


def right_word(item: Item) -> str:
    """Return the correct word of a cloze item without its article; empty for other forms.

    >>> right_word(Item("demo", "cloze", text="It is ___ bird.", options=("a bigger", "a smaller"), answer=0))
    'bigger'
    """
    return item.options[item.answer].split(" ")[-1] if item.form == "cloze" and item.answer is not None else ""


def valence_of(item: Item) -> int:
    """Return the valence of the correct word: the probe's facet, or that of the comparative; 0 if unknown.

    >>> valence_of(Item("demo", "cloze", text="Ice is ___.", options=("colder", "hotter"), answer=0))
    -1
    """
    stated = item.facets.get("valence")
    return stated if type(stated) is int else comparative_valence(right_word(item))


def valence_bias(
    values: Floats | Sequence[float],
    valences: Sequence[int],
    units: Names,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Bias:
    """Estimate the bias of answers with two options, a positive and a negative word.

    ``valences`` are those of the correct words. Items with valence 0 or without a gold are left out. A tie counts half.

    >>> bias = valence_bias([1, 1, 1, 0] * 20 + [0, 0, 1, 0] * 20, [1] * 80 + [-1] * 80, [str(k) for k in range(160)])
    >>> bias.positive.value, bias.negative.value, round(bias.criterion.value, 2), round(bias.sensitivity.value, 2)
    (0.75, 0.25, -0.66, 0.0)
    """
    check_level(level)
    credit, valence = np.asarray(values, dtype=np.float64), np.asarray(valences)
    if not len(credit) == len(valence) == len(units):
        raise UserError(f"there are {len(credit)} values, {len(valence)} valences and {len(units)} clusters")
    kept = ~np.isnan(credit) & (valence != 0)
    credit, up, names = credit[kept], valence[kept] > 0, unit_array(units)[kept]
    if up.all() or not up.any():
        raise UserError("all correct words have one valence, so there is no bias to measure")
    whole = np.array([[credit[up].sum(), up.sum(), credit[~up].sum(), (~up).sum()]], dtype=np.float64)
    rates = rates_of([credit[up], 1 - credit[~up]], [names[up], names[~up]], seed, resamples)
    number = len(np.unique(names))

    def estimate(statistic: Statistic, of_rates: Function) -> Estimate:
        value = float(statistic(whole)[0])
        low, high = combined_interval(of_rates, rates, level)
        return Estimate(
            n=len(credit),
            clusters=number,
            value=value,
            ci=(min(low, value), max(high, value)),
            level=level,
            chance=0.0,
            method="intervals of hits and false alarms, combined",
            seed=seed,
            note=NO_LIMIT if np.isinf([low, high]).any() else unit_note(min(rates.numbers)),
        )

    return Bias(
        positive=accuracy(credit[up], names[up], 0.5, level, seed, resamples),
        negative=accuracy(credit[~up], names[~up], 0.5, level, seed, resamples),
        sensitivity=estimate(_sensitivity, lambda p: z(p[:, 0]) - z(p[:, 1])),
        criterion=estimate(_criterion, lambda p: -(z(p[:, 0]) + z(p[:, 1])) / 2),
    )


def leaning(items: Sequence[Item], values: Floats, units: Names) -> Bias | None:
    """Estimate the bias of answers to a probe by the valence of each item's correct word; None if it does not vary."""
    valences = [valence_of(item) if _is_between_two(item) else 0 for item in items]
    if min(valences.count(1), valences.count(-1)) < LEAST:
        return None
    return valence_bias(values, valences, units)


def _is_between_two(item: Item) -> bool:
    return item.answer is not None and len(item.options) == 2


def _rates(sums: Floats) -> tuple[Floats, Floats]:
    """Return z of hits and of false alarms, with half an answer added to each (Hautus, 1995): a rate of 1 has no z."""
    hits = (sums[:, 0] + 0.5) / (sums[:, 1] + 1)
    alarms = (sums[:, 3] - sums[:, 2] + 0.5) / (sums[:, 3] + 1)
    return scipy.special.ndtri(hits), scipy.special.ndtri(alarms)


def _sensitivity(sums: Floats) -> Floats:
    hits, alarms = _rates(sums)
    return hits - alarms


def _criterion(sums: Floats) -> Floats:
    hits, alarms = _rates(sums)
    criterion: Floats = -(hits + alarms) / 2
    return criterion
