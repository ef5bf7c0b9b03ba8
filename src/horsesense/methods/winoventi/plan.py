"""What a pipeline is to do, and the models that its steps share.

The plan is the one thing that all steps are given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Interval

from horsesense.data import FieldProblem, check_fields
from horsesense.errors import UserError
from horsesense.methods.winoventi.asking import Asking
from horsesense.methods.winoventi.kept_steps import STATE, read_state
from horsesense.methods.winoventi.model_checks import LEAST_MEAN
from horsesense.methods.winoventi.nouns import Noun
from horsesense.models.api.address import is_served
from horsesense.models.api.settings import ServedSettings
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
StageName = Literal["exceptions", "premises", "validation", "none"]
STAGE_NAMES: tuple[StageName, ...] = ("exceptions", "premises", "validation")


@dataclass(frozen=True)
class PipelineSources:
    """Sources: what people and texts already say."""

    exceptions: tuple[Path, ...] = ()
    """File of exceptions that people wrote: from ``annotate collect``, or the published outcome collection."""
    conceptnet: Path | None = None
    """ConceptNet triples (relation, head, tail): exceptions that it denies, evidence that it asserts."""
    texts: tuple[Path, ...] = ()
    """Text corpus in which adjectives are looked up beside their nouns."""
    premises: tuple[Path, ...] = ()
    """File of premises that people wrote: noun, generic, exception, premise with ``[ this / that ]``."""
    validated: tuple[Path, ...] = ()
    """File of judgements of schemas from ``annotate collect`` (instrument ``schema``)."""


@dataclass(frozen=True)
class PipelineMachine:
    """Models: who ranks, writes, judges and checks."""

    ranker: str = "smollm2"
    """Causal model that ranks associations by perplexity; ``none``: no ranking."""
    writer: str = TABLE
    """Writer of premises: ``circumstances`` (the shipped table), a model of another lineage, or ``none``."""
    judge: str = ""
    """Model of a third lineage that judges which exceptions are plausible. By default, tables, texts and people do."""
    write: Annotated[int, Ge(0)] | None = None
    """Maximum number of triplets that the machine writes premises for. By default, all."""
    samples: Annotated[int, Interval(ge=1, le=64)] = 2
    """Number of premises per triplet."""
    most: Annotated[int, Ge(1)] = 3
    """Maximum number of exceptions per association, the most trusted first."""
    least: float = LEAST_MEAN
    """Mean log-probability per token, by the ranker, below which a machine-written sentence is rejected."""
    entailment: str = ""
    """Entailment model for the ambiguity check. By default, no such check."""
    vectors: str = "minilm"
    """Embedding model for the check of nearness in meaning; ``none``: no such check."""
    device: str = "auto"
    """Device of the models: auto, cpu, cuda, cuda:1, mps."""


@dataclass(frozen=True)
class PipelinePeople:
    """People: in which stages they are asked."""

    stages: tuple[StageName, ...] = STAGE_NAMES
    """Stage in which people are asked; ``none``: the machine alone, without a headline."""
    judges: Annotated[int, Ge(2)] = 3
    """Number of people who validate a schema."""
    enough: Annotated[float, Interval(ge=0.01, le=1.0)] = 1.0
    """Share of a stage's tasks to be answered before the next stage opens."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The stages in which people are asked, in their order."""
        return tuple(stage for stage in STAGE_NAMES if stage in self.stages and stage != "none")


@dataclass(frozen=True, kw_only=True)
class PipelinePlan(PipelineSources, PipelineMachine, PipelinePeople):
    """What a pipeline is to do."""

    model: str
    nouns: tuple[Noun, ...]
    asking: Asking = field(default_factory=Asking)
    seed: int = 0
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
