"""Comparatives: pairs of opposite poles, and how a comparative is formed from its adjective."""

from __future__ import annotations

from functools import cache

from horsesense.lexicons.frequency import zipf
from horsesense.lexicons.inflection import inflected, is_adjective, lemmas_of
from horsesense.lexicons.words import FUNCTION_WORDS

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
    ("tidier", "messier"),
    ("drier", "wetter"),
    ("sharper", "blunter"),
    ("smoother", "rougher"),
)
"""Positive pole first, as in the analysis of positivity bias (RICA, section 5)."""

NEUTRAL_PAIRS = (("before", "after"),)
"""Pairs of which neither pole is the good one."""

# A word of several pairs belongs to the first: who is shorter is less tall.
PAIR_OF = {word: pair for pair in reversed((*PAIRS, *NEUTRAL_PAIRS)) for word in pair}
OPPOSITES = {word: pair[pair[0] == word] for word, pair in PAIR_OF.items()}
"""The other pole of each comparative."""

_OTHER_SENSE = frozenset(("harder", "easier", "longer", "greater", "lesser", "closer", "farther", "higher", "lower"))
"""Comparatives whose pair is not about the adjective itself: what is harder may be less easy, not less soft."""

_POLES = frozenset(word for pair in PAIRS for word in pair)
_ATTESTED = 2.5
"""Zipf frequency above which a comparative in -er is a word: "wider" is, "fragiler" is not."""


def is_comparative(word: str) -> bool:
    """Whether a lower-case word is one of the known comparatives that have a good or greater pole.

    >>> is_comparative("hotter"), is_comparative("otter")
    (True, False)
    """
    return word in _POLES


@cache
def comparative_of(adjective: str) -> str:
    """The comparative in -er of a short adjective; empty where people say "more".

    >>> comparative_of("wide"), comparative_of("happy"), comparative_of("fragile"), comparative_of("open")
    ('wider', 'happier', '', '')
    """
    stem = adjective.removesuffix("e")
    beats = sum(a in "aeiouy" and b not in "aeiouy" for a, b in zip(stem, f"{stem[1:]} ", strict=True))
    if "ADJ" not in lemmas_of(adjective) or not (beats == 1 or (beats == 2 and adjective.endswith("y"))):
        return ""
    formed = next(iter(inflected(adjective, "JJR")), "")
    return formed if formed != adjective and zipf(formed) >= _ATTESTED else ""


@cache
def natural_comparative(adjective: str) -> str:
    """The comparative that has an opposite of its own, so that it can stand for *more* and *less*; otherwise empty.

    >>> natural_comparative("old"), natural_comparative("light"), natural_comparative("kind")
    ('older', 'lighter', '')
    """
    formed = next(iter(inflected(adjective, "JJR")), "")
    return formed if formed in _POLES and formed not in _OTHER_SENSE else ""


@cache
def is_comparative_form(word: str) -> bool:
    """Whether a lower-case word is an adjective in -er: known as a comparative, and not only as somebody who does it.

    >>> [is_comparative_form(word) for word in ("denser", "tougher", "teacher", "worse", "wide")]
    [True, True, False, True, False]
    """
    if word in OPPOSITES:
        return True
    return any(word != lemma and word in inflected(lemma, "JJR") for lemma in lemmas_of(word).get("ADJ", ()))


@cache
def adjective_forms(adjective: str) -> tuple[str, ...]:
    """The adjective with its comparative and superlative, where they are one word and real.

    >>> adjective_forms("old"), adjective_forms("wooden")
    (('old', 'older', 'oldest'), ('wooden',))
    """
    if not comparative_of(adjective):
        return (adjective,)
    compared = (form for tag in ("JJR", "JJS") for form in inflected(adjective, tag)[:1])
    return tuple(dict.fromkeys((adjective, *compared)))


@cache
def plain_adjective(word: str) -> str:
    """Return the adjective of a comparative or superlative; empty where a word is not an adjective, or mostly a verb.

    >>> plain_adjective("oldest"), plain_adjective("wooden"), plain_adjective("holding"), plain_adjective("over")
    ('old', 'wooden', '', '')
    """
    if word in FUNCTION_WORDS or word == "like" or not is_adjective(word):
        return ""
    lemmas = lemmas_of(word).get("ADJ", ())
    if not lemmas:
        # "holding hands" is no kind of hands; "painted hands" are.
        return "" if word.endswith("ing") else word
    return word if word in lemmas else lemmas[0]
