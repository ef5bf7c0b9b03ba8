"""Leaks of every kind are found, told with their pairs, and let pass only when asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.training.leaks import HALF, check_leaks, find_leaks, without_leaks

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


def kinds(test: Item, train: Item) -> Mapping[str, int]:
    return find_leaks([train], [test]).by


def test_the_same_stem_with_another_answer_is_another_question() -> None:
    assert kinds(replace(BASE, options=("wet", "dry")), BASE) == {}


def test_entities_only_where_asked() -> None:
    train = Item(probe="made", form="cloze", text="wob is ___.", options=("a", "b"), answer=0, family="wob")
    test = Item(
        probe="made", form="cloze", text="Wob was ___.", options=("a", "b"), answer=0, groups={"entities": "Wob kuf"}
    )
    assert find_leaks([train], [test]).by == {}
    assert find_leaks([train], [test], entities=True).by == {"entity": 1}


def test_an_error_names_the_first_ten_pairs() -> None:
    train = [replace(BASE, text=f"number {n}") for n in range(30)]
    leaks = find_leaks(train, train[:12])
    with pytest.raises(UserError) as error:
        check_leaks(leaks)
    assert "12 test items leak into training (12 by item)" in str(error.value)
    assert str(error.value).count(" ~ ") == 10
    passed = check_leaks(leaks, allow=True)
    assert (passed.allowed, passed.items, passed.by) == ("--allow-overlap", 12, {"item": 12})
    assert check_leaks(find_leaks(train[:5], train[5:])).allowed == ""


def statement(text: str, **groups: str) -> Item:
    return Item(probe="made", form="cloze", text=text, options=("less", "more"), answer=1, groups=groups)


BUILT = statement("wob is a horse and zim is a crab, so wob is ___ likely to be in barns than zim", entities="wob zim")


def test_a_fact_is_the_same_whatever_its_group_is_called() -> None:
    """Told of others, in another order, denied, worded by another hand, under another group."""
    released = statement(
        "kuf is a crab, tol is a horse, so kuf is not ___ likely to be in barns than tol",
        entities="kuf tol",
        axiom="7",
    )
    assert kinds(released, BUILT) == {"fact": 1, HALF: 1}
    with pytest.raises(UserError, match="1 by fact"):
        check_leaks(find_leaks([BUILT], [released]))


def test_half_a_fact_is_counted_and_refuses_nothing() -> None:
    half = statement("kuf is a horse, tol is a snake, so tol is ___ likely to be in barns than kuf", entities="kuf tol")
    other = statement("kuf is a horse, tol is a crab, so kuf is ___ likely to bite than tol", entities="kuf tol")
    leaks = check_leaks(find_leaks([BUILT], [half, other]))
    assert (leaks.by, leaks.items, leaks.allowed) == ({HALF: 1}, 0, "")
    assert without_leaks([BUILT, other], [half]) == [other]


def test_every_training_item_that_shares_a_fact_is_left_out() -> None:
    """Not only the first that has it."""
    copies = [
        replace(BUILT, text=BUILT.text.replace("zim", name), groups={"entities": f"wob {name}"}) for name in "xyz"
    ]
    assert without_leaks(copies, [BUILT]) == []


def test_a_triple_is_one_fact_as_a_pair_and_as_a_choice() -> None:
    facets = {"whole": "Car", "part": "door", "adjective": "red"}
    pair = replace(BASE, form="pair", premise="The car is red.", text="The door is red.", facets=facets)
    assert kinds(replace(BASE, text="A red car's door: red?", facets=facets), pair) == {"fact": 1}
