"""Distractors as in the paper: all of one kind and distance, filled up with random concepts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from horsesense.knowledge.graph import Graph
from horsesense.probes.wordnetqa.answers import Question
from horsesense.probes.wordnetqa.falsehood import Falsehood
from horsesense.probes.wordnetqa.kinds import Neighbours
from horsesense.probes.wordnetqa.plan import Plan

_DRAWN = 3
"""How many times the options of a question are drawn, since some read alike."""
_TRIES = 200
"""Draws before a part of speech counts as too small."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A question with its distractors."""

    question: Question
    split: str
    kind: str
    """sister, hypernym, hyponym or random."""
    distance: int
    """Of the distractors of that kind; 0 for random ones."""
    distractors: tuple[int, ...]
    """Those of the kind come first."""
    fillers: int
    """How many of them are random though another kind was wanted."""


def paper_choices(
    graph: Graph, questions: Sequence[tuple[Question, str]], plan: Plan, rejected: Counter[str]
) -> Iterator[Choice]:
    """Every question with several sets of distractors: the perturbations of section 3.1.1."""
    false, neighbours = Falsehood(graph, plan.relation), Neighbours(graph, plan.relation)
    same_pos: dict[str, list[int]] = {}
    for concept, pos in enumerate(graph.pos):
        if graph.definitions[concept] and graph.lemmas[concept]:
            same_pos.setdefault(pos, []).append(concept)
    for question, split in questions:
        barred = false.barred(question.asked, question.answer)
        near = neighbours.near(question.asked)
        chance = plan.chance("kinds", graph.ids[question.asked], graph.ids[question.answer], question.template)
        sets = sorted(key for key, concepts in near.items() if not barred.issuperset(concepts))
        chance.shuffle(sets)
        for kind, distance in [("random", 0), *sets][: plan.size["perturbations"]]:
            chosen: list[int] = []
            usable = [concept for concept in near[kind, distance] if concept not in barred] if distance else []
            for concept in chance.sample(usable, min(len(usable), _DRAWN * plan.ways)):
                if len(chosen) < plan.ways - 1 and false.apart(concept, [question.answer, *chosen]):
                    chosen.append(concept)
            of_kind = len(chosen)
            pool = same_pos[graph.pos[question.answer]]
            for _ in range(_TRIES):
                if len(chosen) == plan.ways - 1:
                    break
                concept = pool[int(chance.random() * len(pool))]
                if concept not in barred and false.apart(concept, [question.answer, *chosen]):
                    chosen.append(concept)
            if len(chosen) < plan.ways - 1:
                rejected["question: too few false options"] += 1
                continue
            fillers = len(chosen) - of_kind if distance else 0
            yield Choice(question, split, kind, distance, tuple(chosen), fillers)
