"""What a pipeline is to do, and the models that its steps share.

The plan is the one thing that all steps are given.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files import FieldProblem, check_fields
from horsesense.methods.winoventi.asking import Asking
from horsesense.methods.winoventi.kept_steps import STATE, read_state
from horsesense.methods.winoventi.model_checks import LEAST_MEAN
from horsesense.methods.winoventi.nouns import Noun
from horsesense.models.contract import Model
from horsesense.models.local.language_model import LanguageModel
from horsesense.models.local.load import load_model
from horsesense.models.locating import identity_named
from horsesense.models.served import is_served, open_served


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """What a pipeline is to do."""

    model: str
    nouns: tuple[Noun, ...]
    ranker: str = "smollm2"
    writer: str = "smollm2"
    """A causal model that writes premises; ``none``: only frames, which need a masked model."""
    asking: Asking = field(default_factory=Asking)
    judged: tuple[Path, ...] = ()
    """Exceptions that people wrote: filled task files, or the release's outcome collection."""
    conceptnet: Path | None = None
    written: tuple[Path, ...] = ()
    """Premises that people wrote."""
    most: int = 3
    """Exceptions an association, the most trusted first."""
    write: int = 60
    """Triplets that premises are written for by machine."""
    samples: int = 4
    """Premises that the writer tries for each."""
    least: float = LEAST_MEAN
    """Mean log-probability of a token, by the ranker, that a machine's sentence needs to count as English."""
    entailment: str = ""
    """A model of entailment for the check of ambiguity; empty: no such check."""
    vectors: str = "minilm"
    """A model of word vectors for the check of nearness in meaning; ``none``: no such check."""
    validated: tuple[Path, ...] = ()
    """What people said of schemas, beside what they say in this folder."""
    asked: tuple[str, ...] = ("exceptions", "premises", "validation")
    """Stages in which people are asked; in the others what the machine proposes goes on as it is."""
    judges: int = 3
    """People who validate a schema."""
    enough: float = 1.0
    """Share of a stage's tasks that must be answered before the next stage opens."""
    seed: int = 0
    device: str = "auto"

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for the state of a folder; files by their whole path."""
        return json.loads(json.dumps(asdict(self), default=lambda path: str(Path(path).resolve())))  # type: ignore[no-any-return]  # what JSON gives is plain


def read_plan(folder: Path) -> PipelinePlan:
    """The plan that the folder of a pipeline was made by."""
    path = folder / STATE
    if not path.is_file():
        raise UserError("this is not the folder of a pipeline", file=folder, fix="make one: horsesense winoventi make")

    def bad(problem: FieldProblem) -> UserError:
        return UserError(f"the plan has a field {problem.field!r} that does not fit", file=path, fix="make it again")

    return check_fields(PipelinePlan, read_state(path)["plan"], bad)


@dataclass(slots=True)
class LoadedModels:
    """The models of a pipeline by name, each loaded when it is first needed, and once.

    A step that was done before loads none.
    """

    device: str = "auto"
    dtype: str = "float32"
    _by_name: dict[str, Model] = field(default_factory=dict)

    def any(self, name: str) -> Model:
        """A model that runs here or behind a server."""
        if name not in self._by_name:
            self._by_name[name] = (
                open_served(name) if is_served(name) else load_model(name, device=self.device, dtype=self.dtype)
            )
        return self._by_name[name]

    def get(self, name: str) -> LanguageModel:
        """A model that runs here: what needs its vocabulary or its network cannot ask a server."""
        model = self.any(name)
        if not isinstance(model, LanguageModel):
            raise UserError(f"{name} is served, and this step needs a model that runs here", fix="name a local one")
        return model

    def identity(self, name: str) -> str:
        """Which model a name means: the hash of its files, or what a server reports."""
        return self.any(name).who.content if is_served(name) else identity_named(name)
