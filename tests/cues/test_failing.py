"""A model's accuracy where cues answer and where they miss."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.cues import where_cues_fail
from horsesense.errors import UserError


def test_a_model_that_reads_cues_falls_where_they_mislead() -> None:
    rng = np.random.default_rng(0)
    answered = rng.random(400) < 0.7
    credit = np.where(answered, rng.random(400) < 0.95, rng.random(400) < 0.2).astype(float)
    found = where_cues_fail(credit, answered, [str(n // 2) for n in range(400)], chance=0.5)
    assert found.answered
    assert found.missed
    assert found.gap
    assert found.answered.value == pytest.approx(credit[answered].mean())
    assert found.missed.value == pytest.approx(credit[~answered].mean())
    assert found.gap.value == pytest.approx(credit[answered].mean() - credit[~answered].mean())
    assert found.gap.low > 0.5


def test_the_interval_of_the_gap_holds_the_truth() -> None:
    """Two hundred models that do not mind cues: the gap's 95 % interval misses 0 about ten times."""
    missed = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        family = np.repeat(np.arange(60), 3)
        credit = (rng.random(180) < rng.beta(4, 2, 60)[family]).astype(float)
        gap = where_cues_fail(credit, rng.random(180) < 0.5, [str(f) for f in family], seed=seed).gap
        assert gap
        missed += not gap.low <= 0 <= gap.high
    assert 2 <= missed <= 22


def test_one_side_may_be_empty() -> None:
    found = where_cues_fail([1, 0, float("nan")], [True, True, False], ["a", "b", "c"])
    assert found.answered
    assert found.answered.n == 2
    assert found.missed is None
    assert found.gap is None


def test_lengths_that_differ_are_a_sentence() -> None:
    with pytest.raises(UserError, match="there are 2 credits"):
        where_cues_fail([1, 0], [True], ["a", "b"])
