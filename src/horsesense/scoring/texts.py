"""Score texts: every token with its log-probability; and options without their question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import nan

from horsesense.core import Answer, Item, ScoringSpec
from horsesense.core.document import Document, Number
from horsesense.errors import UserError
from horsesense.models.protocol import Model
from horsesense.scoring.prompts import Prompt, apply_casing, item_prompts


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """One token of a text."""

    token: str
    """Text of the token."""
    start: int
    """Index of its first character."""
    end: int
    """Index after its last character."""
    logprob: float
    """Natural logarithm."""


@dataclass(frozen=True, slots=True)
class ScoredText(Document):
    """A text, token by token, with the sum and mean of its log-probabilities."""

    text: str
    """The text with the spec's case and leading space."""
    tokens: tuple[ScoredToken, ...]
    """Scored tokens."""
    sum: float
    """Sum over the scored tokens."""
    mean: Number
    """Mean over the scored tokens."""


def scored_text(text: str, tokens: Iterable[ScoredToken]) -> ScoredText:
    """Add the sum and mean of its tokens to a text."""
    scored = tuple(tokens)
    total = sum(token.logprob for token in scored)
    return ScoredText(text, scored, total, total / len(scored) if scored else nan)


def score_texts(model: Model, texts: Sequence[str], spec: ScoringSpec) -> list[ScoredText]:
    """Score every token of each text; with ``bos=none`` the first one is left out."""
    for text in texts:
        if not text.strip():
            raise UserError("a text is empty", fix="give one that is not")
    prompts = [apply_casing(Prompt(text, 0, len(text)), spec) for text in texts]
    texts_scored = []
    with model.asking():
        encoded = model.encode(prompts, spec)
        scored = model.likelihoods(encoded, spec)
    for prompt, encoded_prompt, each in zip(prompts, encoded, scored, strict=True):
        names = model.token_texts(encoded_prompt, each)
        tokens = zip(names, each.starts, each.ends, each.logprobs, strict=True)
        texts_scored.append(scored_text(prompt.text, (ScoredToken(n, s, e, float(v)) for n, s, e, v in tokens)))
    return texts_scored


def blind_scores(model: Model, items: Sequence[Item], spec: ScoringSpec) -> list[list[float]]:
    """Return the mean log-probability per token of each option without its question.

    Sentences without a premise are the question themselves: there is nothing to leave out, and the cue abstains.
    """
    questions = [item for item in items if item.form != "sentences" or item.premise]
    distinct = list(dict.fromkeys(option for item in questions for option in item.options))
    means = dict(zip(distinct, (text.mean for text in score_texts(model, distinct, spec)), strict=True))
    apart = {item.id for item in questions}
    return [[means[option] if item.id in apart else nan for option in item.options] for item in items]


def stored_texts(answer: Answer, item: Item, spec: ScoringSpec) -> list[ScoredText | None]:
    """Return each option as it was asked, token by token, from a stored answer; None for a classifier, which has no
    tokens."""
    if not answer.logprobs:
        return [None] * len(item.options)
    # The scored stretch is in the stored offsets, whatever the family scores of a blank.
    prompts = item_prompts(item, replace(spec, baseline=False), scores_to_end=True).prompts
    return [
        scored_text(
            prompt.text,
            (
                ScoredToken(prompt.text[start:end], start, end, value)
                for start, end, value in zip(starts, ends, logprobs, strict=True)
            ),
        )
        for prompt, starts, ends, logprobs in zip(prompts, answer.starts, answer.ends, answer.logprobs, strict=True)
    ]
