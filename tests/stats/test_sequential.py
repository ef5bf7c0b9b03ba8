"""Confidence sequences: the true value stays inside however often they are looked at, where usual intervals fail."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.errors import UserError
from horsesense.stats.sequential import StoppingRule, confidence_sequence, parse_until, stops_at


def test_peeking_is_free_with_families_of_unequal_size() -> None:
    rng = np.random.default_rng(5)
    missed = missed_by_usual = 0
    rule = StoppingRule(0.08)
    for _ in range(80):
        sizes = rng.integers(1, 5, 240)
        sums = rng.binomial(sizes, rng.beta(2.8, 1.2, 240)).astype(float)  # mean 0.7, families correlated
        outside = outside_usual = False
        number = 20
        while number <= 240:
            found = confidence_sequence(sums[:number], sizes[:number], rule.half_width)
            outside |= not found.low <= 0.7 <= found.high
            total = sizes[:number].sum()
            spread = np.sqrt(((sums[:number] - found.value * sizes[:number]) ** 2).sum()) / total
            outside_usual |= abs(found.value - 0.7) > 1.96 * spread
            if rule.is_met(found):
                break
            number = int(number * 1.15) + 1
        missed += outside
        missed_by_usual += outside_usual
    assert missed <= 8  # 5% of 80 expected at most
    assert missed_by_usual > 12


def test_capital_against_a_plain_loop() -> None:
    """The excluded candidates are those that a loop over families, one candidate at a time, excludes."""
    rng = np.random.default_rng(2)
    credit = (rng.random(300) < 0.9).astype(float)
    found = confidence_sequence(credit, np.ones(300), 0.05)
    for candidate in (found.low - 0.004, found.low + 0.004, found.high - 0.004, found.high + 0.004):
        wealth = {1: 0.0, -1: 0.0}
        most = {1: 0.0, -1: 0.0}
        seen, squares, mean = 0.5, 0.25, 0.5
        for t, x in enumerate(credit):
            variance = squares / max(t, 1) if t else 0.25
            stake = 0.05 / (variance + 0.05**2)
            for sign, bound in ((1, candidate), (-1, 1 - candidate)):
                wealth[sign] += np.log1p(sign * min(stake, 0.5 / bound) * (x - candidate))
                most[sign] = max(most[sign], wealth[sign])
            squares += (x - mean) ** 2
            seen += x
            mean = seen / (t + 2)
        inside = max(most.values()) < np.log(2 / 0.05)
        assert inside == (found.low < candidate < found.high)


def test_differences_and_the_rule() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(800) < 0.8, rng.random(800) < 0.6
    found = confidence_sequence(a.astype(float) - b, np.ones(800), 0.1, lowest=-1.0)
    assert found.low < 0.2 < found.high
    assert found.low > 0
    stop = stops_at(a.astype(float) - b, np.ones(800), StoppingRule(0.1), lowest=-1.0)
    assert stop is not None
    assert 100 < stop < 800
    assert stops_at(a.astype(float)[:50], np.ones(50), StoppingRule(0.01)) is None
    for wrong in ("0.03", "ci<3", "ci<0.001", "width<0.1"):
        with pytest.raises(UserError, match="ci<"):
            parse_until(wrong)
