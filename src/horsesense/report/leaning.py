"""Does a model know the answer, or does it like the word? Valence of the right word, beside accuracy (rica, 4.3)."""

from __future__ import annotations

from horsesense.analysis.bias import Bias, valence_bias, valence_of
from horsesense.analysis.resampling import Floats
from horsesense.records import Item
from horsesense.runs.results import Answered

LEAST = 20
"""Items of each valence; fewer say nothing of a leaning."""


def leaning(answered: Answered, earned: Floats) -> Bias | None:
    """How answers depend on the valence of the right word; None where the probe does not vary it."""
    valences = [valence_of(item) if _is_between_two(item) else 0 for item in answered.items]
    if min(valences.count(1), valences.count(-1)) < LEAST:
        return None
    return valence_bias(earned, valences, answered.units)


def _is_between_two(item: Item) -> bool:
    return item.answer is not None and len(item.options) == 2
