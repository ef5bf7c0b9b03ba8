"""The distractors of the paper (section 3.1): concepts near the asked one that are false.

A distractor is false when it is not the asked concept, is not in the asked direction from it at any distance
(instances included), and shares no word and no definition with the answer. The paper's are all of one kind and
distance, completed with random concepts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from horsesense.lexicons.graph import Graph
from horsesense.methods.wordnetqa.plan import KINDS, MOST_HOPS, WordNetPlan
from horsesense.methods.wordnetqa.questions import ConceptQuestion, option_text

Near = dict[tuple[str, int], list[int]]
"""(kind, distance) → concepts, whether true or false."""
_DRAWN = 3
"""Number of draws per option, because some have the same text."""
_TRIES = 200
"""Number of draws before a part of speech counts as too small."""


class PaperDistractors:
    """Concepts near the asked one, and those that may not be offered; cached for the questions of a cluster."""

    def __init__(self, graph: Graph, relation: str) -> None:
        self.graph, self.relation = graph, relation
        self.text = lru_cache(maxsize=None)(lambda concept: option_text(graph, relation, concept))
        self.near = lru_cache(maxsize=64)(self._near)
        self.barred = lru_cache(maxsize=512)(self._barred)
        self._reached = lru_cache(maxsize=64)(self._closure)

    def _closure(self, asked: int) -> set[int]:
        links = {"hypernymy": self.graph.up, "hyponymy": self.graph.down}.get(self.relation)
        return {asked} | (links.reached(asked) if links else set())

    def _barred(self, asked: int, answer: int) -> set[int]:
        """Return concepts that are right, or share a word or the definition with the answer."""
        alike = set(self.graph.by_definition[self.graph.definitions[answer].lower()])
        for lemma in self.graph.lemmas[answer]:
            alike.update(self.graph.by_lemma[lemma.lower()])
        return self._reached(asked) | alike

    def apart(self, concept: int, others: Sequence[int]) -> bool:
        """Return whether the text of an option differs from those chosen before it."""
        text = self.text(concept)
        return bool(text) and all(self.text(other) != text for other in others)

    def _near(self, concept: int) -> Near:
        near: Near = {}
        for kind in KINDS[self.relation]:
            if kind == "sister":
                pairs = list(self.graph.sister_depths(concept, MOST_HOPS).items())
            else:
                links = self.graph.up if kind == "hypernym" else self.graph.down
                pairs = [(other, hops) for other, hops in links.row(concept) if 1 <= hops <= MOST_HOPS]
            for other, hops in sorted(pairs):
                near.setdefault((kind, hops), []).append(other)
        return near


@dataclass(slots=True)
class QuestionOptions:
    """A question with its distractors, or one that needs them."""

    question: ConceptQuestion
    split: str
    kind: str
    """Kind of its near distractors, such as sister or hypernym; otherwise random."""
    distance: int
    """Distance of the distractors of that kind; 0 for random ones."""
    near: tuple[int, ...]
    """Distractors of the kind; empty for random ones."""
    fillers: list[int] = field(default_factory=list)
    """Random ones, or those that fill up where the kind had too few."""
    certificates: tuple[tuple[int, str], ...] = ()
    """Distractors and why they are false, where this is certified."""

    @property
    def distractors(self) -> tuple[int, ...]:
        """All distractors, those of the kind first."""
        return (*self.near, *self.fillers)

    @property
    def filled_up(self) -> int:
        """Number of random distractors beside those of a kind."""
        return 0 if self.kind == "random" else len(self.fillers)


def paper_choices(
    graph: Graph, questions: Sequence[tuple[ConceptQuestion, str]], plan: WordNetPlan, rejected: Counter[str]
) -> Iterator[QuestionOptions]:
    """Yield every question with several sets of distractors: the perturbations of section 3.1.1."""
    known = PaperDistractors(graph, plan.relation)
    same_pos: dict[str, list[int]] = {}
    for concept, pos in enumerate(graph.pos):
        if graph.definitions[concept] and graph.lemmas[concept]:
            same_pos.setdefault(pos, []).append(concept)
    for question, split in questions:
        barred, near = known.barred(question.asked, question.answer), known.near(question.asked)
        rng = plan.rng("kinds", graph.ids[question.asked], graph.ids[question.answer], question.template)
        sets = sorted(key for key, concepts in near.items() if not barred.issuperset(concepts))
        rng.shuffle(sets)
        for kind, distance in [("random", 0), *sets][: plan.size["perturbations"]]:
            distractors: list[int] = []
            usable = [concept for concept in near[kind, distance] if concept not in barred] if distance else []
            for concept in rng.sample(usable, min(len(usable), _DRAWN * plan.options)):
                if len(distractors) < plan.options - 1 and known.apart(concept, [question.answer, *distractors]):
                    distractors.append(concept)
            of_kind = len(distractors)
            pool = same_pos[graph.pos[question.answer]]
            for _ in range(_TRIES):
                if len(distractors) == plan.options - 1:
                    break
                concept = pool[int(rng.random() * len(pool))]
                if concept not in barred and known.apart(concept, [question.answer, *distractors]):
                    distractors.append(concept)
            if len(distractors) < plan.options - 1:
                rejected["question: too few false options"] += 1
                continue
            yield QuestionOptions(question, split, kind, distance, tuple(distractors[:of_kind]), distractors[of_kind:])
