"""Checks of a premise pair before people see it (winoventi.txt, 2.5 and 2.6): each objection has a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from horsesense.language.words import PRONOUNS, words
from horsesense.methods.winoventi.associations import own_words
from horsesense.methods.winoventi.lexicon import Lexicon
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.schemas import Schema
from horsesense.methods.winoventi.special_word import differing

NOT_ONE_WORD = "does not differ in one word"
NO_NOUN = "neither names the noun nor refers to it"
OUTCOME_THERE = "has the outcome in the premise"
SYNONYM = "special word means the outcome"
TOO_SHORT = "is no sentence"
UNGRAMMATICAL = "is improbable English"
SIMILAR = "special word is near the outcome in meaning"
WRONG_FOLLOWS = "premise entails the wrong outcome"

_REFERRING = (PRONOUNS - {"i", "you", "we", "me", "us", "my", "your", "our"}) | {"one", "this", "that"}
_FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Checked:
    """A schema and what speaks against it."""

    schema: Schema
    objections: tuple[str, ...]

    @property
    def passes(self) -> bool:
        return not self.objections


def check_schema(schema: Schema, noun: Noun, lexicon: Lexicon | None = None) -> Checked:
    """All objections that need no model.

    >>> from horsesense.methods.winoventi.schemas import Triplet, parse_premise
    >>> pan = Schema(Triplet("pan", "hot", "cold"), parse_premise("Jo had a [hotter / new] idea."), "machine")
    >>> check_schema(pan, Noun("pan")).objections
    ('neither names the noun nor refers to it', 'has the outcome in the premise')
    """
    found = []
    one, other = schema.premise.sentences
    if len(differing(one, other)) != 1:
        found.append(NOT_ONE_WORD)
    said = [words(one), words(other)]
    if min(map(len, said)) < _FEWEST_WORDS:
        found.append(TOO_SHORT)
    names = own_words(noun)
    if not all(names & {*text} or _REFERRING & {*text} for text in said):
        found.append(NO_NOUN)
    outcomes = _forms(schema.triplet.generic) | _forms(schema.triplet.exception)
    if any(_forms(word) & outcomes for text in said for word in text):
        found.append(OUTCOME_THERE)
    if lexicon is not None and means_outcome(schema, lexicon):
        found.append(SYNONYM)
    return Checked(schema, tuple(found))


def means_outcome(schema: Schema, lexicon: Lexicon) -> bool:
    """Whether a special word is a synonym of the outcome that it calls for (criterion 2)."""
    pairs = (schema.premise.generic, schema.triplet.generic), (schema.premise.exception, schema.triplet.exception)
    return any(lexicon.are_synonyms(special.lower(), outcome) for special, outcome in pairs)


def _forms(word: str) -> set[str]:
    """A word and what it may be a form of; the comparative gives an outcome away as the adjective does."""
    import lemminflect

    return {word, *(lemma for found in lemminflect.getAllLemmas(word).values() for lemma in found)}


def counted(checked: Iterable[Checked]) -> Mapping[str, int]:
    """How many schemas each objection was raised against; a schema may have several."""
    counts: dict[str, int] = {}
    for each in checked:
        for objection in each.objections:
            counts[objection] = counts.get(objection, 0) + 1
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))
