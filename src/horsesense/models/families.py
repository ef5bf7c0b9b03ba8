"""Names of model families, and which one a config belongs to."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, cast

from horsesense.errors import UserError, unknown
from horsesense.models.rows import Question, Row
from horsesense.models.special import Frame
from horsesense.records import ScoringSpec

FAMILIES = {"causal": "horsesense.models.causal", "masked": "horsesense.models.masked"}
"""Family → module; each module has the names of `Family`."""

_NOT_YET = {
    "XLNetLMHeadModel": "permuted",
    "ForConditionalGeneration": "seq2seq",
    "ForSequenceClassification": "entailment",
    "ForMultipleChoice": "multiple-choice",
}


class Family(Protocol):
    """What a family module offers."""

    ARCHITECTURES: tuple[str, ...]
    """Endings of the architecture names in a config."""
    AUTO_CLASS: str
    """The class of transformers that loads it."""
    ASKS_WHAT_FOLLOWS: bool
    """Whether a cloze is scored to the end of its text."""

    def frame(self, tokenizer: Any, spec: ScoringSpec) -> Frame: ...

    def rows(self, question: Question, spec: ScoringSpec, mask: int | None) -> list[Row]: ...


def family_module(name: str) -> Family:
    if name not in FAMILIES:
        raise unknown("model family", name, FAMILIES)
    return cast(Family, importlib.import_module(FAMILIES[name]))


def family_of(config: Any, name: str) -> str:
    """The family that a model's config tells."""
    architectures = list(getattr(config, "architectures", None) or [])
    for architecture in architectures:
        for ending, later in _NOT_YET.items():
            if architecture.endswith(ending):
                raise UserError(
                    f"{name} is a {architecture}, of the family {later!r}, which cannot be asked yet",
                    fix=f"use a model of the family {' or '.join(FAMILIES)}",
                )
        for family in FAMILIES:
            if architecture.endswith(family_module(family).ARCHITECTURES):
                return family
    told = f"is a {architectures[0]}" if architectures else "does not say what it is in its config"
    raise UserError(
        f"{name} {told} and so has no language-model head to ask",
        fix="name another model, or say --family causal|masked if you know that it has one",
    )
