"""Leaks of every kind are found, told with their pairs, and let pass only when asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from horsesense.errors import UserError
from horsesense.learning.leaks import check_leaks, find_leaks
from horsesense.records import Item

BASE = Item(probe="made", form="choice", text="What is ice?", options=("cold", "hot"), answer=0)


def test_each_kind_alone() -> None:
    family = replace(BASE, text="And fire?", family="heat")
    assert kinds(replace(BASE, text="And steam?", answer=1, family="heat"), family) == {"family": 1}
    answer = replace(BASE, text="And fire?", groups={"answer": "heat.n.01"})
    assert kinds(replace(BASE, text="And sun?", groups={"answer": "heat.n.01"}), answer) == {"answer": 1}
    by_concept = replace(BASE, text="And sun?", concepts=("heat.n.01", "b"))
    assert kinds(by_concept, answer) == {"answer": 1}
    assert kinds(replace(BASE, text="what is ICE", options=("Cold.", "mild")), BASE) == {"text": 1}
    assert kinds(BASE, BASE) == {"item": 1}
    assert kinds(replace(BASE, text="What is snow?"), BASE) == {}


def kinds(test: Item, train: Item) -> dict[str, int]:
    return find_leaks([train], [test]).counts


def test_the_same_stem_with_another_answer_is_another_question() -> None:
    assert kinds(replace(BASE, options=("wet", "dry")), BASE) == {}


def test_entities_only_where_asked() -> None:
    train = Item(probe="made", form="cloze", text="wob is ___.", options=("a", "b"), answer=0, family="wob zim")
    test = Item(probe="made", form="cloze", text="Wob was ___.", options=("a", "b"), answer=0, family="Wob kuf")
    assert find_leaks([train], [test]).counts == {}
    assert find_leaks([train], [test], entities=True).counts == {"entity": 1}


def test_an_error_names_the_first_ten_pairs() -> None:
    train = [replace(BASE, text=f"number {n}") for n in range(30)]
    leaks = find_leaks(train, train[:12])
    with pytest.raises(UserError) as error:
        check_leaks(leaks)
    assert "12 test items leak into training (12 by item)" in str(error.value)
    assert str(error.value).count(" ~ ") == 10
    passed = check_leaks(leaks, allow=True)
    assert (passed.allowed, passed.items, passed.counts) == ("--allow-overlap", 12, {"item": 12})
    assert check_leaks(find_leaks(train[:5], train[5:])).allowed == ""
