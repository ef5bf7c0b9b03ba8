"""The conclusion of a RICA statement: which word is blanked, what stands against it, what the axiom is."""

from __future__ import annotations

import re

from horsesense.errors import UserError
from horsesense.language.comparatives import OPPOSITES
from horsesense.language.valence import comparative_valence
from horsesense.language.words import words
from horsesense.records import BLANK

CONNECTIVE = ", so "
_SHAPE = frozenset({"a", "an", "the", "and", "so", "than", "not", "is"}) | OPPOSITES.keys()


def opposite(word: str) -> str:
    """The other pole of a comparative.

    >>> opposite("less"), opposite("colder")
    ('more', 'hotter')
    """
    if word not in OPPOSITES:
        raise UserError(f"the opposite of {word!r} is unknown", fix="give a config file with the pair of each line")
    return OPPOSITES[word]


def blank(statement: str, word: str) -> str:
    """The statement with the word of its conclusion blanked.

    The word may stand in the premise too, where it is given and not asked: the release's own
    scoring masked every occurrence of the string.

    >>> blank("A runs more than B, so A is more fit than B", "more")
    'A runs more than B, so A is ___ fit than B'
    """
    if BLANK in statement:
        raise UserError(f"the statement holds a blank {BLANK!r} already")
    found = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", statement)]
    start = statement.rfind(CONNECTIVE)
    if start < 0 and len(found) > 1:
        raise UserError(f"{word!r} stands twice and there is no {CONNECTIVE!r} to tell the conclusion")
    inside = [span for span in found if span[0] > start]
    if not inside:
        raise UserError(f"the word {word!r} does not stand in the conclusion", fix="check that the files are aligned")
    first, last = inside[0]
    return statement[:first] + BLANK + statement[last:]


def comparative(statement: str) -> str:
    """The comparative of the conclusion.

    >>> comparative("A is a kettle, B is a cloud, so A is not less loud than B")
    'less'
    """
    conclusion = statement.rpartition(CONNECTIVE)[2]
    found = next((word for word in words(conclusion) if word in OPPOSITES), None)
    if found is None:
        raise UserError("there is no known comparative in the conclusion", fix="repair or remove the line")
    return found


def entities(statement: str) -> tuple[str, str]:
    """The two that are compared: the first and the last word of the conclusion.

    >>> entities("wob is a cork, so zim is less likely to float than wob.")
    ('zim', 'wob')
    """
    found = re.findall(r"[^\W_]+", statement.rpartition(CONNECTIVE)[2].removesuffix("'s"))
    return (found[0], found[-1]) if found else ("", "")


def perturbed(statement: str, word: str) -> dict[str, str | int]:
    """How a statement was perturbed, as far as it tells by itself: facets.

    Whether its conclusion denies; the valence of its comparative; and whether the conclusion begins with the one that
    the premise names first. Where it begins with the other, premise or conclusion was turned round: which of
    them is a matter of what the two are called. Held against RICA's axioms, where all of it is written down, the first
    is right in all 9,054 statements and the last in 9,043. ``rule`` says whether order and negation tell the word
    without knowledge: whoever is named first is *more*, and *not* turns it round. What cannot be told is left out.

    >>> perturbed("zim is a cork, wob is a stone, so wob is not more likely to float than zim", "more")
    {'perturbation': 'negated', 'valence': 1, 'asymmetry': 'premise or conclusion', 'rule': 'right'}
    >>> perturbed("it rained, so wob came before zim", "before")
    {'perturbation': 'original', 'valence': 0}
    """
    premise, _, conclusion = statement.rpartition(CONNECTIVE)
    first = next((name for name in re.findall(r"[^\W_]+", premise) if name in entities(statement)), "")
    denied, turned = "not" in words(conclusion), first != entities(statement)[0]
    valence = comparative_valence(word)
    told: dict[str, str | int] = {"perturbation": "negated" if denied else "original", "valence": valence}
    if first:
        told["asymmetry"] = "premise or conclusion" if turned else "none"
    if first and valence:
        told["rule"] = "right" if (valence > 0) == (denied == turned) else "wrong"
    return told


def frame(statement: str, named: tuple[str, str]) -> str:
    """The content words of a statement: the same for nearly all perturbations of an axiom, whoever it is about.

    >>> one = frame("A is a kettle, B is a cloud, so A is more loud than B", ("A", "B"))
    >>> one == frame("kuf is a kettle, zor is a cloud, so zor is not more loud than kuf", ("zor", "kuf"))
    True
    """
    who = {name.lower() for name in named}
    told = {word.removesuffix("'s") for word in words(statement)}
    return " ".join(sorted(told - who - _SHAPE))
