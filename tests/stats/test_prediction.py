"""Credit against a plain loop over options."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.errors import UserError
from horsesense.stats import chance, credits

# Few distinct scores, so that ties are common.
ITEM = st.lists(st.sampled_from([-3.0, -2.5, -1.0, 0.25]), min_size=1, max_size=5).flatmap(
    lambda scores: st.tuples(st.just(scores), st.none() | st.integers(0, len(scores) - 1))
)


def by_hand(scores: list[float], answer: int | None) -> tuple[float, float]:
    if answer is None:
        return math.nan, math.nan
    winners = [k for k, score in enumerate(scores) if score == max(scores)]
    others = [score for k, score in enumerate(scores) if k != answer]
    return (
        1 / len(winners) if answer in winners else 0.0,
        scores[answer] - max(others) if others else math.nan,
    )


@given(st.lists(ITEM, max_size=12))
def test_credit_and_margin_are_what_a_loop_finds(items: list[tuple[list[float], int | None]]) -> None:
    scores, answers = [scores for scores, _ in items], [answer for _, answer in items]
    found = credits(scores, answers)
    wanted = [by_hand(*item) for item in items]
    np.testing.assert_array_equal(found.values, [value for value, _ in wanted])
    np.testing.assert_array_equal(found.margins, [margin for _, margin in wanted])
    assert [set(options) for options in found.predicted] == [
        {k for k, score in enumerate(row) if score == max(row)} for row in scores
    ]
    assert found.unjudged == answers.count(None)
    assert found.ties == sum(row.count(max(row)) > 1 for row, answer in items if answer is not None)


@given(st.lists(ITEM, min_size=1, max_size=12))
def test_a_guess_earns_chance_when_all_options_tie(items: list[tuple[list[float], int | None]]) -> None:
    flat = [[0.0] * len(scores) for scores, _ in items]
    found = credits(flat, [0] * len(flat))
    assert found.values.mean() == pytest.approx(chance([len(row) for row in flat]))


def test_near_scores_do_not_tie() -> None:
    assert credits([[1.0, np.nextafter(1.0, 2.0)]], [0]).values.tolist() == [0.0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_refused_with_its_item(bad: float) -> None:
    with pytest.raises(UserError, match="item third has the score"):
        credits([[0.0, 1.0], [0.0, 1.0, 2.0], [0.0, bad]], [0, 0, None], ids=["first", "second", "third"])


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(UserError, match="2 items and answers for 1"):
        credits([[0.0, 1.0], [0.0, 1.0]], [0])
    with pytest.raises(UserError, match=r"item 1 .* answer is option 2"):
        credits([[0.0, 1.0, 2.0], [0.0, 1.0]], [2, 2])
    with pytest.raises(UserError, match="no scores"):
        credits([[0.0, 1.0], []], [0, None])
    with pytest.raises(UserError, match="at least one item"):
        chance([])
