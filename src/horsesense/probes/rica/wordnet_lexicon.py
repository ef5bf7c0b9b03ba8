"""Antonyms and paraphrases of adjectives from WordNet, only where it leaves no doubt.

An antonym counts where all senses of an adjective together have one; a synonym where both have one sense.
Anything else would be a guess at the sense that is meant.
"""

from __future__ import annotations

from pathlib import Path

from horsesense.knowledge.wordnet_adjectives import Adjectives, read_adjectives
from horsesense.language.frequency import zipf
from horsesense.probes.rica.lexicon import Entry, Lexicon, Phrase

_RARE = 2.5
"""Zipf frequency under which a word would puzzle rather than paraphrase."""


def wordnet_lexicon(folder: Path) -> Lexicon:
    """Entries for all adjectives of which WordNet knows the one antonym or a sure synonym."""
    known = read_adjectives(folder)
    entries = []
    for word in known.senses:
        antonym = _antonym(word, known)
        synonym = _synonym(word, known)
        inversion = _synonym(antonym, known) if antonym else ""
        if (antonym or synonym) and word.isalpha() and zipf(word) >= _RARE:
            entries.append(
                Entry(Phrase(word), *(Phrase(each) if each else None for each in (antonym, synonym, inversion)))
            )
    return Lexicon.of(entries)


def _antonym(word: str, known: Adjectives) -> str:
    found = known.antonyms.get(word, frozenset())
    (one,) = found if len(found) == 1 else ("",)
    # It has to go both ways: "old" is the one antonym of "new", which is not the one of "old".
    return one if one.isalpha() and zipf(one) >= _RARE and known.antonyms.get(one) == frozenset((word,)) else ""


def _synonym(word: str, known: Adjectives) -> str:
    if len(known.senses.get(word, ())) != 1:
        return ""
    (members,) = known.senses[word]
    others = [other for other in members if other != word and other.isalpha() and zipf(other) >= _RARE]
    return max((other for other in others if len(known.senses[other]) == 1), key=zipf, default="")
