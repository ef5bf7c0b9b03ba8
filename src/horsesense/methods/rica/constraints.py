"""Type constraints on what a knowledge base says: a trait, something one can do, a place, an event (table 4).

Each function gives the phrase as a statement can say it, or None where it is not of the type.
"""

from __future__ import annotations

import re

from horsesense.language.frequency import zipf
from horsesense.language.inflection import is_adjective, is_finite, verb_form
from horsesense.language.words import DETERMINERS, PREPOSITIONS, PRONOUNS, listed
from horsesense.methods.rica.axioms import SLOT
from horsesense.methods.rica.clauses import is_description

_PLAIN = re.compile(r"[a-z][a-z' -]*")
_MOST_WORDS = 6
_RARE = 2.5
"""Zipf frequency under which a trait is more often a slip than a word."""
_ON = frozenset(listed("farm roof ground floor windowsill street table land bed fence couch sofa mountain island road"))
_AT = frozenset(listed("zoo circus beach fair show race home party museum lake racetrack"))
SYMMETRIC = frozenset(
    listed(
        "meets marries dates hugs kisses weds divorces befriends bumps argues fights competes talks chats dances "
        "sleeps plays friend sibling brother sister twin neighbour neighbor colleague coworker cousin partner spouse "
        "roommate flatmate rival enemy classmate teammate acquaintance peer lover"
    )
)
"""Relations that hold both ways or say nothing of who is who: what follows for one follows for the other."""
_DENIED = frozenset(listed("n't not never cannot hardly"))
"""Words of an event that is denied already: it cannot be denied once more of the other one."""


def is_symmetric(relation: str) -> bool:
    """Whether a role or an event between two holds both ways.

    >>> is_symmetric("person_a meets person_b for lunch"), is_symmetric("boss"), is_symmetric("cousin")
    (True, False, True)
    """
    words = relation.removeprefix("person_a ").split(" ")
    if words[0] in SYMMETRIC and (len(words) == 1 or words[1] in ("person_b", "with", "into") or "with" in words):
        return True
    return relation.endswith("person_b each other") or " together" in relation


def trait(text: str) -> str | None:
    """A single adjective that people use."""
    return text if " " not in text and is_adjective(text) and zipf(text) >= _RARE else None


def ability(text: str) -> str | None:
    """Something one can do: a verb phrase of a few plain words."""
    if not _PLAIN.fullmatch(text) or len(text.split()) > _MOST_WORDS:
        return None
    first = text.split(" ")[0]
    if verb_form(first)[1] != "base" or first in PREPOSITIONS or text.startswith("be able"):
        return None
    return text


def likely(text: str) -> str | None:
    """Something one is more or less likely to do, told as such where the verb could be read as an adjective.

    >>> likely("fly"), likely("live in wild"), likely("near water")
    ('fly', 'is * likely to live in wild', None)
    """
    act = ability(text)
    return f"is {SLOT} likely to {act}" if act and is_description(act) else act


def place(text: str) -> str | None:
    """Being at a place, with preposition and article."""
    if not _PLAIN.fullmatch(text) or len(text.split()) > 3:
        return None
    words = text.split(" ")
    if words[0] in PREPOSITIONS:
        return None
    where = "on" if words[-1] in _ON else "at" if words[-1] in _AT else "in"
    the = "" if words[0] in DETERMINERS | PRONOUNS or words[-1] in ("home", "water", "nature") else "the "
    return f"be {where} {the}{text}"


def lone_event(event: str) -> str | None:
    """An event told of one person, the other one being anybody (table 4)."""
    clause = event.removeprefix("person_a ").replace("person_a's", "their").replace("person_a", "themself")
    clause = clause.replace("person_b", "another person")
    plain = _PLAIN.fullmatch(clause.lower()) and not _DENIED.intersection(clause.lower().split())
    return clause if plain and is_finite(clause) and len(clause.split()) > 1 else None


def event_between(event: str) -> str | None:
    """An event between two persons, in plain words."""
    words = event.replace("person_a", "").replace("person_b", "").strip().lower()
    plain = re.fullmatch(r"[a-z' ,-]+", words) and not _DENIED.intersection(words.split())
    return event if "person_b" in event and plain else None
