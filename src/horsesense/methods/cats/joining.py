"""How parts become a sentence: templates, noun phrases for pronouns, names with their capitals.

The templates of ``joinings.toml`` are those of CATs, section "Tasks for Evaluating Commonsense"; putting a noun phrase
in place of a pronoun respects case, possession and the beginning of a sentence (table 2).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

from horsesense.data import shipped_toml
from horsesense.lexicons.words import (
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    listed,
)
from horsesense.methods.cats.step_accuracy import Word, words_of

_SPACES = re.compile(r"\s+")
_BRACKETS = re.compile(r"(?:\s*\[[^\[\]]*\])+([.,;:!?)]?)")
_MARK = re.compile(r"\s*\[SEP\]\s*")
Case = Literal["subject", "object", "possessive"]
_POSSESSIVE = frozenset(listed("his its their my your our hers theirs ours mine yours whose"))
_OBJECT = frozenset(listed("him them me us whom himself herself itself themselves"))
_AFTER_AN_OBJECT = DETERMINERS | PREPOSITIONS | AUXILIARIES | PRONOUNS | {*CONJUNCTIONS, "not", "again", "too", "well"}
_WORD = re.compile(r"[^\W\d_]+")
_GLUED = re.compile(r"[\w“(‘]")
_WITH_NOUNS = frozenset(listed("a an the these those some my your his her its our their"))
"""Determiners of a common noun; a name has none."""


def _joinings() -> dict[str, dict[str, str | list[str]]]:
    return shipped_toml(Path(__file__).with_name("joinings.toml"))


def joined(task: str, place: int, wording: str = "released", **parts: str) -> str:
    """The sentence of the option at ``place``.

    >>> joined("arct", 1, reason="It rains", warrant="rain is wet", claim="take a hat")
    'It rains, but since rain is wet, take a hat'
    >>> joined("arct", 1, "neutral", reason="It rains", warrant="rain is wet", claim="take a hat")
    'It rains, and since rain is wet, take a hat'
    """
    templates = _joinings()[task][wording]
    template = templates if isinstance(templates, str) else templates[place]
    return spaced(template.format(**parts))


def spaced(text: str) -> str:
    """One space between words, none around.

    >>> spaced(" he  sat\\n down ")
    'he sat down'
    """
    return _SPACES.sub(" ", text).strip()


def without_brackets(text: str) -> str:
    """The text without the marks that a web page left in it.

    >>> without_brackets("He sits. [title] He eats [substeps]a pear.")
    'He sits. He eats a pear.'
    >>> without_brackets("He sits [down].")
    'He sits.'
    """
    return spaced(_BRACKETS.sub(lambda brackets: brackets[1] or " ", text))


def without_separators(text: str) -> tuple[str, int]:
    """The text with a space for each ``[SEP]``, and how many there were.

    A separator of one model is a word of seven letters to another, so it can be neither kept nor translated
    without favouring one of them.

    >>> without_separators("He sat down. [SEP] She ate.")
    ('He sat down. She ate.', 1)
    """
    return _MARK.subn(" ", text)


# Noun phrases for pronouns.


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


# Names: the release writes "ida" where it puts a name for a pronoun.


def writing_of_names(options: Sequence[str]) -> str:
    """How the names in a set of sentences are written: ``lowered``, ``kept``, or ``none`` where there is none.

    A word without a determiner that is in lower case here and capitalised elsewhere is a lowered name.

    >>> writing_of_names(["Ida thanked Ruth, since ida was glad.", "Ida thanked Ruth, since ruth was glad."])
    'lowered'
    >>> writing_of_names(["Ida thanked Ruth, since Ida was glad.", "Ida thanked Ruth, since Ruth was glad."])
    'kept'
    >>> writing_of_names(["The jar fell because the jar was wet.", "The jar fell because the lid was wet."])
    'none'
    """
    texts = [(option, words_of(option)) for option in options]
    capitals = {_bare(word) for _, words in texts for word in words if word.text[0].isupper()} - {""}
    inside = {_bare(word) for text, words in texts for word in words if _is_name(text, word)}
    for _, words in texts:
        for before, word in pairwise(words):
            if word.text.islower() and _bare(word) in capitals and before.text.lower() not in _WITH_NOUNS:
                return "lowered"
    return "kept" if inside else "none"


def _bare(word: Word) -> str:
    """The word without the mark of possession, in lower case; empty for a word that no name could be.

    >>> _bare(Word("Tina's", 0, 6, False)), _bare(Word("The", 0, 3, False))
    ('tina', '')
    """
    bare = word.text.replace("’", "'").partition("'")[0].lower()
    return "" if bare in FUNCTION_WORDS or len(bare) < 2 else bare


def _is_name(text: str, word: Word) -> bool:
    """Return whether a word is capitalised inside a sentence."""
    begins = not text[: word.start].strip(" \"'“(") or text[: word.start].rstrip(" \"'“(")[-1:] in ".?!:"
    return word.text[0].isupper() and not begins and bool(_bare(word))
