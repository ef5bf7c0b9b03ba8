"""How frequent a word is, on Zipf's scale: the logarithm of its count in a thousand million words."""

from __future__ import annotations

import math
from functools import cache


@cache
def _table() -> dict[str, float]:
    import wordfreq

    table: dict[str, float] = wordfreq.get_frequency_dict("en")
    return table


@cache
def zipf(word: str) -> float:
    """Frequency of a lower-case word; 0 for one that nobody has seen.

    Compounds take the frequency of their rarest part: "well-known" is a spelling, not a rare word.

    >>> round(zipf("apple"), 1), zipf("xdivmaf")
    (4.8, 0.0)
    """
    share = _table().get(word)
    if share is not None:
        return max(0.0, math.log10(share) + 9)
    parts = word.split("-")
    return min(map(zipf, parts)) if len(parts) > 1 else 0.0
