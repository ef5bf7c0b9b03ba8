"""The psychometric fit finds the threshold it was given, says where there is none, and its interval covers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import curve_fit

from horsesense.errors import UserError
from horsesense.stats.psychometric import _share, fit_point, fit_psychometric

LEVELS = np.arange(8.0)


def families(shares: np.ndarray, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return np.repeat(LEVELS, n), (rng.random((len(LEVELS), n)) < shares[:, None]).ravel()


@pytest.mark.parametrize(("threshold", "slope", "guess", "lapse"), [(3.5, 2.0, 0.25, 0.0), (1.2, 3.0, 0.1, 0.05)])
def test_exact_shares_give_back_the_function(threshold: float, slope: float, guess: float, lapse: float) -> None:
    """Against least squares, which has the same optimum where the shares are exact."""
    shares = _share(LEVELS, threshold, slope, guess, lapse)
    found = fit_point(LEVELS, 1e5 * shares, np.full(8, 1e5), 0.25)
    reference, _ = curve_fit(lambda x, t, s: _share(x, t, s, guess, lapse), LEVELS, shares, p0=(3.0, 1.0))
    assert found[:2] == pytest.approx(reference, abs=0.02)


def test_the_interval_covers_the_threshold_about_as_often_as_it_says() -> None:
    hits, errors = 0, []
    for seed in range(60):
        fit = fit_psychometric(*families(_share(LEVELS, 3.5, 2.0, 0.25, 0.02), 40, seed), 0.25, resamples=200)
        assert fit.threshold is not None
        assert fit.standard_error is not None
        hits += (fit.ci[0] or 0.0) <= 3.5 <= (fit.ci[1] or 7.0)
        errors.append(fit.threshold - 3.5)
    assert hits >= 50
    assert 0.1 < np.std(errors) < 0.3


@pytest.mark.parametrize(
    ("shares", "standing"),
    [
        (np.full(8, 0.25), "below the ladder"),
        (np.zeros(8), "below the ladder"),
        (np.full(8, 0.97), "above the ladder"),
        (np.ones(8), "above the ladder"),
        (_share(LEVELS, 3.0, 2.0, 0.25, 0.0), "on the ladder"),
    ],
)
def test_a_threshold_is_given_only_where_there_is_one(shares: np.ndarray, standing: str) -> None:
    fits = [fit_psychometric(*families(shares, 40, seed), 0.25, resamples=100) for seed in range(20)]
    assert sum(fit.standing == standing for fit in fits) >= 19
    for fit in fits:
        assert (fit.threshold is None) == (fit.standing != "on the ladder") == (fit.standard_error is None)


def test_levels_that_are_no_ladder_are_reported_as_a_misfit() -> None:
    rising = fit_psychometric(*families(np.linspace(0.1, 0.9, 8), 40, 0), 0.25, resamples=50)
    falling = fit_psychometric(*families(_share(LEVELS, 3.0, 2.0, 0.25, 0.0), 40, 0), 0.25, resamples=50)
    assert rising.misfit_p < 0.001 < falling.misfit_p


def test_the_same_seed_gives_the_same_interval() -> None:
    given = families(_share(LEVELS, 3.0, 2.0, 0.25, 0.0), 20, 1)
    assert fit_psychometric(*given, 0.25, seed=4) == fit_psychometric(*given, 0.25, seed=4)


def test_two_levels_are_too_few() -> None:
    with pytest.raises(UserError, match="3 levels"):
        fit_psychometric([0, 0, 1], [True, True, False], 0.25)
