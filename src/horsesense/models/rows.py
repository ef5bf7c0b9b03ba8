"""What a model is given and what is read from it: the one shape for every language-model family."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One input, the places where its output is read, and the tokens whose log-probability is wanted there."""

    ids: tuple[int, ...]
    reads: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A framed text and which of its tokens are asked for."""

    ids: tuple[int, ...]
    """With the special tokens around it."""
    asked: tuple[int, ...]
    """Places in ``ids``, ascending."""
    words: tuple[int, ...]
    """For each asked token, the number of the word (or of the whole option) that it belongs to."""
