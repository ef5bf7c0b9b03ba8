"""Coverage of runs that stop early, and of intervals with and without the wording (docs/results/items.md).

python bench/stopping.py
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from horsesense.stats import accuracy
from horsesense.stats.sequential import StoppingRule, confidence_sequence
from horsesense.stats.wording_variance import with_wording


def stopping(half_width: float, families: int, gap: float | None = None, draws: int = 200) -> None:
    """Families of one to four correlated items, looked at after every 15% more, until the rule is met.

    The mean credit is 0.7; with a gap, the credits are differences from a second model, whose mean is that much lower.
    """
    rng, rule = np.random.default_rng(5), StoppingRule(half_width)
    truth, lowest = (0.7, 0.0) if gap is None else (gap, -1.0)
    missed, usual, stops = 0, 0, []
    for _ in range(draws):
        sizes = rng.integers(1, 5, families)
        sums = rng.binomial(sizes, rng.beta(2.8, 1.2, families)).astype(float)
        if gap is not None:
            sums -= rng.binomial(sizes, rng.beta(4 * (0.7 - gap), 4 * (0.3 + gap), families))
        outside = outside_usual = False
        number = 20
        while number <= families:
            found = confidence_sequence(sums[:number], sizes[:number], half_width, lowest=lowest)
            spread = np.sqrt(((sums[:number] - found.value * sizes[:number]) ** 2).sum()) / sizes[:number].sum()
            outside |= not found.low <= truth <= found.high
            outside_usual |= abs(found.value - truth) > 1.96 * spread
            if rule.is_met(found):
                break
            number = int(number * 1.15) + 1
        missed, usual = missed + outside, usual + outside_usual
        stops.append(min(number, families))
    what = "accuracy" if gap is None else f"difference of {gap}"
    rates = f"{missed / draws:.1%} | {usual / draws:.1%}"
    print(f"| {what} | ci<{half_width} | {rates} | {np.median(stops):.0f} |", flush=True)


def wordings(effect: float, draws: int = 400) -> None:
    """60 families in 6 wordings and both orders; ``effect`` is the spread of wordings on a probit scale."""
    rng, wide, fixed = np.random.default_rng(3), 0, 0
    truth = norm.cdf(0.5 / np.sqrt(1.44 + effect**2 + 0.36 + 0.25))
    for _ in range(draws):
        latent = 0.5 + 1.2 * rng.normal(size=(60, 1, 1)) + effect * rng.normal(size=(1, 6, 1))
        latent = latent + 0.6 * rng.normal(size=(60, 6, 1)) + 0.5 * rng.normal(size=(60, 6, 2))
        table = (latent > 0).astype(float)
        found = with_wording(table, 60)
        wide += found.low <= truth <= found.high
        usual = accuracy(table.mean(axis=(1, 2)), np.arange(60), resamples=300)
        fixed += usual.low <= truth <= usual.high
    print(f"| {effect} | {wide / draws:.1%} | {fixed / draws:.1%} |", flush=True)


if __name__ == "__main__":
    print("| of | rule | truth ever outside the sequence | ever outside a watched usual interval | families, median |")
    print("|---|---|---|---|---|")
    stopping(0.1, 300)
    stopping(0.05, 700)
    stopping(0.1, 900, gap=0.0)
    stopping(0.1, 900, gap=0.1)
    print("\n| spread of wordings | covered with wording | covered by the usual interval |")
    print("|---|---|---|")
    for effect in (0.0, 0.4, 0.8):
        wordings(effect)
