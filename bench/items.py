"""Item analysis: recovery of simulated parameters, seeded wrong keys, and CPU time (docs/results/items.md).

python bench/items.py [all_models.csv.gz]: with the table of Nguyen, Watts and Whiting, keys are also seeded there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.special

from horsesense.methods.published.datasets.watts import watts_answers
from horsesense.methods.published.reading import Reading
from horsesense.stats.item_response import fit_item_response
from horsesense.stats.item_statistics import doubtful_keys, item_rest

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]
Keyed = tuple[Integers, Integers, Integers, Marks]
"""The option that each model chose, the keys, the number of options, and which keys are seeded errors."""


def simulated(
    items: int, models: int, seed: int, guess: float = 0.0, family_size: int = 1, family_sd: float = 0.0
) -> tuple[Floats, Floats, Floats, Floats]:
    """Answers of models to items with lognormal slopes (mean 1.08) and intercepts around 0.7."""
    rng = np.random.default_rng(seed)
    slope, intercept = np.exp(rng.normal(0, 0.4, items)), rng.normal(0.7, 1.2, items)
    ability = rng.normal(0, 1, models)
    ability = (ability - ability.mean()) / ability.std()
    effect = np.repeat(rng.normal(0, family_sd, (models, items // family_size)), family_size, axis=1)
    rate = guess + (1 - guess) * scipy.special.expit(slope * ability[:, None] + intercept + effect)
    return (rng.random((models, items)) < rate).astype(float), slope, intercept, ability


def recovery() -> None:
    print("| items × models | guessing | family SD | found | r of slopes | RMSE of abilities | mean SE | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    for items, models, guess, size, sd in (
        (5000, 40, 0.0, 1, 0.0), (5000, 40, 0.2, 1, 0.0), (5000, 40, 0.2, 5, 0.8), (1000, 40, 0.0, 5, 0.0),
        (1000, 40, 0.0, 5, 0.5), (1000, 40, 0.0, 5, 1.0), (1000, 40, 0.0, 5, 2.0), (1000, 100, 0.0, 1, 0.0),
    ):  # fmt: skip
        right, slope, _, ability = simulated(items, models, 1, guess, size, sd)
        families = np.arange(items) // size if size > 1 else None
        start = time.process_time()
        fit = fit_item_response(right, guess, families)
        spent = time.process_time() - start
        found = f"{fit.family_sd:.2f}" if families is not None else "–"
        error = np.sqrt(np.mean((fit.ability - ability) ** 2))
        print(
            f"| {items:,} × {models} | {guess} | {sd if size > 1 else '–'} | {found} | "
            f"{np.corrcoef(slope, fit.slope)[0, 1]:.2f} | {error:.3f} | {fit.ability_se.mean():.3f} | {spent:.1f} |"
        )


def at(order: Integers, bad: Marks, n: int = 50) -> str:
    """Precision at 50, and recall among as many suspects as there are seeded keys, and twice as many."""
    hits, number = bad[order], int(bad.sum())
    return f"{hits[:n].mean():.2f} | {hits[:number].sum() / number:.2f} | {hits[: 2 * number].sum() / number:.2f}"


def rows_of(name: str, chosen: Integers, golds: Integers, options: Integers, bad: Marks) -> None:
    right = (chosen == golds).astype(float)
    correlations = item_rest(right)
    found = doubtful_keys(chosen, golds, options, right.mean(1), correlations)
    doubts = np.array([doubt.item for doubt in found], dtype=int)
    print(f"| {name} | doubt, {len(doubts)} suspects with {bad[doubts].sum()} of {bad.sum()} | {at(doubts, bad)} |")
    for kind, values in (
        ("lowest item-rest correlation", np.nan_to_num(correlations, nan=1)),
        ("lowest share right", right.mean(0)),
    ):
        print(f"| {name} | {kind} | {at(np.argsort(values, kind='stable'), bad)} |")


def seeded(path: Path | None) -> None:
    print("| answers | ranked by | precision at 50 | recall among the first N | among the first 2N |")
    print("|---|---|---|---|---|")
    for models in (10, 20, 40, 100):
        items, number = 1500, 60
        right, *_ = simulated(items, models, 3, 0.2)
        rng = np.random.default_rng(5)
        preference = rng.dirichlet([0.7] * 4, items).cumsum(1)  # some distractors attract more than others
        wrong = 1 + (rng.random(right.shape)[:, :, None] > preference).sum(2).clip(0, 3)
        chosen = np.where(right == 1, 0, wrong)
        bad = np.zeros(items, bool)
        bad[rng.choice(items, number, replace=False)] = True
        golds = np.where(bad, rng.integers(1, 5, items), 0)
        rows_of(f"simulated, {models} models", chosen, golds, np.full(items, 5), bad)
    if path is None:
        return
    answers = list(watts_answers(Reading(), [path]))
    for question in ("agree", "others"):
        own = [each for each in answers if each[2] == question]
        chosen = np.array([[-1 if option is None else option for option in each[4].values()] for each in own]).T
        golds = np.array([each[3].answer for each in own])
        bad = np.zeros(len(golds), bool)
        bad[np.random.default_rng(0).choice(len(golds), 100, replace=False)] = True
        golds = np.where(bad, 1 - golds, golds)
        rows_of(f"Watts, {question}", chosen, golds, np.full(len(golds), 2), bad)


def found_keys(chosen: Integers, golds: Integers, options: Integers, bad: Marks) -> tuple[float, float, int]:
    """Precision at 50 and recall among all suspects, by the doubt."""
    right = (chosen == golds).astype(float)
    doubts = doubtful_keys(chosen, golds, options, right.mean(1), item_rest(right))
    suspects = np.array([doubt.item for doubt in doubts], dtype=int)
    return bad[suspects[:50]].mean(), bad[suspects].sum() / bad.sum(), len(suspects)


def misled(models: int, draw: int) -> Keyed:
    """Answers to four options where a tenth of the items mislead all models alike: what a doubt cannot see through."""
    rng = np.random.default_rng(1000 + draw)
    items, number = 1200, 50
    ability, level = rng.normal(0, 1.3, models), rng.normal(-0.5, 1.5, items)
    rate = 0.25 + 0.75 * scipy.special.expit(ability[:, None] - level)
    lured = rng.random(items) < 0.1
    right = rng.random((models, items)) < np.where(lured, 0.25 + (rate - 0.25) / 3, rate)
    wrong = np.where(lured | (rng.random(right.shape) < 0.4), 1, rng.integers(1, 4, right.shape))
    bad = np.zeros(items, bool)
    bad[rng.choice(items, number, replace=False)] = True
    return np.where(right, 0, wrong), np.where(bad, rng.integers(1, 4, items), 0), np.full(items, 4), bad


def held_out(path: Path | None, draws: int = 20) -> None:
    """Twenty new draws each, on answers and seeds that had no part in the choice of the formula where possible."""
    print("| answers, 20 draws | precision at 50, mean (range) | recall among all suspects | suspects, mean |")
    print("|---|---|---|---|")
    worlds: dict[str, Callable[[int], Keyed]] = {
        f"simulated, a tenth misleading, {n} models": partial(misled, n) for n in (12, 40)
    }
    if path is not None:
        answers = list(watts_answers(Reading(), [path]))
        for question in ("agree", "others"):
            own = [each for each in answers if each[2] == question]
            chosen = np.array([[-1 if option is None else option for option in each[4].values()] for each in own]).T
            golds = np.array([each[3].answer for each in own])

            def seeded_again(k: int, chosen: Integers = chosen, golds: Integers = golds) -> Keyed:
                bad = np.zeros(len(golds), bool)
                bad[np.random.default_rng(1000 + k).choice(len(golds), 100, replace=False)] = True
                return chosen, np.where(bad, 1 - golds, golds), np.full(len(golds), 2), bad

            worlds[f"Watts, {question}, other keys"] = seeded_again
    for name, draw in worlds.items():
        found = np.array([found_keys(*draw(k)) for k in range(draws)])
        (precision, recall, many), low, high = found.mean(0), found[:, 0].min(), found[:, 0].max()
        print(f"| {name} | {precision:.2f} ({low:.2f} to {high:.2f}) | {recall:.2f} | {many:.0f} |")


if __name__ == "__main__":
    table = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    recovery()
    print()
    seeded(table)
    print()
    held_out(table)
