"""Model families: how each is asked, and which one a config belongs to.

A family is one file beside this one, with a `Family` called ``FAMILY``, and one line in `FAMILIES`. Whatever differs
between families is a field here; no other code decides by a family's name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from horsesense.core import FORMS, Form, ScoringSpec
from horsesense.errors import UserError, argument, unknown
from horsesense.models.hf.forward import Outputs, plain_outputs
from horsesense.models.hf.rows import ModelInput, Question, Row, SpecialIds
from horsesense.models.hf.tokens import SpecialTokens

FAMILIES = {
    "permuted": "horsesense.models.hf.permuted",
    "causal": "horsesense.models.hf.causal",
    "masked": "horsesense.models.hf.masked",
    "seq2seq": "horsesense.models.hf.seq2seq",
    "entailment": "horsesense.models.hf.entailment",
    "multiple-choice": "horsesense.models.hf.multiple_choice",
}
"""Family → its module. XLNetLMHeadModel ends like a causal one, so it comes first."""

TRIAL = (Row(ModelInput((5, 6, 7, 8)), (0, 2), (5, 6)), Row(ModelInput((8, 7, 9, 5)), (1,), (7,)))
"""Two small inputs for self-tests, read at some of their positions."""


def mask_only(tokenizer: Any, config: Any) -> SpecialIds:
    """Return the mask token, if there is one."""
    return SpecialIds(tokenizer.mask_token_id)


def read_at_mask(ids: tuple[int, ...], position: int, spec: ScoringSpec) -> Row:
    """Return an input read at its mask; the target does not matter."""
    return Row(ModelInput(ids), (position - spec.read_offset,), (0,))


@dataclass(frozen=True)
class Family:
    """A model family: the special tokens around a text, and the inputs that give the log-probabilities of its
    tokens.
    """

    name: str
    architectures: tuple[str, ...]
    """Endings of the architecture names in a config."""
    auto_class: str
    """The class of transformers that loads it."""
    frame: Callable[[Any, ScoringSpec], SpecialTokens]
    """Returns the special tokens around a text, from the tokenizer."""
    rows: Callable[[Question, ScoringSpec, SpecialIds], list[Row]]
    """Pure function that returns the inputs of a question."""
    outputs: Callable[[Any, list[ModelInput], list[Row], Any], Outputs] = plain_outputs
    """Runs one batch through the network."""
    forms: tuple[Form, ...] = FORMS
    """Forms of items that it can answer."""
    head: Literal["tokens", "labels", "options"] = "tokens"
    """What the softmax is over: the vocabulary, the labels of a classifier, the options of an item."""
    direction: Literal["left to right", "both sides"] = "both sides"
    """Context of a prediction. That a left-to-right model sees nothing to its right is tested at load."""
    scores_to_end: bool = False
    """Whether a cloze is scored to the end of its text, because the model sees the option only there."""
    encoder_decoder: bool = False
    """Whether it has an encoder and a decoder."""
    marks: Callable[[Any, Any], SpecialIds] = mask_only
    """Returns the token ids that inputs are built with, from the tokenizer and the config."""
    blank: Callable[[tuple[int, ...], int, ScoringSpec], Row] = read_at_mask
    """Returns the input that predicts a masked token, from the ids and the index of the mask."""
    selective_head: bool = True
    """Whether the head may run at the read positions only; not if the network has one output per row."""
    takes_trees: bool = False
    """Whether texts with a common prefix may be fed as one tree, if the self-test at load passes."""
    batched_sdpa: bool = False
    """Whether short texts may share an attention tile, if the self-test at load passes."""
    takes_embeddings: bool = False
    """Whether it can be fed embeddings alone, so that gradients attribute a prediction to words."""
    trial: tuple[Row, ...] = TRIAL
    """Small inputs of one shape for the self-tests at load."""

    def __str__(self) -> str:
        return self.name

    @property
    def left_to_right(self) -> bool:
        return self.direction == "left to right"


def family_named(name: str) -> Family:
    if name not in FAMILIES:
        raise unknown("model type", name, FAMILIES)
    return cast(Family, importlib.import_module(FAMILIES[name]).FAMILY)


def family_of(config: Any, name: str) -> Family:
    """Return the family of a config."""
    return _first_family(architectures_in(config), name)


def architectures_in(config: Any) -> list[str]:
    """Return the class names in a config; none where the field is malformed."""
    named = getattr(config, "architectures", None)
    return [each for each in named if isinstance(each, str)] if isinstance(named, list) else []


def family_of_class(architecture: str, name: str) -> Family:
    """Return the family of a network in memory, by the name of its class."""
    return _first_family([architecture], name)


def _first_family(architectures: Sequence[str], name: str) -> Family:
    for architecture in architectures:
        for family in map(family_named, FAMILIES):
            if architecture.endswith(family.architectures):
                return family
    known = f"is a {architectures[0]}" if architectures else "does not say what it is in its config"
    raise UserError(
        f"{name} {known} and so has no language-model head",
        fix=f"name another model, or set {argument('model_type')} to {'|'.join(FAMILIES)} if you know that it has one",
    )
