"""Conjunction pairs made from Winograd schemas, held against the release; steps; how names are written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from horsesense.core import Card, Item, Probe
from horsesense.errors import UserError
from horsesense.methods.cats.conjunctions import conjunction_facets, conjunction_probe
from horsesense.methods.cats.joining import writing_of_names
from horsesense.methods.cats.step_accuracy import steps
from horsesense.methods.published import read_files


def schemas(*right: str) -> Probe:
    items = [
        Item("cats", "sentences", options=(text, text + " Or not."), answer=0, groups={"source": text})
        for text in right
    ]
    return Probe.of(items, Card("cats-wsc", group="source"))


def test_each_relation_has_its_conjunction() -> None:
    made = conjunction_probe(
        schemas(
            "The jug fell because the jug was wet.",
            "Ida locked the door before she left.",
            "The cat hid when the dog barked.",
            "Tom called Ben, but Ben was out.",
            "The vase fell and it broke.",
            "Bread and butter are cheap.",
        )
    )
    assert [tuple(item.facets[name] for name in ("conjunction", "relation", "replacement")) for item in made.items] == [
        ("because", "cause and effect", "and"),
        ("before", "preconditions", "when"),
        ("when", "simultaneous conditions", "before"),
        ("but", "contradiction", "and"),
        ("and", "addition", "but"),
    ]
    assert made.items[0].options == (
        "The jug fell because the jug was wet.",
        "The jug fell and the jug was wet.",
    )
    assert [item.answer for item in made.items] == [0, 1, 0, 1, 0], "the place says nothing of which is right"
    assert all(item.options[item.answer or 0].startswith(item.groups["source"]) for item in made.items)
    assert made.card.notes == {"schemas without a conjunction": 1}


def test_no_conjunction_at_all_is_an_error() -> None:
    with pytest.raises(UserError, match="no right sentence joins clauses"):
        conjunction_probe(schemas("The jug fell."))


def test_facets_need_one_changed_conjunction() -> None:
    assert conjunction_facets("A fell, so B ran.", "A fell, and B ran.") == {}
    assert conjunction_facets("A fell because B ran.", "A rose and B ran.") == {}


def test_the_released_pairs_come_out_of_the_released_schemas(shared: Path) -> None:
    folder = shared / "data" / "cats" / "commonsense_ability_test"
    released = read_files("cats", [folder / "ca.txt"]).items
    made = conjunction_probe(read_files("cats", [folder / "wsc.txt"])).items
    kinds = Counter(item.facets["conjunction"] for item in released)
    # Counted apart from this program, by a word-by-word difference of the two sentences.
    assert kinds == {"because": 71, "and": 56, "but": 45, "when": 10, "before": 1}
    right = {item.options[item.answer or 0]: item for item in read_files("cats", [folder / "wsc.txt"]).items}
    pairs = {(item.options[item.answer or 0], item.facets["conjunction"]) for item in made}
    wanted = [
        (item.options[item.answer or 0], item.facets["conjunction"])
        for item in released
        if item.options[item.answer or 0] in right
    ]
    rebuilt = sum(pair in pairs for pair in wanted)
    assert len(wanted) > 100
    assert rebuilt / len(wanted) > 0.9


@pytest.mark.parametrize(
    ("sentence", "number"),
    [
        ("Trains are slow and they cost a lot, but since they are clean, we should take them.", 3),
        ("The jug fell because the jug was wet.", 1),
        ("a spoon is for eating soup", 1),
        ("Bread and butter stood on the table before noon.", 1),
        ('" he ate bricks " is against common sense because bricks are hard .', 2),
        ("He opens the box. He looks in. He nods.", 2),
        ("Buses save fuel, and since buses are quick, take the bus", 2),
    ],
)
def test_steps(sentence: str, number: int) -> None:
    assert steps(sentence) == number


def test_the_release_lowers_names(shared: Path) -> None:
    path = shared / "data" / "cats" / "commonsense_ability_test" / "wsc.txt"
    written = Counter(item.facets["names"] for item in read_files("cats", [path]).items)
    assert written["lowered"] > 150
    assert writing_of_names(["The cat saw Tom before tom ran.", "The cat saw Tom before the cat ran."]) == "lowered"
    assert (
        writing_of_names(["Cats chase mice because the cats are quick.", "Cats chase mice because the mice squeak."])
        == "none"
    )
