"""Causal language models (GPT, GPT-2, Llama and their like): every token from those to its left."""

from __future__ import annotations

from typing import Any

from horsesense.models.forward import Outputs, plain_outputs
from horsesense.models.rows import Given, Marks, Question, Row
from horsesense.models.special import Frame, causal_frame
from horsesense.records import FORMS as ALL_FORMS
from horsesense.records import ScoringSpec

ARCHITECTURES = ("ForCausalLM", "LMHeadModel")
AUTO_CLASS = "AutoModelForCausalLM"
FORMS = ALL_FORMS
DIRECTION = "left to right"
ASKS_WHAT_FOLLOWS = True
HEAD = "tokens"


def frame(tokenizer: Any, spec: ScoringSpec) -> Frame:
    return causal_frame(tokenizer, spec.bos)


def rows(question: Question, spec: ScoringSpec, marks: Marks) -> list[Row]:
    """One row: the whole text, each asked token read one place before it.

    >>> rows(Question(ids=(9, 4, 5, 6), asked=(2, 3), words=(0, 1)), ScoringSpec(), Marks())
    [Row(given=Given(ids=(9, 4, 5, 6), hidden=(), decoder=(), types=()), reads=(1, 2), targets=(5, 6))]
    """
    reads = tuple(place - 1 for place in question.asked)
    return [Row(Given(question.ids), reads, tuple(question.ids[place] for place in question.asked))]


def outputs(network: Any, given: list[Given], rows: list[Row], device: Any) -> Outputs:
    return plain_outputs(network, given, rows, device)
