"""The plan of a pipeline, the stored steps of its folder, and the models that the steps share.

A step is repeated only if its inputs have changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Interval

from horsesense.data import (
    FieldProblem,
    check_fields,
    disk_errors,
    read_text,
    sha256_of_bytes,
    sha256_of_file,
    writing,
)
from horsesense.data.store import Store
from horsesense.errors import UserError, argument
from horsesense.methods.winoventi.checks import LEAST_MEAN
from horsesense.methods.winoventi.circumstances import TABLE
from horsesense.methods.winoventi.elicitation import Elicitation
from horsesense.methods.winoventi.nouns import Noun
from horsesense.models.api.address import is_served
from horsesense.models.api.settings import ServedSettings
from horsesense.models.lineage import lineage_named, lineage_of
from horsesense.models.load import load_model
from horsesense.models.locate import identity_named
from horsesense.models.protocol import Model
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.tasks import Settings
from horsesense.settings import labelled

STATE = "state.json"
RUN = "run of "
"""Beginning of a run's record; ``validated`` or ``proposed`` follows."""
_PARTS = "parts"
_VERSION = 3
"""Raised if steps change their results, so that old ones are repeated."""
ON_TRUST = "the lineage of {name} is unknown; it is assumed to be unrelated to the other models"
REQUESTS = "requests"
"""Folder of server responses."""
StageName = Literal["exceptions", "premises", "validation", "none"]
STAGE_NAMES: tuple[StageName, ...] = ("exceptions", "premises", "validation")


@dataclass(frozen=True)
class PipelineSources:
    """Sources: what people and texts already say."""

    exceptions: tuple[Path, ...] = ()
    """File of exceptions that people wrote: from ``annotate collect``, or the published outcome collection."""
    conceptnet: tuple[Path, ...] = ()
    """ConceptNet file: exceptions that it denies or calls distinct, evidence that it asserts."""
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
    """Stage in which people are asked; ``none``: no people, so that the result has no headline accuracy."""
    judges: Annotated[int, Ge(2)] = 3
    """Number of people who validate a schema."""
    enough: Annotated[float, Interval(ge=0.01, le=1.0)] = 1.0
    """Share of a stage's tasks to be answered before the next stage opens."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The stages in which people are asked, in order."""
        return tuple(stage for stage in STAGE_NAMES if stage in self.stages and stage != "none")


@dataclass(frozen=True, kw_only=True)
class PipelinePlan(PipelineSources, PipelineMachine, PipelinePeople):
    """The plan of a pipeline."""

    model: str
    nouns: tuple[Noun, ...]
    elicitation: Elicitation = field(default_factory=Elicitation)
    seed: int = 0
    served: ServedSettings = field(default_factory=ServedSettings)
    """Server settings."""

    @property
    def writes_by_model(self) -> bool:
        """Whether a model writes premises, not a table."""
        return self.writer not in (TABLE, "none")

    @property
    def roles(self) -> dict[str, str]:
        """Names of the tested model, the writer and the judge, if they are models."""
        named = {"model": self.model, "writer": self.writer if self.writes_by_model else "", "judge": self.judge}
        return {role: name for role, name in named.items() if name}

    def refuse_related(self, reported: Mapping[str, str] | None = None) -> list[str]:
        """Refuse related models as tested model, writer and judge: a model agrees with itself.

        ``reported`` is what servers report, by model name. Returns the names of unknown lineage, which are assumed to
        be unrelated.
        """
        first: dict[str, str] = {}
        unknown = []
        for role, name in self.roles.items():
            known = lineage_of((reported or {}).get(name, "")) or lineage_named(name)
            lineage = known or labelled(name)[1]
            if lineage in first:
                other = first[lineage]
                raise UserError(
                    f"the {role} {name!r} is related to the {other} {self.roles[other]!r} (both are {lineage})",
                    fix=f"name a {role} of another lineage, or none",
                )
            first[lineage] = role
            unknown += [] if known else [name]
        return unknown if len(first) > 1 else []

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain data, with absolute paths."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self), default=lambda path: str(Path(path).resolve())))
        return plain


@dataclass
class PipelineContext:
    """What the steps of a pipeline share: plan, folder, nouns, and the models by name, each loaded on first use.

    Finished steps load none. Only one local model is in memory at a time.
    """

    plan: PipelinePlan
    folder: Path
    """Folder of the pipeline, where results and server responses are stored."""
    progress: Progress = NO_PROGRESS
    _by_name: dict[str, Model] = field(default_factory=dict)
    _reported: dict[str, str] = field(default_factory=dict)

    @cached_property
    def settings(self) -> Settings:
        """Settings of all runs on the tested model."""
        return Settings(spec=self.plan.elicitation.spec, device=self.plan.device, served=self.plan.served)

    @cached_property
    def nouns(self) -> dict[str, Noun]:
        """The nouns by word."""
        return {noun.word: noun for noun in self.plan.nouns}

    @contextmanager
    def asked(self, name: str) -> Iterator[Model]:
        """Open a model; stored server responses are reused."""
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
            dtype = plan.elicitation.spec.dtype
            model = load_model(name, device=plan.device, dtype=dtype, served=plan.served, progress=self.progress)
            if model.who.kind == "server":  # its address may not show which model it is
                reported = model.who.reported
                self._reported[name] = " ".join(str(reported.get(part, "")) for part in ("model", "root", "parent"))
                if name in plan.refuse_related(self._reported):
                    self.progress.log(ON_TRUST.format(name=name))
            self._by_name[name] = model
        return self._by_name[name]

    def drop(self) -> None:
        """Release the local models."""
        self._by_name.clear()

    def who(self, name: str) -> str:
        """Return the identity of a model: its name with the hash of its files; for a served model only the name, so
        that a finished step needs no server."""
        return name if is_served(labelled(name)[1]) else f"{name} {identity_named(labelled(name)[1])}"


# The folder.


class Steps:
    """The steps of one folder; a killed process loses at most one part of a step."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self.folder = folder
        self._store = Store(folder)
        self._say = say
        self.plan: dict[str, Any] = {}
        """The plan, as plain data."""
        self._done: dict[str, dict[str, str]] = {}
        path = folder / STATE
        if path.is_file():
            state = read_state(path)
            self.plan, self._done = state["plan"], state["steps"]

    def store_plan(self, plan: dict[str, Any]) -> None:
        """Store the plan, so that the folder alone is enough to resume."""
        if plan != self.plan:
            self.plan = plan
            self._write()

    def do(self, name: str, output: str, inputs: Sequence[Path | str], make: Callable[[Path, str], None]) -> Path:
        """Make ``output`` from ``inputs`` (files count by content), unless it exists already.

        ``make`` gets the path to write and the fingerprint of the inputs; it writes whole files only.
        """
        path = self.folder / output
        made_from = self._fingerprint(inputs)
        if self._done.get(name, {}).get("from") == made_from and self._store.has(path, recorded=True):
            self._say(f"{name}: already done")
            return path
        self._say(f"{name} …")
        make(path, made_from)
        self._store.record(path)
        self._keep(name, {"output": output, "from": made_from})
        return path

    def record_file(self, path: Path) -> None:
        """Record a file that every call writes."""
        self._store.record(path)

    def record_run(self, kind: str, run: Path | None) -> None:
        """Record the run on schemas of a kind; None without schemas."""
        output = "" if run is None else run.relative_to(self.folder).as_posix()
        self._keep(f"{RUN}{kind}", {"output": output})

    def is_unchanged(self, path: Path) -> bool:
        """Return whether a file is as it was written here; a file of somebody else is not."""
        return self._store.has(path, recorded=True)

    def _keep(self, name: str, record: dict[str, str]) -> None:
        self._done[name] = record
        self._write()

    def _write(self) -> None:
        with writing(self.folder / STATE) as temporary:
            state = {"plan": self.plan, "steps": self._done}
            temporary.write_text(json.dumps(state, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    def in_parts(
        self, name: str, made_from: str, number: int, size: int, make: Callable[[int, int], list[Any]]
    ) -> Iterator[Any]:
        """Yield the rows of a long step over ``number`` inputs, ``size`` at a time.

        Each part is stored as JSON, and repeated if it is damaged.
        """
        for start in range(0, number, size):
            path = self.folder / _PARTS / f"{name}-{made_from[:12]}-{start:06d}.json"
            if self._store.has(path):
                rows = json.loads(read_text(path))
            else:
                rows = make(start, min(number, start + size))
                self._store.write(path, json.dumps(rows))
            yield from rows

    @staticmethod
    def _fingerprint(inputs: Sequence[Path | str]) -> str:
        contents = [_content(each) if isinstance(each, Path) else each for each in inputs]
        return sha256_of_bytes(json.dumps([_VERSION, *contents]).encode())


def read_state(path: Path) -> dict[str, Any]:
    """Read the state of a folder."""
    try:
        state = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise UserError("the state is damaged", file=path, fix="remove it; the steps are repeated") from error
    if not isinstance(state, dict) or not all(isinstance(state.get(name), dict) for name in ("plan", "steps")):
        raise UserError("this is not the state of a pipeline", file=path, fix=f"choose another {argument('out')}")
    return state


def _content(path: Path) -> str:
    with disk_errors(path):
        return sha256_of_file(path)


def read_plan(folder: Path) -> PipelinePlan:
    """Read the plan of a pipeline's folder."""
    path = folder / STATE
    if not path.is_file():
        raise UserError(
            "this is not the folder of a pipeline", file=folder, fix="make one with horsesense winoventi make"
        )

    def bad(problem: FieldProblem) -> UserError:
        return UserError(
            f"the plan has a field {problem.field!r} that does not fit", file=path, fix="run winoventi make again"
        )

    return check_fields(PipelinePlan, read_state(path)["plan"], bad)
