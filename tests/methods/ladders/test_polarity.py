"""Every key of the polarity ladder holds in every world that its text describes, and the other option in none."""

from __future__ import annotations

import re
from itertools import product

import pytest

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.methods.ladders import polarity

FAMILIES = len(polarity._table()[0])
ITEMS = polarity.polarity_items(polarity.LEVELS, FAMILIES, seed=3)
LOGICAL = [item for item in ITEMS if item.facets["status"] == "proved"]


def scene_of(item: Item) -> polarity._Scene:
    return polarity._table()[0][int(item.family.rpartition("-")[2])]


def holds(sentence: str, scene: polarity._Scene, world: dict[tuple[str, str, str], str]) -> bool:
    """Whether a sentence is true of a world: (place, mark, further mark) -> state."""
    place = next(where for where in scene.places if f" {where} " in sentence)
    own = {(mark, further): state for (where, mark, further), state in world.items() if where == place}
    words = re.findall(r"\w+", sentence)
    stated = next(state for state in scene.states if state in words[words.index(place.split()[-1]) + 1 :])
    excepted, plain = scene.marks
    small = scene.further[0]
    if sentence.startswith("Every"):
        return set(own.values()) == {stated}
    if sentence.startswith("No "):
        return stated not in own.values()
    negated = sentence.startswith("None")
    usual = {state for (mark, _), state in own.items() if mark == plain}
    exception = {state for (mark, further), state in own.items() if mark == excepted and further != small}
    again = {state for (mark, further), state in own.items() if mark == excepted and further == small}
    of_all = {stated} if not negated else set(scene.states) - {stated}
    if " but the " in sentence:
        return usual == of_all and exception == again == set(scene.states) - of_all
    return usual == of_all == again and exception == set(scene.states) - of_all


@pytest.mark.parametrize("item", LOGICAL, ids=lambda item: f"{item.family}{item.member}")
def test_the_key_holds_in_every_world_of_the_text(item: Item) -> None:
    scene, level = scene_of(item), int(item.facets["level"])
    stated = [s for s in re.findall(r"[^.]+\.", item.premise) if re.match(r"\s*(Every|No|None|All)\b", s)][1:]
    things = list(product(scene.places, scene.marks, scene.further))
    assert item.answer is not None
    assert len(stated) == 2
    outcomes = set[str]()
    for states in product(scene.states, repeat=len(things)):
        world = dict(zip(things, states, strict=True))
        if not all(holds(sentence.strip(), scene, world) for sentence in stated):
            continue
        asked = item.text if "It is ___" not in item.text else item.premise.rpartition(". It is ")[2]
        marks = [m for m in scene.marks if re.search(rf"\b{m}\b", asked)] or list(scene.marks)
        further = [f for f in scene.further if re.search(rf"\b{f}\b", asked)] or list(scene.further)
        if level < 2:
            place = next(p for p in scene.places if item.premise.endswith(f" is {p}."))
            outcomes |= {world[place, mark, more] for mark in marks for more in further}
        elif "It is ___" in item.text:
            said = re.search(rf"and it is (not )?({'|'.join(scene.states)})\.", item.premise)
            assert said is not None
            state = said[2] if not said[1] else scene.states[1 - scene.states.index(said[2])]
            outcomes |= {
                place for place, mark, more in things
                if mark in marks and more in further and world[place, mark, more] == state
            }  # fmt: skip
        else:
            place = next(p for p in scene.places if p in item.text)
            outcomes |= {world[place, mark, more] for mark in marks for more in further}
    assert outcomes == {item.options[item.answer]}


def test_families_have_the_same_options_and_opposite_keys() -> None:
    for first, second in zip(ITEMS[::2], ITEMS[1::2], strict=True):
        assert first.family == second.family
        assert first.options == second.options
        assert first.answer != second.answer
    assert len({item.id for item in ITEMS}) == len(ITEMS)


def test_both_clauses_about_a_default_are_there_and_differ() -> None:
    rows = polarity._table()[1]
    assert len({row[4] for row in rows} | {row[5] for row in rows}) == 2 * len(rows)
    assert all(row[2] != row[3] for row in rows)


def test_a_ladder_has_as_many_families_as_its_table() -> None:
    with pytest.raises(UserError, match=str(FAMILIES)):
        polarity.polarity_items([0], FAMILIES + 1, 0)
    with pytest.raises(UserError, match="level 8"):
        polarity.polarity_family(8, 0, 0)
