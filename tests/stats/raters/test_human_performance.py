"""Human figures: what each kind counts, and that kinds are never mixed."""

from __future__ import annotations

import pytest

from horsesense.core import Judgement, Label
from horsesense.errors import UserError
from horsesense.stats.raters.human_performance import (
    against_the_others,
    difference,
    majority_of_people,
    missed,
    single_person,
)
from horsesense.stats.raters.votes import Scale

GOLD = {"i": "a", "j": "b", "k": "a"}


def judged(**answers: str) -> list[Judgement]:
    """One string of answers a person, over the items i, j, k."""
    return [
        Judgement(item, who, "choice", value)
        for who, text in answers.items()
        for item, value in zip("ijk", text, strict=True)
    ]


def plain(item: str) -> Scale:
    return Scale(("a", "b"), abstentions=("?",))


THREE = judged(ann="aba", ben="abb", cid="bab")


def test_single_and_majority() -> None:
    one = single_person(THREE, GOLD, plain)
    assert one.estimate.value == pytest.approx(5 / 9)
    assert (one.people, one.votes, one.votes_per_item) == (3, 9, (3, 3))
    assert one.estimate.clusters == 3, "nine answers, but three items"
    most = majority_of_people(THREE, GOLD)
    assert most.estimate.value == pytest.approx(2 / 3)
    assert (one.name, most.name) == ("single person", "majority of 3")


def test_a_tie_earns_its_share() -> None:
    found = majority_of_people(judged(ann="aba", ben="bba"), GOLD)
    assert found.estimate.value == pytest.approx((0.5 + 1 + 1) / 3)
    assert found.ties == 1


def test_one_vote_against_the_others() -> None:
    # i: a a b -> the two a's each face one a and one b (1/2), the b faces two a's (0).
    found = against_the_others([each for each in THREE if each.item == "i"])
    assert found.estimate.value == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert found.name == "single person, against the others"


def test_against_its_own_label_is_higher() -> None:
    majority = {"i": "a", "j": "b", "k": "b"}
    own = single_person(THREE, majority, plain, against="own label")
    assert own.estimate.value > against_the_others(THREE).estimate.value
    assert own.name == "single person, against the label it is part of"


def test_not_knowing_is_not_right() -> None:
    assert single_person(judged(ann="?b?"), {"i": "?", "j": "b"}, plain).estimate.value == 0.5


def test_kinds_are_not_subtracted() -> None:
    one, most = single_person(THREE, GOLD, plain), majority_of_people(THREE, GOLD)
    with pytest.raises(UserError, match=r"'single person' and 'majority of 3'"):
        difference(one, most)
    with pytest.raises(UserError, match="filtered"):
        difference(one, single_person(THREE, GOLD, plain, filtered=True))
    better = single_person(judged(ann="aba"), GOLD, plain)
    assert difference(better, one) == pytest.approx(4 / 9)


def test_gold_filter() -> None:
    labels = [Label("i", "choice", "majority", "a"), Label("j", "choice", "majority", "a")]
    labels.append(Label("k", "choice", "majority", None, "tie"))
    assert missed(labels, GOLD) == ["j", "k"]


def test_nothing_to_hold_against() -> None:
    with pytest.raises(UserError, match="no judged item has a gold"):
        single_person(THREE, {"other": "a"}, plain)
    with pytest.raises(UserError, match="judged twice"):
        against_the_others(judged(ann="aba"))


def test_nobody_is_counted_where_nobody_is_known() -> None:
    assert single_person([Judgement("i", "#1", "choice", "a")], GOLD, plain).people == 0
