"""Which tokens decide between two texts (CATs, section "Robust test": q_k).

For two sentences of as many tokens, q_k is the log-probability of the k-th token in the first
minus that of the k-th token in the second, and the sum over k is the difference of the two scores.
Where the lengths differ, tokens are aligned: the same tokens in the same order stand together, and
a token without a partner counts in full. The sum is the difference of the scores in every case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from horsesense.scoring.texts import ScoredText, ScoredToken


@dataclass(frozen=True, slots=True)
class Evidence:
    """One place of the alignment."""

    token: ScoredToken | None
    """Of the first text; None where only the second has one here."""
    against: ScoredToken | None
    q: float
    """How much this place speaks for the first text."""

    @property
    def edited(self) -> bool:
        """Whether the two texts differ here."""
        return self.token is None or self.against is None or self.token.token != self.against.token


def evidence(text: ScoredText, against: ScoredText) -> list[Evidence]:
    """What each token says for the first text and against the second."""
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
    """How much of all evidence, for or against, lies where the texts differ.

    >>> token = ScoredToken("a", 0, 1, -1.0)
    >>> share_of_edit([Evidence(token, token, 0.5), Evidence(token, None, -1.5)])
    0.75
    """
    total = sum(abs(place.q) for place in places)
    return sum(abs(place.q) for place in places if place.edited) / total if total else 0.0
