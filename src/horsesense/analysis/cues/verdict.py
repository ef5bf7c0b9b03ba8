"""The verdict, in a sentence a person can repeat."""

from __future__ import annotations

from collections.abc import Sequence

ALPHA = 0.05
"""A cue counts as better than chance where its p-value, corrected for the search, is not above this."""
_NEXT_TO_NOTHING = 0.01
"""A gain over chance that large numbers can prove and nobody can use."""
_WORTH_SAYING = 0.02
"""By how much a tree has to beat the best cue to be mentioned beside it."""


def verdict(
    cues: Sequence[tuple[str, float, float]], searched: float, tree: float, tree_low: float, chance: float
) -> str:
    """One sentence, and one more where a tree of cues does better still.

    ``cues`` are (pick, accuracy, p), the most accurate first; ``tree_low`` is the lower end of the
    tree's 99.9 % interval, since a tree is a search of its own.

    >>> verdict([("the option with the most hyponyms", 0.861, 0.005)], 0.861, 0.86, 0.83, 0.2)
    '86 % of this test can be had by picking the option with the most hyponyms. Chance is 20 %.'
    >>> verdict([("the option with the most words", 0.21, 0.9)], 0.2, 0.2, 0.18, 0.2)
    'No cue of 1 does better than chance (best: the option with the most words, 21 %). Chance is 20 %.'
    """
    sure = [cue for cue in cues if cue[2] <= ALPHA and cue[1] > chance]
    told = f"Chance is {_percent(chance)}."
    if sure and searched > chance:
        pick, own, _ = sure[0]
        if min(searched, own) < chance + _NEXT_TO_NOTHING:
            return f"Next to nothing: picking {pick} gets {_percent(min(searched, own))}. {told}"
        had = f"{_percent(min(searched, own))} of this test can be had by picking {pick}."
        more = f" A shallow tree over all cues gets {_percent(tree)}." if tree > own + _WORTH_SAYING else ""
        return f"{had}{more} {told}"
    if tree_low > chance:
        had = f"{_percent(tree)} of this test can be had by a shallow tree over {len(cues)} cues, though by none alone."
        return f"{had} {told}"
    if not cues:
        return f"No cue has anything to say about this test. {told}"
    pick, own, _ = cues[0]
    return f"No cue of {len(cues)} does better than chance (best: {pick}, {_percent(own)}). {told}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
