"""Classifiers of sentence pairs: which label holds between premise and hypothesis."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import Outputs, plain_outputs
from horsesense.models.hf.rows import ModelInput, Question, Row, SpecialIds
from horsesense.models.hf.tokens import SpecialTokens

_SAME = {
    "entails": "entailment",
    "entailed": "entailment",
    "contradicts": "contradiction",
    "contradicted": "contradiction",
    "notentailed": "notentailment",
    "nonentailment": "notentailment",
}


def frame(tokenizer: Any, spec: ScoringSpec) -> SpecialTokens:
    return SpecialTokens((), in_words="premise and hypothesis as the tokenizer joins them")


def rows(question: Question, spec: ScoringSpec, marks: SpecialIds) -> list[Row]:
    return [Row(ModelInput(question.ids, types=question.types), (0,) * len(question.asked), question.asked)]


def outputs(network: Any, model_inputs: list[ModelInput], rows: list[Row], device: Any) -> Outputs:
    plain = plain_outputs(network, model_inputs, rows, device)
    return Outputs(plain.logits[:, None, :], plain.positions)


def label_numbers(names: Mapping[int, str], options: Sequence[str]) -> tuple[int, ...]:
    """Return the model's index of each option's label, by name.

    >>> label_numbers({0: "CONTRADICTION", 1: "neutral", 2: "entailment"}, ("entailment", "contradiction"))
    (2, 0)
    """
    numbers = {_plain(name): number for number, name in names.items()}
    missing = [option for option in options if _plain(option) not in numbers]
    if missing:
        known = ", ".join(names[number] for number in sorted(names))
        raise UserError(
            f"the model has no label for the option {missing[0]!r} (its labels: {known})",
            fix="set id2label in its config.json, or use a probe with its labels",
        )
    return tuple(numbers[_plain(option)] for option in options)


def _plain(name: str) -> str:
    bare = re.sub(r"[^a-z0-9]", "", name.lower())
    return _SAME.get(bare, bare)


FAMILY = Family(
    name="entailment",
    architectures=("ForSequenceClassification",),
    auto_class="AutoModelForSequenceClassification",
    frame=frame,
    rows=rows,
    outputs=outputs,
    forms=("pair",),
    head="labels",
    selective_head=False,
)
