"""Concepts and answers for a controlled set: concepts that can be shown, answers that the glosses support.

WordNet says that a *demonstration* by the enemy is an entertainment; its glosses are better evidence. A link is
attested where the genus of the lower concept's gloss (what it says the thing is, before it says which) is a word of the
upper concept: a crash is "a serious *accident* …". An answer is attested when every link on the way to it is. A
hypernym must be named by the first of its words, because the others have senses of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, cached_property, lru_cache
from itertools import takewhile
from pathlib import Path

from horsesense.lexicons.graph import ConceptLinks, Graph
from horsesense.lexicons.words import FUNCTION_WORDS, words
from horsesense.methods.wordnetqa.certainty_rules import CertaintyRules
from horsesense.methods.wordnetqa.word_forms import base_forms, find_form, standing_lemmas

UNFIT = re.compile(
    r"\b(?:offensive|disparag\w*|derogatory|slur|obscene|vulgar|taboo|ethnic|racial|sexual\w*|intercourse|prostitut\w*|"
    r"masturbat\w*|shit\w*|fuck\w*|whore\w*|bitch\w*|bastard|urinat\w*|defecat\w*|orgasm\w*|erotic\w*|breasts?|testi[cs]\w*|"
    r"testis|wank\w*|slang|incest|pornogra\w*|genital\w*|penis|vagina\w*|copulat\w*|homosexual\w*|lesbian|nazi\w*|slave\w*|suicide|excrement|feces|rape)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"^(?:the )?(?:act|state|quality|condition|process|action) of (?:being )?\w+$|^(?:see|same as) ")
"""Definitions that only repeat the word in another form, or refer to another entry."""
_FEWEST_WORDS = 2
_SHOWN = 3
"""Words of a concept that an option shows, and by which it can be named."""
_NUMBER = re.compile(r"\.[nvasr]\.(\d+)$")
"""The sense number in an id such as ``squat.v.01``; the first sense is the most frequent."""
_SPEAKING = 0.25
"""Share of links that a source's glosses attest, from which on an answer has to be attested (WordNet: SHARE)."""
_EARLY = 2
"""The last sense of its word that a genus is taken in, where the source numbers senses."""
_PARENTHESES = re.compile(r"\([^()]*\)")
_KIND_OF = re.compile(
    r"^(?:(?:an?|any|the|one|some) )?(?:of (?:the |several |various |many )?)?"
    r"(?:\w+ )?(?:kinds?|types?|sorts?|forms?|variety|varieties|species|piece|style) of (?:an? |the )?"
)
_END_OF_GENUS = re.compile(
    r"[;:,]| (?:of|that|who|whom|whose|which|where|when|for|in|on|at|to|with|without|from|by|into|over|under|between|"
    r"among|during|as|used|made|given|having|being|consisting|containing|resulting|usually|especially|and|or|but|if)\b"
)
_ALTERNATIVE = re.compile(r"^(?:, (?:or )?|,? ?or )")
"""What follows a genus that is one of several."""
_OR = re.compile(r"\bor (\w+)")
_NO_KIND = re.compile(r"\b(?:as if|as though|collectively|in general)\b")
"""Glosses that only compare, or name the whole."""
_PARTICIPLE = re.compile(r"\w{2,}(?:ed|ing|ly)$")


@cache
def odd_links() -> frozenset[tuple[str, str]]:
    """Links (lower and upper concept) that are left out although glosses attest them."""
    text = Path(__file__).with_name("odd_links.tsv").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return frozenset((lower, upper) for lower, upper in lines)


def _plain(definition: str) -> str:
    """Return a definition without bracketed text."""
    return " ".join(_PARENTHESES.sub(" ", definition).split())


def genus(definition: str, pos: str) -> list[list[str]]:
    """The words of what a definition says the thing is, read in one way or two: up to its end, and up to a participle
    in it; for a verb, the words from its first on. None where it is ambiguous.

    >>> genus("a long narrow table for use in dining halls", "n")
    [['long', 'narrow', 'table']]
    >>> genus("a vessel designed to carry freight", "n")
    [['vessel', 'designed'], ['vessel']]
    >>> genus("an atom or group of atoms with an unpaired electron", "n"), genus("serve or summon with a writ", "v")
    ([], [])
    """
    plain = _KIND_OF.sub("", _plain(definition))
    if _NO_KIND.search(plain):
        return []
    if pos == "v":
        first, *others = re.split(r", (?:or )?| or ", plain.split(";")[0].removeprefix("to "))
        return [] if others and len(first.split()) == 1 else [words(first)]
    phrase = _END_OF_GENUS.split(plain, maxsplit=1)[0]
    if _ALTERNATIVE.match(plain[len(phrase) :]):
        return []
    told = [word for word in words(phrase) if word not in FUNCTION_WORDS]
    ends = [len(told), *(index for index, word in enumerate(told) if index and _PARTICIPLE.match(word))]
    return [told[:end] for end in dict.fromkeys(ends)]


def sense_number(graph: Graph, concept: int) -> int:
    """Return which sense of its first word a concept is; without numbers, 1 for the only sense and else 2."""
    number = _NUMBER.search(graph.ids[concept])
    if number:
        return int(number[1])
    return 1 if len(graph.by_lemma[graph.lemmas[concept][0].lower()]) == 1 else 2


class AttestedConcepts:
    """Concepts that can be shown, and answers that are attested."""

    def __init__(self, graph: Graph, certainty: CertaintyRules) -> None:
        self.graph, self.certainty = graph, certainty
        self.genus = lru_cache(maxsize=None)(self._genus)
        self.shown = lru_cache(maxsize=None)(self._shown)
        self.step = lru_cache(maxsize=None)(self._step)

    def fit(self, concept: int) -> bool:
        """Return whether a concept can be asked or offered without a certificate: fit to be shown, not too general."""
        return self.shown(concept) and concept not in self.certainty.general

    def _shown(self, concept: int) -> bool:
        """Return whether a concept can be shown: not a name, not offensive, and with a real definition."""
        graph = self.graph
        lemmas, definition = graph.lemmas[concept], graph.definitions[concept]
        if not lemmas or not definition:
            return False
        if any(lemma[:1].isupper() for lemma in lemmas) or UNFIT.search(f"{definition} {' '.join(lemmas)}"):
            return False
        return len(definition.split()) >= _FEWEST_WORDS and not _EMPTY.search(definition)

    def _genus(self, concept: int) -> list[list[str]]:
        pos = self.graph.pos[concept]
        clause = self.graph.definitions[concept].split(";")[0]
        if pos == "v" and any(self._mostly_verb(word) for word in _OR.findall(clause)):
            return []  # *puree*, "rub through a strainer or process in an electric blender"
        return genus(self.graph.definitions[concept], pos)

    def _mostly_verb(self, word: str) -> bool:
        classes = Counter(self.graph.pos[concept] for concept in self.graph.by_lemma.get(word, ()))
        return classes["v"] > classes["n"]

    def _step(self, lower: int, upper: int) -> bool:
        """Whether the genus of the lower concept is a word of the upper, in a sense in which it is mostly used, and
        the gloss says more than that."""
        graph, pos = self.graph, self.graph.pos[upper]
        if (graph.ids[lower], graph.ids[upper]) in odd_links():
            return False
        says = len([word for word in words(_plain(graph.definitions[lower])) if word not in FUNCTION_WORDS])
        for index, lemma in enumerate(graph.lemmas[upper][:_SHOWN]):
            parts = words(lemma)
            if says > len(parts) and any(_ends(told, parts, pos) for told in self.genus(lower)):
                number = _NUMBER.search(graph.ids[upper]) if index == 0 else None
                return int(number[1]) <= _EARLY if number else len(self.certainty.senses([lemma], pos)) == 1
        return False

    def clear(self, concept: int, sentence: str, most: int, latest: int) -> bool:
        """Return whether the word in the sentence is the concept's name, has ``most`` senses at most in its word
        class, and means the concept by its ``latest`` sense or an earlier one, where the source numbers them."""
        graph, pos = self.graph, self.graph.pos[concept]
        if UNFIT.search(sentence):
            return False
        standing = standing_lemmas(graph, concept, sentence)
        senses = len(self.certainty.senses(standing, pos))
        if senses == 1:
            return True
        number = _NUMBER.search(graph.ids[concept])
        if not find_form(sentence, graph.lemmas[concept][:1], pos) or (number and int(number[1]) > latest):
            return False
        return senses <= most

    @cached_property
    def speak(self) -> bool:
        """Return whether the glosses attest enough links of the source to be required; else every link counts."""
        lower = [concept for concept in range(len(self.graph)) if self.graph.definitions[concept]]
        links = [(concept, upper) for concept in lower for upper in _next(self.graph.up, concept)][
            :: len(lower) // 2000 + 1
        ]
        return sum(self.step(*link) for link in links) >= _SPEAKING * len(links)

    def answers(self, concept: int, links: ConceptLinks, upwards: bool, most: int) -> list[int]:
        """Return concepts above or below over attested links, at most ``most`` hops away."""
        near = {other for other, hops in links.row(concept) if 1 <= hops <= most}
        found: set[int] = set()
        waiting = [concept]
        while waiting:
            here = waiting.pop()
            for other in _next(links, here):
                lower, upper = (here, other) if upwards else (other, here)
                if other in near and other not in found and (not self.speak or self.step(lower, upper)):
                    found.add(other)
                    waiting.append(other)
        return sorted(found)


def _ends(told: list[str], lemma: list[str], pos: str) -> bool:
    """Whether words end in a lemma; of a verb, whether they begin with it. Its head may be inflected."""
    if not lemma or len(told) < len(lemma):
        return False
    if pos == "v":
        return lemma[0] in base_forms(told[0], pos) and told[1 : len(lemma)] == lemma[1:]
    return lemma[-1] in base_forms(told[-1], pos) and told[-len(lemma) : -1] == lemma[:-1]


def _next(links: ConceptLinks, concept: int) -> list[int]:
    """Return concepts one link away, nearest first."""
    return [other for other, _ in takewhile(lambda pair: pair[1] == 1, links.row(concept))]
