"""Causal language models (GPT, GPT-2, Llama and similar): each token is predicted from those to its left."""

from __future__ import annotations

from typing import Any

from horsesense.core import ScoringSpec
from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import Outputs, plain_outputs, tree_logits
from horsesense.models.hf.rows import ModelInput, Question, Row, SpecialIds
from horsesense.models.hf.tokens import SpecialTokens, causal_frame


def frame(tokenizer: Any, spec: ScoringSpec) -> SpecialTokens:
    return causal_frame(tokenizer, spec.bos)


def rows(question: Question, spec: ScoringSpec, marks: SpecialIds) -> list[Row]:
    """One row, each scored token read one position before it; so the last token is never fed.

    >>> rows(Question(ids=(9, 4, 5, 6), asked=(2, 3), words=(0, 1)), ScoringSpec(), SpecialIds())
    [Row(given=ModelInput(ids=(9, 4, 5), hidden=(), decoder=(), types=(), parents=()), reads=(1, 2), targets=(5, 6))]
    """
    reads = tuple(position - 1 for position in question.asked)
    return [
        Row(
            ModelInput(question.ids[: reads[-1] + 1]),
            reads,
            tuple(question.ids[position] for position in question.asked),
        )
    ]


def outputs(network: Any, model_inputs: list[ModelInput], rows: list[Row], device: Any) -> Outputs:
    if any(each.parents for each in model_inputs) or len({len(each.ids) for each in model_inputs}) > 1:
        return Outputs(tree_logits(network, model_inputs, device), [list(row.reads) for row in rows])
    return plain_outputs(network, model_inputs, rows, device)


FAMILY = Family(
    name="causal",
    architectures=("ForCausalLM", "LMHeadModel"),
    auto_class="AutoModelForCausalLM",
    frame=frame,
    rows=rows,
    outputs=outputs,
    direction="left to right",
    scores_to_end=True,
    takes_trees=True,
    takes_embeddings=True,
)
