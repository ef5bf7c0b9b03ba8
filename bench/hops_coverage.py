"""How often the intervals of the regression over hops hold the truth: a figure of docs/results/wordnetqa.md.

python bench/hops_coverage.py [TIMES]

The truth is what a regression over very many draws converges to, since answers and concepts that differ flatten it.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from horsesense.stats.clustered_logit import clustered_logit

Drawn = tuple[NDArray[np.bool_], NDArray[np.float64], list[str], list[str]]


def drawn(rng: np.random.Generator, answers: int, effect: float, shared: float) -> Drawn:
    """Each answer from two or three distances, four items each; ``shared``: how much answers and concepts differ."""
    answer, asked, hops = [], [], []
    for number in range(answers):
        for far in range(1, 3 + number % 2):
            answer += [number] * 4
            asked += [3 * number + far] * 4
            hops += [float(far)] * 4
    a, c, k = np.array(answer), np.array(asked), np.array(hops)
    eta = 0.4 + effect * (k - 2) + rng.normal(0, shared, answers)[a] + rng.normal(0, shared, 3 * answers + 4)[c]
    right = rng.random(len(k)) < 1 / (1 + np.exp(-eta))
    return right, k, [str(n) for n in asked], [str(n) for n in answer]


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| answers | effect of a hop | spread of answers and concepts | 95 % intervals that hold it |")
    print("|---|---|---|---|")
    for answers in (30, 110):
        for effect in (0.0, -0.4):
            for shared in (0.0, 0.7):
                right, hops, asked, answer = drawn(np.random.default_rng(0), 20_000, effect, shared)
                truth = clustered_logit(right, {"hops": hops.tolist()}, asked, answer)[0].log_odds.value
                held = 0
                for seed in range(times):
                    right, hops, asked, answer = drawn(np.random.default_rng([seed, 1]), answers, effect, shared)
                    interval = clustered_logit(right, {"hops": hops.tolist()}, asked, answer)[0].log_odds
                    held += interval.low <= truth <= interval.high
                print(f"| {answers} | {effect} | {shared} | {held / times:.3f} |", flush=True)


if __name__ == "__main__":
    main()
