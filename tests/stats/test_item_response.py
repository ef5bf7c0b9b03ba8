"""The item response model against other implementations and simulated answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats

from horsesense.stats.item_response import fit_item_response
from horsesense.stats.item_statistics import KeyDoubt, differential_functioning, doubtful_keys, fit_curves, item_rest
from horsesense.stats.resampling import Floats

# girth 0.8.0, twopl_mml on the answers of _answers(8, 500, seed=5): an implementation of its own, on a fixed grid.
GIRTH_SLOPE = [0.693, 0.67, 0.988, 1.384, 2.708, 0.801, 1.049, 0.748]
GIRTH_DIFFICULTY = [-2.294, -3.879, -1.155, 0.539, 0.326, -3.298, -0.836, 1.953]


def _answers(
    items: int, models: int, seed: int = 0, guess: float = 0.0, family_size: int = 1, family_sd: float = 0.0,
    bias_sd: float = 0.0,
) -> tuple[Floats, dict[str, Floats]]:  # fmt: skip
    rng = np.random.default_rng(seed)
    slope, intercept = np.exp(rng.normal(0, 0.4, items)), rng.normal(0.7, 1.2, items)
    ability = rng.normal(0, 1, models)
    ability = (ability - ability.mean()) / ability.std()
    z = slope * ability[:, None] + intercept
    z = z + np.repeat(rng.normal(0, family_sd, (models, items // family_size)), family_size, axis=1)
    keyed, bias = np.where(rng.random(items) < 0.6, 1.0, -1.0), rng.normal(0, bias_sd, models)
    z = z + bias[:, None] * keyed
    rate = guess + (1 - guess) * scipy.special.expit(z)
    truth = {"slope": slope, "intercept": intercept, "ability": ability, "keyed": keyed, "bias": bias}
    return (rng.random((models, items)) < rate).astype(float), truth


def test_without_priors_it_is_the_maximum_of_the_marginal_likelihood() -> None:
    right, _ = _answers(6, 400, seed=3)
    fit = fit_item_response(right, shrink=False)
    grid = np.linspace(-6, 6, 241)
    weight = scipy.stats.norm.pdf(grid) * (grid[1] - grid[0])

    def cost(values: Floats) -> float:
        slope, intercept = values[:6], values[6:]
        rate = scipy.special.expit(np.outer(grid, slope) + intercept)
        answer = right @ np.log(rate).T + (1 - right) @ np.log1p(-rate).T
        return -float(np.log(np.exp(answer) @ weight).sum())

    best = scipy.optimize.minimize(cost, np.r_[np.ones(6), np.zeros(6)], method="BFGS")
    assert fit.slope == pytest.approx(best.x[:6], abs=0.03)
    assert fit.intercept == pytest.approx(best.x[6:], abs=0.02)
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=0.2)


def test_girth_finds_the_same_curves() -> None:
    right, _ = _answers(8, 500, seed=5)
    fit = fit_item_response(right, shrink=False)
    assert fit.slope == pytest.approx(GIRTH_SLOPE, abs=0.03)
    assert -fit.intercept / fit.slope == pytest.approx(GIRTH_DIFFICULTY, abs=0.03)


def test_forty_models_give_abilities_and_shrunken_curves() -> None:
    right, truth = _answers(1000, 40, guess=0.2)
    fit = fit_item_response(right, 0.2)
    assert np.sqrt(np.mean((fit.ability - truth["ability"]) ** 2)) < 0.15
    assert np.corrcoef(fit.slope, truth["slope"])[0, 1] > 0.45
    assert np.sqrt(np.mean((fit.intercept - truth["intercept"]) ** 2)) < 0.6
    assert fit.slope.std() < truth["slope"].std()


@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0, 2.0])
def test_the_family_effect_is_recovered(spread: float) -> None:
    right, _ = _answers(600, 40, seed=2, family_size=5, family_sd=spread)
    families = np.arange(600) // 5
    plain, fit = fit_item_response(right), fit_item_response(right, families=families)
    assert fit.family_sd == pytest.approx(spread, abs=0.25)
    assert fit.family_p is not None
    assert (fit.family_p < 0.001) == (spread > 0)
    if spread >= 1:
        assert np.mean(fit.ability_se) > 1.2 * np.mean(plain.ability_se)


def test_a_model_that_says_yes_is_biased_and_not_able() -> None:
    right, truth = _answers(600, 30, seed=4, bias_sd=1.5)
    fit = fit_item_response(right, keyed=truth["keyed"])
    assert np.corrcoef(fit.bias, truth["bias"])[0, 1] > 0.97
    assert np.corrcoef(fit.ability, truth["ability"])[0, 1] > 0.95
    assert fit.slope[truth["keyed"] > 0].mean() == pytest.approx(fit.slope[truth["keyed"] < 0].mean(), abs=1e-6)
    assert abs(np.corrcoef(fit.ability, truth["bias"])[0, 1] - np.corrcoef(truth["ability"], truth["bias"])[0, 1]) < 0.2


def test_a_guessing_rate_at_chance_is_chosen_where_models_guess() -> None:
    guessed, _ = _answers(400, 40, seed=6, guess=0.5)
    chance = np.full(400, 0.5)
    assert fit_curves(guessed, chance, None, None, None).guessing
    certain, _ = _answers(400, 40, seed=6)
    assert not fit_curves(certain, chance, None, None, None).guessing


def test_items_that_were_not_asked_are_left_out() -> None:
    right, truth = _answers(200, 30, seed=7)
    holes = np.where(np.random.default_rng(0).random(right.shape) < 0.3, np.nan, right)
    fit = fit_item_response(holes)
    assert np.corrcoef(fit.ability, truth["ability"])[0, 1] > 0.97


def _choices(seed: int = 0, items: int = 400, models: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Five options each, and wrong keys for the first 20 items."""
    right, _ = _answers(items, models, seed=seed)
    rng = np.random.default_rng(seed + 1)
    chosen = np.where(right == 1, 0, rng.integers(1, 5, right.shape))
    golds = np.zeros(items, np.int64)
    golds[:20] = rng.integers(1, 5, 20)
    return chosen, golds, np.full(items, 5)


def _doubts(chosen: np.ndarray, golds: np.ndarray, options: np.ndarray) -> list[KeyDoubt]:
    right = (chosen == golds).astype(float)
    return doubtful_keys(chosen, golds, options, right.mean(1), item_rest(right))


@pytest.mark.parametrize(("models", "found"), [(40, 18), (8, 15)])
def test_seeded_wrong_keys_come_first_with_the_right_option(models: int, found: int) -> None:
    doubts = _doubts(*_choices(models=models))
    first = doubts[:20]
    assert sum(doubt.item < 20 for doubt in first) >= found
    assert sum(doubt.option == 0 for doubt in first if doubt.item < 20) >= found - 1
    assert {doubt.kind for doubt in first} == {"wrong key"}


def test_able_models_that_divide_point_to_a_second_answer() -> None:
    chosen, golds, options = _choices(seed=3)
    golds[:] = 0
    upper = np.argsort((chosen == 0).mean(1))[20:]
    chosen[:, 7] = 0
    chosen[upper[::2], 7] = 3
    doubts = {doubt.item: doubt for doubt in _doubts(chosen, golds, options)}
    assert (doubts[7].kind, doubts[7].option) == ("second answer", 3)


def test_an_item_that_favours_a_group_is_found_and_others_are_not() -> None:
    right, _ = _answers(300, 40, seed=9)
    group = np.arange(40) < 20
    right[group, 11], right[~group, 11] = 1, 0
    found = differential_functioning(right, fit_item_response(right), group)
    assert found.p.argmin() == 11
    assert found.difference[11] > 0.3
    assert np.mean(np.delete(found.p, 11) < 0.05) < 0.05


def test_the_exact_test_is_the_binomial_test_where_all_models_are_alike() -> None:
    right, _ = _answers(40, 30, seed=10)
    fit = replace(fit_item_response(right), slope=np.zeros(40))
    group = np.arange(30) < 12
    p = 1 / (1 + np.exp(-fit.intercept))
    found = differential_functioning(right, fit, group)
    for i in range(40):
        k = int(right[group, i].sum())
        tails = scipy.stats.binom.cdf(k, 12, p[i]), scipy.stats.binom.sf(k - 1, 12, p[i])
        assert found.p[i] == pytest.approx(min(1, 2 * min(tails)), abs=1e-9)
