"""Which axiom a released statement belongs to, and in which way it says it.

The release numbers neither. Two orders of lines tell: the human-curated set (section 2.2, table 5) has 24 statements
for an axiom about two entities and 8 for one about one, each kind in its place; the raw set has three statements about
one pair of names, then the three that deny them about the next pair. In the curated set names do not tell axioms
apart, since each place has the same pair of names in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from horsesense.lexicons.comparatives import OPPOSITES
from horsesense.lexicons.negation import negations
from horsesense.lexicons.words import words
from horsesense.methods.rica.perturbations import KINDS, Kind

CONNECTIVE = ", so "
_SHAPE = frozenset({"a", "an", "the", "and", "so", "than", "not", "is"}) | OPPOSITES.keys()
_LOOSE = _SHAPE | frozenset(["be", "out", "of", "to", "likely"])
"""Words that a conversion puts in or leaves out: *is made out of*, *is likely to be*."""
_NAME = re.compile(r"[^\W_]+")
_ALIKE = 0.5
"""Share of content words that two wordings of one axiom have in common at least."""
_ONE_ENTITY = tuple(
    Kind(name)
    for name in (
        "original",
        "negation",
        "antonym",
        "paraphrase",
        "paraphrase_inversion",
        "negation_antonym",
        "negation_paraphrase",
        "negation_paraphrase_inversion",
    )
)
_EITHER = (4, 7)
"""Places whose two kinds stand in either order, told apart by which of them denies."""
CATEGORIES = ("physical", "material", "social", "temporal")
_OF_A_CATEGORY = 20
"""Axioms of each category, one category after the other (tables 5 and 8)."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Where a statement belongs."""

    axiom: str
    """A name for its axiom: what it says in content words, with a number where two say the same."""
    kind: Kind | None = None
    """How it says it, where its place tells; None where a statement has to tell by itself."""
    category: str = ""
    """physical, material, social or temporal (table 5), where its place tells."""


def units(statements: Sequence[str]) -> list[Unit]:
    """The axiom and the kind of each statement of a released file, by the order of its lines.

    >>> lines = ["wob is a cork, zim is a nail, so wob is more likely to float than zim",
    ...          "zim is a cork, wob is a nail, so wob is less likely to float than zim",
    ...          "kuf is a cork, tol is a nail, so kuf is not less likely to float than tol"]
    >>> {unit.axiom for unit in units(lines)}, [unit.kind.name for unit in units(lines)]
    ({'cork float likely nail to'}, ['original', 'asymmetric_premise', 'negated'])
    """
    return _curated(statements) or _in_pairs_of_names(statements)


def denies(statement: str) -> bool:
    """Whether the conclusion is denied, by *not* or by *n't*.

    >>> denies("wob fell, so wob wasn't higher after falling"), denies("wob does not eat, so wob is more hungry")
    (True, False)
    """
    return negations(words(statement.rpartition(CONNECTIVE)[2])) > 0


def entities(statement: str) -> tuple[str, str]:
    """The two that are compared: the first and the last word of the conclusion.

    >>> entities("wob is a cork, so zim is less likely to float than wob.")
    ('zim', 'wob')
    """
    conclusion = _NAME.findall(statement.rpartition(CONNECTIVE)[2].removesuffix("'s"))
    return (conclusion[0], conclusion[-1]) if conclusion else ("", "")


def first_named(statement: str) -> str:
    """The one of the two that the premise names first; empty where it names neither.

    >>> first_named("zim is a cork, so wob is less likely to float than zim")
    'zim'
    """
    premise = statement.rpartition(CONNECTIVE)[0]
    return next((name for name in _NAME.findall(premise) if name in entities(statement)), "")


def content_words(statement: str, names: tuple[str, str]) -> str:
    """The content words of a statement: the same for nearly all perturbations of an axiom, whoever it is about.

    >>> content_words("A is a kettle, B is a cloud, so A is more loud than B", ("A", "B"))
    'cloud kettle loud'
    >>> content_words("kuf is a kettle, zor is a cloud, so zor is not more loud than kuf", ("zor", "kuf"))
    'cloud kettle loud'
    """
    return " ".join(sorted(_bare(statement, names) - _SHAPE))


def _bare(statement: str, names: tuple[str, str]) -> set[str]:
    entity_names = {name.lower() for name in names}
    return {word.removesuffix("'s") for word in words(statement)} - entity_names


# The human-curated set: blocks of 24 and of 8.


def _curated(statements: Sequence[str]) -> list[Unit] | None:
    """Units by blocks; None where the lines are not in such blocks throughout."""
    found: list[Unit] = []
    named: dict[str, int] = {}
    while len(found) < len(statements):
        start = len(found)
        block = next((kinds for kinds in (KINDS, _ONE_ENTITY) if _is_block(statements[start:], len(kinds))), None)
        if block is None:
            return None
        lines = statements[start : start + len(block)]
        premise = _frame(lines)
        named[premise] = named.get(premise, 0) + 1
        axiom = premise if named[premise] == 1 else f"{premise} ({named[premise]})"
        kinds = block if block is KINDS else _told_apart(lines)
        found += [Unit(axiom, kind) for kind in kinds]
    return _with_categories(found)


def _with_categories(found: Sequence[Unit]) -> list[Unit]:
    """Units with the category that their axiom's place tells, where the set is whole."""
    axioms = list(dict.fromkeys(unit.axiom for unit in found))
    if len(axioms) != _OF_A_CATEGORY * len(CATEGORIES):
        return list(found)
    of = {axiom: CATEGORIES[place // _OF_A_CATEGORY] for place, axiom in enumerate(axioms)}
    return [replace(unit, category=of[unit.axiom]) for unit in found]


def _is_block(statements: Sequence[str], size: int) -> bool:
    """Whether the first lines have one premise, each about names of its own."""
    lines = statements[:size]
    if len(lines) < size or any(CONNECTIVE not in line for line in lines):
        return False
    premises = [_NAME.findall(line.rpartition(CONNECTIVE)[0]) for line in lines]
    if len({len(premise) for premise in premises}) > 1:
        return False
    columns = [set(column) for column in zip(*premises, strict=True)]
    varying = [column for column in columns if len(column) > 1]
    entities_of_kind = 2 if size == len(KINDS) else 1
    return len(varying) == entities_of_kind and all(len(column) == size for column in varying)


def _frame(lines: Sequence[str]) -> str:
    """The premise of a block with A and B for its names."""
    premises = [line.rpartition(CONNECTIVE)[0] for line in lines]
    columns = zip(*map(_NAME.findall, premises), strict=True)
    names = dict.fromkeys(column[0] for column in columns if len(set(column)) > 1)
    letters = dict(zip(names, "AB", strict=False))
    return _NAME.sub(lambda name: letters.get(name[0], name[0]), premises[0])


def _told_apart(lines: Sequence[str]) -> tuple[Kind, ...]:
    """The kinds of a block about one entity."""
    kinds = list(_ONE_ENTITY)
    first, second = _EITHER
    if denies(lines[first]) and not denies(lines[second]):
        kinds[first], kinds[second] = kinds[second], kinds[first]
    return tuple(kinds)


# The raw set: three statements about a pair of names, and three that deny.


def _in_pairs_of_names(statements: Sequence[str]) -> list[Unit]:
    """Units by runs of lines about one pair of names; a run that denies goes with the one before that says the same."""
    runs = [
        [statements[place] for place in group]
        for _, group in groupby(
            range(len(statements)),
            key=lambda place: (frozenset(entities(statements[place])), denies(statements[place])),
        )
    ]
    found: list[Unit] = []
    named: dict[str, int] = {}
    before: list[str] = []
    for run in runs:
        if not (before and denies(run[0]) and not denies(before[0]) and _say_the_same(before, run)):
            name = content_words(run[0], entities(run[0])) or run[0]
            named[name] = named.get(name, 0) + 1
            axiom = name if named[name] == 1 else f"{name} ({named[name]})"
        found += [Unit(axiom, kind) for kind in _kinds_of_run(run)]
        before = run
    return found


def _say_the_same(affirmed: Sequence[str], denied: Sequence[str]) -> bool:
    """Whether two runs share most of their content words: conversion words the same form in several ways."""
    one, other = (
        set().union(*(_bare(line, entities(line)) for line in run)) - _LOOSE - {"not"} for run in (affirmed, denied)
    )
    return len(one & other) >= _ALIKE * len(one | other) > 0


def _kinds_of_run(run: Sequence[str]) -> list[Kind | None]:
    """The kinds of statements about one pair: A is who comes first in both halves of the unperturbed one."""
    first = next((entities(line)[0] for line in run if entities(line)[0] == first_named(line)), "")
    perturbation = "negation" if denies(run[0]) else "original"
    kinds: list[Kind | None] = []
    for line in run:
        told, concluded = first_named(line), entities(line)[0]
        if not first or not told:
            kinds.append(None)
        elif told == concluded:
            kinds.append(Kind(perturbation) if concluded == first else None)
        else:
            kinds.append(Kind(perturbation, "conclusion" if told == first else "premise"))
    return kinds
