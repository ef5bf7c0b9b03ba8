"""Variance components of wordings: against statsmodels and the analysis of variance, and coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from horsesense.errors import UserError
from horsesense.stats import accuracy
from horsesense.stats.wording_variance import best_allocation, mean_squares, variance_components, with_wording


def crossed(rng: np.random.Generator, wording: float, shape: tuple[int, int, int] = (60, 6, 2)) -> np.ndarray:
    families, wordings, _ = shape
    latent = 0.5 + 1.2 * rng.normal(size=(families, 1, 1)) + wording * rng.normal(size=(1, wordings, 1))
    latent = latent + 0.6 * rng.normal(size=(families, wordings, 1)) + 0.5 * rng.normal(size=shape)
    return (latent > 0).astype(float)


def test_components_against_statsmodels() -> None:
    smf = pytest.importorskip("statsmodels.formula.api")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    table = rng.normal(size=(12, 1, 1)) + 0.7 * rng.normal(size=(1, 6, 1)) + 0.8 * rng.normal(size=(12, 6, 1))
    families, wordings = np.meshgrid(np.arange(12), np.arange(6), indexing="ij")
    frame = pandas.DataFrame({"y": table.ravel(), "f": families.ravel(), "w": wordings.ravel(), "all": 1})
    crossed_effects = {"f": "0 + C(f)", "w": "0 + C(w)"}
    fitted = smf.mixedlm("y ~ 1", frame, groups="all", vc_formula=crossed_effects).fit(reml=True)
    found = variance_components(table)
    assert found["families"] == pytest.approx(fitted.vcomp[0], rel=0.02)
    assert found["wordings"] == pytest.approx(fitted.vcomp[1], rel=0.02)
    assert found["families x wordings"] == pytest.approx(fitted.scale, rel=0.02)


def test_mean_squares_add_up() -> None:
    table = np.random.default_rng(1).normal(size=(5, 4, 2))
    squares = mean_squares(table)
    total = sum(square * freedom for square, freedom in squares.values())
    assert total == pytest.approx(((table - table.mean()) ** 2).sum())
    assert sum(freedom for _, freedom in squares.values()) == table.size - 1


def test_no_component_is_negative() -> None:
    table = np.tile(np.random.default_rng(2).normal(size=(30, 1, 1)), (1, 6, 2))
    found = variance_components(table)
    assert min(found.values()) >= 0
    assert found["wordings"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("wording", [0.0, 0.4, 0.8])
def test_the_wider_interval_covers_other_wordings(wording: float) -> None:
    rng = np.random.default_rng(round(10 * wording))
    truth = norm.cdf(0.5 / np.sqrt(1.44 + wording**2 + 0.36 + 0.25))
    wide = fixed = 0
    for _ in range(150):
        table = crossed(rng, wording)
        found = with_wording(table, 60)
        wide += found.low <= truth <= found.high
        usual = accuracy(table.mean(axis=(1, 2)), np.arange(60), resamples=100)
        fixed += usual.low <= truth <= usual.high
    assert wide >= 135
    if wording == 0.8:
        assert fixed < 120


def test_advice() -> None:
    much = {"families": 0.05, "wordings": 0.02, "families x wordings": 0.05}
    best, families, wordings = best_allocation(much, 50, 4, cost=2, more=1000, most=8)
    assert best.wordings == 8
    assert families.wordings == 4
    assert families.families > wordings.families
    none = much | {"wordings": 0.0}
    assert best_allocation(none, 50, 4, cost=2, more=1000, most=8)[0].wordings == 4
    with pytest.raises(UserError):
        with_wording(np.ones((1, 6, 2)), 1)
