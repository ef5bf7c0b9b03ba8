"""Settings of the builder: sources of pairs, sources of adjectives, and the rules that both must pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from horsesense.errors import unknown

PREDICATES = {
    "have": ("has", "have", "having", "has a", "have a", "has an", "have an"),
    "with": ("with", "with a", "with an"),
    "of": ("of", "of a", "of an", "belong to", "belongs to", "belonging to", "part of", "is part of", "be part of"),
    "on": ("on", "on a", "is on", "be on", "on side of", "attach to", "attached to"),
}
"""Kinds of predicates that may indicate a part; the paper uses the first. After *of* and *on* the whole is last."""

RULES = {
    "same": "a part is not its whole",
    "nouns": "whole and part are nouns of one or two words",
    "repeated": "a pair is in enough images (or relations)",
    "parts": "WordNet, or a second source, has the part as a part",
    "adjectives": "an attribute is an adjective of one word",
    "attributive": "an adjective that is used before nouns (not: awake)",
    "descriptive": "an adjective that describes (not: first)",
    "commonest": "the commonest adjectives of a whole only",
    "part": "an adjective that was seen with the part too",
    "colours": "few colours per pair",
}
"""The rules by name, and what each requires."""


@dataclass(frozen=True, slots=True)
class PairSources:
    """Sources of pairs: files and lexicons with wholes and their parts."""

    relationships: str | Path | None = None
    """File relationships.json of Visual Genome."""
    relation_counts: str | Path | None = None
    """Table with subject, predicate, object and count, where relations are counted, not images."""
    wordnet: bool = False
    """Use WordNet's meronyms."""
    conceptnet: Sequence[str | Path] = ()
    """ConceptNet file, for HasA and PartOf."""
    genericskb: Sequence[str | Path] = ()
    """GenericsKB file, for has-part statements."""
    predicates: Sequence[str] = ("have",)
    """Kind of predicate that indicates a part: have, with, of, on."""
    aliases: str | Path | None = None
    """Other names of objects, one line per object: canonical,alias,…"""

    def __post_init__(self) -> None:
        for name in self.predicates:
            if name not in PREDICATES:
                raise unknown("kind of predicate", name, PREDICATES)


@dataclass(frozen=True, slots=True)
class AdjectiveSources:
    """Sources of adjectives: files with adjectives of nouns."""

    attributes: str | Path | None = None
    """File attributes.json of Visual Genome."""
    ngrams: Sequence[str | Path] = ()
    """File of Google's syntactic n-grams (arcs)."""
    text: Sequence[str | Path] = ()
    """Text corpus, in which adjectives are found by a pattern."""


@dataclass(frozen=True, slots=True)
class CandidateRules:
    """Rules: which are applied, and their thresholds (sections 3.1 and 3.2 of the paper)."""

    without: Sequence[str] = ()
    """Rule to switch off: same, nouns, repeated, parts, adjectives, attributive, descriptive, commonest, part,
    colours."""
    fewest: Annotated[int, Ge(1)] = 3
    """Minimum number of images (or relations) per pair."""
    commonest: Annotated[int, Ge(1)] = 5
    """Maximum number of adjectives per whole and source."""
    colours: Annotated[int, Ge(0)] = 1  # 3,986 of the 4,175 published pairs with a colour have one
    """Maximum number of colours per pair."""

    def __post_init__(self) -> None:
        for name in self.without:
            if name not in RULES:
                raise unknown("rule", name, RULES)

    def on(self, name: str) -> bool:
        """Return whether a rule is applied."""
        return name not in self.without
