"""What a control is: what it is given, what it gives back, and the name of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal, cast

from horsesense.core import Item
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import Plugin, found
from horsesense.stats import credits

_HERE = "horsesense.training.controls"


@dataclass(frozen=True, slots=True)
class Task:
    """A probe to fit a control to."""

    train: Sequence[Item]
    """With golds."""
    dev: Sequence[Item]
    """With golds; for choosing and for stopping early. Shares no unit with ``train``."""
    test: Sequence[Item]
    seed: int = 0
    slots: tuple[str, ...] = ()
    """Facets or groups that the control looks at; empty: its own choice."""
    vectors: str = "glove"
    """Word vectors: ``glove``, a file, or ``none`` for embeddings trained from scratch."""
    model: str = ""
    """The encoder, where the control is made of one."""
    options: Mapping[str, float] = field(default_factory=dict)
    """What else a control takes: ``epochs``, ``ordinal`` …"""
    group: str = "family"
    """The unit of dependence."""
    progress: Progress = NO_PROGRESS


@dataclass(frozen=True, slots=True)
class Weights:
    """What a fitted control has learned, so that it can be asked other items."""

    arrays: Mapping[str, Any]
    """NumPy arrays by name."""
    words: tuple[str, ...] = ()
    """The words that rows of the arrays are about, in their order, where they have words of their own."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A control's answers to the test items."""

    scores: list[tuple[float, ...]]
    """One an option, of each item."""
    method: str
    """How it answers, in a sentence without a full stop."""
    notes: dict[str, float] = field(default_factory=dict)
    """What was counted or chosen on the way."""
    weights: Weights | None = None
    """What it has learned; None where it cannot be asked again."""


def accuracy_on(scores: Sequence[Sequence[float]], items: Sequence[Item]) -> float:
    """What a control earns on items with golds, to choose by."""
    return float(credits(scores, [item.answer for item in items]).values.mean())


@dataclass(frozen=True, slots=True)
class Control:
    """One control."""

    where: str
    """``module:function``, loaded when it is asked for; a module that begins with a dot lies beside this one."""
    about: str
    """What it sees."""
    trains: bool = True
    """Whether it looks at a training set."""
    by_chance: bool = False
    """Whether a seed changes it."""
    chooses: Literal["always", "never", "without slots"] = "always"
    """Whether it needs a development part to choose on; one that does not is trained on everything."""

    again: str = ""
    """``module:function`` that answers other items by what was learned; empty where it cannot."""
    plugin: Plugin | None = None
    """Who adds it, where it is none of ours."""

    def fit(self, task: Task) -> Fitted:
        if self.plugin is None:
            return self._function()(task)
        fitted = self.plugin.made(lambda: self._function()(task), Fitted)
        if [len(row) for row in fitted.scores] != [len(item.options) for item in task.test]:
            raise self.plugin.wrong("does not give one score an option of each item")
        return replace(fitted, method=f"{fitted.method} ({self.plugin.origin})")

    def ask_again(self, task: Task, weights: Weights) -> Fitted:
        """The answers of a control that was fitted before to the test items of a task."""
        module, _, function = self.again.partition(":")
        return cast(Fitted, getattr(import_module(module, _HERE), function)(task, weights))

    def _function(self) -> Callable[[Task], Fitted]:
        module, _, function = self.where.partition(":")
        return cast(Callable[[Task], Fitted], getattr(import_module(module, _HERE), function))


CONTROLS = {
    "random": Control(".majority:guess", "nothing: a pick by lot", trains=False, by_chance=True),
    "majority": Control(".majority:majority", "the commonest answer of training", chooses="never"),
    "majority-per": Control(
        ".majority:majority_per_slot",
        "the commonest answer beside a word (--slot)",
        chooses="without slots",
    ),
    "cue": Control(".majority:best_cue", "the best surface cue of the other half", trains=False),
    "vector-similarity": Control(
        ".bag_of_words:vector_similarity", "how near the words of question and answer are", False
    ),
    "choice-only-linear": Control(
        ".bag_of_words:choice_only_linear", "the words of each option, linear", again=".bag_of_words:linear_again"
    ),
    "hypothesis-only": Control(".bag_of_words:hypothesis_only", "the words of the second text of a pair, linear"),
    "choice-only": Control(
        ".partial_input:choice_only",
        "the options, by a BiLSTM",
        by_chance=True,
        again=".partial_input:choice_only_again",
    ),
    "choice-to-choice": Control(
        ".partial_input:choice_to_choice",
        "the options beside one another",
        by_chance=True,
        again=".partial_input:choice_to_choice_again",
    ),
    "question-to-choice": Control(
        ".partial_input:question_to_choice",
        "question and option, a vector each",
        by_chance=True,
        again=".partial_input:question_to_choice_again",
    ),
    "esim": Control(
        ".partial_input:esim",
        "question and option, aligned word by word",
        by_chance=True,
        again=".partial_input:esim_again",
    ),
    "choice-only-encoder": Control(
        ".partial_input:choice_only_encoder", "the options, by a transformer (-m)", by_chance=True
    ),
    "mlp": Control(".slots_mlp:slots_mlp", "the vectors of whole, part and adjective", by_chance=True),
}


def control(name: str) -> Control:
    """A control by its name: one of ours, or a plug-in's."""
    if name in CONTROLS:
        return CONTROLS[name]
    plugin = found("controls", name, CONTROLS)
    return replace(plugin.load(Control, "a Control"), plugin=plugin)
