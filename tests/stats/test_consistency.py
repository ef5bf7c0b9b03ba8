"""Duals against the definition of cats, a loop and simulated independence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.errors import UserError
from horsesense.stats import consistency

CREDIT = st.sampled_from([0.0, 1.0, 0.5])


@settings(deadline=None)
@given(st.lists(st.tuples(CREDIT, CREDIT), min_size=1, max_size=30))
def test_shares_are_what_a_loop_finds(pairs: list[tuple[float, float]]) -> None:
    families = [str(k) for k in range(len(pairs)) for _ in range(2)]
    found = consistency([v for pair in pairs for v in pair], families, ["a", "b"] * len(pairs), resamples=50)
    right = [(a == 1, b == 1) for a, b in pairs]
    p, q = (np.mean(side) for side in zip(*right, strict=True))
    assert found.consistent.value == pytest.approx(np.mean([a == b for a, b in right]))
    assert found.both.value == pytest.approx(np.mean([a and b for a, b in right]))
    assert found.expected.value == pytest.approx(p * q + (1 - p) * (1 - q))
    assert found.excess.value == pytest.approx(found.consistent.value - found.expected.value)
    assert (found.first[1].value, found.second[1].value) == pytest.approx((p, q))
    assert found.both.value <= found.consistent.value
    for each in (found.consistent, found.both, found.expected, found.excess):
        assert each.low <= each.value <= each.high
        assert each.n == len(pairs)


def test_a_model_blind_to_the_change_is_less_consistent_than_chance() -> None:
    # It gives the same answer to both, so exactly one is right (cats, figure 3).
    found = consistency([1, 0, 0, 1] * 30, [str(k // 2) for k in range(120)], ["original", "dual"] * 60)
    assert found.consistent.value == 0
    assert found.expected.value == 0.5
    assert found.excess.high < -0.4


def test_independent_answers_are_as_consistent_as_expected() -> None:
    rng = np.random.default_rng(0)
    families, roles = [str(k // 2) for k in range(300)], ["a", "b"] * 150
    held = 0
    for seed in range(150):
        found = consistency((rng.random(300) < 0.7).astype(float), families, roles, seed=seed, resamples=200)
        held += found.excess.low <= 0 <= found.excess.high
    assert held >= 134  # 95 % of 150 is 142; three standard errors are 8


def test_chance_of_two_options_is_a_half() -> None:
    found = consistency([1, 1, 0, 1], list("xxyy"), ["a", "b"] * 2, option_counts=[2] * 4)
    assert (found.consistent.chance, found.both.chance, found.first[1].chance) == (0.5, 0.25, 0.5)


def test_what_has_no_partner_is_left_out_and_counted() -> None:
    values = [1, 1, 1, math.nan, 1, 1, 0, 0, 0]
    families = ["whole", "whole", "torn", "torn", "alone", "same", "same", "other", "other"]
    found = consistency(values, families, ["a", "b", "a", "b", "a", "a", "a", "b", "a"])
    assert (found.consistent.n, found.unpaired) == (2, 4)
    with pytest.raises(UserError, match=r"two roles, but there are 3"):
        consistency([1, 1, 1, 1], list("xxyy"), ["a", "b", "a", "c"])
    with pytest.raises(UserError, match="there are 0"):
        consistency([1, 1], list("xy"), ["a", "b"])
