"""Bias and ablation: signal detection against a table of z, an unbiased and a biased answerer, pairs by hand."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from horsesense.errors import UserError
from horsesense.stats.combined import valence_bias
from horsesense.stats.families import without_repeats
from horsesense.stats.paired import ablation, retest

Z = NormalDist().inv_cdf


def test_sensitivity_and_criterion_are_those_of_the_rates() -> None:
    hits, correct = 700, 200
    values = [1] * hits + [0] * (1_000 - hits) + [1] * correct + [0] * (1_000 - correct)
    found = valence_bias(values, [1] * 1_000 + [-1] * 1_000, [str(k) for k in range(2_000)])
    up, alarm = 700.5 / 1_001, 800.5 / 1_001
    assert found.sensitivity.value == pytest.approx(Z(up) - Z(alarm))
    assert found.criterion.value == pytest.approx(-(Z(up) + Z(alarm)) / 2)
    assert (found.positive.value, found.negative.value) == (0.7, 0.2)
    assert found.criterion.high < 0


def test_intervals_hold_the_truth() -> None:
    """An answerer that knows nothing and says the positive word three times in four, items in units of four."""
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(60):
        valences = np.tile([1, 1, -1, -1], 60)
        says_up = rng.random(240) < 0.75
        values = (says_up == (valences > 0)).astype(float)
        found = valence_bias(values, valences.tolist(), [str(k // 4) for k in range(240)], resamples=300)
        inside += (
            found.criterion.low <= -Z(0.75) <= found.criterion.high
            and found.sensitivity.low <= 0 <= found.sensitivity.high
        )
    assert inside >= 50


def test_words_without_valence_and_items_without_gold_do_not_count() -> None:
    found = valence_bias([1, 0, 1, float("nan")], [1, -1, 0, 1], ["a", "b", "c", "d"])
    assert (found.positive.n, found.negative.n) == (1, 1)
    with pytest.raises(UserError, match="one valence"):
        valence_bias([1, 0], [1, 1], ["a", "b"])


def test_an_ablation_compares_the_same_questions() -> None:
    rng = np.random.default_rng(1)
    keys = [f"q{k}" for k in range(200)]
    base = (rng.random(200) < 0.6).astype(float)
    repeated = [key for key in keys for _ in range(3)]
    other = np.repeat(base, 3)
    other[:90] = 0  # the first thirty questions are lost
    found = ablation(keys, base, repeated, other, {key: key for key in keys})
    assert found.a.n == 200
    assert found.difference.value == pytest.approx(base[:30].sum() / 200)
    with pytest.raises(UserError, match="no question in common"):
        ablation(["a"], [1], ["b"], [1], {"a": "a", "b": "b"})


def test_what_is_asked_twice() -> None:
    keys, again = ["x", "x", "y", "y", "z"], [False, True, False, True, False]
    assert retest(keys, [1, 1, 0, 1, 1], again, list("uuvvw")).value == 0.5
    assert np.isnan(without_repeats([1, 1, 0, 1, 1], again)).tolist() == again
    with pytest.raises(UserError, match="asked twice"):
        retest(["x"], [1], [False], ["u"])
