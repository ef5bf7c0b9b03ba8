"""What a model family is, which there are, and which one a config belongs to.

A family is one file beside this one, with a `Family` called ``FAMILY``, and one line in `FAMILIES`. What differs from
family to family is a field here; nothing else in the house asks for a family by its name to decide something.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from horsesense.core import FORMS, Form, ScoringSpec
from horsesense.errors import UserError, argument, unknown
from horsesense.models.hf.forward import Outputs, plain_outputs
from horsesense.models.hf.rows import Given, Marks, Question, Row
from horsesense.models.hf.tokens import Frame

FAMILIES = {
    "permuted": "horsesense.models.hf.permuted",
    "causal": "horsesense.models.hf.causal",
    "masked": "horsesense.models.hf.masked",
    "seq2seq": "horsesense.models.hf.seq2seq",
    "entailment": "horsesense.models.hf.entailment",
    "multiple-choice": "horsesense.models.hf.multiple_choice",
}
"""Family → the module that has it. XLNetLMHeadModel ends like a causal one, so it comes first."""

TRIAL = (Row(Given((5, 6, 7, 8)), (0, 2), (5, 6)), Row(Given((8, 7, 9, 5)), (1,), (7,)))
"""Two small inputs, read at some of their places."""


def mask_only(tokenizer: Any, config: Any) -> Marks:
    """The mask token, where there is one."""
    return Marks(tokenizer.mask_token_id)


def read_at_mask(ids: tuple[int, ...], place: int, spec: ScoringSpec) -> Row:
    """An input as it stands, read where its mask stands; the target does not matter."""
    return Row(Given(ids), (place - spec.read_offset,), (0,))


@dataclass(frozen=True)
class Family:
    """A way of asking: what stands around a text, and which rows of tokens give the log-probability of its parts."""

    name: str
    architectures: tuple[str, ...]
    """Endings of the architecture names in a config."""
    auto_class: str
    """The class of transformers that loads it."""
    frame: Callable[[Any, ScoringSpec], Frame]
    """The special tokens around a text, from the tokenizer."""
    rows: Callable[[Question, ScoringSpec, Marks], list[Row]]
    """What it takes to answer a question; pure."""
    outputs: Callable[[Any, list[Given], list[Row], Any], Outputs] = plain_outputs
    """One batch through the network, onto the device."""
    forms: tuple[Form, ...] = FORMS
    """Forms of items that it can answer."""
    head: Literal["tokens", "labels", "options"] = "tokens"
    """What the softmax is over: the vocabulary, the labels of a classifier, the options of an item."""
    direction: Literal["left to right", "both sides"] = "both sides"
    """What a prediction sees. That one from left to right sees nothing to its right is tried at load."""
    asks_what_follows: bool = False
    """Whether a cloze is scored to the end of its text, because only there does the model see the option."""
    encoder_decoder: bool = False
    """Whether it reads one text and writes another."""
    marks: Callable[[Any, Any], Marks] = mask_only
    """The token ids that rows are made with, from the tokenizer and the config."""
    blank: Callable[[tuple[int, ...], int, ScoringSpec], Row] = read_at_mask
    """The row that predicts what stands at a mask, from the ids and the place of the mask."""
    selective_head: bool = True
    """Whether the head may run at the places that are read alone; not where the network gives one place a row."""
    takes_trees: bool = False
    """Whether texts that begin alike may be fed as one tree; whether the network takes it is tried at load."""
    batched_sdpa: bool = False
    """Whether short texts may stand side by side in attention; whether the network takes it is tried at load."""
    takes_embeddings: bool = False
    """Whether it can be fed embeddings and nothing else, so that gradients say what a prediction rests on."""
    trial: tuple[Row, ...] = TRIAL
    """Small inputs of one shape, on which it is tried at load what the network allows."""

    def __str__(self) -> str:
        return self.name

    @property
    def left_to_right(self) -> bool:
        return self.direction == "left to right"


def family_named(name: str) -> Family:
    if name not in FAMILIES:
        raise unknown("model family", name, FAMILIES)
    return cast(Family, importlib.import_module(FAMILIES[name]).FAMILY)


def family_of(config: Any, name: str) -> Family:
    """The family that a model's config tells."""
    return _first_family(architectures_in(config), name)


def architectures_in(config: Any) -> list[str]:
    """The classes that a config names; none where it says something else there."""
    told = getattr(config, "architectures", None)
    return [each for each in told if isinstance(each, str)] if isinstance(told, list) else []


def family_of_class(architecture: str, name: str) -> Family:
    """The family of a network in memory, by the name of its class."""
    return _first_family([architecture], name)


def _first_family(architectures: Sequence[str], name: str) -> Family:
    for architecture in architectures:
        for family in map(family_named, FAMILIES):
            if architecture.endswith(family.architectures):
                return family
    known = f"is a {architectures[0]}" if architectures else "does not say what it is in its config"
    raise UserError(
        f"{name} {known} and so has no language-model head to ask",
        fix=f"name another model, or say {argument('family')} {'|'.join(FAMILIES)} if you know that it has one",
    )
