"""A Winograd schema, whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass

from horsesense.errors import UserError


@dataclass(frozen=True, slots=True)
class Schema:
    """One question: a text around its pronoun, and what the pronoun may stand for."""

    before: str
    """The text up to the pronoun."""
    pronoun: str
    """As it stands there; empty where the candidates are whole sentences already."""
    after: str
    candidates: tuple[str, ...]
    answer: int
    line: int
    """Where it stands in its file."""


def letter_place(text: str, number: int) -> int:
    """The place that a letter (A, "B.", …) or an index from 0 names among so many candidates.

    >>> letter_place(" B. ", 2), letter_place("0", 2)
    (1, 0)
    """
    told = text.strip().rstrip(".").upper()
    place = int(told) if told.isdecimal() and len(told) < 3 else ord(told) - ord("A") if len(told) == 1 else -1
    if not told:
        raise UserError("the right answer is missing", fix="fill it in, or leave the schema out")
    if not 0 <= place < number:
        raise UserError(f"the answer {text.strip()!r} is none of the {number} candidates", fix="use A, B … or 0, 1 …")
    return place
