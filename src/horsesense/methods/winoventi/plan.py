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
from horsesense.models.lineage import lineage_of
from horsesense.models.locating import identity_named
from horsesense.models.opening import open_model

TABLE = "circumstances"
"""The writer that is a table of ours."""


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """What a pipeline is to do."""

    model: str
    nouns: tuple[Noun, ...]
    ranker: str = "smollm2"
    writer: str = TABLE
    """Who writes premises: ``circumstances``, our table of them; a model of another lineage; ``none``."""
    judge: str = ""
    """A model of yet another lineage that says whether exceptions are plausible; empty: there is none."""
    asking: Asking = field(default_factory=Asking)
    judged: tuple[Path, ...] = ()
    """Exceptions that people wrote: filled task files, or the release's outcome collection."""
    conceptnet: Path | None = None
    texts: tuple[Path, ...] = ()
    """Texts in which adjectives are looked up beside their nouns."""
    written: tuple[Path, ...] = ()
    """Premises that people wrote."""
    most: int = 3
    """Exceptions an association, the most trusted first."""
    write: int | None = None
    """Triplets that premises are written for by machine; None: all."""
    samples: int = 2
    """Premises for each: frames of the table, or what a writing model tries."""
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

    @property
    def writes_by_model(self) -> bool:
        """Whether a model writes, and not a table."""
        return self.writer not in (TABLE, "none")

    def refuse_kin(self) -> None:
        """Who writes, who judges and who is tested may not be kin: a model agrees with itself."""
        named = {"model": self.model, "writer": self.writer if self.writes_by_model else "", "judge": self.judge}
        told: dict[str, str] = {}
        for role, name in named.items():
            lineage = (lineage_of(name) or name) if name else ""
            if lineage and lineage in told:
                first = told[lineage]
                raise UserError(
                    f"the {role} {name!r} is kin of the {first} {named[first]!r} (both are {lineage})",
                    fix=f"name a {role} of another lineage, or none",
                )
            told |= {lineage: role} if lineage else {}

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for the state of a folder; files by their whole path."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self), default=lambda path: str(Path(path).resolve())))
        return plain


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

    def get(self, name: str) -> Model:
        """A model that runs here or behind a server."""
        if name not in self._by_name:
            self._by_name[name] = open_model(name, device=self.device, dtype=self.dtype)
        return self._by_name[name]

    def identity(self, name: str) -> str:
        """Which model a name means: the hash of its files, or what a server reports."""
        return identity_named(name)
