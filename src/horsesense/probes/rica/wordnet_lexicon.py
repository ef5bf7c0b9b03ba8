"""Antonyms and paraphrases of adjectives from WordNet, only where it leaves no doubt.

An antonym is the only one in all senses of both words together, and either stands in every sense of both, or is the
word itself denied (*unlucky*, *powerless*), which denies it whatever it means. A synonym counts where both words
have one sense. Anything else would be a guess at the sense that is meant.
"""

from __future__ import annotations

from pathlib import Path

from horsesense.knowledge.wordnet import Adjectives, read_adjectives
from horsesense.language.frequency import zipf
from horsesense.probes.rica.lexicon import Entry, Lexicon, Phrase

_RARE = 2.5
"""Zipf frequency under which a word would puzzle rather than paraphrase."""


_DENYING = ("un", "in", "im", "il", "ir", "dis", "non")
_MEANS_ANOTHER = frozenset(("undetermined", "immaterial", "undue", "unturned", "unsound"))
"""Denied in another sense than the usual one of the word: who is not determined is not undetermined."""


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
    one = _only(word, known)
    # It has to go both ways: "old" is the one antonym of "new", which is not the one of "old".
    if not one.isalpha() or zipf(one) < _RARE or _only(one, known) != word:
        return ""
    # "Hungry" is the antonym of "thirsty" in one sense of four, and "net" that of "gross".
    sure = all(all(known.antonyms[each]) for each in (word, one)) or denies(one, word) or denies(word, one)
    return one if sure and word not in _MEANS_ANOTHER and one not in _MEANS_ANOTHER else ""


def _only(word: str, known: Adjectives) -> str:
    """The antonym of all senses together, where there is one."""
    found = frozenset().union(*known.antonyms.get(word, ()))
    (one,) = found if len(found) == 1 else ("",)
    return one


def denies(negative: str, word: str) -> bool:
    """Whether one adjective is another with a prefix or an ending that denies it.

    >>> denies("unlucky", "lucky"), denies("powerless", "powerful"), denies("retroactive", "proactive")
    (True, True, False)
    """
    if negative.endswith("less") and word.endswith("ful"):
        return negative.removesuffix("less") == word.removesuffix("ful")
    return any(negative == prefix + word for prefix in _DENYING)


def _synonym(word: str, known: Adjectives) -> str:
    if len(known.senses.get(word, ())) != 1:
        return ""
    (members,) = known.senses[word]
    others = [other for other in members if other != word and other.isalpha() and zipf(other) >= _RARE]
    return max((other for other in others if len(known.senses[other]) == 1), key=zipf, default="")
