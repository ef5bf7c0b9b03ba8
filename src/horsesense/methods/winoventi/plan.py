"""What a pipeline is to do, and the models that its steps share.

The plan is the one thing that all steps are given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from horsesense.data import FieldProblem, check_fields
from horsesense.errors import UserError
from horsesense.methods.winoventi.asking import Asking
from horsesense.methods.winoventi.kept_steps import STATE, read_state
from horsesense.methods.winoventi.model_checks import LEAST_MEAN
from horsesense.methods.winoventi.nouns import Noun
from horsesense.models.api import ServedSettings, is_served
from horsesense.models.lineage import lineage_named, lineage_of
from horsesense.models.load import open_model
from horsesense.models.locate import identity_named
from horsesense.models.protocol import Model
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.settings import labelled

ON_TRUST = "{name} does not say of which lineage it is: that it is no kin of the others is taken on trust"
REQUESTS = "requests"
"""Folder of what servers answered."""
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
    served: ServedSettings = field(default_factory=ServedSettings)
    """How servers are asked, where a model is behind one."""

    @property
    def writes_by_model(self) -> bool:
        """Whether a model writes, and not a table."""
        return self.writer not in (TABLE, "none")

    @property
    def roles(self) -> dict[str, str]:
        """Who is tested, who writes and who judges, by name; those that are models."""
        named = {"model": self.model, "writer": self.writer if self.writes_by_model else "", "judge": self.judge}
        return {role: name for role, name in named.items() if name}

    def refuse_kin(self, reported: Mapping[str, str] | None = None) -> list[str]:
        """Who writes, who judges and who is tested may not be kin: a model agrees with itself.

        ``reported`` is what servers say that they have, by the name that they were opened under. Given back are the
        names that tell no lineage: that they are no kin of the others is taken on trust.
        """
        first: dict[str, str] = {}
        unknown = []
        for role, name in self.roles.items():
            known = lineage_of((reported or {}).get(name, "")) or lineage_named(name)
            lineage = known or labelled(name)[1]
            if lineage in first:
                other = first[lineage]
                raise UserError(
                    f"the {role} {name!r} is kin of the {other} {self.roles[other]!r} (both are {lineage})",
                    fix=f"name a {role} of another lineage, or none",
                )
            first[lineage] = role
            unknown += [] if known else [name]
        return unknown if len(first) > 1 else []

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
    """The models of a pipeline by name, each loaded when it is first needed.

    A step that was done before loads none. Of those that run here one is held at a time: two do not fit everywhere.
    """

    plan: PipelinePlan
    folder: Path
    """Of the pipeline: what servers answer is kept in it at once."""
    progress: Progress = NO_PROGRESS
    _by_name: dict[str, Model] = field(default_factory=dict)
    _reported: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def asked(self, name: str) -> Iterator[Model]:
        """A model while it is asked; what a server has answered before is not asked for again."""
        model = self._opened(name)
        served = model.who.kind == "server"
        log = self.folder / REQUESTS / model.who.content[:12] if served else None
        if log is not None:
            log.mkdir(parents=True, exist_ok=True)
        with model.asking(log):
            yield model

    def _opened(self, name: str) -> Model:
        if name not in self._by_name:
            here = [each for each, model in self._by_name.items() if model.who.kind != "server"]
            for each in here:
                del self._by_name[each]
            plan = self.plan
            dtype = plan.asking.spec.dtype
            model = open_model(name, device=plan.device, dtype=dtype, served=plan.served, progress=self.progress)
            if model.who.kind == "server":  # its address may not tell which model it is
                told = model.who.reported
                self._reported[name] = " ".join(str(told.get(part, "")) for part in ("model", "root", "parent"))
                if name in plan.refuse_kin(self._reported):
                    self.progress.log(ON_TRUST.format(name=name))
            self._by_name[name] = model
        return self._by_name[name]

    def drop(self) -> None:
        """Let go of the models that are held here, where others are loaded next."""
        self._by_name.clear()

    def who(self, name: str) -> str:
        """What a step was made with: a name with the hash of its files; of a served model the name alone, so that a
        step that is done needs no server."""
        return name if is_served(labelled(name)[1]) else f"{name} {identity_named(labelled(name)[1])}"
