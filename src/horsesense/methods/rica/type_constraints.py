"""Type constraints on phrases and things of a knowledge base: something one does, a place, an event (table 4), a person
or something that people make.

A function of a phrase returns it as a statement can say it, or None if it is not of the type or not English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import find_wordnet_graph
from horsesense.lexicons.word_forms import (
    MODALS,
    inflect,
    is_finite,
    is_noun,
    lemmas_of,
    noun_forms,
    singular,
    verb_form,
)
from horsesense.lexicons.words import DETERMINERS, FUNCTION_WORDS, PREPOSITIONS, PRONOUNS, listed, zipf
from horsesense.lexicons.words import words as words_of

_SENTENCE = re.compile(r"[A-Za-z -]+\.")
_PLAIN = re.compile(r"[a-z][a-z' -]*")
_MOST_WORDS = 8
_ON = frozenset(listed("farm roof ground floor windowsill street table land bed fence couch sofa mountain island road"))
_AT = frozenset(listed("zoo circus beach fair show race home party museum lake racetrack"))
SYMMETRIC = frozenset(
    listed(
        "meets marries dates hugs kisses weds divorces befriends bumps argues fights competes talks chats dances "
        "sleeps plays friend sibling brother sister twin neighbour neighbor colleague coworker cousin partner spouse "
        "roommate flatmate rival enemy classmate teammate acquaintance peer lover"
    )
)
"""Symmetric relations: a conclusion about one entity holds for the other."""
_DENIED = frozenset(listed("n't not never cannot hardly no nothing nobody without"))
"""Words of a negated event, which cannot be negated again."""
_OPEN = frozenset(
    listed(
        "it something anything everything like things thing that what upon apart dear one lives own "
        "yesterday everyday perfectly away pretty lorry cheese traps lede fiddler wall wild dots drastically first"
    )
)
"""Words of an event that is meaningless by itself."""
_DANGLING = frozenset(listed("to of with for at from a the an their into by about and than as or but his her my your"))
"""Words that only end an incomplete event."""
_MASS = frozenset(
    listed(
        "hair water milk blood honey meat grass food venom silk wool music school work bed home dinner lunch breakfast "
        "help money church class college town coffee tea time trouble fun love care basketball football soccer tennis "
        "golf baseball chess poker hockey guitar piano advice homework shelter space attention weight fire gas rice "
        "wheat leather fruit fish information glassware furniture equipment wood oil hay corn bread cheese beer wine "
        "alcohol drugs first second everyone everything "
        "tomorrow today yesterday everyday outside inside hard away back well fast better together again alone "
        "everywhere somewhere anyone someone something anything people children clothes"
    )
)
"""Nouns and adverbs without an article."""
_RARE, _COMMON, _MASS_GAP, _NOUN_GAP = 2.5, 3.0, 1.8, 1.4
"""Zipf frequencies: minimum of a plural, minimum of a known word, how much rarer the plural of a mass noun is, and how
much rarer the gerund of a verb is that is mostly a noun."""
_TORN = frozenset(
    listed(
        "gives tells shows makes lays offers invites prevents puts gets sees forms produces states raises bows "
        "cranes digs spends performs shares keeps throws leaves rids fees promotes improves strengthens "
        "understands hides operates pays drops hunts sounds claps pulls ruffles wants needs starts decides tries "
        "goes looks finds stays sleeps meets loses holds waters corrects opens comes leads attends reads carries "
        "brings"
    )
)
"""Verbs that are incomplete once blanks are removed, or mostly idiomatic."""
_VAGUE = frozenset(
    listed(
        "do be get want like seem feel try need use make take produce order list turn add have help put service prefer"
    )
)
"""Verbs that say little about the subject."""


_ODD = frozenset(
    listed(
        "kill murder sex fuck poke fun die hurt anal pee poop shit nothing various general etc lot more most better "
        "being ugly girlfriend boyfriend impress annoy gamble stuff item object stop avoid prevent love enjoy decorate"
    )
)
"""Words of purposes that are jokes, or say nothing."""


def is_symmetric(relation: str) -> bool:
    """Return whether a role or an event holds both ways.

    >>> is_symmetric("person_a meets person_b for lunch"), is_symmetric("boss"), is_symmetric("cousin")
    (True, False, True)
    """
    words = relation.removeprefix("person_a ").split(" ")
    if words[0] in SYMMETRIC and (len(words) == 1 or words[1] in ("person_b", "with", "into") or "with" in words):
        return True
    return relation.endswith("person_b each other") or " together" in relation


def plain_ability(text: str) -> str | None:
    """Return a short ability; a lone countable object becomes plural.

    >>> [plain_ability(text) for text in ("hunt mouse", "swim", "drink milk", "be many different color")]
    ['hunt mice', 'swim', 'drink milk', None]
    """
    text = text.replace("lie egg", "lay egg")  # ConceptNet's lemmas confuse the two verbs
    words = text.split(" ")
    if not _PLAIN.fullmatch(text) or len(words) > 3 or words[0] in _VAGUE or verb_form(words[0])[1] != "base":
        return None
    if (
        zipf(words[-1]) < _RARE
        or words[0] in PREPOSITIONS
        or words[-1] in _DANGLING
        or (PRONOUNS | DETERMINERS | {"very", "too", "lot"}) & set(words)
    ):
        return None
    if len(words) == 1 or (_stands_alone(words[-1]) and words[-1] not in MODALS | {"very", "human", "cannot"}):
        return text
    several = "people" if words[-1] == "person" else next(iter(inflect(words[-1], "NNS")), "")
    if len(words) > 2 or lemmas_of(words[1]).keys() != {"NOUN"}:
        return None
    if zipf(words[1]) >= _COMMON and zipf(words[1]) - zipf(several) > _MASS_GAP:
        return text
    return f"{words[0]} {several}" if zipf(several) >= _RARE else None


def purpose(text: str) -> str | None:
    """Return a purpose as a verb phrase that begins with its base form.

    >>> [purpose(text) for text in ("cutting bread", "side arm", "fun")]
    ['cut bread', None, None]
    """
    first, *rest = text.split(" ")
    lemma, kind = verb_form(first)
    odd = (_ODD | DETERMINERS) & {lemma, *rest} or any(word.endswith("ly") for word in rest)
    if kind not in ("base", "gerund") or odd:
        return None
    in_ing = next(iter(inflect(lemma, "VBG")), "")
    if kind == "base" and is_noun(lemma) and rest and zipf(lemma) - zipf(in_ing) > _NOUN_GAP:
        return None  # rather a compound noun: air circulation
    return plain_ability(" ".join((lemma, *rest)))


def does(term: str, sentence: str) -> str | None:
    """Return the ability in a general sentence about the plural of a term.

    >>> does("beaver", "Beavers build dams."), does("beaver", "A beaver is a rodent."), does("owl", "Owls are birds.")
    ('build dams', None, None)
    """
    plural = noun_forms(term)[-1]
    if not _SENTENCE.fullmatch(sentence) or not sentence.lower().startswith(f"{plural} "):
        return None
    rest = sentence[len(plural) + 1 :].rstrip(".")
    return rest if verb_form(rest.split(" ")[0])[1] == "base" else None


def _stands_alone(word: str) -> bool:
    """Return whether a word needs no article: a plural, a mass noun, or an adverb."""
    return word in _MASS or word.endswith("ly") or singular(word) != word


def place(text: str) -> str | None:
    """Return "be found" at a place, with preposition and article."""
    words = text.split(" ")
    if not _PLAIN.fullmatch(text) or len(words) > 3 or words[0] in PREPOSITIONS:
        return None
    where = "on" if words[-1] in _ON else "at" if words[-1] in _AT else "in"
    the = "" if words[0] in DETERMINERS | PRONOUNS or words[-1] in ("home", "water", "nature") else "a "
    the = "the " if the and words[-1] in ("sea", "ocean", "jungle", "desert", "rainforest", "forest") else the
    return f"be found {where} {the or ''}{text}".replace(" a apartment", " an apartment")


def lone_event(event: str) -> str | None:
    """Return an event as one person's action, the other person being anybody (table 4)."""
    clause = event.removeprefix("person_a ").replace("person_a's", "their").replace("person_a", "themself")
    clause = clause.replace("person_b", "another person")
    return clause if "themself" not in clause and is_finite(clause) and _is_english(clause) else None


def event_between(event: str) -> str | None:
    """Return an event between two persons, in plain words."""
    clause = event.removeprefix("person_a ").replace("person_a's", "their").replace("person_b", "another person")
    fits = "person_b" in event and "person_a" not in clause and is_finite(clause) and _is_english(clause)
    return f"person_a {clause.replace('another person', 'person_b')}" if fits else None


def habit(event: str) -> str | None:
    """Return an activity that one can do more often than another: not a single event, and not about anybody.

    >>> habit("person_a bakes cookies"), habit("person_a wins a car")
    ('bakes cookies', None)
    """
    clause = lone_event(event)
    if clause is None or len(clause.split()) > 4 or clause.split(" ")[0] in ("is", "has"):
        return None
    single = {"a", "an", "the", "their", "one", "another", "this", "that", "his", "her", "some"} & set(clause.split())
    several = clause.split(" ")[-1]
    plural = is_noun(several) and singular(several) != several
    return clause if not single and (plural or len(clause.split()) == 1) else None


def _is_english(clause: str) -> bool:
    """Return whether a clause is complete plain English: no negation, no dangling word, no noun without its article."""
    words = clause.lower().split(" ")
    if not _PLAIN.fullmatch(clause.lower()) or (_DENIED | _OPEN) & set(words) or not 2 <= len(words) <= _MOST_WORDS:
        return False
    if words[0] in _TORN or "my" in words or "the another" in clause:
        return False
    if words[0] == "is" and verb_form(words[1])[1] != "gerund":
        return False
    if words[0] == "takes" and words[1] != "care" and not clause.startswith("takes another person to "):
        return False
    if (
        words[-1] in _DANGLING
        or words[1] in MODALS
        or words[0] in ("has", "lets", "becomes", "feels", "seems")
        or verb_form(words[0])[1] != "present"
    ):
        return False
    before = [words[0], *words]
    for last, word, following in zip(before, words, [*words[1:], ""], strict=False):
        starts = last == words[0] or last in PREPOSITIONS or last == "person"
        noun = "NOUN" in lemmas_of(word) and not {"ADJ", "ADV"} & lemmas_of(word).keys()
        closed = word in DETERMINERS or word in PREPOSITIONS or word in PRONOUNS or word == "another"
        ends = not following or following in PREPOSITIONS or following in ("and", "or")
        if word != words[0] and starts and noun and ends and not closed and not _stands_alone(word):
            return False
    return True


# What WordNet says about things and people: classes, definitions, and whether two are unlike.

ARTIFACT, PERSON = "artifact.n.01", "person.n.01"
_BROAD = 250
"""Maximum number of hyponyms of a class whose members count as alike."""
_COMMON = 3.0
"""Minimum Zipf frequency of a thing."""
_MASS_GAP = 1.5
"""Difference in Zipf frequency from which the plural of a noun is too rare for a count noun."""
_GENERAL = 40
"""Maximum number of hyponyms of a thing: an *instrument* may be for anything."""
_SENSES = 3
"""Number of senses of a verb that count, the usual ones first."""
_USED = frozenset(listed("use used make made put give get take keep help allow provide people person thing something"))
"""Words that definitions and purposes of all kinds share."""


@cache
def _wordnet() -> Graph | None:
    return find_wordnet_graph()


def _senses(word: str, pos: str) -> list[int]:
    """Return the senses of a word that is not a name: *barber*, and not the composer."""
    graph = _wordnet()
    found = () if graph is None else graph.senses.get(word, ())
    return [i for i in found if graph is not None and f".{pos}." in graph.ids[i] and word in graph.lemmas[i]]


@cache
def _classes(noun: str) -> frozenset[int]:
    """Return the usual sense of a noun and all its hypernyms."""
    graph, usual = _wordnet(), _senses(noun, "n")[:1]
    return frozenset() if graph is None else frozenset({*usual, *(up for i in usual for up in graph.up.reached(i))})


@cache
def _is_a(noun: str, name: str) -> bool:
    graph = _wordnet()
    return graph is not None and graph.number.get(name) in _classes(noun)


def is_person(noun: str) -> bool:
    """Return whether the usual sense of a noun is a person."""
    return _is_a(noun, PERSON)


@cache
def is_artifact(noun: str) -> bool:
    """Return whether a noun is a common count noun for something that people make: no name, plural or general word."""
    graph, last = _wordnet(), noun.rpartition(" ")[2]
    if graph is None or not all(word.isalpha() and zipf(word) >= _COMMON for word in noun.split(" ")):
        return False
    several = next(iter(inflect(last, "NNS")), "")
    countable = singular(noun) == noun and several != last and zipf(last) - zipf(several) <= _MASS_GAP
    special = all(graph.hyponyms[i] <= _GENERAL for i in _senses(noun, "n")[:1])
    return countable and special and _is_a(noun, ARTIFACT)


@cache
def content_lemmas(text: str) -> frozenset[str]:
    """Return the lemmas of the content words of a text.

    >>> sorted(content_lemmas("cutting the loaves"))
    ['cut', 'cutting', 'loaf']
    """
    kept = [word for word in words_of(text) if word not in FUNCTION_WORDS]
    lemmas = {lemma for word in kept for several in lemmas_of(word).values() for lemma in several[:1]}
    return frozenset((lemmas or set(kept)) - _USED)


@cache
def definition_lemmas(noun: str) -> frozenset[str]:
    """Return the content lemmas of the definition of a noun's usual sense; empty without one."""
    graph, usual = _wordnet(), _senses(noun, "n")[:1]
    return content_lemmas(graph.definitions[usual[0]]) if graph is not None and usual else frozenset()


@cache
def _verb_senses(verb: str) -> frozenset[int]:
    """Return the usual senses of a verb, with all verbs above them but the most general."""
    graph = _wordnet()
    if graph is None:
        return frozenset()
    senses = _senses(verb, "v")[:_SENSES]
    return frozenset({*senses, *(up for i in senses for up in graph.up.reached(i) if graph.hyponyms[up] <= _BROAD)})


def are_unlike(thing: str, holder: str, purpose: str, uses: Iterable[str]) -> bool:
    """Return whether a thing is certainly not for a purpose that its holder serves.

    Both are in no common narrow class, and neither names the other. No known use of the thing shares a content word or
    a verb meaning with the purpose, and its definition does not name the purpose.
    """
    graph, asked = _wordnet(), content_lemmas(purpose)
    if graph is None or not definition_lemmas(thing) or set(thing.split()) & {*holder.split(), *asked}:
        return False
    shared = _classes(thing) & _classes(holder)
    if any(graph.hyponyms[i] <= _BROAD for i in shared) or asked & definition_lemmas(thing):
        return False
    verb = _verb_senses(purpose.split(" ")[0])
    return not any(asked & content_lemmas(use) or verb & _verb_senses(use.split(" ")[0]) for use in uses)
