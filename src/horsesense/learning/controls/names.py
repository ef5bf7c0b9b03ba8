"""Names of controls, and where each lives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, cast

from horsesense.errors import unknown
from horsesense.learning.controls.task import Fitted, Task

_HERE = "horsesense.learning.controls"


@dataclass(frozen=True, slots=True)
class Control:
    """One control."""

    where: str
    """``module:function``, loaded when it is asked for."""
    about: str
    """What it sees."""
    trains: bool = True
    """Whether it looks at a training set."""
    by_chance: bool = False
    """Whether a seed changes it."""
    chooses: Literal["always", "never", "without slots"] = "always"
    """Whether it needs a development part to choose on; one that does not is trained on everything."""

    def fit(self, task: Task) -> Fitted:
        module, _, function = self.where.partition(":")
        return cast(Callable[[Task], Fitted], getattr(import_module(f"{_HERE}.{module}"), function))(task)


CONTROLS = {
    "random": Control("majority:guess", "nothing: a pick by lot", trains=False, by_chance=True),
    "majority": Control("majority:majority", "the commonest answer of training", chooses="never"),
    "majority-per": Control(
        "majority:majority_per_slot", "the commonest answer beside a word (--slot)", chooses="without slots"
    ),
    "cue": Control("cue:best_cue", "the best surface cue of the other half", trains=False),
    "vector-similarity": Control(
        "similarity:vector_similarity", "how near the words of question and answer are", False
    ),
    "choice-only-linear": Control("linear:choice_only_linear", "the words of each option, linear"),
    "hypothesis-only": Control("linear:hypothesis_only", "the words of the second text of a pair, linear"),
    "choice-only": Control("neural:choice_only", "the options, by a BiLSTM", by_chance=True),
    "choice-to-choice": Control("neural:choice_to_choice", "the options beside one another", by_chance=True),
    "question-to-choice": Control("neural:question_to_choice", "question and option, a vector each", by_chance=True),
    "esim": Control("neural:esim", "question and option, aligned word by word", by_chance=True),
    "choice-only-encoder": Control("encoder:choice_only_encoder", "the options, by a transformer (-m)", by_chance=True),
    "mlp": Control("slots_mlp:slots_mlp", "the vectors of whole, part and adjective", by_chance=True),
}


def control(name: str) -> Control:
    if name not in CONTROLS:
        raise unknown("control", name, CONTROLS)
    return CONTROLS[name]
