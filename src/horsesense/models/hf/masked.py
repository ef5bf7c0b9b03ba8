"""Masked language models (BERT and similar): pseudo-log-likelihood, one masked copy per token.

Any ``…ForMaskedLM`` of transformers works: BERT, RoBERTa, ALBERT, DistilBERT, MobileBERT, SqueezeBERT, ELECTRA's
generator, DeBERTa, ModernBERT, Longformer. The ERNIE of transformers is one of them too; that of Zhang et al. (2019) is
different, with entity embeddings, which transformers does not have.
"""

from __future__ import annotations

from typing import Any

from horsesense.core import ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.models.hf.families import Family
from horsesense.models.hf.rows import ModelInput, Question, Row, SpecialIds
from horsesense.models.hf.tokens import SpecialTokens, masked_frame


def frame(tokenizer: Any, spec: ScoringSpec) -> SpecialTokens:
    if tokenizer.mask_token_id is None:
        raise UserError(
            "the tokenizer has no mask token", fix=f"use {argument('model_type', 'causal')}, or another model"
        )
    return masked_frame(tokenizer, spec.special_tokens)


def rows(question: Question, spec: ScoringSpec, marks: SpecialIds) -> list[Row]:
    """One row per token: that token masked, and under ``word-l2r`` the rest of its word as well.

    Masking one token of a word at a time lets its other pieces give it away, which favours rare words (Kauf and Ivanova
    2023); ``token`` does so all the same.

    >>> question = Question(ids=(1, 7, 8, 9, 2), asked=(1, 2, 3), words=(0, 0, 1))
    >>> [row.given.ids for row in rows(question, ScoringSpec(pll="word-l2r"), SpecialIds(mask=0))]
    [(1, 0, 0, 9, 2), (1, 7, 0, 9, 2), (1, 7, 8, 0, 2)]
    >>> [row.given.ids for row in rows(question, ScoringSpec(pll="token"), SpecialIds(mask=0))]
    [(1, 0, 8, 9, 2), (1, 7, 0, 9, 2), (1, 7, 8, 0, 2)]
    """
    assert marks.mask is not None
    whole, mask, offset = question.ids, (marks.mask,), spec.read_offset
    if question.asked and not 0 <= question.asked[0] - offset <= question.asked[-1] - offset < len(whole):
        raise UserError(f"read_offset={offset} reads outside of the text", fix="use a smaller one")
    rows_of_tokens = []
    for position, hidden in hidden_positions(question, spec):
        ids = whole
        for other in hidden:
            ids = ids[:other] + mask + ids[other + 1 :]
        rows_of_tokens.append(Row(ModelInput(ids), (position - offset,), (whole[position],)))
    return rows_of_tokens


def hidden_positions(question: Question, spec: ScoringSpec) -> list[tuple[int, tuple[int, ...]]]:
    """Return each scored position with all positions hidden when it is predicted: itself, then the rest of its word."""
    if spec.pll == "token":
        return [(position, (position,)) for position in question.asked]
    rest: dict[int, tuple[int, ...]] = {}
    pairs = []
    for position, word in zip(reversed(question.asked), reversed(question.words), strict=True):
        rest[word] = (position, *rest.get(word, ()))
        pairs.append((position, rest[word]))
    return pairs[::-1]


FAMILY = Family(
    name="masked",
    architectures=("ForMaskedLM", "ForPreTraining"),
    auto_class="AutoModelForMaskedLM",
    frame=frame,
    rows=rows,
    batched_sdpa=True,
    takes_embeddings=True,
)
