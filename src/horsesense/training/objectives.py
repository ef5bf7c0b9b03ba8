"""Training objectives by name, the forms and model families that each fits, and the default for a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from horsesense.core import Form, Item
from horsesense.errors import UserError, argument, unknown
from horsesense.models.hf.families import family_named
from horsesense.training.losses import (
    LabelLosses,
    LetterLosses,
    LikelihoodLosses,
    Losses,
    OptionLosses,
    TextLosses,
)


@dataclass(frozen=True, slots=True)
class Objective:
    """A training objective."""

    name: str
    losses: type[Losses]
    """Its examples and loss."""
    family: str
    """The model family that it trains, and as which the model is evaluated afterwards."""
    forms: tuple[Form, ...]
    """Forms of items that it can be trained on."""
    about: str
    kind: str = ""
    """Passed to the losses, if they have several kinds."""
    prompt_format: str = "loglikelihood"
    """The prompt format of evaluations before, during and after training (`horsesense.scoring`)."""

    @property
    def labels(self) -> bool:
        """Whether the network needs a classification head with the labels of the training set."""
        return self.losses is LabelLosses


_TEXTS: tuple[Form, ...] = ("cloze", "sentences", "choice", "pair")
_ALL = (
    Objective("masked-word", TextLosses, "masked", ("cloze",), "prediction of the masked word", "word"),
    Objective(
        "random-mask",
        TextLosses,
        "masked",
        _TEXTS,
        "language modelling on filled sentences, words masked at random",
        "random",
    ),
    Objective(
        "causal", TextLosses, "causal", _TEXTS, "language modelling on filled statements, left to right", "causal"
    ),
    Objective(
        "options",
        LikelihoodLosses,
        "causal",
        _TEXTS,
        "a softmax over the log-likelihoods of the options",
    ),
    Objective(
        "letters",
        LetterLosses,
        "causal",
        _TEXTS,
        "a softmax over the letters of the options, in every order",
        prompt_format="letters",
    ),
    Objective("classification", LabelLosses, "entailment", ("pair",), "the label of a pair of texts"),
    Objective(
        "classification-lm",
        LabelLosses,
        "entailment",
        ("pair",),
        "the label of a pair, with the language-model loss",
        "lm",
    ),
    Objective(
        "multiple-choice", OptionLosses, "multiple-choice", ("choice",), "a softmax over the options of a question"
    ),
)
OBJECTIVES = {objective.name: objective for objective in _ALL}


def objective_of(name: str) -> Objective:
    """Return an objective by name."""
    if name not in OBJECTIVES:
        raise unknown("objective", name, OBJECTIVES)
    return OBJECTIVES[name]


def inoculation_objective(architecture: str) -> Objective:
    """Return the default objective of inoculation: options for a decoder, else multiple choice."""
    decoder = architecture.endswith(family_named("causal").architectures)
    return OBJECTIVES["options" if decoder else "multiple-choice"]


def objective_for(architecture: str, items: Sequence[Item], name: str) -> Objective:
    """Return the default objective for a model and a probe."""
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
        f"{name} is a {architecture or 'model of unknown kind'}, which cannot be trained on the form {form!r}",
        fix=f"say {argument('objective')} {'|'.join(OBJECTIVES)}",
    )


def check_fit(objective: Objective, items: Sequence[Item], what: str) -> None:
    """Raise an error if the objective cannot be trained on the form of an item."""
    wrong = next((item for item in items if item.form not in objective.forms), None)
    if wrong is not None:
        raise UserError(
            f"the objective {objective.name} cannot be trained on the form {wrong.form!r} of {what} item {wrong.id}",
            fix=f"it takes {', '.join(objective.forms)}",
        )
