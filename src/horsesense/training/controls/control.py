"""The interface of controls, all of them by name, and the label sets and slots that several count by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import Plugin, require_plugin
from horsesense.stats import credits

_HERE = "horsesense.training.controls"


VECTORS = "glove"
"""Default word vectors."""


@dataclass(frozen=True, slots=True)
class ControlTask:
    """The data and settings of one fit."""

    train: Sequence[Item]
    """With golds."""
    dev: Sequence[Item]
    """With golds; for model selection and early stopping. Shares no cluster with ``train``."""
    test: Sequence[Item]
    seed: int = 0
    slots: tuple[str, ...] = ()
    """Facets or groups that the control sees; empty: its own choice."""
    vectors: str = VECTORS
    """Word vectors: ``glove``, a file, or ``none`` for embeddings trained from scratch."""
    encoder: str = ""
    """Name of the encoder, if the control has one."""
    options: Mapping[str, float] = field(default_factory=dict)
    """Other options of a control: ``epochs``, ``ordinal`` …"""
    group: str = "family"
    """The cluster."""
    progress: Progress = NO_PROGRESS


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a fitted control, with which it can answer other items."""

    arrays: Mapping[str, Any]
    """NumPy arrays by name."""
    words: tuple[str, ...] = ()
    """The vocabulary of the rows of the arrays, if the control has one of its own."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A control's answers to the test items."""

    scores: list[tuple[float, ...]]
    """One per option of each item."""
    method: str
    """How it answers, as a phrase."""
    notes: dict[str, float] = field(default_factory=dict)
    """What was counted or selected during fitting."""
    weights: Weights | None = None
    """Its weights; None if it cannot answer other items."""


def accuracy_on(scores: Sequence[Sequence[float]], items: Sequence[Item]) -> float:
    """Return the accuracy on items with golds, for model selection."""
    return float(credits(scores, [item.answer for item in items]).values.mean())


@dataclass(frozen=True, slots=True)
class Control:
    """One control."""

    where: str
    """``module:function``, loaded on use; a module that begins with a dot is in this package."""
    about: str
    """What it sees."""
    trains: bool = True
    """Whether it needs a training set."""
    by_chance: bool = False
    """Whether it depends on the seed."""
    chooses: Literal["always", "never", "without slots"] = "always"
    """Whether it needs a development set; one that does not is trained on everything."""

    again: bool = False
    """Whether its function takes stored weights as a second argument, to answer other items or to train further."""
    plugin: Plugin | None = None
    """The plug-in that adds it, if it is not built in."""

    def fit(self, task: ControlTask, weights: Weights | None = None) -> Fitted:
        """Fit the control and answer the test items; with stored weights and no training items, only answer."""
        arguments = (task,) if weights is None else (task, weights)

        def function() -> Fitted:
            module, _, name = self.where.partition(":")
            return cast(Fitted, getattr(import_module(module, _HERE), name)(*arguments))

        if self.plugin is None:
            return function()
        fitted = self.plugin.made(function, Fitted)
        if [len(row) for row in fitted.scores] != [len(item.options) for item in task.test]:
            raise self.plugin.wrong("does not give one score per option of each item")
        return replace(fitted, method=f"{fitted.method} ({self.plugin.origin})")


_NETWORKS = {
    "choice-only": "the options, by a BiLSTM",
    "choice-to-choice": "the options of an item together",
    "question-to-choice": "question and option, one vector each",
    "esim": "question and option, aligned word by word",
}
"""Controls with a network of their own, and what each sees."""
CONTROLS = {
    "random": Control(".majority:guess", "nothing: a random guess", trains=False, by_chance=True),
    "majority": Control(".majority:majority", "the most frequent training answer", chooses="never"),
    "majority-per": Control(
        ".majority:majority_per_slot",
        "the most frequent answer for a slot value (--slot)",
        chooses="without slots",
    ),
    "cue": Control(".majority:best_cue", "the best surface cue of the other half", trains=False),
    "vector-similarity": Control(".bag_of_words:vector_similarity", "similarity of question and answer vectors", False),
    "choice-only-linear": Control(".bag_of_words:choice_only_linear", "the words of each option, linear", again=True),
    "hypothesis-only": Control(".bag_of_words:hypothesis_only", "the words of the second text of a pair, linear"),
    **{
        name: Control(f".partial_input:{name.replace('-', '_')}", about, by_chance=True, again=True)
        for name, about in _NETWORKS.items()
    },
    "choice-only-encoder": Control(
        ".partial_input:choice_only_encoder", "the options, by a transformer (-m)", by_chance=True
    ),
    "mlp": Control(".slots_mlp:slots_mlp", "the vectors of whole, part and adjective", by_chance=True),
}


def control(name: str) -> Control:
    """Return a control by name, built in or of a plug-in."""
    if name in CONTROLS:
        return CONTROLS[name]
    plugin = require_plugin("controls", name, CONTROLS)
    return replace(plugin.load(Control, "a Control"), plugin=plugin)


Floats = NDArray[np.float64]
MOST_LABELS = 20
"""A training set with more distinct options than this has no label set."""


def kinds(items: Sequence[Item]) -> tuple[str, ...] | None:
    """Return the label set of a training set, in order; None if its options differ from item to item.

    >>> pair = Item(probe="demo", form="pair", premise="a", text="b", options=("yes", "no"), answer=0)
    >>> kinds([pair])
    ('yes', 'no')
    >>> which = Item(probe="demo", form="choice", text="Which?", options=("a hat", "a cup", "a pan"), answer=0)
    >>> kinds([which]) is None
    True
    """
    options = dict.fromkeys(option for item in items for option in item.options)
    if len(options) > MOST_LABELS:
        return None
    return tuple(options) if len(options) < max(3, len(items)) or _same_options(items) else None


def _same_options(items: Sequence[Item]) -> bool:
    """Whether a few items share one label set; a single question could have answers of its own."""
    alike = len(items) > 1 or all(item.form == "pair" for item in items)
    return alike and len({frozenset(item.options) for item in items}) == 1


def labels(items: Sequence[Item]) -> tuple[str, ...]:
    """Return the label set of a training set, or raise an error."""
    names = kinds(items)
    if names is None:
        raise UserError(
            "the options are not labels: they differ from item to item",
            fix="use a control for questions, or another probe",
        )
    return names


def of_labels(items: Sequence[Item], known: Sequence[str], table: Floats) -> list[tuple[float, ...]]:
    """Map scores of labels to scores of the options of each item; an unseen label is an error."""
    indices = {label: index for index, label in enumerate(known)}
    scores = []
    for item, row in zip(items, table, strict=True):
        unseen = next((option for option in item.options if option not in indices), None)
        if unseen is not None:
            raise UserError(
                f"item {item.id}: the label {unseen!r} never occurs in training (its labels: {', '.join(known)})",
                fix="train on items with the same options",
            )
        scores.append(tuple(float(row[indices[option]]) for option in item.options))
    return scores


def gold_labels(items: Sequence[Item], known: Sequence[str]) -> NDArray[np.int64]:
    """Return the index of each item's right label."""
    indices = {label: index for index, label in enumerate(known)}
    golds = [item.options[item.answer] if item.answer is not None else "" for item in items]
    unseen = next((gold for gold in golds if gold not in indices), None)
    if unseen is not None:
        raise UserError(f"the label {unseen!r} never occurs in training", fix="train on items with the same options")
    return np.array([indices[gold] for gold in golds], dtype=np.int64)


def slot_value(item: Item, slot: str) -> str:
    """Return the value of a facet or a group."""
    value = item.facets.get(slot, item.groups.get(slot))
    if value is None:
        known = sorted({*item.facets, *item.groups})
        raise UserError(
            f"item {item.id} has nothing under the name {slot!r}", fix=f"it has {', '.join(known) or 'no slots'}"
        )
    return str(value)
