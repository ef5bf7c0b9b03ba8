"""Second true options, from the source of the key: seeded errors for an audit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from random import Random

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import open_graph
from horsesense.methods.wordnetqa.plan import MOST_HOPS
from horsesense.methods.wordnetqa.questions import option_text

_FEWEST = 3
"""Words that a part of a definition needs to be one by itself."""

SecondAnswer = Callable[[Item, Random], tuple[str, ...] | None]
"""Returns the options of an item with a second true one, the key in its place; None where none is known."""


def second_answers(source: str = "wordnet") -> SecondAnswer:
    """For questions of this source. Hypernymy and hyponymy have another answer of the asked concept; definitions and
    synonymy share out the parts of the key's definition, or the words of its concept, between two options."""

    @cache
    def graph() -> Graph | None:
        with suppress(UserError):  # the source is not installed
            return open_graph(source)
        return None

    def second(item: Item, chance: Random) -> tuple[str, ...] | None:
        task = item.facets.get("task", "definitions")
        if item.answer is None or len(item.options) < 2:
            return None
        if task in ("hypernymy", "hyponymy"):
            known = graph()
            return None if known is None else _another_answer(known, str(task), item, chance)
        return _shared_out(item, ", " if task == "synonymy" else ";", chance)

    return second


def _another_answer(graph: Graph, relation: str, item: Item, chance: Random) -> tuple[str, ...] | None:
    asked = graph.number.get(item.groups.get("asked", ""))
    if asked is None or item.answer is None:
        return None
    taken = set(item.concepts)
    own = {lemma.lower() for lemma in graph.lemmas[asked]}
    links = graph.up if relation == "hypernymy" else graph.down
    others = [
        other
        for other, hops in links.row(asked)
        if 1 <= hops <= MOST_HOPS
        and graph.definitions[other]
        and graph.ids[other] not in taken
        and own.isdisjoint(lemma.lower() for lemma in graph.lemmas[other])
    ]
    if not others:
        return None
    return _replaced(item, chance, option_text(graph, relation, chance.choice(others)))


def _shared_out(item: Item, between: str, chance: Random) -> tuple[str, ...] | None:
    assert item.answer is not None
    parts = [part.strip() for part in item.options[item.answer].split(between) if part.strip()]
    if len(parts) < 2 or (between == ";" and min(len(part.split()) for part in parts[:2]) < _FEWEST):
        return None
    first, rest = parts[0], parts[1] if between == ";" else between.join(parts[1:])
    options = list(_replaced(item, chance, rest))
    options[item.answer] = first
    return tuple(options)


def _replaced(item: Item, chance: Random, text: str) -> tuple[str, ...]:
    """Return the options with one distractor replaced."""
    options = list(item.options)
    options[chance.choice([index for index in range(len(options)) if index != item.answer])] = text
    return tuple(options)
