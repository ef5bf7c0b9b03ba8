"""Names of model families, and which one a config belongs to."""

from __future__ import annotations

import importlib
from typing import Any, Literal, Protocol, cast

from horsesense.errors import UserError, unknown
from horsesense.models.forward import Outputs
from horsesense.models.rows import Given, Marks, Question, Row
from horsesense.models.special import Frame
from horsesense.records import Form, ScoringSpec

FAMILIES = {
    "permuted": "horsesense.models.permuted",
    "causal": "horsesense.models.causal",
    "masked": "horsesense.models.masked",
    "seq2seq": "horsesense.models.seq2seq",
    "entailment": "horsesense.models.entailment",
    "multiple-choice": "horsesense.models.multiple_choice",
}
"""Family → module, each with the names of `Family`. XLNetLMHeadModel ends like a causal one, so it comes first."""


class Family(Protocol):
    """What a family module offers."""

    ARCHITECTURES: tuple[str, ...]
    """Endings of the architecture names in a config."""
    AUTO_CLASS: str
    """The class of transformers that loads it."""
    FORMS: tuple[Form, ...]
    """Forms of items that it can answer."""
    DIRECTION: str
    """What a prediction sees."""
    ASKS_WHAT_FOLLOWS: bool
    """Whether a cloze is scored to the end of its text, because only there does the model see the option."""
    HEAD: Literal["tokens", "labels", "options"]
    """What the softmax is over: the vocabulary, the labels of a classifier, the options of an item."""

    def frame(self, tokenizer: Any, spec: ScoringSpec) -> Frame:
        """The special tokens around a text."""

    def rows(self, question: Question, spec: ScoringSpec, marks: Marks) -> list[Row]:
        """What it takes to answer a question; pure."""

    def outputs(self, network: Any, given: list[Given], rows: list[Row], device: Any) -> Outputs:
        """One batch through the network."""


def family_module(name: str) -> Family:
    if name not in FAMILIES:
        raise unknown("model family", name, FAMILIES)
    return cast(Family, importlib.import_module(FAMILIES[name]))


def family_of(config: Any, name: str) -> str:
    """The family that a model's config tells."""
    architectures = list(getattr(config, "architectures", None) or [])
    for architecture in architectures:
        for family in FAMILIES:
            if architecture.endswith(family_module(family).ARCHITECTURES):
                return family
    told = f"is a {architectures[0]}" if architectures else "does not say what it is in its config"
    raise UserError(
        f"{name} {told} and so has no language-model head to ask",
        fix=f"name another model, or say --family {'|'.join(FAMILIES)} if you know that it has one",
    )
