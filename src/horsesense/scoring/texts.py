"""Score texts: each token with its log-probability, options alone, and the tokens that decide between two texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
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


@dataclass(frozen=True, slots=True)
class TokenEvidence(Document):
    """One position of the alignment."""

    token: str | None
    """Token of the first text; null where only the second has one here."""
    against: str | None
    """Token of the second text; null where only the first has one here."""
    q: float
    """Evidence of this position: above 0 for the first text."""
    edited: bool
    """Whether the texts differ here."""


def evidence(text: ScoredText, against: ScoredText) -> list[TokenEvidence]:
    """Return the evidence of each position for the first text against the second."""
    left, right = text.tokens, against.tokens
    if len(left) == len(right):
        return [_position(a, b) for a, b in zip(left, right, strict=True)]
    positions: list[TokenEvidence] = []
    matcher = SequenceMatcher(None, [t.token for t in left], [t.token for t in right], autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        positions += [_position(*pair) for pair in zip_longest(left[a:b], right[c:d])]
    return positions


def _position(left: ScoredToken | None, right: ScoredToken | None) -> TokenEvidence:
    one, other = left.token if left else None, right.token if right else None
    q = (left.logprob if left else 0.0) - (right.logprob if right else 0.0)
    return TokenEvidence(one, other, q, edited=one != other)


def share_of_edit(positions: Sequence[TokenEvidence]) -> float:
    """Return the share of all evidence, for or against, at positions where the texts differ.

    >>> share_of_edit([TokenEvidence("a", "a", 0.5, False), TokenEvidence("b", None, -1.5, True)])
    0.75
    """
    total = sum(abs(each.q) for each in positions)
    return sum(abs(each.q) for each in positions if each.edited) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class TextEvidence(Document):
    """The evidence for a text against another."""

    q: tuple[TokenEvidence, ...]
    """Evidence of each position, in the order of the texts."""
    sum: float
    """Difference of the two sums."""
    share_of_edit: float
    """Share of all evidence at positions where the texts differ."""


def text_evidence(text: ScoredText, against: ScoredText) -> TextEvidence:
    """Return the evidence of two texts, by position and in total."""
    positions = evidence(text, against)
    return TextEvidence(tuple(positions), sum(each.q for each in positions), share_of_edit(positions))
