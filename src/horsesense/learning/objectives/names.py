"""Names of objectives, which model and which probe each fits, and the one that fits by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from horsesense.errors import UserError, unknown
from horsesense.models.local.families import family_named
from horsesense.records import Form, Item

_HERE = "horsesense.learning.objectives"


@dataclass(frozen=True, slots=True)
class Objective:
    """One way of training."""

    name: str
    module: str
    """Where ``examples``, ``collate`` and ``loss`` of it live."""
    family: str
    """The family of models that it trains, and as which they are asked afterwards."""
    forms: tuple[Form, ...]
    """Forms of items that it can learn from."""
    about: str
    kind: str = ""
    """Handed to the module, where it does several things."""

    def part(self, name: str) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(import_module(f"{_HERE}.{self.module}"), name)
        return found


_TEXTS: tuple[Form, ...] = ("cloze", "sentences", "choice", "pair")
_ALL = (
    Objective("masked-word", "texts", "masked", ("cloze",), "predict the masked word at the asked place", "word"),
    Objective(
        "random-mask",
        "texts",
        "masked",
        _TEXTS,
        "language modelling on filled sentences, words masked at random",
        "random",
    ),
    Objective("causal", "texts", "causal", _TEXTS, "language modelling on filled statements, left to right", "causal"),
    Objective("classification", "labels", "entailment", ("pair",), "the label of a pair of texts"),
    Objective(
        "classification-lm",
        "labels",
        "entailment",
        ("pair",),
        "the label of a pair, with the language-model loss",
        "lm",
    ),
    Objective("multiple-choice", "options", "multiple-choice", ("choice",), "a softmax over the options of a question"),
)
OBJECTIVES = {one.name: one for one in _ALL}


def objective_of(name: str) -> Objective:
    if name not in OBJECTIVES:
        raise unknown("objective", name, OBJECTIVES)
    return OBJECTIVES[name]


def objective_for(architecture: str, items: Sequence[Item], name: str) -> Objective:
    """The objective that fits a model and a probe, where the user names none."""
    form = items[0].form
    if form == "pair":
        return OBJECTIVES["classification"]
    if architecture.endswith(family_named("masked").architectures):
        return OBJECTIVES["masked-word" if form == "cloze" else "random-mask"]
    if architecture.endswith(family_named("causal").architectures):
        return OBJECTIVES["causal"]
    if form == "choice":
        return OBJECTIVES["multiple-choice"]
    raise UserError(
        f"{name} is a {architecture or 'model of unknown kind'}, which has nothing to learn from the form {form!r}",
        fix=f"say --objective {'|'.join(OBJECTIVES)}",
    )


def check_fit(objective: Objective, items: Sequence[Item], what: str) -> None:
    """Raise where an item is of a form that the objective cannot learn from."""
    wrong = next((item for item in items if item.form not in objective.forms), None)
    if wrong is not None:
        raise UserError(
            f"the objective {objective.name} cannot learn from the form {wrong.form!r} of {what} item {wrong.id}",
            fix=f"it takes {', '.join(objective.forms)}",
        )
