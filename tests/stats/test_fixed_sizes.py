"""Strict accuracy at fixed sizes, against drawing every subset."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from horsesense.stats.families import all_right, strict_at_sizes


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_formula_is_the_mean_over_all_draws(size: int) -> None:
    chance = Random(size)
    credits = [chance.random() for _ in range(6)]
    every = [float(np.prod(draw)) for draw in combinations(credits, size)]
    assert all_right(credits, size) == pytest.approx(np.mean(every))


def test_both_levels_and_what_guessing_and_independence_give() -> None:
    # Two forms of each question; concept a knows two questions of three, b none, c has one only.
    rows = [("a", "1", 1), ("a", "1", 1), ("a", "2", 1), ("a", "2", 1), ("a", "3", 0), ("a", "3", 1)]
    rows += [("b", "1", 0), ("b", "1", 0), ("b", "2", 0), ("b", "2", 0), ("c", "1", 1), ("c", "1", 1)]
    concepts, questions, values = zip(*rows, strict=True)
    concept, same = strict_at_sizes(list(values), concepts, questions, [5] * len(rows), sizes=(2,))
    assert (concept.level, concept.size, concept.strict.n) == ("concept", 2, 2)
    assert concept.strict.value == pytest.approx(((1 + 0.5 + 0.5) / 3 + 0) / 2)
    assert concept.strict.chance == pytest.approx(0.04)
    assert concept.independent.value == pytest.approx(((2.5 / 3 + 0) / 2) ** 2)
    assert (same.level, same.strict.n) == ("same question", 6)
    assert same.strict.value == pytest.approx(3 / 6)


def test_a_size_that_no_family_has_is_left_out() -> None:
    assert strict_at_sizes([1, 0], ["a", "b"], ["1", "1"], [5, 5]) == []
