"""Concepts that can be asked about, each with the wordings of its question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from horsesense.knowledge.graph import Graph
from horsesense.probes.wordnetqa.context import find_form
from horsesense.probes.wordnetqa.plan import Plan


@dataclass(frozen=True, slots=True)
class Asked:
    """A concept and how it can be asked about."""

    concept: int
    contexts: tuple[tuple[str, str], ...]
    """Examples and the asked word as it stands in each; of synonymy, the definition and the first word."""


def asked_concepts(graph: Graph, plan: Plan, rejected: Counter[str]) -> Iterator[Asked]:
    """Concepts in an order that the seed decides, one at a time: nothing is done for those not asked for."""
    for concept in _candidates(graph, plan):
        contexts = _contexts(graph, concept, plan)
        if contexts:
            yield Asked(concept, tuple(contexts))
        else:
            rejected["asked: no word of the concept stands in its examples"] += 1


def _candidates(graph: Graph, plan: Plan) -> list[int]:
    """What the relation needs at all: a definition, an example, something above or below."""
    usable = []
    links = {"hypernymy": graph.up, "hyponymy": graph.down}.get(plan.relation)
    for concept in range(len(graph)):
        if not graph.definitions[concept] or not graph.lemmas[concept]:
            continue
        if plan.relation != "synonymy" and not graph.examples[concept]:
            continue
        if links is None or links.starts[concept] < links.starts[concept + 1]:
            usable.append(concept)
    plan.chance("asked").shuffle(usable)
    return usable


def _contexts(graph: Graph, concept: int, plan: Plan) -> list[tuple[str, str]]:
    lemmas, pos = graph.lemmas[concept], graph.pos[concept]
    if plan.relation == "synonymy":
        return [(graph.definitions[concept], lemmas[0])]
    found = ((sentence, find_form(sentence, lemmas, pos)) for sentence in graph.examples[concept])
    return [(sentence, form) for sentence, form in found if form and form.lower() != sentence.strip(" .!?").lower()]
