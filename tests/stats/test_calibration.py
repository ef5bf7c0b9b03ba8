"""Calibration against a loop, softmax and models whose calibration is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from horsesense.errors import UserError
from horsesense.stats import confidence, reliability


@given(st.lists(st.lists(st.floats(-800, 800), min_size=1, max_size=5), min_size=1, max_size=10))
def test_confidence_is_the_greatest_softmax(scores: list[list[float]]) -> None:
    assert confidence(scores) == pytest.approx([special.softmax(row).max() for row in scores])


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.3, 0.5, 0.5, 0.8, 0.95]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=40
    ),
    st.integers(1, 6),
    st.randoms(),
)
def test_the_curve_does_not_depend_on_order(items: list[tuple[float, float]], bins: int, random: object) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis types its Random loosely
    units = [str(k) for k in range(len(items))]
    one, other = (
        reliability([c for c, _ in rows], [v for _, v in rows], units, bins, resamples=20) for rows in (items, shuffled)
    )
    assert [b.accuracy for b in one.bins] == [b.accuracy for b in other.bins]
    assert one.error == pytest.approx(other.error)
    assert one.error <= 1
    assert abs(one.overconfidence) <= one.error + 1e-12
    assert sum(b.accuracy.n for b in one.bins) == len(items)
    assert all(a.high < b.low for a, b in zip(one.bins, one.bins[1:], strict=False))


def test_bins_hold_as_many_items_and_the_error_is_a_loop() -> None:
    rng = np.random.default_rng(0)
    sure = rng.permutation(np.linspace(0.2, 0.999, 1000))
    credit = (rng.random(1000) < sure**2).astype(float)
    found = reliability(sure, credit, [str(k) for k in range(1000)], bins=10, resamples=50)
    assert [b.accuracy.n for b in found.bins] == [100] * 10
    order = np.argsort(sure)
    error = sum(abs(sure[part].mean() - credit[part].mean()) * 0.1 for part in np.split(order, 10))
    assert found.error == pytest.approx(error)
    assert found.overconfidence == pytest.approx(np.mean(sure - credit))


def test_a_calibrated_model_shows_noise_and_an_overconfident_one_more() -> None:
    rng = np.random.default_rng(1)
    sure, units = rng.uniform(0.5, 1, 2000), [str(k) for k in range(2000)]
    fair = [
        reliability(sure, (rng.random(2000) < sure).astype(float), units, seed=seed, resamples=20) for seed in range(8)
    ]
    assert np.mean([each.error for each in fair]) == pytest.approx(np.mean([each.noise for each in fair]), rel=0.25)
    bold = reliability(sure, (rng.random(2000) < sure - 0.2).astype(float), units, resamples=20)
    assert bold.error == pytest.approx(0.2, abs=0.04)
    assert bold.overconfidence == pytest.approx(0.2, abs=0.04)
    assert bold.noise < 0.05


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(UserError, match="not between 0 and 1"):
        reliability([1.5], [1], ["a"])
    with pytest.raises(UserError, match="0 bins"):
        reliability([0.5], [1], ["a"], bins=0)
    with pytest.raises(UserError, match="2 confidences for 1 values"):
        reliability([0.5, 0.5], [1], ["a"])
    with pytest.raises(UserError, match="score nan"):
        confidence([[0.0, float("nan")]])
