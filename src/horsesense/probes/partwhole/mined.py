"""What sources give: pairs of whole and part, and adjectives of nouns, each with how often it was seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from horsesense.language.inflection import singular

Pair = tuple[str, str]
"""Whole and part."""

_NOUN = re.compile(r"[a-z]+(?:[ '-][a-z]+)*")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Wholes and their parts, as one source has them."""

    source: str
    unit: str
    """What was counted: images, relations, statements, facts."""
    counts: Mapping[Pair, int]
    licence: str
    left_out: Counter[str] = field(default_factory=Counter)
    """What was not taken, counted by reason."""

    @property
    def needs_repeating(self) -> bool:
        """Whether a pair that was seen once may be a slip; an encyclopaedia says a thing once."""
        return self.unit in ("images", "relations")


@dataclass(frozen=True, slots=True)
class Modifiers:
    """Adjectives of nouns, as one source has them."""

    source: str
    counts: Mapping[str, Counter[str]]
    """Noun → adjective → how often."""
    licence: str
    left_out: Counter[str] = field(default_factory=Counter)


def clean_noun(name: str) -> str:
    """A noun as everything here has it: lower case, singular, one space between words; empty where it is none.

    >>> clean_noun(" Window  Panes"), clean_noun("t-shirts"), clean_noun("no. 7")
    ('window pane', 't-shirt', '')
    """
    plain = " ".join(name.lower().split())
    return singular(plain) if _NOUN.fullmatch(plain) else ""
