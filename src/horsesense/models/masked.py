"""Masked language models (BERT and its like): pseudo-log-likelihood, one masked copy a token."""

from __future__ import annotations

from typing import Any

from horsesense.errors import UserError
from horsesense.models.rows import Question, Row
from horsesense.models.special import Frame, masked_frame
from horsesense.records import ScoringSpec

ARCHITECTURES = ("ForMaskedLM", "ForPreTraining")
AUTO_CLASS = "AutoModelForMaskedLM"

ASKS_WHAT_FOLLOWS = False
"""In a cloze only the option is scored: the model sees both sides of it."""


def frame(tokenizer: Any, spec: ScoringSpec) -> Frame:
    if tokenizer.mask_token_id is None:
        raise UserError("the tokenizer has no mask token", fix="use --family causal, or another model")
    return masked_frame(tokenizer, spec.special_tokens)


def rows(question: Question, spec: ScoringSpec, mask: int | None) -> list[Row]:
    """One row a token: that token masked, and under ``word-l2r`` the rest of its word as well.

    Masking one token of a word at a time lets its other pieces give it away, which favours rare
    words (Kauf and Ivanova 2023); ``token`` does so all the same, as CATs does.

    >>> question = Question(ids=(1, 7, 8, 9, 2), asked=(1, 2, 3), words=(0, 0, 1))
    >>> [row.ids for row in rows(question, ScoringSpec(pll="word-l2r"), 0)]
    [(1, 0, 0, 9, 2), (1, 7, 0, 9, 2), (1, 7, 8, 0, 2)]
    >>> [row.ids for row in rows(question, ScoringSpec(pll="token"), 0)]
    [(1, 0, 8, 9, 2), (1, 7, 0, 9, 2), (1, 7, 8, 0, 2)]
    """
    assert mask is not None
    made = []
    for number, (place, word) in enumerate(zip(question.asked, question.words, strict=True)):
        ids = list(question.ids)
        ids[place] = mask
        if spec.pll == "word-l2r":
            for later, other in zip(question.asked[number + 1 :], question.words[number + 1 :], strict=True):
                if other == word:
                    ids[later] = mask
        made.append(Row(tuple(ids), (place - spec.read_offset,), (question.ids[place],)))
    return made
