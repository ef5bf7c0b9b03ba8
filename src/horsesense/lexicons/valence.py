"""The valence of a word: whether it sounds good or bad, or names the greater or the lesser pole.

The one place where it is decided. That of an item's right word is `horsesense.stats.bias.valence_of`.
"""

from __future__ import annotations

from horsesense.lexicons.comparatives import PAIRS
from horsesense.lexicons.words import listed

_GOOD = listed("""
good great nice fine happy glad love loved lovely like liked beautiful pretty clean safe healthy strong rich warm
sweet fresh useful helpful help helps kind friendly smart clever wise brave honest true right best well easy free
comfortable delicious tasty edible fun funny win wins won winner success successful enjoy enjoys enjoyed pleasant
peace peaceful perfect proud bright calm careful gentle generous grateful hope hopeful joy laugh smile smiled
valuable precious new full alive able popular famous interesting important possible legal polite
""")

_BAD = listed("""
bad poor sad angry hate hated ugly dirty dangerous danger sick ill weak cold bitter rotten useless harm harmful hurt
hurts unkind rude stupid foolish cruel false wrong worst hard difficult painful pain uncomfortable disgusting
inedible boring lose loses lost loser fail fails failed failure unpleasant war broken afraid scared dark nervous
careless rough greedy fear hopeless cry cries cried worthless fake old empty dead death die dies died kill kills
killed unable unpopular impossible illegal poison poisonous toxic malodorous smelly damaged burn burned injured
injure crime criminal steal stolen problem trouble
""")

COMPARATIVES = {word: -1 for _, word in PAIRS} | {word: 1 for word, _ in PAIRS}
"""1 for the positive pole of each pair, -1 for the other (positivity bias: RICA, section 5)."""

_WORDS = COMPARATIVES | dict.fromkeys(_BAD, -1) | dict.fromkeys(_GOOD, 1)
"""A short list, enough to see that right answers lean one way."""


def valence(word: str) -> int:
    """1 for a word that sounds good, -1 for a bad one, 0 for any other.

    >>> [valence(word) for word in ("delicious", "table", "rotten", "worse")]
    [1, 0, -1, -1]
    """
    return _WORDS.get(word, 0)


def comparative_valence(word: str) -> int:
    """1 for the positive pole of a pair of comparatives, -1 for the other, 0 for any other word, good or bad.

    >>> [comparative_valence(word) for word in ("better", "delicious", "worse", "before")]
    [1, 0, -1, 0]
    """
    return COMPARATIVES.get(word, 0)
