"""Forms of words and clauses: which part of speech a word begins as, gerunds, negation with or without *do*."""

from __future__ import annotations

from functools import cache

from horsesense.language.comparatives import OPPOSITES
from horsesense.language.frequency import zipf
from horsesense.language.words import listed

BE = frozenset(listed("is was are were am"))
MODALS = frozenset(listed("can could will would shall should may might must"))
_ADVERBS = frozenset(listed("always often never still also usually sometimes rarely just only"))
_ATTESTED = 2.5
"""Zipf frequency above which a comparative in -er is a word: "wider" is, "fragiler" is not."""
_BE_FORMS = {"be": "be", **dict.fromkeys((*BE, "been", "being"), "be")}
_HAVE_DO = {"has": "have", "had": "have", "does": "do", "did": "do"}


@cache
def _lemmas(word: str) -> dict[str, tuple[str, ...]]:
    import lemminflect

    found: dict[str, tuple[str, ...]] = lemminflect.getAllLemmas(word)
    return found


@cache
def _inflected(lemma: str, tag: str) -> tuple[str, ...]:
    import lemminflect

    found: tuple[str, ...] = lemminflect.getInflection(lemma, tag)
    return found


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
    for lemma in _lemmas(word).get("VERB", ()):
        for tag, kind in (("VB", "base"), ("VBZ", "present"), ("VBD", "past"), ("VBN", "past"), ("VBG", "gerund")):
            if word == lemma or word in _inflected(lemma, tag):
                return lemma, "base" if word == lemma else kind
    return "", ""


@cache
def is_adjective(word: str) -> bool:
    """Whether a word can be one; participles of verbs count.

    >>> [is_adjective(word) for word in ("fragile", "annoyed", "crumple", "clean")]
    [True, True, False, True]
    """
    if "ADJ" in _lemmas(word):
        return True
    return verb_form(word)[1] in ("past", "gerund") and word.endswith(("ed", "ing", "en"))


def is_noun(word: str) -> bool:
    return "NOUN" in _lemmas(word)


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
    found = "being" if lemma == "be" else next(iter(_inflected(lemma, "VBG")), first)
    return f"{found} {rest}".strip()


@cache
def third_person(lemma: str) -> str:
    """What he does.

    >>> third_person("carry"), third_person("have"), third_person("be")
    ('carries', 'has', 'is')
    """
    irregular = {"be": "is", "have": "has", "do": "does"}
    return irregular.get(lemma) or next(iter(_inflected(lemma, "VBZ")), lemma)


@cache
def is_finite(clause: str) -> bool:
    """Whether a clause begins with a verb that has person and tense.

    >>> is_finite("bakes bread"), is_finite("finally sat down"), is_finite("bake bread"), is_finite("tired")
    (True, True, False, False)
    """
    first = clause.split(" ")[0]
    if first in BE or first in MODALS or first == "cannot":
        return True
    finite = _finite(clause)
    alone = finite == clause and is_adjective(finite)
    return verb_form(finite)[1] in ("present", "past") and not alone


@cache
def auxiliary(clause: str) -> str:
    """The word that stands for the whole of a finite clause: is, should, does, did.

    >>> auxiliary("is happy"), auxiliary("should sink"), auxiliary("finds it easy"), auxiliary("won the cup")
    ('is', 'should', 'does', 'did')
    """
    first = clause.split(" ")[0]
    if first in BE or first in MODALS or (first in ("does", "did") and clause.startswith(f"{first} not ")):
        return first
    return "did" if verb_form(_finite(clause))[1] == "past" else "does"


@cache
def negated(clause: str) -> str:
    """A finite clause denied; a clause that is denied already is affirmed.

    >>> negated("is easier to lift"), negated("finds it easier to sing"), negated("initially takes more care")
    ('is not easier to lift', 'does not find it easier to sing', 'does not initially take more care')
    >>> negated("does not make the team")
    'makes the team'
    """
    first, _, rest = clause.partition(" ")
    if first == "cannot":
        return f"can {rest}"
    if rest.startswith("not "):
        return _affirmed(first, rest.removeprefix("not "))
    if first in BE or first in MODALS:
        return f"{first} not {rest}".replace("can not ", "cannot ").strip()
    finite = _finite(clause)
    lemma, kind = verb_form(finite)
    if not lemma:
        return f"is not {clause}"
    before, _, after = clause.partition(finite)
    return f"{'did' if kind == 'past' else 'does'} not {before}{lemma}{after}"


def _affirmed(first: str, rest: str) -> str:
    if first not in ("does", "did"):
        return f"{first} {rest}"
    verb = _finite(rest)
    before, _, after = rest.partition(verb)
    told = third_person(verb) if first == "does" else next(iter(_inflected(verb, "VBD")), verb)
    return f"{before}{told}{after}"


def _finite(clause: str) -> str:
    """The finite verb: the first word, unless that is an adverb."""
    words = clause.split(" ")
    if len(words) > 1 and (words[0] in _ADVERBS or words[0].endswith("ly")):
        return words[1]
    return words[0]


@cache
def comparative_of(adjective: str) -> str:
    """The comparative in -er of a short adjective; empty where people say "more".

    >>> comparative_of("wide"), comparative_of("happy"), comparative_of("fragile"), comparative_of("open")
    ('wider', 'happier', '', '')
    """
    stem = adjective.removesuffix("e")
    beats = sum(a in "aeiouy" and b not in "aeiouy" for a, b in zip(stem, f"{stem[1:]} ", strict=True))
    if "ADJ" not in _lemmas(adjective) or not (beats == 1 or (beats == 2 and adjective.endswith("y"))):
        return ""
    found = next(iter(_inflected(adjective, "JJR")), "")
    return found if found != adjective and zipf(found) >= _ATTESTED else ""


@cache
def is_comparative_form(word: str) -> bool:
    """Whether a lower-case word is an adjective in -er: known as a comparative, and not only as somebody who does it.

    >>> [is_comparative_form(word) for word in ("denser", "tougher", "teacher", "worse", "wide")]
    [True, True, False, True, False]
    """
    if word in OPPOSITES:
        return True
    return any(word != lemma and word in _inflected(lemma, "JJR") for lemma in _lemmas(word).get("ADJ", ()))
