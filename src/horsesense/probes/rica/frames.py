"""Where the comparative goes in a clause: ``is * fragile``, ``finds it * to float``, ``is a * friend``.

A phrase with a slot of its own is its own frame (table 8: "has a harder time", "a better friend"). For the
others the scale and the first word decide.
"""

from __future__ import annotations

from functools import cache

from horsesense.language.inflection import gerund, is_adjective, is_noun, verb_form, with_article
from horsesense.language.words import PREPOSITIONS
from horsesense.probes.rica.comparison import Pair
from horsesense.probes.rica.forms import SLOT

MORE, EASIER, BETTER, BEFORE = ("more", "less"), ("easier", "harder"), ("better", "worse"), ("before", "after")
_PLACED = "locate at "


@cache
def frame(text: str, pair: Pair, event: str = "") -> str:
    """The clause for a property on a scale; ``event`` is what a state comes before or after.

    >>> frame("crumple", MORE), frame("fragile", MORE), frame("fit into a box", BETTER)
    ('is * likely to crumple', 'is * fragile', 'is * at fitting into a box')
    >>> frame("sink", EASIER), frame("", ("wider", "narrower")), frame("is a * friend", BETTER)
    ('finds it * to sink', 'is *', 'is a * friend')
    >>> frame("cold", BEFORE, "turned on the heater")
    'was cold * turning on the heater'
    """
    if SLOT in text:
        return text
    if not text:
        return f"is {SLOT}"
    if pair == BEFORE:
        return f"{state(text)} {SLOT} {gerund(event)}".rstrip()
    if pair == EASIER:
        return f"finds it {SLOT} to {_infinitive(text)}"
    if pair == BETTER:
        return f"is {SLOT} at {gerund(text)}"
    if pair == MORE:
        return f"is {SLOT} {text}" if is_description(text) else f"is {SLOT} likely to {_infinitive(text)}"
    return f"has {SLOT} {text}"


_FRAMED = ((EASIER, "finds it * to "), (BETTER, "is * at "), (MORE, "is * likely to "), (MORE, "is * "))


@cache
def shortest(text: str, pair: Pair) -> str:
    """The phrase without the frame that it is given anyway: one property has one name.

    >>> shortest("is * likely to crumple", MORE), shortest("likely to crumple", MORE), shortest("is * to lift", EASIER)
    ('crumple', 'crumple', 'is * to lift')
    """
    whole = frame(text, pair)
    if whole == f"is {SLOT}":
        return ""
    for scale, start in _FRAMED:
        rest = whole.removeprefix(start)
        if pair == scale and rest != whole and frame(rest, pair) == whole:
            return rest
    return text


@cache
def is_description(text: str) -> bool:
    """Whether *is more* can stand before a phrase: an adjective with what belongs to it, and no noun at its end.

    >>> [is_description(text) for text in ("good for your teeth", "big mouth", "fly", "living in a hot place")]
    [True, False, False, False]
    """
    first, *rest = text.split(" ")
    if not rest:
        # Word lists do not know "hardworking" or a misspelt trait; a verb they know.
        return is_adjective(first) or verb_form(first)[1] != "base"
    if first in PREPOSITIONS and first != "to":
        return True
    if not is_adjective(first):
        return False
    return verb_form(first)[1] != "gerund" and rest[0] in PREPOSITIONS | {"for", "as", "around"}


@cache
def state(text: str) -> str:
    """The clause of a state in the past; one that is a clause already stays as it is.

    >>> state("cold"), state("had wet hair")
    ('was cold', 'had wet hair')
    """
    first = text.split(" ")[0]
    return text if verb_form(first)[1] == "past" and (len(text.split()) > 1 or first == "was") else f"was {text}"


def _infinitive(text: str) -> str:
    """What one may be likely to do: the verb phrase itself, to be something, or to have something."""
    if text.startswith(_PLACED):
        return f"be at {text.removeprefix(_PLACED)}"
    first, *rest = text.split(" ")
    if verb_form(first)[1] == "base" and not (rest and is_adjective(first) and not is_noun(rest[-1])):
        return text
    if verb_form(first)[1] == "gerund" or is_description(text):
        return f"be {text}"
    return f"have {with_article(text)}"
