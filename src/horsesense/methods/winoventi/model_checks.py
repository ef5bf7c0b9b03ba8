"""Checks of premises that need a model: probable English, distance in meaning, entailment (winoventi.txt, 2.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from horsesense.core import Item, ScoringSpec
from horsesense.methods.winoventi.checks import SIMILAR, UNGRAMMATICAL, WRONG_FOLLOWS, CheckedSchema
from horsesense.methods.winoventi.nouns import Noun, statement
from horsesense.models.hf.sentence_vectors import sentence_vectors
from horsesense.models.load import open_local
from horsesense.models.protocol import Model
from horsesense.scoring.option_scores import answer_items
from horsesense.scoring.texts import score_texts

LEAST_MEAN = -7.2
"""Mean log-probability of a token, by smollm2, below which a premise counts as improbable English: of 200 pairs
that people wrote for the release, 95 % lie above it with both sentences."""
NEAR = 0.75
"""Cosine of two words' vectors (all-MiniLM-L6-v2) from which they count as near in meaning."""


def grammatical(
    schemas: Sequence[CheckedSchema], ranker: Model, spec: ScoringSpec, least: float = LEAST_MEAN
) -> list[CheckedSchema]:
    """Object to pairs of which a sentence is improbable English."""
    texts = [text for checked in schemas for text in checked.schema.premise.sentences]
    means = [text.mean for text in score_texts(ranker, texts, spec)] if texts else []
    return [
        _objected(checked, UNGRAMMATICAL) if min(means[2 * place], means[2 * place + 1]) < least else checked
        for place, checked in enumerate(schemas)
    ]


def far_in_meaning(
    schemas: Sequence[CheckedSchema], vectors_of: str = "minilm", near: float = NEAR
) -> list[CheckedSchema]:
    """Object to pairs whose special word lies near its outcome (criterion 2), by a model of sentence vectors."""
    pairs = [_special_and_outcome(checked) for checked in schemas]
    words = sorted({word for pair in pairs for both in pair for word in both})
    if not words:
        return list(schemas)
    vectors = dict(zip(words, sentence_vectors(vectors_of, words), strict=True))
    return [
        _objected(checked, SIMILAR) if any(float(vectors[a] @ vectors[b]) >= near for a, b in pair) else checked
        for checked, pair in zip(schemas, pairs, strict=True)
    ]


def _special_and_outcome(checked: CheckedSchema) -> tuple[tuple[str, str], tuple[str, str]]:
    """Each special word with the outcome that it calls for."""
    premise, triplet = checked.schema.premise, checked.schema.triplet
    return (premise.generic.lower(), triplet.generic), (premise.exception.lower(), triplet.exception)


def not_entailing_the_wrong(
    schemas: Sequence[CheckedSchema], nouns: Sequence[Noun], entailment: str, device: str = "auto"
) -> list[CheckedSchema]:
    """Object to pairs of which a premise entails the other's outcome rather than contradicting it (criterion 1)."""
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
        _objected(checked, WRONG_FOLLOWS) if follows[2 * place] or follows[2 * place + 1] else checked
        for place, checked in enumerate(schemas)
    ]


def _objected(checked: CheckedSchema, objection: str) -> CheckedSchema:
    return replace(checked, objections=(*checked.objections, objection))
