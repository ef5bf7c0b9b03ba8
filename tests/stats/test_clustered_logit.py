"""The regression over hops: scikit-learn's coefficients, and intervals that hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from horsesense.errors import UserError
from horsesense.stats.clustered_logit import clustered_logit

Drawn = tuple[NDArray[np.bool_], NDArray[np.float64], list[str], list[str]]


def drawn(seed: int, effect: float, answers: int = 60) -> Drawn:
    """Answers that are hard or easy, concepts that are, and hops that vary within an answer."""
    rng = np.random.default_rng(seed)
    answer = np.repeat(np.arange(answers), 8)
    asked = np.repeat(np.arange(answers * 2), 4)
    hops = (1 + asked % 2 + answer % 2).astype(np.float64)
    eta = 0.3 + effect * (hops - 2) + rng.normal(0, 0.7, answers)[answer] + rng.normal(0, 0.5, answers * 2)[asked]
    right = rng.random(len(eta)) < 1 / (1 + np.exp(-eta))
    return right, hops, [str(a) for a in asked], [str(a) for a in answer]


def test_coefficients_are_those_of_another_library() -> None:
    right, hops, asked, answer = drawn(1, -0.5)
    other = np.random.default_rng(2).normal(size=len(hops))
    effects = clustered_logit(right, {"hops": hops.tolist(), "other": other.tolist()}, asked, answer)
    reference = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000).fit(np.stack([hops, other], axis=1), right)
    assert [effect.log_odds.value for effect in effects] == pytest.approx(reference.coef_[0].tolist(), abs=1e-3)
    assert effects[0].log_odds.clusters == 60


def test_intervals_hold_nothing_as_often_as_they_say() -> None:
    """Without an effect the truth is 0 whatever answers and concepts share."""
    held = wrong = 0
    for seed in range(300):
        right, hops, asked, answer = drawn(seed, 0.0)
        (effect,) = clustered_logit(right, {"hops": hops.tolist()}, asked, answer)
        (alone,) = clustered_logit(right, {"hops": hops.tolist()}, [str(n) for n in range(len(hops))])
        held += effect.log_odds.low <= 0 <= effect.log_odds.high
        wrong += alone.log_odds.low <= 0 <= alone.log_odds.high
    assert 0.92 <= held / 300 <= 0.98
    assert wrong < held - 10  # what ignores the clusters is surer than it may be


def test_what_cannot_be_told_apart_is_an_error() -> None:
    right, hops, asked, answer = drawn(1, 0.0)
    with pytest.raises(UserError, match="not identifiable"):
        clustered_logit(right, {"hops": hops.tolist(), "again": hops.tolist()}, asked, answer)
    with pytest.raises(UserError, match="2 clusters are too few"):
        clustered_logit(right, {"hops": hops.tolist()}, ["a", "b"] * (len(hops) // 2))
