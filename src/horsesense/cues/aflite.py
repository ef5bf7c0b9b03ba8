"""AFLite: adversarial filtering of items that simple models of embeddings predict.

Le Bras and others, "Adversarial Filters of Dataset Biases" (ICML 2020), applied to whole families instead of single
instances, with a logistic regression over options instead of classes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Item
from horsesense.cues.battery import credit
from horsesense.cues.table import Table, table_of
from horsesense.errors import UserError
from horsesense.progress import NO_PROGRESS, Progress

PARTITIONS = 16
TRAINING = 0.6
"""Share of families that each model is trained on."""
CUTOFF = 0.75
"""Predictability above which a family may be removed."""
SLICE = 0.05
"""Maximum share of families removed per round."""


def aflite(
    items: Sequence[Item],
    vectors: NDArray[np.float32],
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
    fewest: int = 50,
) -> list[Item]:
    """Return the remaining items. ``vectors`` has one row per option, in the order of the items.

    In each round models are trained on random parts of the families and predict the rest. The most predictable families
    are removed, until too few are predictable.
    """
    check_vectors(items, vectors)
    usable = np.array([i.answer is not None and len(i.options) > 1 for i in items], dtype=bool)
    rows = vectors[np.repeat(usable, [len(item.options) for item in items])]
    table = table_of(items)
    remaining = np.arange(len(table))
    rng = np.random.default_rng([seed, 6])
    for number in range(round(1 / SLICE)):
        progress.update("AFLite", number, round(1 / SLICE))
        part = table.take(remaining)
        predictable = _foreseen(part, rows[table.options_of(remaining)], rng)
        if not len(predictable) or len(np.unique(part.unit)) - len(predictable) < fewest:
            break
        remaining = remaining[~np.isin(part.unit, predictable)]
    return [table.items[i] for i in remaining.tolist()]


def check_vectors(items: Sequence[Item], vectors: NDArray[np.float32]) -> None:
    """Check that there is one row of finite numbers per option; the error names the first bad row."""
    options = [(item, number) for item in items for number in range(len(item.options))]
    if vectors.ndim != 2 or len(vectors) != len(options) or not vectors.shape[1]:
        shape = "×".join(map(str, vectors.shape)) or "of one number"
        raise UserError(
            f"the vectors have the shape {shape}, and the probe has {len(options)} options",
            fix="give one row per option, in the order of the file",
        )
    if vectors.dtype.kind not in "fiu":
        raise UserError(f"the vectors are of the type {vectors.dtype}", fix="give real numbers, such as float32")
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1)).tolist()
    if bad:
        item, number = options[bad[0]]
        raise UserError(
            f"{len(bad)} of {len(vectors)} vectors contain NaN or infinity, first row {bad[0]} "
            f"(item {item.id}, option {number})",
            fix="embed those options again",
        )


def _foreseen(table: Table, rows: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the most predictable clusters, at most one slice of them."""
    from sklearn.linear_model import LogisticRegression

    units = int(table.unit.max()) + 1
    right = np.zeros(len(table.text_of), dtype=bool)
    right[table.gold] = True
    earned, times = np.zeros(units), np.zeros(units)
    for _ in range(PARTITIONS):
        train = (rng.random(units) < TRAINING)[table.unit]
        teach = train[table.item_of]
        if not (right[teach].any() and (~train).any()):
            continue
        model = LogisticRegression(solver="liblinear").fit(rows[teach], right[teach])
        test = ~train
        won = credit(table, np.asarray(model.decision_function(rows), dtype=np.float64), table.gold)
        earned += np.bincount(table.unit[test], weights=won[test], minlength=units)
        times += np.bincount(table.unit[test], minlength=units)
    foreseen = np.divide(earned, times, out=np.zeros(units), where=times > 0)
    worst = np.argsort(-foreseen, kind="stable")[: max(1, int(SLICE * units))]
    return worst[foreseen[worst] > CUTOFF].astype(np.int64)
