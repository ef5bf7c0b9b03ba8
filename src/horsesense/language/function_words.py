"""Closed classes of words that carry shape rather than content."""

from __future__ import annotations

from horsesense.language.words import listed

CONJUNCTIONS = listed(
    "and but or so because although though while since unless until if when whereas therefore "
    "however yet for before after as than then nor thus hence despite"
)
"""In this order a text with several is known by the first of the list that it has."""

DETERMINERS = frozenset(listed("a an the this that these those"))
PRONOUNS = frozenset(
    listed(
        "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs "
        "myself yourself himself herself itself ourselves themselves someone something"
    )
)
PREPOSITIONS = frozenset(
    listed(
        "of in to on at by with from into onto over under about between through during against among "
        "within without across behind beside near off out up down"
    )
)
AUXILIARIES = frozenset(
    listed("is are was were be been being am do does did has have had will would can could shall should may might must")
)
HEDGES = frozenset(
    listed("usually often sometimes generally mostly typically may might could probably some most many few")
)
"""Words that leave room."""
ABSOLUTES = frozenset(
    listed("always never all every only none must everyone everything nobody nothing entirely completely")
)
"""Words that leave no room."""

FUNCTION_WORDS = DETERMINERS | PRONOUNS | PREPOSITIONS | AUXILIARIES | {*CONJUNCTIONS, "not", "no", "there"}
