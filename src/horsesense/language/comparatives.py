"""Comparatives in pairs, with their valence: which pole people call the good or the greater one."""

from __future__ import annotations

PAIRS = (
    ("more", "less"),
    ("better", "worse"),
    ("easier", "harder"),
    ("hotter", "colder"),
    ("warmer", "cooler"),
    ("taller", "shorter"),
    ("longer", "shorter"),
    ("bigger", "smaller"),
    ("larger", "smaller"),
    ("greater", "lesser"),
    ("higher", "lower"),
    ("heavier", "lighter"),
    ("stronger", "weaker"),
    ("faster", "slower"),
    ("richer", "poorer"),
    ("older", "younger"),
    ("brighter", "darker"),
    ("louder", "quieter"),
    ("thicker", "thinner"),
    ("wider", "narrower"),
    ("deeper", "shallower"),
    ("safer", "riskier"),
    ("happier", "sadder"),
    ("cleaner", "dirtier"),
    ("smarter", "dumber"),
    ("closer", "farther"),
    ("earlier", "later"),
    ("sooner", "later"),
)
"""Positive pole first, as in the analysis of positivity bias (RICA, section 5)."""

NEUTRAL_PAIRS = (("before", "after"),)
"""Pairs of which neither pole is the good one."""

VALENCE = {word: -1 for _, word in PAIRS} | {word: 1 for word, _ in PAIRS}

# A word of several pairs belongs to the first: who is shorter is less tall.
PAIR_OF = {word: pair for pair in reversed((*PAIRS, *NEUTRAL_PAIRS)) for word in pair}
OPPOSITES = {word: pair[pair[0] == word] for word, pair in PAIR_OF.items()}
"""The other pole of each comparative."""


def is_comparative(word: str) -> bool:
    """Whether a lower-case word is one of the known comparatives.

    >>> is_comparative("hotter"), is_comparative("otter")
    (True, False)
    """
    return word in VALENCE
