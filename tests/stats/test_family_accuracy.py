"""Families against a loop, the papers' definitions, laws and simulated independence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.errors import UserError
from horsesense.stats import by_family, family_accuracy

ITEMS = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 1.0, 0.5]), st.sampled_from("abcdefgh")), min_size=1, max_size=40)


@settings(deadline=None)
@given(ITEMS)
def test_strict_is_never_above_mean_and_both_are_what_a_loop_finds(items: list[tuple[float, str]]) -> None:
    everything, *by_size = family_accuracy([v for v, _ in items], [f for _, f in items], resamples=50)
    members: dict[str, list[float]] = {}
    for value, family in items:
        members.setdefault(family, []).append(value)
    for row in (everything, *by_size):
        here = [own for own in members.values() if row.size in (None, len(own))]
        assert row.mean.n == row.strict.n == len(here)
        assert row.mean.value == pytest.approx(np.mean([np.mean(own) for own in here]))
        assert row.strict.value == pytest.approx(np.mean([all(v == 1 for v in own) for own in here]))
        assert row.strict.value <= row.mean.value + 1e-12
        right = np.mean([v == 1 for own in here for v in own])
        assert row.independent.value == pytest.approx(np.mean([right ** len(own) for own in here]))
        assert row.excess.value == pytest.approx(row.strict.value - row.independent.value)
        assert row.independent.low <= row.independent.value <= row.independent.high
        assert row.excess.low - 1e-12 <= row.excess.value <= row.excess.high + 1e-12
    assert sorted({len(own) for own in members.values()}) == [row.size for row in by_size]


def test_roles_multiply_their_own_accuracies() -> None:
    # Generic questions are always right and exceptions half the time: independence gives 1 · 1/2, not (3/4)².
    values, families = [1, 1, 1, 0] * 20, [str(k // 2) for k in range(80)]
    with_roles = family_accuracy(values, families, roles=["generic", "exception"] * 40)[0]
    without = family_accuracy(values, families)[0]
    assert with_roles.independent.value == pytest.approx(0.5)
    assert with_roles.excess.value == pytest.approx(0.0)
    assert without.independent.value == pytest.approx(0.75**2)


def test_a_tie_is_not_strictly_right() -> None:
    everything, _ = family_accuracy([1, 0.5, 1, 1], ["a", "a", "b", "b"])
    assert everything.strict.value == 0.5
    assert everything.mean.value == pytest.approx(0.875)


def test_chance_of_a_family_is_a_product() -> None:
    everything, *_ = family_accuracy([1, 0, 1], ["a", "a", "b"], option_counts=[2, 5, 4])
    assert everything.strict.chance == pytest.approx((0.1 + 0.25) / 2)
    assert everything.mean.chance == pytest.approx((0.35 + 0.25) / 2)


def test_coarser_units_hold_whole_families() -> None:
    values, families = [1, 1, 0, 0] * 20, [str(k // 2) for k in range(80)]
    by_noun = family_accuracy(values, families, units=[str(k // 8) for k in range(80)])[0]
    assert (by_noun.strict.n, by_noun.strict.clusters) == (40, 10)
    with pytest.raises(UserError, match="family '0' is in several clusters"):
        family_accuracy(values, families, units=[str(k % 2) for k in range(80)])


def test_no_family_strictly_right_is_not_a_certain_zero() -> None:
    rng = np.random.default_rng(0)
    values, families = (rng.random(2400) < 0.5).astype(float), [str(k // 24) for k in range(2400)]
    row = family_accuracy(values, families, roles=[str(k % 24) for k in range(2400)])[0]
    assert row.strict.value == 0
    assert row.excess.high - row.excess.low > 0.02


def test_errors_gathered_in_few_families_show_as_excess_and_scattered_ones_do_not() -> None:
    rng = np.random.default_rng(0)
    families = [str(k // 4) for k in range(1200)]
    gathered = family_accuracy(np.repeat(rng.random(300) < 0.7, 4).astype(float), families)[0]
    assert gathered.excess.low > 0.3
    held = 0
    for seed in range(80):
        scattered = family_accuracy((rng.random(1200) < 0.8).astype(float), families, seed=seed, resamples=100)[0]
        held += scattered.excess.low <= 0 <= scattered.excess.high
    assert held >= 70  # 95 % of 80 is 76; three standard errors are 6


def test_families_are_sorted_and_leave_out_what_is_not_judged() -> None:
    found = by_family([1, math.nan, 0, math.nan], ["b", "b", "a", "c"])
    assert (found.names.tolist(), found.sizes.tolist(), found.strict.tolist()) == (["a", "b"], [1, 1], [False, True])
    with pytest.raises(UserError, match="no item has a gold"):
        by_family([math.nan], ["a"])
    with pytest.raises(UserError, match="1 roles for 2 items"):
        family_accuracy([1, 1], ["a", "a"], roles=["x"])
    with pytest.raises(UserError, match="250 roles"):
        family_accuracy([1] * 250, ["a"] * 250, roles=[str(k) for k in range(250)])
