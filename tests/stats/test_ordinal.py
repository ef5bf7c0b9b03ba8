"""Ordinal figures against scikit-learn, and intervals that grow with dependence."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from sklearn.metrics import mean_absolute_error as reference_error

from horsesense.errors import UserError
from horsesense.stats.ordinal import mean_absolute_error, quadratic_kappa

RNG = np.random.default_rng(0)
GOLDS = RNG.integers(0, 5, 400).tolist()
CHOSEN = [int(np.clip(gold + step, 0, 4)) for gold, step in zip(GOLDS, RNG.integers(-1, 2, 400), strict=True)]
WHOLES = [f"w{n}" for n in RNG.integers(0, 40, 400)]
PARTS = [f"p{n}" for n in RNG.integers(0, 50, 400)]


def test_values_are_those_of_the_reference() -> None:
    given = [(one,) for one in CHOSEN]
    error = mean_absolute_error(GOLDS, given, 5, WHOLES, PARTS)
    kappa = quadratic_kappa(GOLDS, given, 5, WHOLES, PARTS)
    assert error.value == pytest.approx(reference_error(GOLDS, CHOSEN))
    assert kappa.value == pytest.approx(cohen_kappa_score(GOLDS, CHOSEN, weights="quadratic"))
    for found in (error, kappa):
        assert found.low < found.value < found.high
        assert found.method.startswith("two-way")


def test_dependence_widens_the_interval() -> None:
    """Each answer stands ten times, in units of its own: the interval is that of the answers, not of the copies."""
    golds, chosen = GOLDS[:60] * 10, [(one,) for one in CHOSEN[:60]] * 10
    alone, together = [str(n) for n in range(600)], [str(n % 60) for n in range(600)]
    for figure in (mean_absolute_error, quadratic_kappa):
        narrow, wide = figure(golds, chosen, 5, alone), figure(golds, chosen, 5, together)
        assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_who_always_says_the_same_agrees_by_chance() -> None:
    assert quadratic_kappa(GOLDS, [(4,)] * 400, 5, WHOLES).value == pytest.approx(0.0)


def test_ties_share() -> None:
    assert mean_absolute_error([0, 0], [(0, 4), (2,)], 5, ["a", "b"]).value == pytest.approx(2.0)


@pytest.mark.parametrize(("golds", "given"), [([5], [(0,)]), ([0], [(7,)]), ([0], [()]), ([0, 1], [(0,)])])
def test_what_is_off_the_scale_is_refused(golds: list[int], given: list[tuple[int, ...]]) -> None:
    with pytest.raises(UserError):
        mean_absolute_error(golds, given, 5, ["a"] * len(golds))
