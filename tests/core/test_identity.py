"""The id of an item: made from content alone, the same on every machine and in every version."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from horsesense.core import Item
from tests.support.made_items import items

ICE = Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot"), answer=0)
ZOE = Item(
    probe="my-probe",
    form="sentences",
    premise="Zoë sagte: „Tja“.",
    options=("She\u2028left.", 'She "stayed" \\ there.\n'),
    answer=1,
    family="zoë",
    member="a",
)
TIM = Item(
    probe="p",
    form="pair",
    premise="Tim is tall.",
    text="Tim is short.",
    options=("entailment", "neutral", "contradiction"),
    answer=2,
    family="tim",
    member="negated",
)

# Written down once, from hashlib and json alone. A change here orphans every answer and judgement ever kept.
GOLDEN = [
    (ICE, "demo-4eaad5e493a1da53"),
    (replace(ICE, answer=None), "demo-ead54257805555e3"),
    (ZOE, "my-probe-c051d0e99f61ea67"),
    (TIM, "p-ad4b6e4f557b0e6c"),
]


@pytest.mark.parametrize(("item", "expected"), GOLDEN, ids=["ice", "unjudged", "unicode", "pair"])
def test_golden_ids(item: Item, expected: str) -> None:
    assert item.id == expected


@given(items())
def test_the_id_is_the_hash_of_seven_fields(item: Item) -> None:
    content = [item.form, item.premise, item.text, item.options, item.answer, item.family, item.member]
    packed = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    assert item.id == f"{item.probe}-{hashlib.sha256(packed).hexdigest()[:16]}"


@pytest.mark.parametrize(
    "change",
    [
        {"form": "choice"},
        {"premise": "It is winter."},
        {"text": "Ice is ___!"},
        {"options": ("hot", "cold")},
        {"answer": 1},
        {"answer": None},
        {"family": "ice"},
        {"member": "a"},
        {"probe": "other"},
    ],
    ids=str,
)
def test_another_question_has_another_id(change: dict[str, Any]) -> None:
    assert replace(ICE, **change).id != ICE.id


@pytest.mark.parametrize(
    "change",
    [{"facets": {"hops": 2}}, {"groups": {"noun": "ice"}}, {"concepts": ("a", "b")}, {"ordered": True}],
    ids=str,
)
def test_what_is_told_about_a_question_does_not_change_it(change: dict[str, Any]) -> None:
    assert replace(ICE, **change).id == ICE.id


def test_units_of_dependence() -> None:
    item = replace(ICE, family="ice", groups={"noun": "ice cube", "empty": ""})
    assert [item.unit(), item.unit("noun")] == ["ice", "ice cube"]
    assert [item.unit("empty"), item.unit("nothing"), ICE.unit()] == [item.id, item.id, ICE.id]
