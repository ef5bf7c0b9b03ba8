"""Forms of words: which part of speech a word begins as, verbs in -ing, singular and plural, a or an."""

from __future__ import annotations

import re
from functools import cache

from horsesense.lexicons.words import listed

BE = frozenset(listed("is was are were am"))
MODALS = frozenset(listed("can could will would shall should may might must"))
_ADVERBS = frozenset(listed("always often never still also usually sometimes rarely just only"))
_BE_FORMS = {"be": "be", **dict.fromkeys((*BE, "been", "being"), "be")}
_VOWEL = re.compile(r"(?:[aeio]|u(?!n[iu](?!n)|s[aeiu]|r[aeiou]|t[ei]|k|f|b[io]))|(?:hour|honest|honou?r|heir)")
_NOT_VOWEL = re.compile(r"(?:eu|ewe|one(?!i)|once|ouija)")
_HAVE_DO = {"has": "have", "had": "have", "does": "do", "did": "do"}


@cache
def lemmas_of(word: str) -> dict[str, tuple[str, ...]]:
    """Part of speech → the lemmas that a word may be a form of; nothing where the dictionary does not have it."""
    import lemminflect

    lemmas: dict[str, tuple[str, ...]] = lemminflect.getAllLemmas(word)
    return lemmas


@cache
def inflected(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms of a lemma under a tag of the Penn Treebank, the usual one first."""
    import lemminflect

    forms: tuple[str, ...] = lemminflect.getInflection(lemma, tag)
    return forms


@cache
def verb_form(word: str) -> tuple[str, str]:
    """Lemma and kind of a verb: ``base``, ``present`` (he runs), ``past``, ``gerund``; two empty texts for no verb.

    A form that is the lemma too ("hurt", "put") counts as base.

    >>> verb_form("runs"), verb_form("won"), verb_form("see"), verb_form("table-cloth")
    (('run', 'present'), ('win', 'past'), ('see', 'base'), ('', ''))
    """
    if word in _BE_FORMS:
        return "be", "base" if word == "be" else "gerund" if word == "being" else "past" if word == "was" else "present"
    if word in _HAVE_DO:
        return _HAVE_DO[word], "past" if word in ("had", "did") else "present"
    for lemma in lemmas_of(word).get("VERB", ()):
        for tag, kind in (("VB", "base"), ("VBZ", "present"), ("VBD", "past"), ("VBN", "past"), ("VBG", "gerund")):
            if word == lemma or word in inflected(lemma, tag):
                return lemma, "base" if word == lemma else kind
    return "", ""


@cache
def is_adjective(word: str) -> bool:
    """Whether a word can be one; participles of verbs count.

    >>> [is_adjective(word) for word in ("fragile", "annoyed", "crumple", "clean")]
    [True, True, False, True]
    """
    if "ADJ" in lemmas_of(word):
        return True
    return verb_form(word)[1] in ("past", "gerund") and word.endswith(("ed", "ing", "en"))


def is_noun(word: str) -> bool:
    return "NOUN" in lemmas_of(word)


@cache
def gerund(phrase: str) -> str:
    """The phrase with its first verb in -ing.

    >>> gerund("fit into a box"), gerund("turned on the heater"), gerund("was eating soup"), gerund("swimming")
    ('fitting into a box', 'turning on the heater', 'eating soup', 'swimming')
    """
    first, _, rest = phrase.partition(" ")
    lemma, kind = verb_form(first)
    if first in BE and rest and verb_form(rest.split(" ")[0])[1] == "gerund":
        return rest
    if not lemma or kind == "gerund":
        return phrase
    in_ing = "being" if lemma == "be" else next(iter(inflected(lemma, "VBG")), first)
    return f"{in_ing} {rest}".strip()


@cache
def third_person(lemma: str) -> str:
    """What he does.

    >>> third_person("carry"), third_person("have"), third_person("be")
    ('carries', 'has', 'is')
    """
    irregular = {"be": "is", "have": "has", "do": "does"}
    return irregular.get(lemma) or next(iter(inflected(lemma, "VBZ")), lemma)


@cache
def is_finite(clause: str) -> bool:
    """Whether a clause begins with a verb that has person and tense.

    >>> is_finite("bakes bread"), is_finite("finally sat down"), is_finite("bake bread"), is_finite("tired")
    (True, True, False, False)
    """
    first = clause.split(" ")[0]
    if first in BE or first in MODALS or first == "cannot":
        return True
    finite = finite_verb(clause)
    alone = finite == clause and is_adjective(finite)
    return verb_form(finite)[1] in ("present", "past") and not alone


def finite_verb(clause: str) -> str:
    """The finite verb: the first word, unless that is an adverb."""
    words = clause.split(" ")
    if len(words) > 1 and (words[0] in _ADVERBS or words[0].endswith("ly")):
        return words[1]
    return words[0]


@cache
def singular(noun: str) -> str:
    """The noun in the singular; a word that is one already stays as it is.

    >>> singular("window panes"), singular("leaves"), singular("glass"), singular("sheep")
    ('window pane', 'leaf', 'glass', 'sheep')
    """
    import lemminflect

    before, _, last = noun.rpartition(" ")
    lemmas: tuple[str, ...] = lemminflect.getAllLemmas(last, "NOUN").get("NOUN", ())
    if not lemmas:
        # Words that no dictionary has are left alone, but for the plainest plural.
        guessed: tuple[str, ...] = lemminflect.getAllLemmasOOV(last, "NOUN").get("NOUN", (last,))
        lemmas = guessed if last.endswith("s") and not last.endswith(("ss", "us")) else (last,)
    # "leaves" are leaves far more often than several leaves of absence.
    in_f = next((lemma for lemma in lemmas if last.endswith("ves") and lemma.endswith(("f", "fe"))), lemmas[0])
    chosen = last if last in lemmas else in_f
    return f"{before} {chosen}".strip()


@cache
def noun_forms(noun: str) -> tuple[str, ...]:
    """Singular and plural.

    >>> noun_forms("parking lot"), noun_forms("knife"), noun_forms("sheep")
    (('parking lot', 'parking lots'), ('knife', 'knives'), ('sheep',))
    """
    before, _, last = noun.rpartition(" ")
    forms = dict.fromkeys((last, *inflected(last, "NNS")))
    return tuple(f"{before} {form}".strip() for form in forms)


def is_known(word: str) -> bool:
    """Whether the dictionary has the word at all, as any part of speech.

    >>> is_known("leaf"), is_known("zorble")
    (True, False)
    """
    return bool(lemmas_of(word))


def article(word: str) -> str:
    """Return the indefinite article before a word, by its usual pronunciation.

    >>> [article(word) for word in ("owl", "unicorn", "umbrella", "hour", "european", "university", "easier")]
    ['an', 'a', 'an', 'an', 'a', 'a', 'an']
    """
    lower = word.lower()
    return "an" if _VOWEL.match(lower) and not _NOT_VOWEL.match(lower) else "a"


def with_article(phrase: str) -> str:
    """The phrase with its indefinite article.

    >>> with_article("alligator")
    'an alligator'
    """
    return f"{article(phrase)} {phrase}"
