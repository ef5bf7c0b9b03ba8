"""Slices against a loop; facets of every kind, in any number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.core import Facet, Item
from horsesense.errors import UserError
from horsesense.stats import accuracy, by_facet
from horsesense.stats.slices import facet_rows

VALUE: st.SearchStrategy[Facet] = st.sampled_from([True, False, 1, 0, 2.5, "1", "yes"])
FACETS = st.fixed_dictionaries({}, optional={"kind": VALUE, "hops": st.integers(1, 3)})
ITEMS = st.lists(st.tuples(st.sampled_from([0.0, 1.0, math.nan]), st.sampled_from("abcd"), FACETS), max_size=30)


def same(a: Facet, b: Facet) -> bool:
    return a == b and isinstance(a, bool) == isinstance(b, bool)


@settings(deadline=None)
@given(ITEMS, st.sampled_from([("kind",), ("hops",), ("kind", "hops")]))
def test_each_slice_is_the_accuracy_of_its_items(
    items: list[tuple[float, str, dict[str, Facet]]], names: tuple[str, ...]
) -> None:
    if not all(any(name in facets for _, _, facets in items) for name in names):
        return
    values, units, facets = (list(column) for column in zip(*items, strict=True))
    found = by_facet(values, units, facets, names, resamples=30)
    judged = [item for item in items if not math.isnan(item[0])]
    have = [item for item in judged if all(name in item[2] for name in names)]
    assert found.missing == len(judged) - len(have)
    assert sum(each.accuracy.n for each in found.slices) == len(have)
    for each in found.slices:
        own = [i for i in have if all(same(i[2][n], v) for n, v in zip(names, each.where, strict=True))]
        assert each.accuracy == accuracy([v for v, _, _ in own], [u for _, u, _ in own], resamples=30)


def test_a_facet_of_ten_thousand_values_is_cut_and_says_so() -> None:
    facets: list[dict[str, Facet]] = [{"word": f"w{k % 9_990}"} for k in range(10_000)]
    found = by_facet([1.0] * 10_000, [str(k) for k in range(10_000)], facets, "word", most=20, resamples=20)
    assert len(found.slices) == 20
    assert {each.where[0] for each in found.slices} >= {f"w{k}" for k in range(10)}  # those with two items
    assert found.note == "word has 9,990 values; the 20 with most items are shown"
    assert found.left_out == 10_000 - 30


def test_numbers_sort_as_numbers_and_chance_is_that_of_the_slice() -> None:
    facets: list[dict[str, Facet]] = [{"hops": 10}, {"hops": 2}, {"hops": 1}, {"hops": 2}]
    found = by_facet([1, 1, 0, 0], list("abcd"), facets, "hops", chances=[0.2, 0.5, 0.25, 0.25])
    assert [(each.where[0], each.accuracy.chance) for each in found.slices] == [(1, 0.25), (2, 0.375), (10, 0.2)]


def test_an_unknown_facet_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match="did you mean 'hops'"):
        by_facet([1.0], ["a"], [{"hops": 1, "task": "x"}], "hop")
    with pytest.raises(UserError, match="2 values for 1 clusters"):
        by_facet(np.ones(2), ["a"], [{"hops": 1}], "hops")


def test_rows_of_a_facet_keep_true_apart_from_one() -> None:
    values: list[Facet] = [True, 1] * 8
    items = [
        Item(probe="made", form="choice", text=f"{n}", options=("a", "b"), answer=0, facets={"kind": value})
        for n, value in enumerate(values)
    ]
    credit = np.array([1.0, 0.0] * 8)
    sliced = by_facet(credit, [item.id for item in items], [item.facets for item in items], "kind")
    rows = facet_rows(items, credit, sliced, [item.id for item in items])
    assert [(row.items.value, row.items.n, row.clusters) for row in rows] == [(1.0, 8, None), (0.0, 8, None)]


def test_whole_families_of_a_facet_are_clustered_by_the_group() -> None:
    """Two questions on each passage, of two items each: the passages are the clusters, not the families."""
    items = [
        Item("made", "choice", text=f"{n}", options=("a", "b"), answer=0, family=f"f{n // 2}", facets={"kind": n // 80})
        for n in range(160)
    ]
    passages = [str(n // 8) for n in range(160)]
    credit = np.array([float(n // 8 % 2) for n in range(160)])
    rows = facet_rows(items, credit, by_facet(credit, passages, [item.facets for item in items], "kind"), passages)
    for row in rows:
        assert row.clusters is not None
        assert (row.clusters.n, row.clusters.clusters, row.items.clusters) == (40, 10, 10)
        assert row.clusters.ci == pytest.approx(row.items.ci, abs=0.01)
    torn = [str(n % 2) for n in range(160)]
    (row, _) = facet_rows(items, credit, by_facet(credit, torn, [item.facets for item in items], "kind"), torn)
    assert row.clusters is not None
    assert row.clusters.clusters == 40
