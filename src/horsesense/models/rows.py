"""What a model is given and what is read from it: the one shape for every family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Given(NamedTuple):
    """One input. Rows with the same one share a forward."""

    ids: tuple[int, ...]
    hidden: tuple[int, ...] = ()
    """Permuted models: places that no other place may see."""
    decoder: tuple[int, ...] = ()
    """Sequence-to-sequence models: what the decoder is fed; empty where it follows from ``ids``."""
    types: tuple[int, ...] = ()
    """Pairs of texts: which of the two each token belongs to; empty where the model has no such input."""
    parents: tuple[int, ...] = ()
    """Causal models: the place of the token before each one, -1 where there is none; texts that begin alike are one
    tree so. Empty where each token follows the one to its left."""

    @property
    def shape(self) -> tuple[int, int]:
        """Inputs of one shape fit into one batch without padding."""
        return len(self.ids), len(self.decoder)


class Row(NamedTuple):
    """An input, the places where its output is read, and the entries whose log-probability is wanted there."""

    given: Given
    reads: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A framed text and which of its tokens are asked for."""

    ids: tuple[int, ...]
    """With the special tokens around it."""
    asked: tuple[int, ...]
    """Language models: places in ``ids``, ascending. Classifiers: numbers of their labels."""
    words: tuple[int, ...]
    """For each asked token, the number of the word (or of the whole option) that it belongs to."""
    types: tuple[int, ...] = ()
    """As in `Given`."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Token ids with a meaning of their own that rows are made with; None where the model has none."""

    mask: int | None = None
    sentinel: int | None = None
    """T5's ``<extra_id_0>``: stands for what was taken out."""
    start: int | None = None
    """What a decoder begins with."""
