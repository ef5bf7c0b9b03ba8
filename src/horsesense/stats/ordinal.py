"""Labels on a scale: how far off answers are, and how far they agree beyond chance. Pure.

Triples of whole, part and adjective depend on one another through both nouns, so intervals are two-way: what
wholes explain and what parts explain, less what both explain together (see `resampling.mean_spread`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from horsesense.stats.combined import Rates, combined_interval, rates_of
from horsesense.stats.intervals import Estimate, check_level
from horsesense.stats.raters.agreement import FEWEST, NO_VALUE, TOO_FEW, kappa_of
from horsesense.stats.resampling import RESAMPLES, Floats, Names, unit_array

Predicted = Sequence[Sequence[int]]
"""For each item the place of the label that was chosen, or of all that tie."""


def mean_absolute_error(
    golds: Sequence[int],
    predicted: Predicted,
    labels: int,
    units: Names,
    crossed: Names | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Steps of the scale between answer and gold, on average; of labels that tie, the mean.

    >>> error = mean_absolute_error([0, 4, 2], [(1,), (4,), (0, 4)], 5, ["a", "b", "c"])
    >>> round(error.value, 3), error.chance
    (1.0, None)
    """
    _check(golds, predicted, labels)
    steps = [
        float(np.mean([abs(gold - label) for label in picked])) for gold, picked in zip(golds, predicted, strict=True)
    ]
    most = labels - 1
    # As a share of the longest way it lies between 0 and 1, as an accuracy does.
    shares = accuracy([step / most for step in steps], units, None, level, seed, resamples, crossed)
    return replace(shares, value=float(np.mean(steps)), ci=(shares.low * most, shares.high * most))


def quadratic_kappa(
    golds: Sequence[int],
    predicted: Predicted,
    labels: int,
    units: Names,
    crossed: Names | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Quadratic-weighted kappa of answers and golds; who always says the same gets 0.

    >>> kappa = quadratic_kappa([0, 1, 2, 3], [(0,), (1,), (2,), (3,)], 4, ["a", "b", "c", "d"])
    >>> kappa.value
    1.0
    """
    check_level(level)
    _check(golds, predicted, labels)
    cells = np.zeros((len(golds), labels * labels))
    for row, (gold, picked) in enumerate(zip(golds, predicted, strict=True)):
        for label in picked:
            cells[row, gold * labels + label] += 1 / len(picked)
    value = float(kappa_of(cells.sum(axis=0).reshape(1, labels, labels), "quadratic")[0])
    rates = _disagreements(cells.reshape(-1, labels, labels), units, crossed, seed, resamples)
    number = rates.numbers[0]
    missing = np.isnan(value)
    few = number < FEWEST
    ends = (value, value)
    if not missing:
        ends = (float("nan"),) * 2 if few else combined_interval(_kappa, rates, level)
    return Estimate(
        n=len(golds),
        clusters=number,
        value=value,
        ci=ends,
        level=level,
        chance=0.0,
        method=f"{'' if crossed is None else 'two-way '}intervals of disagreement seen and expected, combined",
        seed=seed,
        note=NO_VALUE if missing else TOO_FEW.format(number) if few else "",
    )


def _disagreements(tables: Floats, units: Names, crossed: Names | None, seed: int, resamples: int) -> Rates:
    """How often answers are off, how far they are off then, and what is expected, each as a share of the most.

    Rare and large errors decide a quadratic measure: while few are seen, so is little of how large they get. So the two
    stand apart, and a handful of errors leaves their size open. What is expected is a mean over pairs of items, gold
    of the one and answer of the other: half of an item's part in it comes from its gold and half from its answer, so
    that its variance is four times that of the mean of the parts.
    """
    places = np.arange(tables.shape[1])
    cost = ((places[:, None] - places[None, :]) / places[-1]) ** 2
    gold, answer = tables.sum(axis=2), tables.sum(axis=1)
    seen = (tables * cost).sum(axis=(1, 2))
    off = seen > 0
    parts = (gold @ cost @ answer.mean(axis=0) + answer @ cost @ gold.mean(axis=0)) / 2
    # Where nothing is off, an error may yet be as large as errors get.
    sizes, where = (seen[off], off) if off.any() else (np.ones(1), np.arange(len(seen)) == 0)
    masks = [np.ones(len(seen), dtype=bool), where, np.ones(len(seen), dtype=bool)]
    columns = [[unit_array(names)[mask] for mask in masks] for names in (units, crossed) if names is not None]
    rates = rates_of([off.astype(np.float64), sizes, parts], columns[0], seed, resamples, *columns[1:])
    return replace(rates, variances=rates.variances * [1, 1, 4])


def _kappa(rates: Floats) -> Floats:
    kappa: Floats = 1 - rates[:, 0] * rates[:, 1] / rates[:, 2]
    return np.clip(kappa, -1.0, 1.0)


def _check(golds: Sequence[int], predicted: Predicted, labels: int) -> None:
    if len(golds) != len(predicted):
        raise UserError(f"there are {len(golds)} golds and {len(predicted)} answers")
    if labels < 2:
        raise UserError("a scale has two labels at least")
    for place, (gold, picked) in enumerate(zip(golds, predicted, strict=True)):
        if not picked or not 0 <= gold < labels or not all(0 <= label < labels for label in picked):
            raise UserError(f"item {place} (from 0) has a gold or an answer outside of the scale of {labels}")


def novelty(items: Sequence[Item], train: Sequence[Item], groups: Sequence[str]) -> list[Mapping[str, str]]:
    """For each item and group, whether training has the same value there: ``seen`` or ``unseen``; and for all together.

    >>> tested = Item("demo", "choice", text="a", options=("x", "y"), groups={"whole": "car", "part": "door"})
    >>> trained = Item("demo", "choice", text="b", options=("x", "y"), groups={"whole": "car", "part": "roof"})
    >>> novelty([tested], [trained], ["whole", "part"])
    [{'whole in training': 'seen', 'part in training': 'unseen', 'words in training': '1 unseen'}]
    """
    known = {group: {item.groups.get(group) for item in train} for group in groups}
    facets_of_items: list[Mapping[str, str]] = []
    for item in items:
        new = {group: item.groups.get(group) not in known[group] for group in groups}
        facets = {f"{group} in training": "unseen" if new[group] else "seen" for group in groups}
        count = sum(new.values())
        facets_of_items.append({**facets, "words in training": f"{count} unseen" if count else "all seen"})
    return facets_of_items
