"""Causal language models (GPT-2, Llama and their like): every token from those to its left."""

from __future__ import annotations

from typing import Any

from horsesense.models.rows import Question, Row
from horsesense.models.special import Frame, causal_frame
from horsesense.records import ScoringSpec

ARCHITECTURES = ("ForCausalLM", "LMHeadModel")
AUTO_CLASS = "AutoModelForCausalLM"

ASKS_WHAT_FOLLOWS = True
"""In a cloze the option is scored together with what follows it, since only there does the model see it."""


def frame(tokenizer: Any, spec: ScoringSpec) -> Frame:
    return causal_frame(tokenizer, spec.bos)


def rows(question: Question, spec: ScoringSpec, mask: int | None) -> list[Row]:
    """One row: the whole text, each asked token read one place before it.

    >>> rows(Question(ids=(9, 4, 5, 6), asked=(2, 3), words=(0, 1)), ScoringSpec(), None)
    [Row(ids=(9, 4, 5, 6), reads=(1, 2), targets=(5, 6))]
    """
    reads = tuple(place - 1 for place in question.asked)
    return [Row(question.ids, reads, tuple(question.ids[place] for place in question.asked))]
