"""Numbers made of several rates: against closed forms, a search by hand, and simulated truth."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.cues.artefact_control import where_cues_fail
from horsesense.stats import accuracy, compare, consistency, family_accuracy
from horsesense.stats.combined import combined_interval, difference_of, rates_of, valence_bias
from horsesense.stats.ordinal import quadratic_kappa


def names(n: int, start: int = 0) -> list[str]:
    return [str(place) for place in range(start, start + n)]


def test_the_closed_form_of_a_difference_is_the_extreme_over_the_ellipse() -> None:
    rng = np.random.default_rng(0)
    units = [str(place // 3) for place in range(60)]
    rates = rates_of([(rng.random(60) < p).astype(float) for p in (0.8, 0.6)], [units, units])
    closed = difference_of(rates)
    assert combined_interval(lambda p: p[:, 0] - p[:, 1], rates) == pytest.approx(closed, abs=1e-3)
    (low_a, low_b), (high_a, high_b) = rates.ends(0.95)
    a, b = rates.values
    rho = rates.correlation[0, 1]
    angles = np.linspace(0, 2 * np.pi, 20_000)
    x, y = np.cos(angles), rho * np.cos(angles) + (1 - rho**2) ** 0.5 * np.sin(angles)
    rim = (
        a + np.where(x > 0, x * (high_a - a), x * (a - low_a)) - b - np.where(y > 0, y * (high_b - b), y * (b - low_b))
    )
    assert closed == pytest.approx((rim.min(), rim.max()), abs=1e-4)


def test_a_side_of_three_that_is_all_wrong_leaves_the_gap_open() -> None:
    """Once −0.502 (−0.539 to −0.466): as if three items had settled what the model does on that side."""
    credit = [1.0] * 119 + [0.0] * 118 + [0.0] * 3
    gap = where_cues_fail(credit, [True] * 237 + [False] * 3, names(240)).gap
    assert gap is not None
    assert gap.value == pytest.approx(0.502, abs=1e-3)
    assert gap.low < 0 < gap.high
    assert "3 clusters only" in gap.note


def test_gaps_of_nought_are_held_where_one_side_is_small() -> None:
    rng, held = np.random.default_rng(1), 0
    for seed in range(150):
        credit = (rng.random(240) < 0.6).astype(float)
        gap = where_cues_fail(credit, [True] * 237 + [False] * 3, names(240), seed=seed).gap
        assert gap is not None
        held += gap.low <= 0 <= gap.high
    assert held >= 0.9 * 150


def test_independence_of_one_role_is_the_power_of_its_interval() -> None:
    values = [1.0, 1.0, 0.0] * 3 + [1.0] * 30
    families = [str(place // 3) for place in range(39)]
    row = family_accuracy(values, families)[0]
    rate = accuracy(values, families)
    assert row.independent.ci == pytest.approx((rate.low**3, rate.high**3), abs=1e-6)
    assert row.excess.low <= row.excess.value <= row.excess.high


def test_all_families_right_says_little_of_what_is_beyond_independence() -> None:
    row = family_accuracy([1.0] * 15, [str(place // 3) for place in range(15)])[0]
    assert row.excess.value == 0
    assert row.excess.high > 0.3, "two families of five may yet be wrong as a whole"


def test_expected_consistency_bends_in_the_middle() -> None:
    """At p = q = ½ the first derivative is nought, and the number still moves."""
    values = [1.0, 1.0, 0.0, 0.0] * 5
    expected = consistency(values, [str(place // 2) for place in range(20)], ["a", "b"] * 10).expected
    assert expected.value == 0.5
    assert expected.low < 0.48
    assert expected.high > 0.6


def test_d_prime_has_no_limit_where_one_side_is_all_right() -> None:
    bias = valence_bias([1.0] * 20 + [1, 0] * 10, [1] * 20 + [-1] * 20, names(40))
    assert bias.sensitivity.high == float("inf")
    assert np.isfinite(bias.sensitivity.low)
    assert "no limit" in bias.sensitivity.note


def test_whoever_always_says_more_has_a_d_prime_of_nothing_and_no_limit_either_way() -> None:
    bias = valence_bias([1.0] * 20 + [0.0] * 20, [1] * 20 + [-1] * 20, names(40))
    assert bias.sensitivity.value == 0
    assert (bias.sensitivity.low, bias.sensitivity.high) == (float("-inf"), float("inf"))
    assert bias.criterion.value < -1
    assert "no limit" in bias.sensitivity.note


def test_p_of_a_difference_is_that_of_the_wider_interval() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        n = int(rng.integers(5, 40))
        a, b = (rng.random((2, n)) < rng.choice([0.1, 0.5, 0.95], (2, 1))).astype(float)
        found = compare(a, b, names(n), resamples=200)
        if abs(found.p - 0.05) > 1e-3:
            assert (found.p < 0.05) == (found.difference.low > 0 or found.difference.high < 0)


def test_kappa_leaves_open_how_large_errors_get_while_few_are_seen() -> None:
    golds = [place % 5 for place in range(50)]

    def kappa(off: int) -> tuple[float, float, float]:
        picked = [(abs(gold - 1) if place < off else gold,) for place, gold in enumerate(golds)]
        found = quadratic_kappa(golds, picked, 5, names(50))
        return found.low, found.value, found.high

    low, value, high = kappa(2)
    assert low < 0.75 < value <= high
    assert kappa(25)[2] - kappa(25)[0] < 0.4, "many errors of one step tell that they are small"
    assert np.isnan(quadratic_kappa(golds[:9], [(gold,) for gold in golds[:9]], 5, names(9)).low)
