"""What an item rests on, read off its words: the same for built and released items, whatever their groups are called.

An inference (``A is a cork, B is a nail, so A is more likely to float``) rests on its premises and the property that
they bear on. Who it is about, the order in which it is told, and whether it is denied are no part of that. A judgement
about a part rests on whole, part and adjective, in whatever form it is asked. Other items tell by family and answer.
"""

from __future__ import annotations

import re
from functools import lru_cache

from horsesense.core import BLANK, Item
from horsesense.lexicons.comparatives import OPPOSITES, PAIR_OF
from horsesense.lexicons.negation import is_negation
from horsesense.lexicons.words import listed, words

_CONNECTIVE = ", so "
_CLAUSES = re.compile(r", | and | while ")
_SMALL = OPPOSITES.keys() | frozenset(
    listed("a an the and so than is are was were be been to of out in on at likely do does did while who which made")
)
"""Words that are put in or left out without changing what is said."""
_TRIPLE = ("whole", "part", "adjective")


def fact(item: Item) -> str:
    """What an item says, as sorted content words; empty where nothing is left of it.

    >>> text = "wob is a cork, zim is a nail, so zim is not ___ likely to float than wob"
    >>> fact(Item("demo", "cloze", text=text, options=("less", "more"), answer=1, groups={"entities": "wob zim"}))
    'cork & nail → float'
    """
    if all(name in item.facets for name in _TRIPLE):
        return " ".join(str(item.facets[name]).lower() for name in _TRIPLE)
    premises, conclusion = _sides(item)
    return f"{' & '.join(sorted(premises))} → {conclusion}" if premises and conclusion else ""


def parts(item: Item) -> list[str]:
    """One premise and the conclusion, for each of several premises: who has met one of them knows half of the fact.

    >>> text = "wob is a cork, zim is a nail, so wob is ___ likely to float than zim"
    >>> parts(Item("demo", "cloze", text=text, options=("less", "more"), answer=1, groups={"entities": "wob zim"}))
    ['cork → float', 'nail → float']
    """
    premises, conclusion = _sides(item)
    return [f"{premise} → {conclusion}" for premise in premises] if conclusion and len(premises) > 1 else []


def names(item: Item) -> list[str]:
    """The made-up names that a statement is about: those of its group, or of a family that is named by them."""
    if item.groups.get("entities"):
        return item.groups["entities"].split()
    named = item.family.split()
    return named if all(re.search(rf"\b{re.escape(name)}\b", item.text) for name in named) else []


def _sides(item: Item) -> tuple[tuple[str, ...], str]:
    """The content of each premise, and of the conclusion; nothing where nothing is inferred."""
    right = "" if item.answer is None or item.ordered else item.options[item.answer]
    if item.form == "sentences":
        text = right
    else:
        text = item.text.replace(BLANK, right) if item.form == "cloze" else f"{item.text} {right}"
        text = f"{item.premise.rstrip('.')}{_CONNECTIVE}{text}" if item.premise and item.form == "pair" else text
    if _CONNECTIVE not in text:
        return (), ""
    premise, _, conclusion = text.rpartition(_CONNECTIVE)
    entities = frozenset(name.lower() for name in names(item))
    told = (_content(clause, entities) for clause in _CLAUSES.split(premise))
    return tuple(clause for clause in told if clause), _content(conclusion, entities)


@lru_cache(maxsize=1 << 16)
def _content(text: str, entities: frozenset[str]) -> str:
    bare = {word.removesuffix("'s") for word in words(text) if not is_negation(word)}
    content = bare - entities - _SMALL
    # "is heavier than" has no other content than its scale, whichever pole it says.
    return " ".join(sorted(content or {PAIR_OF[word][0] for word in bare & PAIR_OF.keys()}))
