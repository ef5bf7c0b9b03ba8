"""The interface of controls, and all of them by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal, cast

from horsesense.core import Item
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import Plugin, require_plugin
from horsesense.stats import credits

_HERE = "horsesense.training.controls"


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
    vectors: str = "glove"
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
    "choice-only": Control(
        ".partial_input:choice_only",
        "the options, by a BiLSTM",
        by_chance=True,
        again=True,
    ),
    "choice-to-choice": Control(
        ".partial_input:choice_to_choice",
        "the options of an item together",
        by_chance=True,
        again=True,
    ),
    "question-to-choice": Control(
        ".partial_input:question_to_choice",
        "question and option, one vector each",
        by_chance=True,
        again=True,
    ),
    "esim": Control(
        ".partial_input:esim",
        "question and option, aligned word by word",
        by_chance=True,
        again=True,
    ),
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
