"""Simulated blind audits, whose true values are known: how often an interval of the corrected share contains them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from horsesense.stats.prevalence import Count, correct_share


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage of the intervals in simulated audits."""

    share: float
    """The true share of bad items."""
    sensitivity: float
    false_alarms: float
    n: int
    """Number of items audited."""
    planted: int
    """Number of seeded errors, and of items known to be good."""
    covered: float
    """Share of intervals that contain the true share."""
    flattering: float
    """Share of intervals below the true share, which make the probe look better than it is."""
    width: float
    """Mean width of the intervals."""


def coverage(
    shares: Sequence[float],
    readers: Sequence[tuple[float, float]],
    n: int = 300,
    planted: int = 100,
    rounds: int = 2000,
    seed: int = 0,
) -> Iterator[Coverage]:
    """Simulate ``rounds`` audits with known true values for each setting; an auditor is a sensitivity and a false-alarm
    rate. Audits whose auditor does not discriminate are drawn again."""
    for index, (true, (s, f)) in enumerate(product(shares, readers)):
        random = np.random.default_rng([seed, index])
        held = below = 0
        widths: list[float] = []
        while len(widths) < rounds:
            corrected = correct_share(
                Count(_drawn(random, n, true * s + (1 - true) * f), n),
                Count(_drawn(random, planted, s), planted),
                Count(_drawn(random, planted, f), planted),
            )
            if corrected is None:
                continue
            low, high = corrected.ci
            held += low <= true <= high
            below += high < true
            widths.append(high - low)
        yield Coverage(true, s, f, n, planted, held / rounds, below / rounds, float(np.mean(widths)))


def _drawn(random: Any, n: int, rate: float) -> int:
    return int(random.binomial(n, rate))
