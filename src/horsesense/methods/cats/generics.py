"""Generic statements: what holds of a kind of thing, and not of one event ("Cooks use salt", not "She used salt").

Only a generic statement turns from sense to nonsense when it is denied: that somebody did not put a turkey into a
fridge is as likely as that he did.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from horsesense.lexicons.word_forms import inflect, is_negation, is_noun, lemmas_of, singular, verb_form
from horsesense.lexicons.words import AUXILIARIES, PREPOSITIONS, listed, words
from horsesense.methods.cats.step_accuracy import JOINING

_PARTICULAR = frozenset(
    listed(
        "i me my mine he him his she her hers it its this these those someone somebody yesterday today tomorrow "
        "now tonight once ago last next just already finally suddenly recently was were had did went "
        "mr mrs then almost"
    )
)
"""Words of a sentence about somebody, or about one event."""
_DENYING = frozenset(
    listed(
        "no nobody none nothing neither nor never hardly barely rarely seldom few little without unless only unable "
        "refuse refuses avoid avoids prevent prevents forbid stop stops lack lacks fail fails"
    )
)
"""Words that deny by themselves; one more negation leaves nobody sure of what is meant."""
_CLAUSES = JOINING | frozenset(listed("and or before after since until as than that which who where what whether how"))
"""Words that bring a second clause, or a comparison."""
_GENERAL = frozenset(
    listed("people you we one humans children adults men women students parents kids babies animals fish")
)
_NO_SUBJECT = frozenset(listed("all every each many some any both everyone everybody someone almost"))
"""Words whose scope a negation would leave open: *all birds cannot fly*."""
MODALS = frozenset(listed("can should"))
USUALLY = frozenset(listed("usually often generally mostly normally always typically"))
_OF_THE = frozenset(listed("made used for a an one located found part usually often generally always"))
"""What follows "is" in a statement about a kind, also where its subject has "the": *the pan is for frying*."""


def is_generic(text: str) -> bool:
    """Whether a sentence may speak of a kind: one clause, about nobody in particular, that denies nothing.

    >>> [is_generic(text) for text in ("Cooks use salt.", "She used salt.", "Cooks do not use salt.")]
    [True, False, False]
    >>> is_generic("Cooks use salt because it tastes good.")
    False
    """
    each = words(text)
    if not 3 <= len(each) <= 14 or "," in text.rstrip(",. "):
        return False
    odd = any(word in _PARTICULAR | _DENYING | _CLAUSES or is_negation(word) for word in each)
    return not odd and not _has_past(each) and not re.search(r"\bto (?:be )?\w+ed\b", text)


def _has_past(each: Sequence[str]) -> bool:
    """Return whether the sentence reports an event: a past form with no "be" or "have" before it."""
    for index, word in enumerate(each):
        if index and verb_form(word)[1] == "past" and not is_noun(word):
            before = {*each[max(0, index - 3) : index]}
            if not before & {"is", "are", "be", "being", "get", "have", "has"} and "ADJ" not in lemmas_of(word):
                return True
    return False


def is_kind(subject: Sequence[str]) -> bool:
    """Whether words before a verb name a kind: *a dog*, *young children*, *people*, *water*.

    >>> is_kind(["a", "pan"]), is_kind(["people"]), is_kind(["larry"]), is_kind(["the", "old", "man"])
    (True, True, False, False)
    """
    if not 0 < len(subject) <= 4 or any(word in (PREPOSITIONS - {"of", "in"}) | _NO_SUBJECT for word in subject):
        return False
    last = subject[-1]
    if last in _GENERAL:
        return True
    if subject[0] in ("a", "an"):
        return len(subject) > 1  # good nouns ("pan") are not all in the dictionary
    return subject[0] != "the" and (is_plural(last) or is_mass(last))


def is_plural(word: str) -> bool:
    """Whether a word is a plural noun.

    >>> is_plural("dogs"), is_plural("dog"), is_plural("glass")
    (True, False, False)
    """
    return word in _GENERAL or (is_noun(word) and singular(word) != word)


_MASS = frozenset(
    listed(
        "water ice milk sugar salt sand wood glass paper silk wool cotton gold silver iron steel music art love money "
        "food meat fire snow rain air oil bread cheese coffee tea beer wine plastic leather rubber gas sugar honey "
        "smoking reading swimming running walking cooking driving sleep exercise knowledge education happiness"
    )
)


def is_mass(word: str) -> bool:
    """Whether a noun stands for a stuff or an activity without an article."""
    return word in _MASS


def can_follow_the(following: str) -> bool:
    """Return whether "the pan is …" continues as a statement about pans."""
    return following in _OF_THE


def is_base_verb(word: str) -> bool:
    """Return whether a word after a plural is a verb.

    >>> is_base_verb("eat"), is_base_verb("eats"), is_base_verb("will")
    (True, False, False)
    """
    if word in AUXILIARIES:
        return word == "have"
    return word in lemmas_of(word).get("VERB", ()) or word in inflect(word, "VBP")
