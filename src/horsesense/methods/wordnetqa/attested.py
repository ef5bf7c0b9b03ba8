"""What may be asked and offered in a controlled set: concepts fit to be shown, answers that the glosses attest.

A taxonomy says that a *demonstration* by the enemy is an entertainment; its own glosses are the better witness. A link
is attested where the genus of the lower concept's gloss, what it says the thing is before it says which, is a word of
the upper concept: a crash is "a serious *accident* …". An answer is attested when every link on the way to it is. A
hypernym has to be named by its name, the first of its words, because the others are there for senses of their own.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import takewhile

from horsesense.knowledge.graph import Graph, Links
from horsesense.language.stems import stems, stems_of
from horsesense.language.words import words
from horsesense.methods.wordnetqa.soundness import Soundness
from horsesense.methods.wordnetqa.word_forms import find_form, standing_lemmas

UNFIT = re.compile(
    r"\b(?:offensive|disparag\w*|derogatory|slur|obscene|vulgar|taboo|ethnic|racial|sexual\w*|intercourse|prostitut\w*|"
    r"masturbat\w*|shit\w*|fuck\w*|whore\w*|bitch\w*|bastard|urinat\w*|defecat\w*|orgasm\w*|erotic\w*|breasts?|testi[cs]\w*|"
    r"testis|wank\w*|slang|incest|pornogra\w*|genital\w*|penis|vagina\w*|copulat\w*|homosexual\w*|lesbian|nazi\w*|slave\w*|suicide|excrement|feces|rape)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"^(?:the )?(?:act|state|quality|condition|process|action) of (?:being )?\w+$|^(?:see|same as) ")
"""Definitions that only say the word again in another form, or where to look."""
_FEWEST_WORDS = 2
_NUMBER = re.compile(r"\.[nvasr]\.(\d+)$")
"""The sense number in an id such as ``squat.v.01``; the first sense is the most frequent."""
_SPEAKING = 0.25
"""Share of links that a source's glosses attest, from which on an answer has to be attested (WordNet: 0.4)."""
_PARENTHESES = re.compile(r"\([^()]*\)")
_KIND_OF = re.compile(
    r"^(?:an?|any|the|one|some)? ?(?:of (?:the |several |various |many )?)?"
    r"(?:\w+ )?(?:kinds?|types?|sorts?|forms?|variety|varieties|species|member|piece|class|style) of "
)
_END_OF_GENUS = re.compile(
    r"[;:,]| (?:of|that|who|whom|whose|which|where|when|for|in|on|at|to|with|without|from|by|into|over|under|between|"
    r"among|during|as|used|made|given|having|being|consisting|containing|resulting|usually|especially|and|or|but|if)\b"
)


def genus(definition: str, pos: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of what a definition says the thing is, and of the last word of that; of a verb, of its first words.

    >>> [sorted(each) for each in genus("a long narrow table for use in dining halls", "n")]
    [['long', 'narr', 'tabl'], ['tabl']]
    """
    plain = _KIND_OF.sub("", " ".join(_PARENTHESES.sub(" ", definition).split()))
    phrase = _END_OF_GENUS.split(plain, maxsplit=1)[0]
    if pos == "v":
        parts = re.split(r"[;,]| or ", plain)
        heads = [words(part.removeprefix("to "))[:1] for part in parts[:2]]
        return stems(plain), frozenset(stem for head in heads for word in head for stem in stems_of(word))
    last = words(phrase)[-1:]
    return stems(phrase), frozenset(stem for word in last for stem in stems_of(word))


class Attested:
    """Which concepts can be shown, and which answers hold."""

    def __init__(self, graph: Graph, sound: Soundness) -> None:
        self.graph, self.sound = graph, sound
        self.genus = lru_cache(maxsize=None)(self._genus)
        self.fit = lru_cache(maxsize=None)(self._fit)
        self.step = lru_cache(maxsize=None)(self._step)

    def _fit(self, concept: int) -> bool:
        """No name, nothing offensive, not too general, with a definition that defines."""
        graph = self.graph
        lemmas, definition = graph.lemmas[concept], graph.definitions[concept]
        if not lemmas or not definition or concept in self.sound.general:
            return False
        if any(lemma[:1].isupper() for lemma in lemmas) or UNFIT.search(f"{definition} {' '.join(lemmas)}"):
            return False
        return len(definition.split()) >= _FEWEST_WORDS and not _EMPTY.search(definition)

    def _genus(self, concept: int) -> tuple[frozenset[str], frozenset[str]]:
        return genus(self.graph.definitions[concept], self.graph.pos[concept])

    def _step(self, lower: int, upper: int, by_name: bool = False) -> bool:
        """Whether the genus of the lower concept is a word of the upper; ``by_name``: the first of them."""
        phrase, head = self.genus(lower)
        verb = self.graph.pos[upper] == "v"
        for lemma in self.graph.lemmas[upper][: 1 if by_name else None]:
            parts = words(lemma)
            core = stems_of(parts[0] if verb else parts[-1]) if parts else frozenset()
            if core and core <= head and stems(lemma) <= phrase:
                return True
        return False

    def clear(self, concept: int, sentence: str, most: int, latest: int) -> bool:
        """Whether the word that stands in the sentence is the concept's name, has ``most`` senses at most in its word
        class, and means the concept by its ``latest`` sense or an earlier one, where the source numbers them."""
        graph = self.graph
        if not find_form(sentence, graph.lemmas[concept][:1], graph.pos[concept]):
            return False
        number = _NUMBER.search(graph.ids[concept])
        if number and int(number[1]) > latest:
            return False
        return len(self.sound.senses(standing_lemmas(graph, concept, sentence), graph.pos[concept])) <= most

    @cached_property
    def speak(self) -> bool:
        """Whether the glosses of the source name what lies above often enough to be asked; else every link counts."""
        lower = [concept for concept in range(len(self.graph)) if self.graph.definitions[concept]]
        links = [(concept, upper) for concept in lower for upper in _next(self.graph.up, concept)][
            :: len(lower) // 2000 + 1
        ]
        return sum(self.step(*link) for link in links) >= _SPEAKING * len(links)

    def answers(self, concept: int, links: Links, upwards: bool, most: int) -> list[int]:
        """What lies above, or below, over attested links only, ``most`` hops away at most."""
        near = {other for other, hops in links.row(concept) if 1 <= hops <= most}
        found: set[int] = set()
        waiting = [concept]
        while waiting:
            here = waiting.pop()
            for other in _next(links, here):
                lower, upper = (here, other) if upwards else (other, here)
                if other in near and other not in found and (not self.speak or self.step(lower, upper, upwards)):
                    found.add(other)
                    waiting.append(other)
        return sorted(found)


def _next(links: Links, concept: int) -> list[int]:
    """One link away; the nearest come first."""
    return [other for other, _ in takewhile(lambda pair: pair[1] == 1, links.row(concept))]
