"""Which tokens decide between two texts (CATs, section "Robust test": q_k).

For two sentences of equal length, q_k is the log-probability of the k-th token in the first minus that of the k-th
token in the second, and the sum over k is the difference of the two scores. Where the lengths differ, tokens are
aligned: equal tokens in the same order are matched, and a token without a partner counts in full. The sum is the
difference of the scores in every case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from horsesense.core.document import Document
from horsesense.scoring.texts import ScoredText, ScoredToken


@dataclass(frozen=True, slots=True)
class TokenEvidence(Document):
    """One position of the alignment."""

    token: str | None
    """Token of the first text; null where only the second has one here."""
    against: str | None
    """Token of the second text; null where only the first has one here."""
    q: float
    """Evidence of this position: above 0 for the first text."""
    edited: bool
    """Whether the texts differ here."""


def evidence(text: ScoredText, against: ScoredText) -> list[TokenEvidence]:
    """Return the evidence of each position for the first text against the second."""
    left, right = text.tokens, against.tokens
    if len(left) == len(right):
        return [_position(a, b) for a, b in zip(left, right, strict=True)]
    positions: list[TokenEvidence] = []
    matcher = SequenceMatcher(None, [t.token for t in left], [t.token for t in right], autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        positions += [_position(*pair) for pair in zip_longest(left[a:b], right[c:d])]
    return positions


def _position(left: ScoredToken | None, right: ScoredToken | None) -> TokenEvidence:
    one, other = left.token if left else None, right.token if right else None
    q = (left.logprob if left else 0.0) - (right.logprob if right else 0.0)
    return TokenEvidence(one, other, q, edited=one != other)


def share_of_edit(positions: Sequence[TokenEvidence]) -> float:
    """Return the share of all evidence, for or against, at positions where the texts differ.

    >>> share_of_edit([TokenEvidence("a", "a", 0.5, False), TokenEvidence("b", None, -1.5, True)])
    0.75
    """
    total = sum(abs(each.q) for each in positions)
    return sum(abs(each.q) for each in positions if each.edited) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class TextEvidence(Document):
    """The evidence for a text against another."""

    q: tuple[TokenEvidence, ...]
    """Evidence of each position, in the order of the texts."""
    sum: float
    """Difference of the two sums."""
    share_of_edit: float
    """Share of all evidence at positions where the texts differ."""


def text_evidence(text: ScoredText, against: ScoredText) -> TextEvidence:
    """Return the evidence of two texts, by position and in total."""
    positions = evidence(text, against)
    return TextEvidence(tuple(positions), sum(each.q for each in positions), share_of_edit(positions))
