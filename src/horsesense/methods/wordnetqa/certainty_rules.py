"""Rules for what is certainly false, for builders and checks: when a distractor may be true, or a concept unusable.

The rules do not depend on how a question was built. A question is its relation, its concept, the senses of its word,
and the answer; an option is a concept. Each rule is a sentence, which a check gives as its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from horsesense.lexicons.graph import Graph
from horsesense.lexicons.word_forms import paraphrases, stems

GENERAL = 0.01
"""A concept above a sense of more than one in a hundred words is too general to be offered. Among the
words of WordNet with an example, this excludes 147 nouns (*act*, *ability*, *adult* …) and 96 verbs (*change*,
*accept*, *permit* …), which together are above nearly every word."""
FEWEST_GENERAL = 50
"""And above so many words at least, or half of them, so that a small source keeps its upper concepts."""
_FEW = 5

TOO_GENERAL = "an option is too general"
GENERAL_ANSWER = "the answer is too general"
ANOTHER_CLASS = "an option is of another word class"
SAME_WORD = "an option shares a word or the definition with the answer"
HOLDS = "an option is true of a sense of the asked word"
SENSE = "an option is another sense of the asked word"
BESIDE = "an option is similar to what is asked, derived from it or entailed by it"
PARAPHRASE = "an option paraphrases the answer"
GIVEN_AWAY = "the answer has a stem of what is asked"
SECOND_ANSWERS = frozenset({HOLDS, PARAPHRASE})
"""Rules by which a distractor is true as well; the others are about form, such as an answer that is too general."""
RULES = (TOO_GENERAL, GENERAL_ANSWER, ANOTHER_CLASS, SAME_WORD, HOLDS, SENSE, BESIDE, PARAPHRASE, GIVEN_AWAY)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks, as far as the rules need it."""

    relation: str
    """hypernymy, hyponymy, definitions or synonymy."""
    concept: int
    senses: frozenset[int]
    """All senses, in its word class, of the word in the question, including the asked one."""
    answer: int


def word_class(pos: str) -> str:
    """Satellites are adjectives."""
    return "a" if pos == "s" else pos


class CertaintyRules:
    """The rules for one source."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.above = lru_cache(maxsize=None)(lambda concept: frozenset(graph.up.reached(concept)))
        self.stems = lru_cache(maxsize=None)(lambda concept: stems(graph.definitions[concept]))
        self.lemmas = lru_cache(maxsize=None)(lambda concept: frozenset(map(str.lower, graph.lemmas[concept])))
        self.near = lru_cache(maxsize=None)(self._near)

    def senses(self, words: Iterable[str], pos: str) -> frozenset[int]:
        """Return all concepts of the word class that one of the words can name."""
        found: set[int] = set()
        for word in words:
            for concept in self.graph.by_lemma.get(word.lower(), ()):
                if word_class(self.graph.pos[concept]) == word_class(pos):
                    found.add(concept)
        return frozenset(found)

    @cached_property
    def general(self) -> frozenset[int]:
        """Return concepts above a sense of too many words."""
        graph = self.graph
        exemplified = {concept for concept, examples in enumerate(graph.examples) if examples}
        words: Counter[str] = Counter()
        held: dict[str, Counter[int]] = {}
        for word in {lemma.lower() for concept in exemplified for lemma in graph.lemmas[concept][:1]}:
            for part in {word_class(graph.pos[concept]) for concept in graph.by_lemma[word]}:
                senses = self.senses([word], part)
                words[part] += 1
                held.setdefault(part, Counter()).update({above for sense in senses for above in self.above(sense)})
        return frozenset(
            concept
            for part, counts in held.items()
            for concept, count in counts.items()
            if count > max(min(FEWEST_GENERAL, max(words[part] / 2, _FEW)), GENERAL * words[part])
        )

    def objection(self, asked: Asked, option: int, certified: bool = False) -> str:
        """Return why a concept may not be a distractor of a question; empty if it may.

        ``certified``: whether it is known to be disjoint from the asked concept, however general it is.
        """
        graph, answer = self.graph, asked.answer
        if option in self.general and not certified:
            return TOO_GENERAL
        if word_class(graph.pos[option]) != word_class(graph.pos[answer]):
            return ANOTHER_CLASS
        if asked.relation == "hypernymy":
            if any(option == sense or option in self.above(sense) for sense in asked.senses):
                return HOLDS
        elif asked.relation == "hyponymy":
            if option in asked.senses or not asked.senses.isdisjoint(self.above(option)):
                return HOLDS
        elif option in asked.senses:
            return SENSE
        if option == answer or not self.lemmas(option).isdisjoint(self.lemmas(answer)):
            return SAME_WORD
        if graph.definitions[option].lower() == graph.definitions[answer].lower():
            return SAME_WORD
        # A kind near the right kind is not taken for it; a similar meaning is.
        return self.near_objection(asked, option) if asked.relation in ("definitions", "synonymy") else ""

    def near_objection(self, asked: Asked, option: int) -> str:
        """Return the objection that a concept means nearly the same as the answer; empty if it does not."""
        if option in self.near(asked.concept) or option in self.near(asked.answer):
            return BESIDE
        return PARAPHRASE if paraphrases(self.stems(option), self.stems(asked.answer)) else ""

    def answer_objections(self, asked: Asked, given: str, answer_text: str) -> list[str]:
        """Return objections to the answer; ``given`` is what the question shows: the asked word, or the definition."""
        found = [GENERAL_ANSWER] if asked.answer in self.general else []
        if not stems(given).isdisjoint(stems(answer_text)):
            found.append(GIVEN_AWAY)
        return found

    def _near(self, concept: int) -> frozenset[int]:
        """What is similar, derived, entailed or an attribute: of itself and of what is so; adverbs take one step
        more, over their adjectives."""
        beside = self.graph.beside
        found: set[int] = set(beside.get(concept, ()))
        for _ in range(2 if self.graph.pos[concept] == "r" else 1):
            found |= {other for each in found for other in beside.get(each, ())}
        return frozenset(found - {concept})
