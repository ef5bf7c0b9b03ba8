"""Power against statsmodels, and against doing the larger study."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from horsesense.errors import UserError
from horsesense.stats import compare, power
from horsesense.stats.power import power_of, units_needed
from tests.support.simulated_answers import SIZES, two_models


@pytest.mark.parametrize(("effect", "units"), [(0.2, 200), (0.5, 30), (0.05, 3000), (0.9, 12)])
def test_power_is_that_of_the_paired_t_test(effect: float, units: int) -> None:
    assert power_of(effect, 1.0, units) == pytest.approx(TTestPower().power(effect, units, 0.05), abs=2e-4)


@pytest.mark.parametrize(("effect", "wanted"), [(0.1, 0.8), (0.3, 0.9), (0.02, 0.5)])
def test_units_needed_are_those_of_statsmodels(effect: float, wanted: float) -> None:
    reference = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=wanted)
    assert units_needed(effect, 1.0, target=wanted) == pytest.approx(math.ceil(reference), abs=1)


@pytest.mark.parametrize("effect", [0.2777, 0.11, 0.31, 0.47])
def test_no_smaller_number_of_units_would_do(effect: float) -> None:
    """Counted up one by one: the search by halves starts where the power is 1, and must not lose its way there."""
    assert units_needed(effect, 1.0) == next(units for units in range(2, 2000) if power_of(effect, 1.0, units) >= 0.8)


@pytest.mark.parametrize("units", [5, 30, 500, 20_000, 400_000])
def test_power_grows_with_the_difference_to_one(units: int) -> None:
    powers = [power_of(shift / units**0.5, 1.0, units) for shift in np.linspace(0, 80, 400)]
    assert np.all(np.diff(powers) >= -1e-9)
    assert powers[-1] > 0.999


def test_the_study_it_asks_for_finds_the_difference_as_often_as_promised() -> None:
    rng = np.random.default_rng(0)
    # A large pilot, so that what it sees is the truth.
    a, b, units = two_models(rng, 4000, SIZES["geometric"], (0.72, 0.66), 0.3)
    pilot = power(a, b, units, target=0.8)
    assert pilot.more_clusters == 0
    assert pilot.needed is not None
    found = 0
    for seed in range(200):
        study = compare(*two_models(rng, pilot.needed, SIZES["geometric"], (0.72, 0.66), 0.3), seed=seed, resamples=100)
        found += study.p < 0.05 and study.difference.value > 0
    assert found / 200 == pytest.approx(0.8, abs=0.085)  # three standard errors


def test_the_study_of_several_comparisons_finds_each_as_often_as_promised() -> None:
    """Nine comparisons corrected together: what settles one alone settles it in half of the studies."""
    rng = np.random.default_rng(3)
    a, b, units = two_models(rng, 4000, SIZES["geometric"], (0.72, 0.66), 0.3)
    alone = power(a, b, units, target=0.8)
    together = alone.at(1 - 0.05 / 9)
    assert alone.needed is not None
    assert together.needed is not None
    rates = {}
    for needed in (alone.needed, together.needed):
        found = 0
        for seed in range(120):
            drawn = two_models(rng, needed, SIZES["geometric"], (0.72, 0.66), 0.3)
            study = compare(*drawn, seed=seed, resamples=100)
            found += study.p < 0.05 / 9 and study.difference.value > 0
        rates[needed] = found / 120
    assert rates[alone.needed] < 0.7
    assert rates[together.needed] == pytest.approx(0.8, abs=0.12)


def test_more_items_come_in_units_of_the_size_at_hand() -> None:
    rng = np.random.default_rng(1)
    a, b, units = two_models(rng, 60, SIZES["equal"], (0.7, 0.6), 0.3)
    found = power(a, b, units)
    assert found.needed is not None
    assert found.more_clusters == max(0, found.needed - 60)
    assert found.more_items == 4 * found.more_clusters
    assert found.more_clusters > 0
    assert found.now < 0.8
    assert found.detectable is not None
    assert found.detectable > abs(found.difference)


def test_the_least_detectable_difference_has_the_power_asked_for() -> None:
    rng = np.random.default_rng(2)
    a, b, units = two_models(rng, 80, SIZES["equal"], (0.7, 0.6), 0.3)
    found = power(a, b, units, target=0.9)
    assert found.needed is not None
    assert found.detectable is not None
    # Units needed go with one over the square of the difference.
    assert found.needed / 80 == pytest.approx((found.detectable / found.difference) ** 2, rel=0.05)


def test_where_nothing_can_be_said_it_says_so() -> None:
    same = power([1, 0, 0, 1] * 10, [0, 1, 1, 0] * 10, [str(k) for k in range(40)])
    assert (same.difference, same.needed, same.more_items) == (0.0, None, None)
    assert "no difference" in same.note
    assert "one cluster" in power([1, 0], [0, 0], ["a", "a"]).note
    assert "no variance" in power([1, 1, 1], [0, 0, 0], list("abc")).note
    with pytest.raises(UserError, match="power 80"):
        power([1], [0], ["a"], target=80)
    with pytest.raises(UserError, match="2 and 1 values for 2 items"):
        power([1, 1], [0], ["a", "b"])
    with pytest.raises(UserError, match="in common"):
        power([1.0, math.nan], [math.nan, 1.0], ["a", "b"])
