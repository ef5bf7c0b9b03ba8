"""What a model is trained to do: the names of objectives, what each fits, and the one that fits by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from horsesense.core import Form, Item
from horsesense.errors import UserError, argument, unknown
from horsesense.models.hf.families import family_named
from horsesense.training.decoder_losses import LetterLosses, LikelihoodLosses
from horsesense.training.losses import LabelLosses, Losses, OptionLosses, TextLosses


@dataclass(frozen=True, slots=True)
class Objective:
    """One way of training."""

    name: str
    losses: type[Losses]
    """What the network is shown, and what it loses."""
    family: str
    """The family of models that it trains, and as which they are asked afterwards."""
    forms: tuple[Form, ...]
    """Forms of items that it can learn from."""
    about: str
    kind: str = ""
    """Handed to the losses, where they are of several kinds."""
    prompt_format: str = "loglikelihood"
    """Prompt format of the evaluations before, during and after training."""

    @property
    def labels(self) -> bool:
        """Whether the network needs a head with the labels of its training set."""
        return self.losses is LabelLosses


_TEXTS: tuple[Form, ...] = ("cloze", "sentences", "choice", "pair")
_ALL = (
    Objective("masked-word", TextLosses, "masked", ("cloze",), "predict the masked word at the asked place", "word"),
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
        "a softmax over how likely each option is in its place, as it is asked",
    ),
    Objective(
        "letters",
        LetterLosses,
        "causal",
        _TEXTS,
        "a softmax over the letters of the options, which are shown in every order",
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
    if name not in OBJECTIVES:
        raise unknown("objective", name, OBJECTIVES)
    return OBJECTIVES[name]


def objective_of_doses(architecture: str) -> Objective:
    """The objective of inoculation where the user names none: a decoder chooses among options as it is asked."""
    decoder = architecture.endswith(family_named("causal").architectures)
    return OBJECTIVES["options" if decoder else "multiple-choice"]


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
        fix=f"say {argument('objective')} {'|'.join(OBJECTIVES)}",
    )


def check_fit(objective: Objective, items: Sequence[Item], what: str) -> None:
    """Raise where an item is of a form that the objective cannot learn from."""
    wrong = next((item for item in items if item.form not in objective.forms), None)
    if wrong is not None:
        raise UserError(
            f"the objective {objective.name} cannot learn from the form {wrong.form!r} of {what} item {wrong.id}",
            fix=f"it takes {', '.join(objective.forms)}",
        )
