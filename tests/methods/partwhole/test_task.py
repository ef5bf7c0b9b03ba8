"""Forms of the task, splits, and what is odd in a file of triples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.core import Item
from horsesense.core.item import NO_SOURCE
from horsesense.errors import UserError
from horsesense.methods.partwhole.checking import KINDS, odd_triples
from horsesense.methods.partwhole.dataset import unjudged
from horsesense.methods.partwhole.recasting import FORMS, in_labels, split_items
from horsesense.methods.partwhole.recasting import KINDS as WAYS


def triples(wholes: int = 30, parts: int = 12) -> list[Item]:
    return [
        replace(unjudged(f"whole {w}", f"part {(w + p) % 40}", f"adjective {p % 5}", NO_SOURCE), answer=(w + p) % 5)
        for w in range(wholes)
        for p in range(parts)
    ]


def test_forms_of_the_task() -> None:
    items = [replace(unjudged("a", "b", "c", NO_SOURCE), answer=place) for place in range(5)]
    answers = {name: [item.answer for item in in_labels(items, name)] for name in FORMS}
    assert answers["five"] == [0, 1, 2, 3, 4]
    assert answers["three"] == answers["entailment"] == [0, 0, 1, 2, 2]
    assert answers["binary"] == [0, 0, 0, 1, 1]
    assert [item.facets["label"] for item in in_labels(items, "binary")] == list(items[0].options)
    with pytest.raises(UserError, match="five labels"):
        in_labels(in_labels(items, "three"), "binary")


@pytest.mark.parametrize("by", WAYS)
def test_parts_do_not_touch(by: str) -> None:
    items = triples()
    parts = split_items(items, by, seed=3)
    assert sorted(item.id for part in parts.values() for item in part) == sorted(item.id for item in items)
    roles = {"random": (), "nouns": ("whole", "part")}.get(by, (by,))
    for first, second in (("train", "dev"), ("train", "test"), ("dev", "test")):
        for role in roles:
            assert not {i.groups[role] for i in parts[first]} & {i.groups[role] for i in parts[second]}
    kept = sum(len(parts[name]) for name in ("train", "dev", "test"))
    # Five adjectives cannot be cut finely.
    slack = 0.15 if by in ("nouns", "adjective") else 0.04
    assert abs(len(parts["train"]) / kept - 0.7) < slack
    assert (len(parts["dropped"]) > 0) == (by == "nouns")
    again = split_items(items[::-1], by, seed=3)
    assert {name: {i.id for i in part} for name, part in again.items()} == {
        name: {i.id for i in part} for name, part in parts.items()
    }, "the order of the file does not matter"


def test_a_noun_is_held_out_in_both_roles() -> None:
    items = [unjudged(f"n{i}", f"n{(i * 7 + j) % 50}", "old", NO_SOURCE) for i in range(50) for j in range(1, 20)]
    parts = split_items(items, "nouns")
    nouns = {name: {i.groups[r] for i in part for r in ("whole", "part")} for name, part in parts.items()}
    assert not nouns["train"] & nouns["test"]
    assert not nouns["train"] & nouns["dev"]
    assert parts["test"]


ROWS = """whole,part,jj,label,bin_label
jeep,tire,old,3,1
jeep,tire,old,1,0
jeep,tire,Old,3,1
,tire,red,2,0
lamp,shade,blorgy,2,0
lamp,shade of a lamp,green,2,0
lamp,bulb,hot,3,0
lamp,bulb,cold,7,0
lamp,bulb
lamp,cord,black,2,0
lamp,cord,black,2,0
"""


def test_odd_rows_are_told_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(ROWS)
    checked = odd_triples([tmp_path / "train.csv"])
    oddities = checked.odd
    assert checked.rows == 11
    assert [(oddity.kind, oddity.line) for oddity in oddities] == [
        ("contradiction", 3),
        ("upper case", 4),
        ("repeated", 4),
        ("missing", 5),
        ("unknown adjective", 6),
        ("phrase", 7),
        ("disagree", 8),
        ("label", 9),
        ("unreadable", 10),
        ("repeated", 12),
    ]
    assert "train.csv:2" in oddities[0].about
    assert {oddity.kind for oddity in oddities} == set(KINDS)
    assert checked.counts == {kind: 2 if kind == "repeated" else 1 for kind in KINDS}


def test_twelve_released_rows_disagree(shared: Path) -> None:
    folder = shared / "data/partwhole/data/annotated"
    checked = odd_triples([folder / "train.csv", folder / "dev.csv"])
    oddities = checked.odd
    assert checked.rows == 10_950
    disagreeing = [oddity for oddity in oddities if oddity.kind == "disagree"]
    assert [sum(oddity.file == name for oddity in disagreeing) for name in ("train.csv", "dev.csv")] == [10, 2]
    assert not [oddity for oddity in oddities if oddity.kind in ("contradiction", "missing", "label", "unreadable")]
