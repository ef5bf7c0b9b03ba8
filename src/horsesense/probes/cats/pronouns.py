"""Putting a noun phrase where a pronoun stands: case, possession, the beginning of a sentence (table 2)."""

from __future__ import annotations

import re
from typing import Literal

from horsesense.language.words import AUXILIARIES, CONJUNCTIONS, DETERMINERS, PREPOSITIONS, PRONOUNS, listed

Case = Literal["subject", "object", "possessive"]

_POSSESSIVE = frozenset(listed("his its their my your our hers theirs ours mine yours whose"))
_OBJECT = frozenset(listed("him them me us whom himself herself itself themselves"))
_AFTER_AN_OBJECT = DETERMINERS | PREPOSITIONS | AUXILIARIES | PRONOUNS | {*CONJUNCTIONS, "not", "again", "too", "well"}
_WORD = re.compile(r"[^\W\d_]+")
_GLUED = re.compile(r"[\w“(‘]")


def case_of(pronoun: str, after: str) -> Case:
    """The case of a pronoun, from its form and what follows it.

    "her" is possessive where a noun can follow: "her coat", but not "saw her in", "told her that".

    >>> case_of("her", " coat was wet."), case_of("her", " in the rain."), case_of("They", " ran.")
    ('possessive', 'object', 'subject')
    """
    word = pronoun.lower()
    if word in _POSSESSIVE:
        return "possessive"
    if word == "her":
        following = re.match(r"\s+([^\W\d_]+)", after)
        noun = following is not None and following[1].lower() not in _AFTER_AN_OBJECT
        return "possessive" if noun else "object"
    return "object" if word in _OBJECT else "subject"


def substituted(before: str, pronoun: str, after: str, candidate: str) -> str:
    """The sentence with the candidate in place of the pronoun.

    A name keeps its case; a determiner is lowered inside a sentence and raised where the pronoun is.

    >>> substituted("Ada thanked Ruth for the help", "she", "had given.", "Ruth")
    'Ada thanked Ruth for the help Ruth had given.'
    >>> substituted("The jar hit the cup.", "It", "broke.", "the cup")
    'The jar hit the cup. The cup broke.'
    >>> substituted("Ada gave Ruth", "her", "hat.", "Ada")
    "Ada gave Ruth Ada's hat."
    """
    phrase = _cased(candidate.strip().rstrip("."), f"{before} {after}", begins=pronoun[:1].isupper() and pronoun != "I")
    if case_of(pronoun, f" {after.strip()}") == "possessive":
        phrase = possessive(phrase)
    left, right = before.strip(), after.strip()
    gap = " " if left and left[-1] not in '“(‘"' else ""
    space = " " if right and _GLUED.match(right) else ""
    return f"{left}{gap}{phrase}{space}{right}"


def possessive(phrase: str) -> str:
    """The phrase with its mark of possession; a plural takes the apostrophe alone.

    >>> possessive("Ruth"), possessive("the boys"), possessive("James"), possessive("Ada's")
    ("Ruth's", "the boys'", "James's", "Ada's")
    """
    if phrase.endswith(("'s", "’s", "s'", "s’")):
        return phrase
    last = phrase.split()[-1]
    plural = last.endswith("s") and not last.endswith("ss") and not last[0].isupper()
    return f"{phrase}'" if plural else f"{phrase}'s"


def _cased(phrase: str, sentence: str, *, begins: bool) -> str:
    """The phrase with the case that it has inside this sentence."""
    inside = {word for word in _WORD.findall(sentence) if word.islower()}
    words = _WORD.findall(phrase)
    for word in words[:1]:
        if word[0].isupper() and (word.lower() in DETERMINERS | PRONOUNS | inside) and word != "I":
            phrase = word.lower() + phrase[len(word) :]
    for word in words:
        # A list of candidates in lower case, as some files have it: the sentence knows the names.
        raised = word.capitalize()
        if word.islower() and word not in inside and re.search(rf"(?<![.?!]) {raised}\b", f" {sentence}"[1:]):
            phrase = re.sub(rf"\b{word}\b", raised, phrase)
    return phrase[:1].upper() + phrase[1:] if begins else phrase
