"""What people are told of how to answer, where they type: in files, and in the text fields of platforms.

A page has fields and boxes of its own that say so; instructions of an instrument therefore speak of neither.
"""

from __future__ import annotations

from horsesense.annotate.instrument import Instrument
from horsesense.annotate.premises import BETWEEN

_APART = " | "


def typed_answers(instrument: Instrument) -> str:
    """All that can be typed as an answer.

    >>> from horsesense.annotate.instrument import find_instrument
    >>> typed_answers(find_instrument("exceptions"))
    'up to 3 words, joined by commas | nonsense (The sentence makes no sense)'
    """
    own = {
        "options": ("the letter or the text of an answer",),
        "words": ("one word" if instrument.words == 1 else f"up to {instrument.words} words, joined by commas",),
        "pair": (f"the two texts, with{BETWEEN}between",),
    }.get(instrument.kind, instrument.labels)
    told = instrument.told
    beside = instrument.beside
    return _APART.join((*own, *(f"{name} ({told[name]})" if name in told else name for name in beside)))
