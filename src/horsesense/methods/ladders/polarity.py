"""The polarity ladder: each level adds a negation, an exception or a reversal to the same scene.

| level | what is stated, what is asked |
|---|---|
| 0 is | every lamp in the hall is on; is the blue lamp in the hall on or off? |
| 1 is not | no lamp in the hall is on |
| 2 all but | all but the blue one are on |
| 3 defeated default | pillows are normally soft; this one is stuffed with stones |
| 4 reversed | as 2; where is a blue lamp that is on? |
| 5 exception to the exception | all except the blue ones, though the small blue ones as well |
| 6 reversed exception | as 5; where is a small blue lamp that is on? |
| 7 negated and reversed | as 6, stated and asked by what is not the case |

Keys follow by logic from the scene, at level 3 from a fact table of ours. Both items of a family have the same options
and opposite keys and differ in one word or clause; a family earns credit only as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from horsesense.core import Item, Source
from horsesense.data import shipped_toml
from horsesense.errors import UserError
from horsesense.lexicons.words import listed

NAME = "polarity"
FILE = "polarity.toml"
LEVEL_NAMES = (
    "is",
    "is not",
    "all but",
    "defeated default",
    "reversed",
    "exception to the exception",
    "reversed exception",
    "negated and reversed",
)
LEVELS = tuple(range(len(LEVEL_NAMES)))
_DEFAULT = LEVEL_NAMES.index("defeated default")
_PEOPLE = listed("Ann Ben Clara David Emma Frank Grace Henry Ida Jack Kate Leo Mary Nora Oscar Paul Rosa Sam Tina Will")


@dataclass(frozen=True, slots=True)
class _Scene:
    """Things in two places, each in one of two states, with two marks and two further marks."""

    thing: str
    plural: str
    places: tuple[str, str]
    states: tuple[str, str]
    marks: tuple[str, str]
    """The first is the exception."""
    further: tuple[str, str]
    """The first is the exception to the exception."""


@dataclass(frozen=True, slots=True)
class _Target:
    """One of the things: the index of its place, mark and further mark."""

    place: int
    mark: int
    further: int


def _file() -> dict[str, Any]:
    return shipped_toml(Path(__file__).with_name(FILE))


@cache
def _table() -> tuple[tuple[_Scene, ...], tuple[tuple[str, ...], ...]]:
    table, scenes = _file(), []
    for thing, plural, first, second, state, other, marks, further in table["scenes"]:
        (mark, plain), (small, large) = marks.split(), further.split()
        scenes.append(_Scene(thing, plural, (first, second), (state, other), (mark, plain), (small, large)))
    return tuple(scenes), tuple(tuple(row) for row in table["defaults"])


def in_order(*adjectives: str) -> str:
    """Return adjectives in the order of English: size, age, shape, colour, material.

    >>> in_order("wooden", "red"), in_order("old", "narrow")
    ('red wooden', 'narrow old')
    """
    rank = {adjective: i for i, line in enumerate(_file()["order"]) for adjective in line.split()}
    return " ".join(sorted(adjectives, key=rank.__getitem__))


def state_of(level: int, target: _Target) -> int:
    """Return the index of a thing's state: that of its place, unless it is an exception that has no exception.

    >>> [state_of(2, _Target(0, mark, 0)) for mark in (0, 1)], [state_of(5, _Target(0, 0, f)) for f in (0, 1)]
    ([1, 0], [0, 1])
    """
    if level < 2:
        return target.place if level == 0 else 1 - target.place
    excepted = target.mark == 0 and (level < 5 or target.further == 1)
    return 1 - target.place if excepted else target.place


def _statement(level: int, scene: _Scene, place: int) -> str:
    """Say what holds for the things of a place."""
    where, state, other = scene.places[place], scene.states[place], scene.states[1 - place]
    mark, both = scene.marks[0], in_order(scene.further[0], scene.marks[0])
    match LEVEL_NAMES[level]:
        case "is":
            return f"Every {scene.thing} {where} is {state}."
        case "is not":
            return f"No {scene.thing} {where} is {state}."
        case "all but" | "reversed":
            return f"All the {scene.plural} {where} but the {mark} one are {state}."
        case "negated and reversed":
            negated = f"None of the {scene.plural} {where} is {other} except the {mark} ones"
            return f"{negated}, though the {both} ones are not {other} either."
        case _:
            excepted = f"All the {scene.plural} {where} are {state} except the {mark} ones"
            return f"{excepted}, though the {both} ones are {state} as well."


def _pairs(level: int) -> list[tuple[_Target, _Target]]:
    """Return the pairs of things that differ in one property and are in different states."""
    if level < 2:
        return [(_Target(0, mark, 0), _Target(1, mark, 0)) for mark in (0, 1)]
    every = [_Target(index, mark, further) for index in (0, 1) for mark in (0, 1) for further in (0, 1)]
    if level < 5:
        every = [target for target in every if target.further == 0]
    return [
        (one, other)
        for i, one in enumerate(every)
        for other in every[i + 1 :]
        if sum(getattr(one, name) != getattr(other, name) for name in _Target.__slots__) == 1
        and state_of(level, one) != state_of(level, other)
        and 0 in (one.mark, other.mark)
    ]


def _reversed_pairs(level: int) -> list[tuple[_Target, _Target]]:
    """Return pairs of things in different places that share two of state, mark and further mark."""
    every = [_Target(index, mark, further) for index in (0, 1) for mark in (0, 1) for further in (0, 1)]
    if level < 5:
        every = [target for target in every if target.further == 0]
    return [
        (one, other)
        for one in every
        for other in every
        if one.place == 0 and other.place == 1
        and sum(
            (state_of(level, one) != state_of(level, other), one.mark != other.mark, one.further != other.further)
        ) == 1
        and 0 in (one.mark, other.mark)
    ]  # fmt: skip


def polarity_family(level: int, index: int, seed: int) -> list[Item]:
    """Build a family: two items with the same options and opposite keys.

    >>> for item in polarity_family(2, 0, 3):
    ...     print(item.text, item.options[item.answer])
    The red lamp in the hall is ___. on
    The blue lamp in the hall is ___. off
    """
    if level not in LEVELS:
        raise UserError(f"the polarity ladder has no level {level}", fix=f"use levels from 0 to {LEVELS[-1]}")
    scenes, defaults = _table()
    rng = Random(f"{NAME} {seed} {level} {index}")
    if level == _DEFAULT:
        return _default_family(defaults[index], index, rng)
    scene = scenes[index]
    either = f"Every {scene.thing} here is either {scene.states[index % 2]} or {scene.states[1 - index % 2]}."
    stated = [_statement(level, scene, place) for place in rng.sample((0, 1), 2)]
    backwards = "reversed" in LEVEL_NAMES[level]
    pairs = _reversed_pairs(level) if backwards else _pairs(level)
    pair = rng.sample(pairs[index % len(pairs)], 2)
    person = rng.choice(_PEOPLE)
    options = rng.sample(scene.places if backwards else scene.states, 2)
    items = []
    for member, target in zip("ab", pair, strict=True):
        state = scene.states[state_of(level, target)]
        mark, further = scene.marks[target.mark], scene.further[target.further]
        marked = in_order(further, mark) if level >= 5 else mark
        fact = f"The {marked} {scene.thing} {scene.places[target.place]} is {state}."
        if backwards:
            described = marked.replace(" ", " and ")
            is_state = f"not {scene.states[1 - state_of(level, target)]}" if level == LEVELS[-1] else state
            premise = f"{either} {' '.join(stated)} {person} is looking at one of these {scene.plural}. "
            premise += f"It is {described}, and it is {is_state}."
            text, right = "It is ___.", scene.places[target.place]
        elif level < 2:
            premise = f"{either} {' '.join(stated)} The {mark} {scene.thing} is {scene.places[target.place]}."
            text, right = f"The {mark} {scene.thing} is ___.", state
        else:
            premise, right = f"{either} {' '.join(stated)}", state
            text = fact.replace(f" is {state}.", " is ___.")
        grounds = _statement(level, scene, target.place)
        excepted = "exception to the exception" if level >= 5 and target.further == 0 else "exception"
        proof = [(excepted if level >= 2 and target.mark == 0 else "rule", fact, grounds)]
        if backwards:
            conclusion = f"A {marked} {scene.thing} that is {state} is {right}."
            proof.append(("only place", conclusion, fact))
        items.append(_item(level, index, member, premise, text, tuple(options), right, tuple(proof), scene.thing))
    return items


def _default_family(row: Sequence[str], index: int, rng: Random) -> list[Item]:
    thing, plural, default, opposite, defeater, harmless = row
    options = tuple(rng.sample((default, opposite), 2))
    items = []
    for member, clause, right, rule in zip(
        "ab", (defeater, harmless), (opposite, default), ("defeated", "default"), strict=True
    ):
        premise = f"{plural} are normally {default} rather than {opposite}. This {thing} {clause}."
        conclusion = f"This {thing} is {right}."
        proof = ((rule, conclusion, f"{plural} are normally {default}. This {thing} {clause}."),)
        text = f"This {thing} is ___."
        items.append(_item(_DEFAULT, index, member, premise, text, options, right, proof, thing))
    return items


def _item(
    level: int,
    index: int,
    member: str,
    premise: str,
    text: str,
    options: tuple[str, ...],
    right: str,
    proof: tuple[tuple[str, str, str], ...],
    thing: str,
) -> Item:
    return Item(
        f"ladder-{NAME}",
        "cloze",
        premise=premise,
        text=text,
        options=options,
        answer=options.index(right),
        family=f"{NAME}-{level}-{index}",
        member=member,
        groups={"thing": thing},
        facets={
            "task": NAME,
            "level": level,
            "level_name": LEVEL_NAMES[level],
            "status": "asserted" if level == _DEFAULT else "proved",
        },
        source=Source(file=FILE, triples=proof, licence="CC0-1.0"),
    )


def polarity_items(levels: Sequence[int], families: int, seed: int) -> list[Item]:
    """Build ``families`` families on each level, the same scenes at each."""
    most = min(map(len, _table()))
    if families > most:
        raise UserError(f"the polarity ladder has {most} families per level", fix=f"use {most} at most")
    return [item for level in levels for index in range(families) for item in polarity_family(level, index, seed)]
