"""Senses of a word, or related concepts, that are clearly different and clear without context.

A dictionary has finer senses than its readers: *slow*, "not hasty; tardy", and "not prompt or quick; sluggish".
Two senses are clearly different where no stem of one definition is in the other or among the synonyms of its words
(from a thesaurus), and where the synonyms of both have almost nothing in common.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from horsesense.lexicons.graph import Graph
from horsesense.lexicons.word_forms import stems, with_derived
from horsesense.lexicons.words import FUNCTION_WORDS, words, zipf
from horsesense.methods.wordnetqa.attested import UNFIT
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.questions import ConceptQuestion, question_text

TEMPLATES = WordNetPlan("definitions").templates
"""Senses are asked like definitions."""
_MOST_SENSES = 12
"""A word of more senses has synonyms for everything."""

_FEWEST = 20
"""Stems of a definition with its synonyms; of fewer the thesaurus knows too little."""
_COMMON = (0.06, 0.03)
"""Share of these that two definitions may have in common; of verbs less, since their senses shade into one another.
Half of all pairs of senses of a word of GCIDE without a common stem have 0.066 or less."""

_SHORTEST = 3
"""Words of an example or a definition in a controlled set."""
_LONGEST_DEFINITION = 40
_IN_USE = 2.5
"""Frequency (Zipf) that an asked word has in a controlled set at least."""
_KNOWN = 1.5
"""And every word of its example."""
_UNCLEAR = re.compile(
    r"^(?:hence|specifically|specif|also|that which|the same|see|fig|any|as)\b|\bsenses?\b|\[|&|=|\d|\.\.", re.I
)
"""Definitions that depend on another, or are damaged."""
_OLD = re.compile(
    r"\b(?:thou|thee|thy|thine|hath|doth|dost|hast|ye|'tis|'twas|unto|shalt|wilt|art thou|saith|oft)\b"
    r"|\b(?:opposite|etc|compare)\b|\. \.|\[",
    re.I,
)
"""Examples that are old, broken off, or not examples."""


class Senses:
    """The senses of a dictionary, compared with the help of a thesaurus where there is one."""

    def __init__(self, graph: Graph, thesaurus: Graph | None) -> None:
        self.graph, self.thesaurus = graph, thesaurus
        self.stems = lru_cache(maxsize=None)(lambda sense: stems(graph.definitions[sense]))
        self.widened = lru_cache(maxsize=None)(self._widened)
        self.around = lru_cache(maxsize=None)(self._around)
        self.asked = lru_cache(maxsize=None)(self._asked)

    def different(self, one: int, other: int) -> bool:
        """Return whether the two are clearly different."""
        wide, other_wide = self.widened(one), self.widened(other)
        if not (wide.isdisjoint(self.stems(other)) and self.stems(one).isdisjoint(other_wide)):
            return False
        if self.thesaurus is None:
            return True
        fewest = min(len(wide), len(other_wide))
        return fewest >= _FEWEST and len(wide & other_wide) <= _COMMON[self.graph.pos[one] == "v"] * fewest

    @cached_property
    def in_use(self) -> bool:
        """Return whether word frequencies cover this dictionary: at least a fifth of its words are known."""
        every = list(self.graph.by_lemma)
        return sum(zipf(word) > 0 for word in every) > len(every) / 5

    def is_clear(self, sense: int, example: str, form: str) -> bool:
        """Return whether word and example are in use, and the definition is self-contained."""
        definition, told = self.graph.definitions[sense], words(example)
        if UNFIT.search(f"{definition} {example}") or _UNCLEAR.search(definition) or _OLD.search(example):
            return False
        if not _SHORTEST <= len(definition.split()) <= _LONGEST_DEFINITION or len(told) < _SHORTEST:
            return False
        if not self.in_use:
            return True
        return min(map(zipf, words(form)), default=0.0) >= _IN_USE and all(zipf(word) > _KNOWN for word in told)

    def _asked(self, question: ConceptQuestion) -> frozenset[str]:
        """Return the stems of a question, and of words derived from its words."""
        return with_derived(
            question_text(question, TEMPLATES[question.template]), (self.thesaurus or self.graph).derived
        )

    def _widened(self, sense: int) -> frozenset[str]:
        found = self.stems(sense)
        return found.union(*(self.around(word) for word in words(self.graph.definitions[sense])))

    def _around(self, word: str) -> frozenset[str]:
        """The stems of a word's synonyms, of similar words, and of its direct hypernyms."""
        if self.thesaurus is None or word in FUNCTION_WORDS:
            return frozenset()
        concepts = self.thesaurus.by_lemma.get(word, [])
        if len(concepts) > _MOST_SENSES:
            return frozenset()
        near = {other for concept in concepts for other in self.thesaurus.beside.get(concept, ())}
        near |= {other for concept in concepts for other, hops in self.thesaurus.up.row(concept) if hops == 1}
        return stems(" ".join(lemma for concept in {*concepts, *near} for lemma in self.thesaurus.lemmas[concept]))
