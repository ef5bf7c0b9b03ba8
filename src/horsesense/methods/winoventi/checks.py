"""Checks of a premise pair before people see it (winoventi.txt, 2.5 and 2.6): each objection has a name.

Here are those that need no model; `model_checks` has the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from horsesense.lexicons.words import PRONOUNS, words
from horsesense.methods.winoventi.associations import words_of_noun
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
class CheckedSchema:
    """A schema and what speaks against it."""

    schema: Schema
    objections: tuple[str, ...]

    @property
    def passes(self) -> bool:
        return not self.objections


def check_schema(schema: Schema, noun: Noun, lexicon: Lexicon | None = None) -> CheckedSchema:
    """All objections that need no model.

    >>> from horsesense.methods.winoventi.schemas import Triplet, parse_premise
    >>> pan = Schema(Triplet("pan", "hot", "cold"), parse_premise("Jo had a [hotter / new] idea."), "machine")
    >>> check_schema(pan, Noun("pan")).objections
    ('neither names the noun nor refers to it', 'has the outcome in the premise')
    """
    objections = []
    if len(differing(*schema.premise.sentences)) != 1:
        objections.append(NOT_ONE_WORD)
    sentences = [words(sentence) for sentence in schema.premise.sentences]
    if min(map(len, sentences)) < _FEWEST_WORDS:
        objections.append(TOO_SHORT)
    names = words_of_noun(noun)
    if not all(names & {*sentence} or _REFERRING & {*sentence} for sentence in sentences):
        objections.append(NO_NOUN)
    outcomes = _forms(schema.triplet.generic) | _forms(schema.triplet.exception)
    if any(_forms(word) & outcomes for sentence in sentences for word in sentence):
        objections.append(OUTCOME_THERE)
    if lexicon is not None and _means_outcome(schema, lexicon):
        objections.append(SYNONYM)
    return CheckedSchema(schema, tuple(objections))


def _means_outcome(schema: Schema, lexicon: Lexicon) -> bool:
    """Whether a special word is a synonym of the outcome that it calls for (criterion 2)."""
    pairs = (schema.premise.generic, schema.triplet.generic), (schema.premise.exception, schema.triplet.exception)
    return any(lexicon.are_synonyms(special.lower(), outcome) for special, outcome in pairs)


@cache
def _forms(word: str) -> set[str]:
    """A word and what it may be a form of; the comparative gives an outcome away as the adjective does."""
    import lemminflect

    return {word, *(lemma for of_a_kind in lemminflect.getAllLemmas(word).values() for lemma in of_a_kind)}


def count_objections(schemas: Iterable[CheckedSchema]) -> Mapping[str, int]:
    """How many schemas each objection was raised against; a schema may have several."""
    counts: dict[str, int] = {}
    for checked in schemas:
        for objection in checked.objections:
            counts[objection] = counts.get(objection, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
