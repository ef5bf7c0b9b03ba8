"""Checks of one answer against its instrument, the same for files and for the server.

Choices, criteria and written words come first, then premise pairs: two texts that differ in exactly one word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from horsesense.annotate.instrument import Instrument
from horsesense.annotate.task import JUDGED, lettered
from horsesense.errors import UserError, unknown
from horsesense.stats.raters.adjudication import PASS

BETWEEN = " || "
"""Separates the two texts of a pair in a judgement."""
MAX_CHARACTERS = 400

_CORE = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
_ARTICLES = {"a", "an"}
_YES = {"yes": True, "y": True, "true": True, "1": True, "no": False, "n": False, "false": False, "0": False}

MAX_PARTS = 3
"""Maximum number of words in one written answer ("made of wax")."""


def check_value(instrument: Instrument, value: str, choices: Sequence[str] = ()) -> str:
    """Return an answer as it is stored: the text of a choice, the criteria that fail, or the words written.

    A choice may be given by its text, in any case, or by its letter. Without choices (there is no probe), any text is
    accepted for an instrument whose choices are the item's options.

    >>> from horsesense.annotate.instrument import find_instrument
    >>> check_value(find_instrument("choice"), "b", ["hot", "cold"])
    'cold'
    """
    value = " ".join(value.split())
    if not value:
        raise UserError("the value is empty", fix="give an answer, or remove the row")
    if instrument.kind == "words":
        return _words(instrument, value)
    if instrument.kind == "pair":
        return _pair(instrument, value)
    if instrument.kind == "criteria":
        return _criteria(instrument, value)
    if instrument.kind == "each":
        return _each(instrument, value, choices)
    return _choice(instrument, value, choices)


def _choice(instrument: Instrument, value: str, choices: Sequence[str]) -> str:
    labels = tuple(choices) if instrument.kind == "options" else instrument.labels
    known = (*labels, *instrument.beside)
    if value in known or not labels:
        return value
    alike = {choice for choice in known if " ".join(choice.split()).casefold() == value.casefold()}
    if len(alike) == 1:
        return alike.pop()
    letters = lettered(labels)
    if value.upper() in letters:
        return letters[value.upper()]
    raise unknown("answer", value, known)


def _each(instrument: Instrument, value: str, choices: Sequence[str]) -> str:
    """Return one letter per option, or an objection by its name or letter.

    >>> from horsesense.annotate.instrument import find_instrument
    >>> audit = find_instrument("audit")
    >>> _each(audit, "t f u", ["cold", "hot", "warm"]), _each(audit, "N", [])
    ('TFU', 'nonsense')
    """
    if beside := beside_alike(instrument, value):
        return beside
    letters = "".join(value.upper().split())
    for name in instrument.beside:
        if letters == name[0].upper():
            return name
    known = {label[0].upper(): label for label in instrument.labels}
    for letter in letters:
        if letter not in known:
            whole = ", ".join(f"{code} ({label})" for code, label in known.items())
            raise UserError(
                f"{letter!r} in {value!r} is not a judgement of an option",
                fix=f"write one letter per option: {whole}; or {' or '.join(instrument.beside)}",
            )
    if choices and len(letters) != len(choices):
        raise UserError(
            f"{value!r} judges {len(letters)} options, and there are {len(choices)}", fix="write one letter per option"
        )
    return letters


def join_each(instrument: Instrument, row: Mapping[str, Any]) -> str:
    """Join the fields of a form, one per option (``judged-A`` …), into one value; empty if none is answered.

    >>> from horsesense.annotate.instrument import find_instrument
    >>> join_each(find_instrument("audit"), {"judged-A": "true", "judged-B": "unclear"})
    'TU'
    """
    answers = {name: str(row[name]).strip().casefold() for name in sorted(row) if name.startswith(JUDGED)}
    if not any(answers.values()):
        return ""
    objection = next((name for name in instrument.beside if name in answers.values()), "")
    if objection:
        return objection
    for name, answer in answers.items():
        if not answer:
            raise UserError(f"the option {name.removeprefix(JUDGED)} is not judged", fix="judge all options, or none")
        if answer not in instrument.labels:
            raise unknown("judgement of an option", answer, instrument.labels)
    return "".join(answer[0].upper() for answer in answers.values())


def choice_at(instrument: Instrument, value: str, choices: Sequence[str]) -> str:
    """Return the answer that a platform sends as the letter of an option.

    >>> from horsesense.annotate.instrument import find_instrument
    >>> choice_at(find_instrument("choice"), "A", ["C", "A", "B"])
    'C'
    """
    value, beside = " ".join(value.split()), instrument.beside
    if value in beside:
        return value
    if not choices:
        raise UserError(
            f"the answer {value!r} is the letter of an option, but the options are not known",
            fix="give the probe with -p",
        )
    letters = lettered(choices)
    if value not in letters:
        raise unknown("answer", value, (*letters, *beside))
    return letters[value]


def _criteria(instrument: Instrument, value: str) -> str:
    if value == PASS:
        return value
    named = [name.strip() for name in value.split("+")]
    for name in named:
        if name not in instrument.criteria:
            raise unknown("criterion", name, [*instrument.criteria, PASS])
    return "+".join(name for name in instrument.criteria if name in named)


def beside_alike(instrument: Instrument, value: str) -> str:
    """Return the objection or abstention that a text names, in any case; empty if it names none."""
    names = instrument.beside
    return next((name for name in names if name.casefold() == value.casefold()), "")


def _words(instrument: Instrument, value: str) -> str:
    if beside := beside_alike(instrument, value):
        return beside
    words = [word.strip() for word in value.replace(";", ",").split(",")]
    if not all(words):
        raise UserError("a word is empty", fix="join words by single commas")
    if len(words) > instrument.words:
        raise UserError(f"{len(words)} words are given, but only {instrument.words} are allowed")
    if len({word.casefold() for word in words}) < len(words):
        raise UserError("a word is given twice", fix="remove one")
    for word in words:
        if beside_alike(instrument, word):
            raise UserError(f"{word!r} is an answer of its own", fix="give it alone, or leave it out")
        if len(word.split()) > MAX_PARTS:
            raise UserError(
                f"{word!r} has {len(word.split())} words", fix=f"write one word, or {MAX_PARTS} where it takes them"
            )
    return ", ".join(words)


def _pair(instrument: Instrument, value: str) -> str:
    if beside := beside_alike(instrument, value):
        return beside
    first, between, second = value.partition(BETWEEN)
    if not between:
        raise UserError("this is not a pair of texts", fix=f"write them with{BETWEEN}between")
    return join_pair(first, second)


def join_criteria(instrument: Instrument, row: Mapping[str, Any]) -> str:
    """Join the columns of yes and no, one per criterion, into one value; empty if none is answered.

    >>> from horsesense.annotate.instrument import find_instrument
    >>> answers = dict.fromkeys(find_instrument("schema").criteria, "no") | {"synonym-generic": "Yes"}
    >>> join_criteria(find_instrument("schema"), answers)
    'synonym-generic'
    """
    answers = {name: str(row.get(name, "")).strip().casefold() for name in instrument.criteria}
    if not any(answers.values()):
        return ""
    for name, answer in answers.items():
        if not answer:
            raise UserError(f"the criterion {name} is not answered", fix="answer all criteria, or none")
        if answer not in _YES:
            raise UserError(f"the answer {answer!r} to {name} is neither yes nor no")
    return "+".join(name for name, answer in answers.items() if _YES[answer]) or PASS


def check_reason(instrument: Instrument, value: str, reason: str) -> str:
    """Return the reason; that of an objection must be one of the instrument's."""
    reason = reason.strip()
    if reason and instrument.reasons and value in instrument.objections and reason not in instrument.reasons:
        raise unknown("reason", reason, instrument.reasons)
    return reason


def _parts(word: str) -> tuple[str, str, str]:
    match = _CORE.match(word)
    assert match is not None, "the pattern matches any text"
    return match[1], match[2], match[3]


def differing_word(text: str, other_text: str) -> tuple[str, str]:
    """Return the words in which two texts differ, or raise an error that says why they are not a pair.

    *A* and *an* belong to the word that follows: they are not a difference of their own.

    >>> differing_word("She stood by a stove.", "She stood by an oven.")
    ('stove', 'oven')
    """
    first, second = text.split(), other_text.split()
    if not first or not second:
        raise UserError("a text is empty", fix="write both texts")
    if len(first) != len(second):
        raise UserError(
            f"one text has {len(first)} words and the other {len(second)}", fix="change one word into one other word"
        )
    differing = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    if not differing:
        raise UserError("the two texts are the same", fix="change one word")
    for i in differing:
        (before, a, after), (also_before, b, also_after) = _parts(first[i]), _parts(second[i])
        if (before, after) != (also_before, also_after) or a.casefold() == b.casefold():
            raise UserError("the texts differ in more than words", fix="keep punctuation and capitals the same")
    cores = [(_parts(first[i])[1], _parts(second[i])[1]) for i in differing]
    if len(differing) == 2 and differing[1] == differing[0] + 1 and {word.casefold() for word in cores[0]} == _ARTICLES:
        return cores[1]
    if len(differing) > 1:
        pairs = ", ".join(f"{a}/{b}" for a, b in cores[:4])
        raise UserError(f"{len(differing)} words differ ({pairs})", fix="let only one word differ")
    if {word.casefold() for word in cores[0]} == _ARTICLES:
        raise UserError("only a and an differ", fix="change the word that follows")
    return cores[0]


def join_pair(first: str, second: str) -> str:
    """Return a pair as one value, checked."""
    first, second = (" ".join(text.split()) for text in (first, second))
    if BETWEEN.strip() in first + second:
        raise UserError(f"a text contains {BETWEEN.strip()!r}", fix="leave it out")
    if not all(text[:1].isalnum() or text[:1] in "\"'“‘" for text in (first, second) if text):
        raise UserError("a text does not begin with a word", fix="write a sentence")
    if max(len(first), len(second)) > MAX_CHARACTERS:
        raise UserError(f"a text is longer than {MAX_CHARACTERS} characters", fix="keep it short")
    differing_word(first, second)
    return first + BETWEEN + second


def typed_answers(instrument: Instrument) -> str:
    """Describe everything that can be typed as an answer.

    >>> from horsesense.annotate.instrument import find_instrument
    >>> typed_answers(find_instrument("exceptions"))
    'up to 3 words, joined by commas | nonsense (The sentence makes no sense)'
    """
    letters = ", ".join(f"{name[0].upper()} {name}" for name in instrument.labels)
    answers = {
        "options": ("the letter or the text of an answer",),
        "each": (f"one letter per answer, in their order: {letters}",),
        "words": ("one word" if instrument.words == 1 else f"up to {instrument.words} words, joined by commas",),
        "pair": (f"the two texts, with{BETWEEN}between",),
    }.get(instrument.kind, instrument.labels)
    wording = instrument.wording
    beside = instrument.beside
    return " | ".join((*answers, *(f"{name} ({wording[name]})" if name in wording else name for name in beside)))
