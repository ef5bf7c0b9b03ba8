"""Which errors models share and where they disagree, against loops over sets of items."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.core import Item
from horsesense.stats.mistakes import Earned, disagreements, shared_errors

ITEMS = [Item(probe="made", form="choice", text=f"What is {n}?", options=("a", "b"), answer=0) for n in range(6)]
VALUE = st.sampled_from([0.0, 0.5, 1.0, math.nan])


@st.composite
def earned(draw: st.DrawFn) -> Earned:
    items = draw(st.lists(st.sampled_from(ITEMS), unique_by=lambda item: item.id))
    return items, np.array([draw(VALUE) for _ in items], np.float64)


def by_item(model: Earned) -> dict[str, float]:
    return {item.id: value for item, value in zip(model[0], model[1].tolist(), strict=True) if value == value}


@given(st.lists(earned(), min_size=1, max_size=4))
def test_models_disagree_where_one_is_right_and_another_is_not(models: list[Earned]) -> None:
    known = [by_item(model) for model in models]
    order = dict.fromkeys(item.id for items, _ in models for item in items)
    outcomes = {identity: {each[identity] == 1 for each in known if identity in each} for identity in order}
    assert disagreements(models) == [identity for identity, ways in outcomes.items() if len(ways) == 2]


@given(earned(), earned())
def test_shared_errors_are_those_of_items_that_both_were_asked(one: Earned, other: Earned) -> None:
    a, b = by_item(one), by_item(other)
    both = [(a[identity] < 1, b[identity] < 1) for identity in a if identity in b]
    found = shared_errors({"one": one, "other": other})
    if not any(x or y for x, y in both):
        assert found == {}
        return
    errors = found["one", "other"]
    assert (errors.both, errors.either) == (sum(x and y for x, y in both), sum(x or y for x, y in both))
    p, q = (sum(pair[place] for pair in both) / len(both) for place in (0, 1))
    assert errors.expected == pytest.approx(p * q / (p + q - p * q))
