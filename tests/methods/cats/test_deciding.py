"""Deciding tokens, two-choice accuracy and key words, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.errors import UserError
from horsesense.methods.cats.evidence import deciding, decision
from horsesense.methods.cats.step_accuracy import beaten, by_number, counted
from horsesense.methods.cats.who_gets_what import key_place, third_of


def test_a_decision_against_a_plain_loop() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        q, edited = rng.normal(size=9).round(2), rng.random(9) < 0.3
        decided = decision(q.tolist(), edited.tolist())
        toward = q if q.sum() > 0 else -q
        assert decided.right == (q.sum() > 0)
        best = max(range(9), key=lambda k: toward[k])
        assert (decided.by_edit, decided.position) == (edited[best], best / 8)
        assert decided.carried_by_others == (toward[~edited].sum() > toward[edited].sum())
        assert decided.edit_share == pytest.approx(np.abs(q[edited]).sum() / np.abs(q).sum())


def test_decisions_put_together() -> None:
    edit = decision([2.0, 0.1, 0.1], [True, False, False])
    rest = decision([-0.1, 0.2, 0.9], [True, False, False])
    summary = deciding([edit, edit, edit, rest], list("abcd"))
    assert (summary.by_edit.value, summary.carried_by_others.value) == (0.75, 0.25)
    assert summary.position_thirds == (3, 0, 1)
    assert summary.position_quartiles == (0.0, 0.0, 0.25)
    with pytest.raises(UserError, match="no pair"):
        deciding([], [])


def test_two_choice_accuracy_equals_accuracy_for_two_and_has_one_chance_for_all() -> None:
    rng = np.random.default_rng(4)
    for options in (2, 3, 4):
        scores = rng.normal(size=(4000, options))
        answers = rng.integers(options, size=4000)
        values = beaten(scores.tolist(), answers.tolist())
        assert values.mean() == pytest.approx(0.5, abs=0.02)
        if options == 2:
            assert values.tolist() == [float(row.argmax() == gold) for row, gold in zip(scores, answers, strict=True)]


def test_by_number_leaves_out_what_is_unknown() -> None:
    values = np.array([1.0, 0.5, np.nan, 0.0])
    rows = by_number(values, list("abcd"), [1.5, 1.5, 1.5, None])
    assert [(each.steps, each.accuracy.value, each.accuracy.n) for each in rows] == [(1.5, 0.75, 2)]


def test_counts_of_people() -> None:
    counts = counted([("i", 1), ("j", 2), ("i", 1), ("j", 3), ("k", 4)])
    assert (counts.means, counts.agreement, counts.pairs) == ({"i": 1.0, "j": 2.5, "k": 4.0}, 0.5, 2)
    with pytest.raises(UserError, match="no item was counted by two people"):
        counted([("i", 1), ("j", 1)])


@pytest.mark.parametrize(
    ("options", "place"),
    [
        (["the cat sat here", "the dog sat here"], (1 / 3, "cat")),
        (["cats sit", "dogs sit"], (0.0, "cats")),
        (["it is hot", "it is cold"], (1.0, "hot")),
        (["a b c d e", "a x y d e"], (1.5 / 4, "b c")),
        (["he ate soup", "he ate"], (1.0, "soup")),
        (["a b", "c d"], None),
        (["a b", "a b"], None),
    ],
)
def test_key_place(options: list[str], place: tuple[float, str] | None) -> None:
    key = key_place(options)
    assert (key is None) == (place is None)
    if key is not None and place is not None:
        assert (round(key[0], 9), key[1]) == (round(place[0], 9), place[1])


def test_thirds() -> None:
    assert [third_of(position) for position in (0.0, 0.34, 0.67, 1.0)] == ["beginning", "middle", "end", "end"]
