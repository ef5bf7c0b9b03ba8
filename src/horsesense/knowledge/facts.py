"""Facts of a knowledge base about words, before they are a graph: relation, head, tail, weight."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Fact:
    """One assertion, in lower-case words with spaces between them."""

    relation: str
    head: str
    tail: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Facts:
    """What was read from files, and what was not taken."""

    source: str
    """conceptnet or atomic."""
    licence: str
    facts: tuple[Fact, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    """Lines that were not taken, counted by reason."""
