"""Does a model know the answer, or does it like the word? Valence of the right word, beside accuracy (rica, 4.3)."""

from __future__ import annotations

from horsesense.analysis.bias import Bias, valence_bias
from horsesense.analysis.resampling import Floats
from horsesense.language.comparatives import VALENCE
from horsesense.records import Item
from horsesense.runs.results import Answered

LEAST = 20
"""Items of each valence; fewer say nothing of a leaning."""


def leaning(answered: Answered, earned: Floats) -> Bias | None:
    """How answers depend on the valence of the right word; None where the probe does not vary it."""
    valences = [_valence(item) for item in answered.items]
    if min(valences.count(1), valences.count(-1)) < LEAST:
        return None
    return valence_bias(earned, valences, answered.units)


def _valence(item: Item) -> int:
    """The probe's own facet, or that of the comparative that is right; 0 where neither is known."""
    if item.answer is None or len(item.options) != 2:
        return 0
    told = item.facets.get("valence")
    if isinstance(told, int) and not isinstance(told, bool):
        return told
    return VALENCE.get(item.options[item.answer].split(" ")[-1], 0) if item.form == "cloze" else 0
