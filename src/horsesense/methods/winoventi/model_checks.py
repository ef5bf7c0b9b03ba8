"""Checks of premises that need a model: probable English, distance in meaning, entailment (winoventi.txt, 2.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from horsesense.methods.winoventi.checks import SIMILAR, UNGRAMMATICAL, WRONG_FOLLOWS, Checked
from horsesense.methods.winoventi.nouns import Noun, statement
from horsesense.models.local.language_model import LanguageModel
from horsesense.models.local.load import load_model
from horsesense.models.local.parts import quiet_transformers
from horsesense.models.locating import locate
from horsesense.records import Item, ScoringSpec
from horsesense.scoring.options import answer_items
from horsesense.scoring.texts import score_texts

LEAST_MEAN = -7.2
"""Mean log-probability of a token, by smollm2, below which a premise counts as improbable English: of 200 pairs
that people wrote for the release, 95 % lie above it with both sentences."""
NEAR = 0.75
"""Cosine of two words' vectors (all-MiniLM-L6-v2) from which they count as near in meaning."""


def grammatical(
    checked: Sequence[Checked], ranker: LanguageModel, spec: ScoringSpec, least: float = LEAST_MEAN
) -> list[Checked]:
    """Object to pairs of which a sentence is improbable English."""
    texts = [text for one in checked for text in one.schema.premise.sentences]
    means = [text.mean for text in score_texts(ranker, texts, spec)] if texts else []
    return [
        _objected(one, UNGRAMMATICAL) if min(means[2 * place], means[2 * place + 1]) < least else one
        for place, one in enumerate(checked)
    ]


def far_in_meaning(checked: Sequence[Checked], vectors_of: str = "minilm", near: float = NEAR) -> list[Checked]:
    """Object to pairs whose special word lies near its outcome (criterion 2), by a model of sentence vectors."""
    pairs = [_outcomes(one) for one in checked]
    words = sorted({word for pair in pairs for both in pair for word in both})
    if not words:
        return list(checked)
    vectors = dict(zip(words, word_vectors(vectors_of, words), strict=True))
    return [
        _objected(one, SIMILAR) if any(float(vectors[a] @ vectors[b]) >= near for a, b in pair) else one
        for one, pair in zip(checked, pairs, strict=True)
    ]


def _outcomes(one: Checked) -> tuple[tuple[str, str], tuple[str, str]]:
    premise, triplet = one.schema.premise, one.schema.triplet
    return (premise.generic.lower(), triplet.generic), (premise.exception.lower(), triplet.exception)


def word_vectors(name: str, words: Sequence[str]) -> Any:
    """A unit vector a word: the mean over its tokens of the model's last layer."""
    import torch
    import transformers

    folder = str(locate(name).folder)
    with quiet_transformers():
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        network = transformers.AutoModel.from_pretrained(folder, local_files_only=True).eval()
    found = []
    with torch.inference_mode():
        for start in range(0, len(words), 256):
            batch = tokenizer(list(words[start : start + 256]), return_tensors="pt", padding=True)
            mask = batch["attention_mask"][:, :, None].float()
            states = network(**batch).last_hidden_state
            found.append(torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1))
    return torch.cat(found).numpy()


def not_entailing_the_wrong(
    checked: Sequence[Checked], nouns: Sequence[Noun], entailment: str, device: str = "auto"
) -> list[Checked]:
    """Object to pairs of which a premise entails the other's outcome rather than contradicting it (criterion 1)."""
    model = load_model(entailment, device=device)
    items = []
    for one, noun in zip(checked, nouns, strict=True):
        for premise, wrong in zip(one.schema.premise.sentences, _wrong(one), strict=True):
            labels = ("entailment", "contradiction")
            items.append(Item("winoventi", "pair", premise, statement(noun, wrong), labels, 1))
    answers = answer_items(model, items, ScoringSpec())
    follows = [answer.scores[0] >= answer.scores[1] for answer in answers]
    return [
        _objected(one, WRONG_FOLLOWS) if follows[2 * place] or follows[2 * place + 1] else one
        for place, one in enumerate(checked)
    ]


def _wrong(one: Checked) -> tuple[str, str]:
    return one.schema.triplet.exception, one.schema.triplet.generic


def _objected(one: Checked, objection: str) -> Checked:
    return replace(one, objections=(*one.objections, objection))
