"""How questions and options read in a language: templates, function words and a few phrases, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path

from horsesense.data import FieldProblem, check_fields, read_text
from horsesense.errors import UserError, argument, unknown
from horsesense.lexicons.words import FUNCTION_WORDS

SHIPPED = "en"


@dataclass(frozen=True, slots=True)
class Wording:
    """One language. What is not said is as in English."""

    language: str
    """Its code, such as de."""
    templates: Mapping[str, Mapping[str, str]]
    """Relation → name → template, with {sentence}, {word} or {definition} in it."""
    function_words: tuple[str, ...]
    """Words without content, which a question and its answer may share."""
    others: str = " (or {words})"
    """Further words for a concept."""
    event: str = " event"
    """Stands after a verb that is offered as a kind of doing."""
    defined: str = "{name}, defined as '{definition}'"
    """A concept as an option, where it needs more than its words or its definition."""
    endings: tuple[str, ...] = ()
    """Endings that inflected words have, an empty one among them where a word may stand as it is; none at all:
    English, whose inflections are known."""


def find_wording(name: str) -> Wording:
    """The wording of a language that comes with the program, or of a file (.toml).

    >>> sorted(find_wording("en").templates)[0]
    'definitions'
    """
    if name == SHIPPED:
        return _english()
    if not name.endswith(".toml"):
        raise UserError(
            f"there is no wording of questions in the language {name!r}",
            fix=f"write one as a .toml file and give it with {argument('wording', 'FILE')} (docs/methods/wordnetqa.md)",
        )
    return _read(name)


@cache
def _english() -> Wording:
    templates = tomllib.loads(Path(__file__).with_name("templates.toml").read_text(encoding="utf-8"))
    return Wording("en", templates, tuple(sorted(FUNCTION_WORDS)))


@lru_cache(maxsize=8)
def _read(file: str) -> Wording:
    try:
        values = tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"this is not TOML: {error}", file=file, fix="repair the wording") from None
    try:
        wording = check_fields(Wording, values, _bad_field)
        _check(wording)
    except UserError as error:
        raise error.at(file) from None
    return wording


def _check(wording: Wording) -> None:
    """What a template must have to ask anything."""
    for relation, templates in wording.templates.items():
        for name, template in templates.items():
            if "{definition}" not in template and not ("{sentence}" in template and "{word}" in template):
                raise UserError(
                    f"the template {name!r} of {relation} has neither {{definition}} nor {{sentence}} and {{word}}",
                    fix="put into it what is asked about",
                )
    if "{name}" not in wording.defined or "{definition}" not in wording.defined:
        raise UserError("'defined' needs {name} and {definition}")


def _bad_field(problem: FieldProblem) -> UserError:
    if problem.kind == "unknown":
        return unknown("field of a wording", problem.field, [field.name for field in fields(Wording)])
    if problem.kind == "missing":
        return UserError(f"the wording has no {problem.field!r}", fix="add it (docs/methods/wordnetqa.md)")
    return UserError(f"the field {problem.where!r} of the wording has the wrong kind of value")
