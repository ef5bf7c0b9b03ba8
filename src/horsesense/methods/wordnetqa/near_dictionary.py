"""Near distractors of dictionary senses: related to the question, and certified by what the definitions say first.

A dictionary has no taxonomy. The *genus* of a definition (what it says the thing is: "a *vessel* for …") is looked up
in a thesaurus in its most frequent sense; two senses are certainly different where `disjointness` certifies their
genera, and no stem of one definition is in the other, also through synonyms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from horsesense.lexicons.graph import Graph
from horsesense.methods.wordnetqa.attested import genus
from horsesense.methods.wordnetqa.disjointness import Disjointness
from horsesense.methods.wordnetqa.near_senses import Senses
from horsesense.methods.wordnetqa.questions import ConceptQuestion
from horsesense.methods.wordnetqa.rank_balance import Mask
from horsesense.methods.wordnetqa.word_forms import base_forms

_PERSON = "person.n.01"
_SOMEBODY = frozenset({"one", "who", "whoever", "someone", "somebody"})


class GenusCertificates:
    """Certificates between senses of a dictionary, by the genera of their definitions."""

    def __init__(self, compared: Senses, thesaurus: Graph) -> None:
        self.compared, self.graph, self.thesaurus = compared, compared.graph, thesaurus
        self.disjoint = Disjointness(thesaurus)
        self.genus = lru_cache(maxsize=None)(self._genus)

    def _genus(self, sense: int) -> int | None:
        """Return the concept of the thesaurus that a definition names first, if something may certify it."""
        pos = self.graph.pos[sense]
        definition = self.graph.definitions[sense]
        if pos == "n" and definition.lower().split(" ", 1)[0].strip(",") in _SOMEBODY:
            return self.thesaurus.number.get(_PERSON)
        for told in genus(definition[:1].lower() + definition[1:].rstrip("."), pos):
            if not told:
                continue
            head = told[0] if pos == "v" else told[-1]
            for form in dict.fromkeys((head, *base_forms(head, pos))):
                first = next((c for c in self.thesaurus.senses.get(form, ()) if self.thesaurus.pos[c] == pos), None)
                if first is not None:
                    return first if self.disjoint.known(first) else None
        return None

    def certificate(self, one: int, other: int) -> str:
        """Return why two senses are certainly different; empty where nothing certifies it."""
        first, second = self.genus(one), self.genus(other)
        if first is None or second is None:
            return ""
        reason = self.disjoint.certificate(first, second)
        return f"genus, {reason}" if reason and self.compared.different(one, other) else ""


class SensePool:
    """The answers of dictionary questions, which are offered as distractors."""

    def __init__(self, certificates: GenusCertificates, questions: Sequence[ConceptQuestion]) -> None:
        graph = certificates.graph
        self._certificates, self._compared = certificates, certificates.compared
        self.answers = sorted({question.answer for question in questions})
        self._column = {answer: index for index, answer in enumerate(self.answers)}
        texts = [self.text(answer) for answer in self.answers]
        first = {text: index for index, text in enumerate(texts)}
        same = np.array([first[text] for text in texts])
        self.apart: Mask = same[:, None] != same[None, :]
        genera = [certificates.genus(answer) or 0 for answer in self.answers]
        known = sorted(set(genera))
        self._genus = np.array([known.index(each) for each in genera])
        self._table = certificates.disjoint.table(known, known, sorts=True)
        self._pos = np.array([graph.pos[answer] for answer in self.answers])

    def text(self, answer: int) -> str:
        """Return the definition."""
        return self._certificates.graph.definitions[answer]

    def possible(self, question: ConceptQuestion, far: bool) -> Mask:
        """Return which answers have another genus that is certified."""
        own = self._column[question.answer]
        usable: Mask = (self._pos == self._pos[own]) & self._table[self._genus[own]][self._genus]
        return usable

    def nearness(self, question: ConceptQuestion) -> None:
        """Only relatedness counts."""

    def certified(self, question: ConceptQuestion, other: int) -> bool:
        """Return whether a sense is certainly another, and shares no stem with the question."""
        if not self._compared.stems(other).isdisjoint(self._compared.asked(question)):
            return False
        return bool(self._certificates.certificate(question.answer, other))
