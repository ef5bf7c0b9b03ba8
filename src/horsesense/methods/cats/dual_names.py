"""Two names exchanged wherever both sentences of a pair have them: the key turns, if names carry no knowledge.

What is sensible of Ann and Sue stays so when their names are exchanged throughout. Exchanging them in all words but
those that differ is the same, and the other sentence becomes the sensible one. That is a judgement about names and no
logic, so such a pair is proposed (ground ``names``). Only first names that are written down here are exchanged: Ovid
cannot have read Shakespeare.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from importlib.resources import files

from horsesense.lexicons.frequency import zipf
from horsesense.lexicons.inflection import is_noun, verb_form
from horsesense.lexicons.words import AUXILIARIES, listed, words
from horsesense.methods.cats.sentence_pairs import Dual, Pair

_HE_AND_SHE = frozenset(listed("he him his himself she her hers herself father mother son daughter brother sister"))

_RARE = 2.0
"""Zipf frequency below which a word is hardly one: "thoughit"."""


@cache
def _first_names() -> dict[str, str]:
    """First names in lower case, with whose they are: ``female`` or ``male``."""
    text = files(__package__).joinpath("first_names.txt").read_text(encoding="utf-8")
    return {
        name: kind
        for line in text.splitlines()
        if line and not line.startswith("#")
        for kind, *names in (line.lower().split(),)
        for name in names
    }


def exchange_names(pair: Pair) -> Dual | None:
    """Exchange two names wherever both sentences have them.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> dual = exchange_names(pair_of(("Ann fed Susan because Ann was kind.", "Ann fed Susan because Susan was kind.")))
    >>> dual.options, dual.status
    (('Susan fed Ann because Ann was kind.', 'Susan fed Ann because Susan was kind.'), 'proposed')
    """
    if any(len(middle) != 1 for middle in pair.middles) or not _is_sound(pair):
        return None
    one, other = (_name(middle[0]).lower() for middle in pair.middles)
    kinds = {_first_names().get(name, "") for name in (one, other)}
    if "" in kinds or (len(kinds) > 1 and not _HE_AND_SHE.isdisjoint(words(pair.texts[0]))):
        return None
    shared = list(enumerate(pair.before)) + [(place - pair.last, word) for place, word in enumerate(pair.after)]
    places = {name: [(at, word) for at, word in shared if _name(word).lower() == name] for name in (one, other)}
    if not all(places.values()) or any(not word[0].isupper() for found in places.values() for _, word in found):
        return None
    called = {name: _name(found[0][1]) for name, found in places.items()}
    exchanged = pair
    for name, instead in ((one, other), (other, one)):
        for at, word in places[name]:
            texts = exchanged.edited(at, 1, (word.replace(called[name], called[instead]),))
            exchanged = replace(exchanged, texts=texts)
    return Dual(exchanged.texts, "swap", f"names exchanged: {called[one]}, {called[other]}", True, "names")


def _name(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)


def _is_sound(pair: Pair) -> bool:
    """Whether the text is whole: released ones have words run together, and names that lost their 's (*Ann legs*)."""
    following = pair.after[0].lower() if pair.after else ""
    noun = is_noun(following) and following not in AUXILIARIES and verb_form(following)[1] != "past"
    headless = noun or following == '"'
    possessive = any(middle[0].endswith(("'s", "’s")) for middle in pair.middles)
    known = _first_names()
    odd = [
        word
        for word in map(str.lower, (*pair.before, *pair.after))
        if word.isalpha() and zipf(word) < _RARE and word not in known
    ]
    return (possessive or not headless) and not odd
