"""Multiple-choice heads: one score per (question, answer); the softmax is over the answers of an item."""

from __future__ import annotations

from typing import Any

from horsesense.core import ScoringSpec
from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import Outputs, ids_tensor
from horsesense.models.hf.rows import ModelInput, Question, Row, SpecialIds
from horsesense.models.hf.tokens import SpecialTokens


def frame(tokenizer: Any, spec: ScoringSpec) -> SpecialTokens:
    return SpecialTokens((), in_words="question and answer as the tokenizer joins them")


def rows(question: Question, spec: ScoringSpec, marks: SpecialIds) -> list[Row]:
    return [Row(ModelInput(question.ids, types=question.types), (0,), (0,))]


def outputs(network: Any, model_inputs: list[ModelInput], rows: list[Row], device: Any) -> Outputs:
    inputs = {"input_ids": ids_tensor([each.ids for each in model_inputs], device)[:, None]}
    if model_inputs[0].types:
        inputs["token_type_ids"] = ids_tensor([each.types for each in model_inputs], device)[:, None]
    return Outputs(network(**inputs).logits[:, None, :], [[0] * len(row.reads) for row in rows])


FAMILY = Family(
    name="multiple-choice",
    architectures=("ForMultipleChoice",),
    auto_class="AutoModelForMultipleChoice",
    frame=frame,
    rows=rows,
    outputs=outputs,
    forms=("choice",),
    head="options",
    selective_head=False,
)
