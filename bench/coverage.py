"""How often a 95 % interval holds the truth: every interval of the program, at small n and at the edges, by simulation.

Run: python bench/coverage.py            prints the table (some minutes)
     python bench/coverage.py --write    puts it into docs/results/intervals.md
     python bench/coverage.py gap d′     only these numbers
Wanted: 94 % and more on average over the truths of a row, and nowhere under 90 %.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import special

from horsesense.core import Judgement
from horsesense.cues.artefact_control import where_cues_fail
from horsesense.methods.cats.suite import average_of
from horsesense.stats import accuracy, compare, consistency, family_accuracy
from horsesense.stats.combined import valence_bias
from horsesense.stats.intervals import Estimate
from horsesense.stats.ordinal import mean_absolute_error, quadratic_kappa
from horsesense.stats.raters.agreement import fleiss_kappa, krippendorff_alpha
from horsesense.stats.raters.votes import tabulate
from tests.support.votes import triples

RUNS, RESAMPLES = 250, 400
EDGES = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)
PAGE = Path(__file__).parent.parent / "docs" / "results" / "intervals.md"
BEGIN, END = "<!-- coverage: begin -->\n", "<!-- coverage: end -->\n"

Random = np.random.Generator
Floats = NDArray[np.float64]
Truth = tuple[float, ...]
Drawn = Sequence[tuple[Estimate, float]]
"""Estimates, each with what its interval should hold."""
Draw = Callable[[Random, Truth, int], Drawn]


@dataclass(frozen=True)
class Case:
    """Numbers at one size: how to draw an estimate of each, for each of several truths."""

    numbers: tuple[str, ...]
    size: str
    truths: Sequence[Truth]
    draw: Draw


@dataclass(frozen=True)
class Row:
    """What one number at one size came to, in percent."""

    number: str
    size: str
    mean: float
    least: float
    at: Truth
    """The truth where it is least."""
    none: float
    """Of the runs, how many had no interval."""


def covered(case: Case, runs: int) -> list[Row]:
    held = np.zeros((len(case.truths), len(case.numbers)))
    counted = np.zeros_like(held)
    for number, truth in enumerate(case.truths):
        rng = np.random.default_rng([number, sum(map(ord, "".join(case.numbers) + case.size))])
        for seed in range(runs):
            for part, (estimate, wanted) in enumerate(case.draw(rng, truth, seed)):
                if not math.isnan(estimate.low):
                    counted[number, part] += 1
                    held[number, part] += estimate.low - 1e-9 <= wanted <= estimate.high + 1e-9
    rows = []
    for part, name in enumerate(case.numbers):
        # A truth under which hardly any run has an interval says nothing of intervals.
        shares = [
            (100 * h / c, truth)
            for h, c, truth in zip(held[:, part], counted[:, part], case.truths, strict=True)
            if c > runs / 5
        ]
        least, at = min(shares, default=(math.nan, ()))
        mean = float(np.mean([share for share, _ in shares])) if shares else math.nan
        rows.append(Row(name, case.size, mean, least, at, 100 - 100 * counted[:, part].mean() / runs))
    return rows


def names(n: int) -> list[str]:
    return [str(place) for place in range(n)]


def coins(rng: Random, n: int, truth: float) -> Floats:
    return (rng.random(n) < truth).astype(np.float64)


def families(rng: Random, truth: float, n: int, size: int, correlation: float = 0.3) -> Floats:
    """Right and wrong, one row a family; families differ as a beta with that intra-class correlation."""
    weight = (1 - correlation) / correlation
    own = np.full(n, truth) if truth in (0, 1) else rng.beta(truth * weight, (1 - truth) * weight, n)
    return (rng.random((n, size)) < own[:, None]).astype(np.float64)


def strict_truth(truth: float, size: int, correlation: float = 0.3) -> float:
    """The chance that all members of such a family are right."""
    weight = (1 - correlation) / correlation
    return float(np.prod([(truth * weight + k) / (weight + k) for k in range(size)]))


def pairs(rng: Random, n: int, p: float, q: float, together: float) -> Floats:
    """Two columns of right and wrong with these rates; ``together`` correlates them (a Gaussian copula)."""
    shared, own = rng.normal(size=n), rng.normal(size=(2, n))
    latent = together**0.5 * shared + (1 - together) ** 0.5 * own
    limits = special.ndtri(np.clip([p, q], 0, 1))[:, None]
    right: Floats = (latent < limits).astype(np.float64).T
    return right


def both_right(p: float, q: float, together: float) -> float:
    """The chance that both of such a pair are right, by quadrature."""
    if p in (0.0, 1.0) or q in (0.0, 1.0):
        return p * q
    x, w = np.polynomial.hermite_e.hermegauss(80)
    inner = [special.ndtr((special.ndtri(r) - together**0.5 * x) / (1 - together) ** 0.5) for r in (p, q)]
    return float((w * inner[0] * inner[1]).sum() / w.sum())


TOGETHER = 0.4


def cases() -> Iterator[Case]:
    alone = [(truth,) for truth in EDGES]
    sides = [*combinations_with_replacement((0.0, 0.1, 0.5, 0.9, 1.0), 2), (1.0, 0.0), (0.9, 0.1), (1.0, 0.5)]
    for n in (3, 5, 10, 20, 50):
        yield Case(("accuracy",), f"{n} items", alone, _accuracy(n))
    for n in (3, 5, 10, 20):
        yield Case(("accuracy",), f"{n} families of 4", alone, _families_of(n))
    yield Case(("accuracy, two-way",), "30 items, 10 × 10", alone, _crossed(30))
    for one, other in ((237, 3), (235, 5), (230, 10), (10, 10), (3, 3)):
        yield Case(("gap",), f"{one} and {other} items", sides, _gap(one, other))
    yield Case(("gap",), "60 families of 4, split within", sides, _gap_within)
    for n in (3, 5, 10, 20, 50):
        yield Case(("difference",), f"{n} items", sides, _difference(n))
    for n in (5, 10, 20):
        yield Case(("difference",), f"{n} families of 4", sides, _difference_of_families(n))
    for n in (3, 5, 10, 20, 50):
        yield Case(("strict", "independent", "excess"), f"{n} families of 3", alone, _strict(n))
    for n in (3, 5, 10, 20, 50):
        yield Case(("consistent", "both", "expected", "excess consistency"), f"{n} pairs", sides, _consistency(n))
    valences = [(h, f) for h in (0.0, 0.1, 0.5, 0.9, 0.98, 1.0) for f in (0.02, 0.1, 0.5, 0.9)]
    for n in (5, 10, 20, 50):
        yield Case(("d′", "c"), f"{n} and {n} items", valences, _bias(n))
    for n in (5, 10, 20, 50):
        yield Case(("average of sets",), f"3 sets of {n}", alone, _average(n))
    known = [(truth,) for truth in (0.0, 0.2, 0.5, 0.8, 0.95, 1.0)]
    for n in (5, 10, 20, 50):
        yield Case(("scale error", "quadratic kappa"), f"{n} items", known, _scale(n))
    for n in (5, 10, 20, 50):
        yield Case(("Fleiss' kappa", "Krippendorff's alpha"), f"{n} items, 3 people", known, _agreement(n))


def _accuracy(n: int) -> Draw:
    return lambda rng, truth, seed: [
        (accuracy(coins(rng, n, truth[0]), names(n), seed=seed, resamples=RESAMPLES), truth[0])
    ]


def _families_of(n: int) -> Draw:
    units = [str(place // 4) for place in range(4 * n)]

    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        credit = families(rng, truth[0], n, 4).ravel()
        return [(accuracy(credit, units, seed=seed, resamples=RESAMPLES), truth[0])]

    return draw


def _crossed(n: int) -> Draw:
    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        one, other = rng.integers(0, 10, (2, n))
        effects = rng.normal(size=(2, 10))
        latent = 0.2**0.5 * (effects[0][one] + effects[1][other]) + 0.6**0.5 * rng.normal(size=n)
        credit = (latent < special.ndtri(truth[0])).astype(np.float64)
        crossed = other.astype(str).tolist()
        found = accuracy(credit, one.astype(str).tolist(), seed=seed, resamples=RESAMPLES, crossed=crossed)
        return [(found, truth[0])]

    return draw


def _gap(one: int, other: int) -> Draw:
    answered, units = [True] * one + [False] * other, names(one + other)

    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        credit = np.concatenate([coins(rng, one, truth[0]), coins(rng, other, truth[1])])
        gap = where_cues_fail(credit, answered, units, seed=seed).gap
        assert gap is not None
        return [(gap, truth[0] - truth[1])]

    return draw


def _gap_within(rng: Random, truth: Truth, seed: int) -> Drawn:
    """Each family has items on both sides of the cue, and is easy or hard as a whole."""
    shared = rng.normal(size=(60, 1))
    latent = 0.3**0.5 * shared + 0.7**0.5 * rng.normal(size=(60, 4))
    right = latent < special.ndtri([truth[0], truth[0], truth[0], truth[1]])
    units = [str(place // 4) for place in range(240)]
    gap = where_cues_fail(right.ravel().astype(float), [True, True, True, False] * 60, units, seed=seed).gap
    assert gap is not None
    return [(gap, truth[0] - truth[1])]


def _difference(n: int) -> Draw:
    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        a, b = pairs(rng, n, truth[0], truth[1], TOGETHER).T
        return [(compare(a, b, names(n), seed=seed, resamples=RESAMPLES).difference, truth[0] - truth[1])]

    return draw


def _difference_of_families(n: int) -> Draw:
    units = [str(place // 4) for place in range(4 * n)]

    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        family, item = rng.normal(size=(3, n)), rng.normal(size=(3, 4 * n))
        latent = [
            0.3**0.5 * np.repeat((family[0] + family[k]) / 2**0.5, 4) + 0.7**0.5 * (item[0] + item[k]) / 2**0.5
            for k in (1, 2)
        ]
        a, b = ((z < special.ndtri(t)).astype(np.float64) for z, t in zip(latent, truth, strict=True))
        return [(compare(a, b, units, seed=seed, resamples=RESAMPLES).difference, truth[0] - truth[1])]

    return draw


def _strict(n: int) -> Draw:
    units = [str(place // 3) for place in range(3 * n)]

    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        credit = families(rng, truth[0], n, 3).ravel()
        strict, independent = strict_truth(truth[0], 3), truth[0] ** 3
        found = family_accuracy(credit, units, seed=seed, resamples=RESAMPLES)[0]
        return [(found.strict, strict), (found.independent, independent), (found.excess, strict - independent)]

    return draw


def _consistency(n: int) -> Draw:
    names_of_pairs, roles = [str(place // 2) for place in range(2 * n)], ["a", "b"] * n

    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        p, q = truth
        credit = pairs(rng, n, p, q, TOGETHER).ravel()
        both = both_right(p, q, TOGETHER)
        consistent, expected = 1 - p - q + 2 * both, p * q + (1 - p) * (1 - q)
        found = consistency(credit, names_of_pairs, roles, seed=seed, resamples=RESAMPLES)
        wanted = (consistent, both, expected, consistent - expected)
        return list(zip((found.consistent, found.both, found.expected, found.excess), wanted, strict=True))

    return draw


def _bias(n: int) -> Draw:
    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        hits, alarms = truth
        credit = np.concatenate([coins(rng, n, hits), coins(rng, n, 1 - alarms)])
        found = valence_bias(credit, [1] * n + [-1] * n, names(2 * n), seed=seed, resamples=RESAMPLES)
        zh, zf = special.ndtri(hits), special.ndtri(alarms)
        return [(found.sensitivity, zh - zf), (found.criterion, -(zh + zf) / 2)]

    return draw


def _average(n: int) -> Draw:
    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        sets = {name: coins(rng, n, truth[0]) for name in "abc"}
        units = {name: [f"{name}{place}" for place in range(n)] for name in "abc"}
        return [(average_of(sets, units, seed=seed, resamples=RESAMPLES), truth[0])]

    return draw


def _scale(n: int) -> Draw:
    """On a scale of five, the answer is the gold with that chance, and else any of the five: kappa is that chance."""

    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        gold, other = rng.integers(0, 5, (2, n))
        picked = [(int(place),) for place in np.where(rng.random(n) < truth[0], gold, other)]
        error = (1 - truth[0]) * float(np.mean([abs(a - b) for a in range(5) for b in range(5)]))
        measures = (mean_absolute_error, error), (quadratic_kappa, truth[0])
        return [(m(gold.tolist(), picked, 5, names(n)), true) for m, true in measures]

    return draw


def _agreement(n: int) -> Draw:
    """Three people see the item's own label with a chance of √kappa each, and else say any of three."""

    def draw(rng: Random, truth: Truth, seed: int) -> Drawn:
        own = rng.integers(0, 3, n)
        said = np.where(rng.random((n, 3)) < truth[0] ** 0.5, own[:, None], rng.integers(0, 3, (n, 3)))
        judgements = [Judgement(str(i), str(k), "demo", "abc"[said[i, k]]) for i in range(n) for k in range(3)]
        votes = tabulate(triples(judgements), "abc")
        return [(measure(votes, resamples=RESAMPLES), truth[0]) for measure in (fleiss_kappa, krippendorff_alpha)]

    return draw


def table(found: Sequence[Row]) -> str:
    lines = ["| number | size | mean | least | at truth | no interval |", "|---|---|---:|---:|---|---:|"]
    for row in found:
        at = ", ".join(f"{value:g}" for value in row.at)
        shares = " | ".join("–" if math.isnan(share) else f"{share:.1f}" for share in (row.mean, row.least))
        lines.append(f"| {row.number} | {row.size} | {shares} | {at} | {row.none:.0f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", help="only these numbers")
    parser.add_argument("--runs", type=int, default=RUNS, help="made-up runs for each truth")
    parser.add_argument("--write", action="store_true", help="put the table into docs/results/intervals.md")
    given = parser.parse_args()
    found: list[Row] = []
    for case in cases():
        if not given.numbers or set(given.numbers) & set(case.numbers):
            rows = covered(case, given.runs)
            print("\n".join(table(rows).splitlines()[2:]), flush=True)
            found += rows
    if given.write:
        text = PAGE.read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        PAGE.write_text(before + BEGIN + table(found) + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
