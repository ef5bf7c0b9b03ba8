"""What can be said of options and questions that are put together: what is false, what is near, what gives away."""

from __future__ import annotations

import re
from functools import lru_cache

from horsesense.lexicons.graph import Graph
from horsesense.lexicons.stems import looks_alike, spelt_alike, stems, with_derived
from horsesense.lexicons.words import words
from horsesense.methods.wordnetqa.attested import Attested
from horsesense.methods.wordnetqa.near_senses import Senses
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.questions import Question, option_text, question_text
from horsesense.methods.wordnetqa.soundness import Asked
from horsesense.methods.wordnetqa.word_forms import standing_lemmas

_PEOPLE = re.compile(
    r"\b(?:someone|somebody|persons?|people|humans?|members?|workers?|soldiers?|m[ae]n|wom[ae]n|organizations?)\b", re.I
)
"""What a definition says of a concept that is somebody, or several."""


class Options:
    """What can be said of options and of questions, each worked out once."""

    def __init__(self, graph: Graph, plan: WordNetPlan, attested: Attested) -> None:
        self.graph, self.plan, self.attested, self.sound = graph, plan, attested, attested.sound
        self.senses = Senses(graph, graph)
        self.text = lru_cache(maxsize=None)(lambda concept: option_text(graph, plan.relation, concept))
        self.stems = lru_cache(maxsize=None)(lambda concept: stems(self.text(concept)))
        self.asked = lru_cache(maxsize=None)(self._asked)
        self.around = lru_cache(maxsize=None)(self._around)
        self.of_people = lru_cache(maxsize=None)(lambda concept: bool(_PEOPLE.search(graph.definitions[concept])))
        self.parents = lru_cache(maxsize=None)(lambda concept: frozenset(_above(graph, concept, 1)))
        self.elders = lru_cache(maxsize=None)(lambda concept: frozenset(_above(graph, concept, 2)))
        self.name = lru_cache(maxsize=None)(lambda concept: " ".join(graph.lemmas[concept]).lower())
        self.names = lru_cache(maxsize=None)(lambda concept: stems(self.name(concept)))
        self.question_text = lru_cache(maxsize=None)(
            lambda question: question_text(question, plan.templates[question.template]).lower()
        )
        self.question_stems = lru_cache(maxsize=None)(
            lambda question: with_derived(self.question_text(question), graph.derived)
        )

    def _asked(self, question: Question) -> Asked:
        graph, concept = self.graph, question.asked
        names = graph.lemmas[concept]
        if not self.plan.by_definition:
            names = [*standing_lemmas(graph, concept, question.sentence), question.word]
        senses = self.sound.senses(names, graph.pos[concept]) | {concept}
        return Asked(self.plan.relation, concept, senses, question.answer)

    def _around(self, concept: int) -> frozenset[int]:
        """The part of the taxonomy that a concept belongs to: itself, what is beside it, and what is above it and
        not too general. Two concepts are near where these meet."""
        specific = self.sound.above(concept) - self.sound.general
        return specific | self.graph.beside.get(concept, frozenset()) | {concept}

    def far(self, one: int, other: int) -> bool:
        return (
            self.around(one).isdisjoint(self.around(other))
            and self.text(one) != self.text(other)
            and (self.plan.relation != "hypernymy" or not self.akin(one, other))
        )

    def akin(self, one: int, other: int) -> bool:
        """Whether what is one kind may well be the other too, whatever the taxonomy says: one is an aunt of the other
        (members are a body, and people), or the gloss of one names the other (a noise is a sound)."""
        for lower, upper in ((one, other), (other, one)):
            if not self.parents(upper).isdisjoint(self.elders(lower)):
                return True
            if not self.names(upper).isdisjoint(self.sound.stems(lower)):
                return True
        return False

    def false(self, concept: int, question: Question) -> bool:
        """Whether it can be a distractor at all: fit, false for sure, and without a stem of the question."""
        if self.given_away(concept, question):
            return False
        # What the gloss of the asked concept names may be true of it, whatever the taxonomy says.
        if not self.names(concept).isdisjoint(self.sound.stems(question.asked)):
            return False
        if self.plan.relation == "hypernymy" and self.of_people(concept) and self.of_people(question.answer):
            return False  # veterans are servicemen, and they are people
        asked = self.asked(question)
        if not self.attested.fit(concept) or self.sound.near_objection(asked, concept):
            return False
        return not self.sound.objection(asked, concept)

    def given_away(self, concept: int, question: Question) -> bool:
        """Whether an option has a stem of the question, or its name looks like a word of it."""
        if not self.stems(concept).isdisjoint(self.question_stems(question)):
            return True
        # A definition is shown without its name.
        return self.plan.relation != "definitions" and looks_alike(self.question_text(question), self.name(concept))

    def spelt_alike(self, question: Question) -> bool:
        """Whether a word of the answer's name is spelt much like a word of the question."""
        if self.plan.relation == "definitions":
            return False
        name = words(self.name(question.answer))
        return any(spelt_alike(one, other) for one in name for other in words(self.question_text(question)))

    def near(self, question: Question) -> list[int]:
        """Nouns that lie near the answer: its sisters; of hyponymy its cousins. The sisters of verbs are too often
        true as well."""
        graph, answer = self.graph, question.answer
        if graph.pos[answer] != "n":
            return []
        sisters = sisters_of(graph, answer)
        if self.plan.relation == "hyponymy":
            parents = [parent for parent, hops in graph.up.row(answer) if hops == 1]
            cousins = {c for parent in parents for aunt in sisters_of(graph, parent) for c in _children(graph, aunt)}
            return sorted(cousins - set(sisters) - {answer})
        return sisters


def _above(graph: Graph, concept: int, most: int) -> list[int]:
    """What lies so few links above, but for what lies above half of the source: that makes nobody kin."""
    below = graph.down.starts
    near = (other for other, hops in graph.up.row(concept) if 1 <= hops <= most)
    return [other for other in near if below[other + 1] - below[other] <= len(graph) / 2]


def _children(graph: Graph, concept: int) -> list[int]:
    return [child for child, hops in graph.down.row(concept) if hops == 1]


def sisters_of(graph: Graph, concept: int) -> list[int]:
    parents = [parent for parent, hops in graph.up.row(concept) if hops == 1]
    return sorted({child for parent in parents for child in _children(graph, parent)} - {concept})
