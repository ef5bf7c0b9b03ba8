"""The search finds what is there and, nineteen times in twenty, nothing where nothing is."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.core import Facet
from horsesense.errors import UserError
from horsesense.stats import accuracy, standouts
from tests.support.simulated_answers import SIZES, false_standouts, idle_facets, one_model


@pytest.mark.parametrize(("families", "kind", "truth"), [(100, "equal", 0.95), (150, "geometric", 0.7)])
def test_where_nothing_is_it_finds_something_one_time_in_twenty(families: int, kind: str, truth: float) -> None:
    # 120 searches leave an error of 2 points; docs/results/intervals.md has more.
    assert false_standouts(120, families, SIZES[kind], truth, permutations=99) < 10


def planted(seed: int) -> tuple[np.ndarray, list[str], list[dict[str, Facet]]]:
    """Negated items of the task t1 are hard."""
    rng = np.random.default_rng(seed)
    credit, units = one_model(rng, 300, SIZES["geometric"], 0.85, 0.2)
    facets = idle_facets(rng, units)
    hard = np.array([row["task"] == "t1" and row["negated"] is True for row in facets])
    return np.where(hard & (rng.random(len(hard)) < 0.5), 0.0, credit), units, facets


def test_what_was_planted_is_found_first() -> None:
    credit, units, facets = planted(0)
    found = standouts(credit, units, facets, resamples=100, permutations=300)
    first = found.standouts[0]
    assert first.where == (("negated", True), ("task", "t1"))
    assert first.p < 0.01
    inside = np.array([row["task"] == "t1" and row["negated"] is True for row in facets])
    assert first.gap == pytest.approx(credit[inside].mean() - credit[~inside].mean())
    assert first.inside == accuracy(credit[inside], np.array(units)[inside].tolist(), resamples=100)
    assert first.outside.n == (~inside).sum()
    assert [s.p for s in found.standouts] == sorted(s.p for s in found.standouts)


def test_searching_more_costs_more() -> None:
    credit, units, facets = planted(1)
    one = standouts(credit, units, facets, names=["task"], resamples=20, permutations=300)
    all_of_them = standouts(credit, units, facets, resamples=20, permutations=300)
    p_alone = next(s.p for s in one.standouts if s.where == (("task", "t1"),))
    p_among = next(s.p for s in all_of_them.standouts if s.where == (("task", "t1"),))
    assert one.searched < all_of_them.searched
    assert p_alone <= p_among


def test_twins_of_which_one_is_always_right_are_no_finding() -> None:
    # A facet that splits every pair doubles the spread of its gap: independence would cry wolf.
    rng = np.random.default_rng(0)
    units = [str(k // 2) for k in range(200)]
    facets: list[dict[str, Facet]] = [{"member": "ab"[k % 2]} for k in range(200)]
    found = 0
    for seed in range(120):
        first = rng.integers(0, 2, 100)
        credit = np.stack([first, 1 - first], axis=1).reshape(-1).astype(float)
        found += standouts(credit, units, facets, seed=seed, resamples=20, permutations=59).standouts[0].p <= 0.05
    assert found < 14


def test_equal_slices_and_rests_are_searched_once() -> None:
    facets: list[dict[str, Facet]] = [{"negated": k % 2 == 0, "also": "yn"[k % 2], "one": 1} for k in range(100)]
    found = standouts([1.0, 0.0] * 50, [str(k) for k in range(100)], facets, resamples=20, permutations=99)
    assert found.searched == 1
    assert found.standouts[0].p == 0.01
    assert found.standouts[0].inside.n == found.standouts[0].outside.n == 50


def test_too_few_items_are_not_searched_and_names_are_checked() -> None:
    facets: list[dict[str, Facet]] = [{"task": "a"}, {"task": "b"}]
    none = standouts([1.0, 0.0], ["a", "b"], facets)
    assert (none.standouts, none.searched) == ((), 0)
    assert "at least 20 items in 10 clusters" in none.note
    with pytest.raises(UserError, match="did you mean 'task'"):
        standouts([1.0, 0.0], ["a", "b"], facets, names=["tusk"])
    same = standouts([1.0] * 100, [str(k) for k in range(100)], [{"half": k < 50} for k in range(100)], resamples=20)
    assert (same.standouts[0].gap, same.standouts[0].p) == (0.0, 1.0)


def test_among_very_many_items_whole_units_are_drawn_and_that_is_said() -> None:
    credit = [0.0 if k % 4 == 0 else 1.0 for k in range(4_000)]
    facets: list[dict[str, Facet]] = [{"fourth": k % 4 == 0} for k in range(4_000)]
    found = standouts(credit, [str(k // 8) for k in range(4_000)], facets, resamples=20, permutations=99, most=400)
    (first,) = found.standouts
    assert (first.inside.n + first.outside.n, first.inside.clusters) == (400, 50), "units of eight stay whole"
    assert abs(first.gap) == 1.0
    assert found.note == "searched in 400 of 4,000 items, clusters sampled with seed 0"


def test_a_facet_that_the_draw_lost_is_passed_over() -> None:
    facets: list[dict[str, Facet]] = [{"half": k % 2 == 0} for k in range(4_000)]
    facets[5] |= {"rare": "a"}
    facets[77] |= {"rare": "b"}
    units = [str(k) for k in range(4_000)]
    for most in (100, 10):
        found = standouts([1.0, 0.0] * 2_000, units, facets, ["half", "rare"], resamples=20, permutations=9, most=most)
        assert found.searched == (most == 100)
        assert found.note.endswith(f"searched in {most} of 4,000 items, clusters sampled with seed 0")
