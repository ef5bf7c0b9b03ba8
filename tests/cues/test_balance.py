"""The balance against trying every subset."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from horsesense.cues.harden import BalanceColumns, largest_balanced


def columns(excess: np.ndarray, tolerance: float) -> BalanceColumns:
    return BalanceColumns(excess, np.full(excess.shape, 0.25), np.full(excess.shape[1], tolerance))


def is_balanced(table: BalanceColumns, kept: np.ndarray, slack: float) -> bool:
    bound = table.tolerance * np.sqrt(kept.mean() * table.variance.sum(axis=0)) + slack
    return bool((np.abs(kept @ table.excess) <= bound).all())


@pytest.mark.parametrize("above", [0.25, 0.75])
@pytest.mark.parametrize("seed", range(4))
def test_no_subset_is_much_larger(above: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = columns(rng.choice([-0.5, 0.5], p=[1 - above, above], size=(14, 2)), 0.8)
    found = largest_balanced(table, np.ones(14)).kept
    best = max(sum(kept) for kept in product([0, 1], repeat=14) if is_balanced(table, np.array(kept), 0.0))
    # Rounding may be off by half a family a column.
    assert is_balanced(table, found.astype(float), slack=1.0)
    assert found.sum() >= best - 2


def test_many_families_are_dealt_to_several_programmes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horsesense.cues.harden.MOST_FAMILIES", 100)
    rng = np.random.default_rng(0)
    table = columns(np.where(rng.random((450, 3)) < 0.7, 0.5, -0.5), 1.0)
    kept = largest_balanced(table, np.ones(450)).kept.astype(float)
    assert is_balanced(table, kept, slack=3.0)
    assert kept.sum() > 200


def test_the_reason_is_the_column_that_spoke_against_it() -> None:
    rng = np.random.default_rng(1)
    excess = np.stack([np.full(100, 0.5), rng.choice([-0.5, 0.5], size=100)], axis=1)
    excess[:30, 0] = -0.5
    found = largest_balanced(columns(excess, 0.5), np.ones(100))
    assert not found.kept.all()
    assert set(found.reason[~found.kept].tolist()) <= {0, -1}
    assert (found.reason[found.kept] == -1).all()


def test_nothing_to_balance_keeps_everything() -> None:
    assert largest_balanced(columns(np.zeros((5, 0)), 1.0), np.ones(5)).kept.all()
