"""Made-up answers with a known truth, to find out how often an interval holds it.

``python -m tests.support.simulated_answers`` prints the tables of docs/results/intervals.md (some ten minutes).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from horsesense.core import Facet
from horsesense.stats import accuracy, compare, standouts

Floats = NDArray[np.float64]
Sizes = Callable[[np.random.Generator, int], NDArray[np.int64]]


def equal(rng: np.random.Generator, families: int) -> NDArray[np.int64]:
    return np.full(families, 4)


def geometric(rng: np.random.Generator, families: int) -> NDArray[np.int64]:
    """One to about twenty items, four on average: like the families of a generated probe."""
    return rng.geometric(0.25, families)


def heavy(rng: np.random.Generator, families: int) -> NDArray[np.int64]:
    """Log-normal: a few families hold most items."""
    return np.maximum(1, np.round(np.exp(rng.normal(1.0, 1.0, families)))).astype(np.int64)


SIZES: dict[str, Sizes] = {"equal": equal, "geometric": geometric, "heavy": heavy}


def one_model(
    rng: np.random.Generator, families: int, sizes: Sizes, truth: float, correlation: float
) -> tuple[Floats, list[str]]:
    """Right and wrong answers; families differ as a beta with that intra-class correlation."""
    size = sizes(rng, families)
    weight = (1 - correlation) / correlation
    own = rng.beta(truth * weight, (1 - truth) * weight, families)
    units = np.repeat(np.arange(families), size)
    return (rng.random(len(units)) < own[units]).astype(np.float64), units.astype(str).tolist()


def two_models(
    rng: np.random.Generator, families: int, sizes: Sizes, truths: tuple[float, float], correlation: float
) -> tuple[Floats, Floats, list[str]]:
    """Two models on the same items: a latent difficulty of family and item that they share in part."""
    units = np.repeat(np.arange(families), sizes(rng, families))

    def latent(count: int) -> tuple[Floats, Floats]:
        shared, own_a, own_b = rng.normal(size=(3, count))
        return (shared + own_a) / 2**0.5, (shared + own_b) / 2**0.5

    of_family, of_item = latent(families), latent(len(units))
    a, b = (
        (special.ndtri(truth) + correlation**0.5 * family[units] + (1 - correlation) ** 0.5 * item > 0).astype(float)
        for truth, family, item in zip(truths, of_family, of_item, strict=True)
    )
    return a, b, units.astype(str).tolist()


def crossed_model(
    rng: np.random.Generator, items: int, wholes: int, parts: int, truth: float, correlation: float
) -> tuple[Floats, list[str], list[str]]:
    """Items that pair a whole with a part, popular ones more often; both carry that share of the variance."""
    popularity = [np.arange(1.0, n + 1) ** -0.6 for n in (wholes, parts)]
    whole, part = (rng.choice(len(p), items, p=p / p.sum()) for p in popularity)
    latent = correlation**0.5 * (rng.normal(size=wholes)[whole] + rng.normal(size=parts)[part])
    latent += (1 - 2 * correlation) ** 0.5 * rng.normal(size=items)
    return (special.ndtri(truth) + latent > 0).astype(np.float64), whole.astype(str).tolist(), part.astype(str).tolist()


def idle_facets(rng: np.random.Generator, units: list[str]) -> list[dict[str, Facet]]:
    """Facets that have nothing to do with the answers: three of families, two of items."""
    family = np.array(units, dtype=int)
    task, hops, word = (rng.integers(0, n, family.max() + 1)[family] for n in (6, 4, 20))
    negated, template = rng.random(len(family)) < 0.5, rng.integers(0, 8, len(family))
    rows = zip(task.tolist(), hops.tolist(), word.tolist(), negated.tolist(), template.tolist(), strict=True)
    return [{"task": f"t{t}", "hops": h, "word": f"w{w}", "negated": n, "template": m} for t, h, w, n, m in rows]


def accuracy_coverage(times: int, families: int, sizes: Sizes, truth: float, correlation: float = 0.3) -> float:
    """Share of made-up runs, in percent, whose interval of accuracy holds the truth."""
    rng = np.random.default_rng(families)
    held = 0
    for seed in range(times):
        found = accuracy(*one_model(rng, families, sizes, truth, correlation), seed=seed, resamples=400)
        held += found.low <= truth <= found.high
    return 100 * held / times


def crossed_coverage(times: int, items: int, wholes: int, parts: int, truth: float, correlation: float) -> float:
    rng = np.random.default_rng(items)
    held = 0
    for seed in range(times):
        credit, whole, part = crossed_model(rng, items, wholes, parts, truth, correlation)
        found = accuracy(credit, whole, seed=seed, resamples=400, crossed=part)
        held += found.low <= truth <= found.high
    return 100 * held / times


def difference_coverage(
    times: int, families: int, sizes: Sizes, truths: tuple[float, float], resamples: int = 400
) -> tuple[float, float]:
    """How often the interval of a difference holds it, and how often McNemar's test finds one, in percent."""
    rng = np.random.default_rng(families)
    held = found = 0
    for seed in range(times):
        result = compare(*two_models(rng, families, sizes, truths, 0.3), seed=seed, resamples=resamples)
        held += result.difference.low <= truths[0] - truths[1] <= result.difference.high
        found += result.mcnemar < 0.05
    return 100 * held / times, 100 * found / times


def false_standouts(times: int, families: int, sizes: Sizes, truth: float, permutations: int = 199) -> float:
    """How often a search finds something (p at most 0.05) where nothing is, in percent."""
    rng = np.random.default_rng(families)
    found = 0
    for seed in range(times):
        credit, units = one_model(rng, families, sizes, truth, 0.3)
        result = standouts(
            credit, units, idle_facets(rng, units), show=1, seed=seed, resamples=20, permutations=permutations
        )
        found += result.standouts[0].p <= 0.05
    return 100 * found / times


def main() -> None:
    print("accuracy: sizes, correlation, families, then coverage at accuracy 0.6, 0.8, 0.9, 0.95")
    for kind, correlation in (("equal", 0.3), ("geometric", 0.1), ("geometric", 0.3), ("heavy", 0.3)):
        for families in (5, 10, 30, 100, 300):
            row = [accuracy_coverage(2000, families, SIZES[kind], p, correlation) for p in (0.6, 0.8, 0.9, 0.95)]
            print(kind, correlation, families, *(f"{x:.1f}" for x in row), flush=True)
    print("two-way: items, wholes, parts, then coverage at correlation 0, 0.2, 0.3, accuracy 0.6 and 0.9")
    for items, wholes, parts in ((150, 40, 40), (400, 60, 60), (1360, 400, 430)):
        row = [crossed_coverage(1000, items, wholes, parts, p, r) for p in (0.6, 0.9) for r in (0.0, 0.2, 0.3)]
        print(items, wholes, parts, *(f"{x:.1f}" for x in row), flush=True)
    print("difference: sizes, families, then coverage and McNemar's finds at 0.6/0.6, 0.8/0.7, 0.95/0.93")
    for kind, sizes in SIZES.items():
        for families in (30, 100, 300):
            pairs = [difference_coverage(500, families, sizes, p) for p in ((0.6, 0.6), (0.8, 0.7), (0.95, 0.93))]
            print(kind, families, *(f"{held:.1f}/{found:.1f}" for held, found in pairs), flush=True)
    print("search: sizes, families, then false finds at accuracy 0.6, 0.8, 0.95")
    for kind, sizes in SIZES.items():
        for families in (60, 200):
            row = [false_standouts(300, families, sizes, p) for p in (0.6, 0.8, 0.95)]
            print(kind, families, *(f"{x:.1f}" for x in row), flush=True)


if __name__ == "__main__":
    main()
