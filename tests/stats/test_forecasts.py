"""Distributions held against votes: by hand, by brute force, and what a calibration may and may not do."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from horsesense.errors import UserError
from horsesense.stats.ordinal import (
    fit_calibration,
    leave_one_out,
    log_score,
    ranked_probability,
    softmax,
)


def test_ranked_probability_is_the_mean_distance_of_two_draws_less_half_their_own() -> None:
    """Its other definition, on the scale itself: E|X - v| - E|X - X'| / 2, by summing over all draws."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        shares = rng.dirichlet(np.ones(5))
        for vote in range(5):
            apart = sum(shares[x] * abs(x - vote) for x in range(5))
            own = sum(shares[x] * shares[y] * abs(x - y) for x, y in product(range(5), repeat=2))
            assert ranked_probability(shares[None, :], [vote])[0] == pytest.approx((apart - own / 2) / 4)


def test_nobody_does_better_than_the_truth() -> None:
    rng = np.random.default_rng(4)
    truth = np.array([0.05, 0.1, 0.25, 0.2, 0.4])
    votes = [int(vote) for vote in rng.choice(5, size=20_000, p=truth)]
    for score in (ranked_probability, log_score):
        best = score(np.tile(truth, (len(votes), 1)), votes).mean()
        for _ in range(10):
            other = rng.dirichlet(np.ones(5))
            assert score(np.tile(other, (len(votes), 1)), votes).mean() > best - 1e-3


def test_a_calibration_removes_a_liking_for_a_label_and_finds_the_scale() -> None:
    rng = np.random.default_rng(5)
    meant = rng.normal(size=(4000, 5))
    votes = [int(rng.choice(5, p=row)) for row in softmax(meant)]
    seen = 3.0 * meant + np.array([0.0, 9.0, 0.0, 0.0, -4.0])  # too sure, and in love with the second label
    fitted = fit_calibration(seen, votes)
    assert fitted.scale == pytest.approx(1 / 3, rel=0.1)
    assert np.abs(fitted(seen) - softmax(meant)).mean() < 0.02
    raw, mended = (ranked_probability(each, votes).mean() for each in (softmax(seen), fitted(seen)))
    assert mended < raw


def test_scores_that_tell_nothing_become_the_shares_of_the_votes() -> None:
    rng = np.random.default_rng(6)
    fitted = fit_calibration(rng.normal(size=(3000, 3)), [0] * 1500 + [1] * 900 + [2] * 600)
    assert fitted(np.zeros((1, 3)))[0] == pytest.approx([0.5, 0.3, 0.2], abs=0.03)
    with pytest.raises(UserError, match="2 rows of scores for 1 votes"):
        fit_calibration(np.zeros((2, 3)), [0])


def test_each_vote_is_held_against_the_others_only() -> None:
    forecast, held, places = leave_one_out([[0, 1, 1], [2], [2, 2]], 3)
    assert held == [0, 1, 1, 2, 2]
    assert places == [0, 0, 0, 2, 2]
    assert forecast.tolist() == [[0, 1, 0], [0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1], [0, 0, 1]]
