"""How parts become a sentence: templates that a person can read (section "Tasks for Evaluating Commonsense")."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

_SPACES = re.compile(r"\s+")
_BRACKETS = re.compile(r"(?:\s*\[[^\[\]]*\])+([.,;:!?)]?)")
_MARK = re.compile(r"\s*\[SEP\]\s*")


@cache
def _joinings() -> dict[str, dict[str, str | list[str]]]:
    found: dict[str, dict[str, str | list[str]]] = tomllib.loads(
        files(__package__).joinpath("joinings.toml").read_text(encoding="utf-8")
    )
    return found


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
    return spaced(_BRACKETS.sub(lambda found: found[1] or " ", text))


def without_separators(text: str) -> tuple[str, int]:
    """The text with a space for each ``[SEP]``, and how many there were.

    A separator of one model is a word of seven letters to another, so it can be neither kept nor translated
    without favouring one of them.

    >>> without_separators("He sat down. [SEP] She ate.")
    ('He sat down. She ate.', 1)
    """
    return _MARK.subn(" ", text)
