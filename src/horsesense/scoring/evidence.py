"""Which tokens decide between two texts (CATs, section "Robust test": q_k).

For two sentences of equal length, q_k is the log-probability of the k-th token in the first minus that of the k-th
token in the second, and the sum over k is the difference of the two scores. Where the lengths differ, tokens are
aligned: equal tokens in the same order are matched, and a token without a partner counts in full. The sum is the
difference of the scores in every case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from horsesense.core.document import Document
from horsesense.scoring.texts import ScoredText, ScoredToken, TextDocument


@dataclass(frozen=True, slots=True)
class Evidence:
    """One position of the alignment."""

    token: ScoredToken | None
    """Token of the first text; None where only the second has one here."""
    against: ScoredToken | None
    q: float
    """Evidence of this position for the first text."""

    @property
    def edited(self) -> bool:
        """Whether the two texts differ here."""
        return self.token is None or self.against is None or self.token.token != self.against.token


def evidence(text: ScoredText, against: ScoredText) -> list[Evidence]:
    """Return the evidence of each position for the first text against the second."""
    left, right = text.tokens, against.tokens
    if len(left) == len(right):
        return [_place(a, b) for a, b in zip(left, right, strict=True)]
    places: list[Evidence] = []
    matcher = SequenceMatcher(None, [t.token for t in left], [t.token for t in right], autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        places += [_place(*pair) for pair in zip_longest(left[a:b], right[c:d])]
    return places


def _place(left: ScoredToken | None, right: ScoredToken | None) -> Evidence:
    return Evidence(left, right, (left.logprob if left else 0.0) - (right.logprob if right else 0.0))


def share_of_edit(places: Sequence[Evidence]) -> float:
    """Return the share of all evidence, for or against, at positions where the texts differ.

    >>> token = ScoredToken("a", 0, 1, -1.0)
    >>> share_of_edit([Evidence(token, token, 0.5), Evidence(token, None, -1.5)])
    0.75
    """
    total = sum(abs(place.q) for place in places)
    return sum(abs(place.q) for place in places if place.edited) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class PlaceDocument(Document):
    """One place of the alignment, as plain data."""

    token: str | None
    """Of the first text; null where only the second has one here."""
    against: str | None
    """Of the second text; null where only the first has one here."""
    q: float
    """Above 0: this place speaks for the first text."""
    edited: bool
    """Whether the texts differ here."""


@dataclass(frozen=True, slots=True)
class EvidenceDocument(Document):
    """What each place says for a text against another."""

    q: tuple[PlaceDocument, ...]
    """In the order of the texts."""
    sum: float
    """The difference of the two sums."""
    share_of_edit: float
    """How much of all evidence lies where the texts differ."""


@dataclass(frozen=True, slots=True)
class ScoreDocument(Document):
    """Texts as a model scores them."""

    model: str
    """Who was asked."""
    spec: Mapping[str, str | int | float | bool]
    """What a score means: all fields of the scoring spec, and the tokens around each text in words."""
    texts: tuple[TextDocument, ...]
    """Each text, token by token."""
    against: TextDocument | None = None
    """The text that the others are set against."""
    evidence: tuple[EvidenceDocument, ...] | None = None
    """One for each text, where there is one to set it against."""


def evidence_document(text: ScoredText, against: ScoredText) -> EvidenceDocument:
    """The evidence of two texts, place by place and as a whole."""
    places = evidence(text, against)
    return EvidenceDocument(
        q=tuple(
            PlaceDocument(
                place.token.token if place.token else None,
                place.against.token if place.against else None,
                place.q,
                place.edited,
            )
            for place in places
        ),
        sum=sum(place.q for place in places),
        share_of_edit=share_of_edit(places),
    )
