"""The corrected share: what Rogan and Gladen give, and that its interval holds the truth as often as it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.errors import UserError
from horsesense.stats.prevalence import Count, correct_share, share
from tests.support.simulated_audits import coverage


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0.5, 1), st.floats(0, 0.3))
def test_what_a_reader_sees_is_turned_back_into_what_is_there(true: float, found: float, alarms: float) -> None:
    seen = true * found + (1 - true) * alarms
    corrected = correct_share(Count(seen * 1000, 1000), Count(found * 100, 100), Count(alarms * 100, 100))
    assert corrected is not None
    assert corrected.value == pytest.approx(true, abs=1e-9)
    assert corrected.ci[0] <= corrected.value <= corrected.ci[1]


def test_the_interval_is_that_of_drawing_again_where_counts_are_large() -> None:
    """With thousands of items the shifts of Lang and Reiczigel vanish, and plain resampling is a reference."""
    seen, found, alarms = Count(900, 6000), Count(3400, 4000), Count(160, 4000)
    corrected = correct_share(seen, found, alarms)
    assert corrected is not None
    rng = np.random.default_rng(1)
    p, s, f = (rng.binomial(int(c.n), c.rate, 40_000) / c.n for c in (seen, found, alarms))
    reference = np.percentile((p - f) / (s - f), [2.5, 97.5])
    assert corrected.ci == pytest.approx(tuple(reference), abs=0.002)


def test_more_to_measure_the_reader_by_makes_the_interval_narrower() -> None:
    widths = []
    for planted in (30, 100, 1000):
        found = correct_share(Count(30, 300), Count(0.9 * planted, planted), Count(0.04 * planted, planted))
        assert found is not None
        widths.append(found.ci[1] - found.ci[0])
    assert widths == sorted(widths, reverse=True)


def test_a_share_below_nought_is_cut_and_says_so() -> None:
    found = correct_share(Count(9, 300), Count(90, 100), Count(5, 100))
    assert found is not None
    assert (found.value, found.clipped, found.raw < 0) == (0.0, True, True)
    assert found.ci[0] == 0.0 < found.ci[1]


def test_a_reader_who_cannot_tell_corrects_nothing() -> None:
    assert correct_share(Count(150, 300), Count(52, 100), Count(48, 100)) is None
    with pytest.raises(UserError, match="a share of nothing"):
        correct_share(Count(1, 10), Count(0, 0))


def test_without_items_known_to_be_good_the_share_is_the_larger_one() -> None:
    seen, found = Count(30, 300), Count(90, 100)
    without, with_them = correct_share(seen, found), correct_share(seen, found, Count(4, 100))
    assert without is not None
    assert with_them is not None
    assert without.value > with_them.value


@pytest.mark.parametrize(("n", "planted"), [(300, 100), (40, 30)])
def test_intervals_hold_the_true_share(n: int, planted: int) -> None:
    """Below 0.93 in 500 rounds has less than one chance in forty where intervals hold it in 95 of 100."""
    readers = [(0.95, 0.02), (0.8, 0.05), (0.6, 0.1)]
    for cell in coverage((0.0, 0.02, 0.05, 0.25), readers, n, planted, rounds=500, seed=3):
        assert cell.covered >= 0.93, cell
        assert cell.flattering <= 0.045, cell


def test_a_share_of_draws() -> None:
    from scipy.stats import beta

    low, high = share(Count(6, 200)).ci
    # Jeffreys; ours is shrunk a little for the degrees of freedom.
    assert (low, high) == pytest.approx(beta(6.5, 194.5).ppf([0.025, 0.975]), abs=0.002)


def test_false_alarms_that_do_not_fit_are_not_taken_off() -> None:
    """4 of 102 good items called bad, and 1 of 300 of the sample: it used to be "0.0% (0.0 to 0.3%) bad"."""
    found = correct_share(Count(1, 300), Count(90, 102), Count(4, 102))
    assert found is not None
    assert not found.fits
    assert found.value == pytest.approx(1 / 300 / (90 / 102))
    assert found.ci[1] > 0.02
    # Three against five is luck, and is corrected as before.
    lucky = correct_share(Count(9, 300), Count(90, 102), Count(5, 102))
    assert lucky is not None
    assert lucky.fits
    assert lucky.clipped
