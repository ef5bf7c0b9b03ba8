"""Step 5 (sections 2.5 and 2.6): checks of a premise pair, by rule and by model. Each objection has a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from horsesense.core import Item, ScoringSpec
from horsesense.lexicons.words import PRONOUNS, words
from horsesense.methods.winoventi.associations import words_of_noun
from horsesense.methods.winoventi.nouns import Noun, statement
from horsesense.methods.winoventi.schemas import CheckedSchema, Schema, word_differences
from horsesense.methods.winoventi.word_relations import WordRelations
from horsesense.models.hf.sentence_vectors import sentence_vectors
from horsesense.models.load import open_local
from horsesense.models.protocol import Model
from horsesense.scoring.option_scores import answer_items
from horsesense.scoring.texts import score_texts

NOT_ONE_WORD = "does not differ in one word"
NO_NOUN = "neither names the noun nor refers to it"
OUTCOME_THERE = "has the outcome in the premise"
SYNONYM = "special word means the outcome"
TOO_SHORT = "is not a sentence"
UNGRAMMATICAL = "is improbable English"
SIMILAR = "special word is near the outcome in meaning"
WRONG_FOLLOWS = "premise entails the wrong outcome"

_REFERRING = (PRONOUNS - {"i", "you", "we", "me", "us", "my", "your", "our"}) | {"one", "this", "that"}
_FEWEST_WORDS = 4


def check_schema(schema: Schema, noun: Noun, lexicon: WordRelations | None = None) -> CheckedSchema:
    """Return all objections that need no model.

    >>> from horsesense.methods.winoventi.schemas import Triplet, parse_premise
    >>> pan = Schema(Triplet("pan", "hot", "cold"), parse_premise("Jo had a [hotter / new] idea."), "machine")
    >>> check_schema(pan, Noun("pan")).objections
    ('neither names the noun nor refers to it', 'has the outcome in the premise')
    """
    objections = []
    if len(word_differences(*schema.premise.sentences)) != 1:
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


def _means_outcome(schema: Schema, lexicon: WordRelations) -> bool:
    """Return whether a special word is a synonym of its outcome (criterion 2)."""
    pairs = (schema.premise.generic, schema.triplet.generic), (schema.premise.exception, schema.triplet.exception)
    return any(lexicon.are_synonyms(special.lower(), outcome) for special, outcome in pairs)


@cache
def _forms(word: str) -> set[str]:
    """Return a word and its lemmas; a comparative gives an outcome away like the adjective."""
    import lemminflect

    return {word, *(lemma for of_a_kind in lemminflect.getAllLemmas(word).values() for lemma in of_a_kind)}


def count_objections(schemas: Iterable[CheckedSchema]) -> Mapping[str, int]:
    """Count the schemas with each objection; a schema may have several."""
    counts: dict[str, int] = {}
    for checked in schemas:
        for objection in checked.objections:
            counts[objection] = counts.get(objection, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


LEAST_MEAN = -7.2
"""Mean log-probability per token, by smollm2, below which a premise counts as improbable English: in 95% of 200 pairs
that people wrote for the published dataset both sentences are above it.
"""
NEAR = 0.75
"""Cosine similarity of two words (all-MiniLM-L6-v2) from which they are near in meaning."""


def check_grammar(
    schemas: Sequence[CheckedSchema], ranker: Model, spec: ScoringSpec, least: float = LEAST_MEAN
) -> list[CheckedSchema]:
    """Object to pairs with a sentence that is improbable English."""
    texts = [text for checked in schemas for text in checked.schema.premise.sentences]
    means = [text.mean for text in score_texts(ranker, texts, spec)] if texts else []
    return [
        _with_objection(checked, UNGRAMMATICAL) if min(means[2 * i], means[2 * i + 1]) < least else checked
        for i, checked in enumerate(schemas)
    ]


def check_meaning(
    schemas: Sequence[CheckedSchema], vectors_of: str = "minilm", near: float = NEAR
) -> list[CheckedSchema]:
    """Object to pairs whose special word is near its outcome in meaning (criterion 2), by sentence embeddings."""
    pairs = [_special_and_outcome(checked) for checked in schemas]
    words = sorted({word for pair in pairs for both in pair for word in both})
    if not words:
        return list(schemas)
    vectors = dict(zip(words, sentence_vectors(vectors_of, words), strict=True))
    return [
        _with_objection(checked, SIMILAR) if any(float(vectors[a] @ vectors[b]) >= near for a, b in pair) else checked
        for checked, pair in zip(schemas, pairs, strict=True)
    ]


def _special_and_outcome(checked: CheckedSchema) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return each special word with its outcome."""
    premise, triplet = checked.schema.premise, checked.schema.triplet
    return (premise.generic.lower(), triplet.generic), (premise.exception.lower(), triplet.exception)


def check_entailment(
    schemas: Sequence[CheckedSchema], nouns: Sequence[Noun], entailment: str, device: str = "auto"
) -> list[CheckedSchema]:
    """Object to pairs whose premise entails the other outcome rather than contradicting it (criterion 1)."""
    model = open_local(entailment, "entailment is asked of a classifier that is loaded here", device=device)
    items = []
    for checked, noun in zip(schemas, nouns, strict=True):
        triplet = checked.schema.triplet
        for premise, wrong in zip(checked.schema.premise.sentences, (triplet.exception, triplet.generic), strict=True):
            labels = ("entailment", "contradiction")
            items.append(Item("winoventi", "pair", premise, statement(noun, wrong), labels, 1))
    answers = answer_items(model, items, ScoringSpec())
    follows = [answer.scores[0] >= answer.scores[1] for answer in answers]
    return [
        _with_objection(checked, WRONG_FOLLOWS) if follows[2 * i] or follows[2 * i + 1] else checked
        for i, checked in enumerate(schemas)
    ]


def _with_objection(checked: CheckedSchema, objection: str) -> CheckedSchema:
    return replace(checked, objections=(*checked.objections, objection))
