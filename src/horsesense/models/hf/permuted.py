"""Permutation language models (XLNet): one target at a time, everything else visible.

The input keeps its tokens; what is predicted is hidden from every place through ``perm_mask``, and
``target_mapping`` names it. Short texts are hard for XLNet, which was trained on long ones: its
scores of single sentences are known to be poor, and padding the left with unrelated text, as some
scripts do, changes what is asked. We add nothing.
"""

from __future__ import annotations

from typing import Any

from horsesense.core import ScoringSpec
from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import Outputs, ids_tensor
from horsesense.models.hf.masked import hidden_positions
from horsesense.models.hf.rows import ModelInput, Question, Row, SpecialIds
from horsesense.models.hf.tokens import SpecialTokens


def frame(tokenizer: Any, spec: ScoringSpec) -> SpecialTokens:
    """Nothing: ``<sep><cls>`` of its tokenizer is for classification, and sentences are scored without it."""
    return SpecialTokens((), in_words="none")


def rows(question: Question, spec: ScoringSpec, marks: SpecialIds) -> list[Row]:
    """One row per token, the same tokens each time, another position hidden.

    Hidden tokens are also set to the unknown id 0, so that rows which see the same share a forward pass.

    >>> [row.given[:2] for row in rows(Question((7, 8, 9), (0, 1), (0, 0)), ScoringSpec(), SpecialIds())]
    [((0, 0, 9), (0, 1)), ((7, 0, 9), (1,))]
    """
    rows_of_tokens = []
    for position, hidden in hidden_positions(question, spec):
        ids = tuple(0 if other in hidden else token for other, token in enumerate(question.ids))
        rows_of_tokens.append(Row(ModelInput(ids, hidden=hidden), (position,), (question.ids[position],)))
    return rows_of_tokens


def blank(ids: tuple[int, ...], position: int, spec: ScoringSpec) -> Row:
    """The position of the mask, hidden from every other."""
    return Row(ModelInput(ids, hidden=(position,)), (position,), (0,))


def outputs(network: Any, model_inputs: list[ModelInput], rows: list[Row], device: Any) -> Outputs:
    import torch

    ids = ids_tensor([each.ids for each in model_inputs], device)
    size, length = ids.shape
    unseen = torch.zeros(size, length, length, device=device)
    target = torch.zeros(size, 1, length, device=device)
    for number, each in enumerate(model_inputs):
        unseen[number, :, list(each.hidden)] = 1.0
        target[number, 0, each.hidden[0]] = 1.0
    logits = network(input_ids=ids, perm_mask=unseen, target_mapping=target).logits
    return Outputs(logits, [[0] * len(row.reads) for row in rows])


FAMILY = Family(
    name="permuted",
    architectures=("XLNetLMHeadModel",),
    auto_class="XLNetLMHeadModel",
    frame=frame,
    rows=rows,
    outputs=outputs,
    blank=blank,
    selective_head=False,
)
