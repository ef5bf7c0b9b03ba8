"""The whole procedure for one model, with people: make, status and serve; its summary and what a page shows of it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, get_args

from annotated_types import Ge, Interval

from horsesense.core import ScoringSpec, iter_judgements
from horsesense.core.document import Document
from horsesense.core.spec import parse_spec
from horsesense.data import FieldProblem, check_json, read_text
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.methods.winoventi.elicitation import MODEL, Elicitation
from horsesense.methods.winoventi.evaluation import Evaluation
from horsesense.methods.winoventi.nouns import load_nouns
from horsesense.methods.winoventi.people import STAGES, Stage, people_file
from horsesense.methods.winoventi.pipeline import PipelineResult, run_pipeline
from horsesense.methods.winoventi.plan import (
    STAGE_NAMES,
    PipelineMachine,
    PipelinePeople,
    PipelinePlan,
    PipelineSources,
    StageName,
    read_plan,
)
from horsesense.methods.winoventi.schemas import CheckedSchema, Triplet, read_schemas, read_triplets
from horsesense.methods.winoventi.steps import RUN, STATE, read_state
from horsesense.models.api import ServedSettings
from horsesense.models.api.settings import warn_unused
from horsesense.progress import NO_PROGRESS, Progress


@dataclass(frozen=True, slots=True)
class StepCounts:
    """How many there were after each step, and why others went."""

    nouns: int
    associations: int
    kept: int
    """Associations that are left after ranking."""
    left_out: Mapping[str, int]
    """Why other associations went."""
    triplets: int
    """Noun, association and exception."""
    origins: Mapping[str, int]
    """Where exceptions come from."""
    filtered: int
    """Triplets that the model is biased on."""
    schemas: Mapping[str, int]
    """Schemas by who wrote them."""
    objections: Mapping[str, int]
    """What speaks against schemas."""
    passing: Mapping[str, int]
    """Schemas that nothing speaks against, by who wrote them."""
    validated: Mapping[str, int]
    """Those of them that people, or a stated judge, have passed."""


@dataclass(frozen=True, slots=True)
class PipelineSummary(Document):
    """The whole procedure for one model, as far as it has come."""

    out: Path
    """Its folder."""
    model: str
    """Whose associations are turned against it."""
    counts: StepCounts
    """The yield of each step."""
    stages: tuple[Stage, ...]
    """How far people have come in each of their stages."""
    next: str
    """What is to be done next, in words."""
    probes: Mapping[str, Path]
    """``validated`` (passed by people or a stated judge) and ``proposed`` (by nobody yet), where there are any."""
    evaluations: Mapping[str, Evaluation]
    """What the model makes of each probe; only what was validated has a headline."""
    sample: tuple[str, ...]
    """A few of the schemas that nobody has passed yet, to see what they are like."""
    notes: Mapping[str, int]
    """What was odd in the list of nouns, counted."""


def pipeline_summary(
    result: PipelineResult, out: Path, model: str, stages: tuple[Stage, ...], notes: Mapping[str, int]
) -> PipelineSummary:
    """What came of a pipeline."""
    counts = StepCounts(**result.counts)
    return PipelineSummary(
        out=out,
        model=model,
        counts=counts,
        stages=stages,
        next=next_step(stages, sum(counts.validated.values()), out),
        probes=result.probes,
        evaluations=result.evaluations,
        sample=sample_of(result.schemas),
        notes=notes,
    )


def sample_of(schemas: Sequence[CheckedSchema], most: int = 8, seed: int = 0) -> tuple[str, ...]:
    """Some schemas that checks let pass and nobody has judged, drawn by the seed, as people would read them."""
    open_ = [each.schema for each in schemas if each.passes and not each.schema.validated]
    drawn = Random(seed).sample(open_, min(most, len(open_)))
    return tuple(f"{s.premise} The {s.triplet.noun}: {s.triplet.generic} / {s.triplet.exception}" for s in drawn)


@dataclass(frozen=True, slots=True)
class PipelineStatus(Document):
    """How far the pipeline of a folder has come."""

    out: Path
    """Its folder."""
    model: str
    """Whose associations are turned against it."""
    counts: StepCounts | None
    """The yield of each step; null where it has not come to its end once."""
    stages: tuple[Stage, ...]
    """How far people have come in each of their stages."""
    next: str
    """What is to be done next, in words."""


def next_step(stages: Sequence[Stage], validated: int, folder: Path) -> str:
    """What is to be done next.

    >>> next_step([Stage("exceptions", "open", 4, 4, 1, 1, ())], 0, Path("wv"))
    'people answer exceptions (1 of 4 answers are there): horsesense winoventi serve wv'
    """
    for each in stages:
        if each.state == "open":
            far = f"{each.answered:,} of {each.wanted:,} answers are there"
            return f"people answer {each.stage} ({far}): horsesense winoventi serve {folder}"
        if each.state == "waiting":
            return f"the machine goes on with what people said: horsesense winoventi make … --out {folder}"
    if all(each.state == "not asked" for each in stages):
        return "people are not asked, so that nothing is validated and there is no headline"
    return f"all stages are done: {validated:,} schemas are validated"


def read_counts(folder: Path) -> StepCounts | None:
    """The yield of each step as the folder of a pipeline keeps it."""
    path = folder / "counts.json"

    def wrong(problem: FieldProblem) -> UserError:
        told = f"the count {problem.where} is {problem.kind}" if problem.path else "these are no counts of a pipeline"
        return UserError(told, file=path, fix="make the pipeline again in this folder, which writes them anew")

    return check_json(StepCounts, read_text(path), wrong) if path.is_file() else None


if TYPE_CHECKING:
    from horsesense.annotate.server.staged_app import StagedApp, StagedServing

_SAMPLE = 12


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """How many there were after one step."""

    step: str
    count: int
    share: float
    """Of the largest step: how wide it is drawn."""
    note: str
    """Why others went, or where these come from."""


@dataclass(frozen=True, slots=True)
class PipelineShown:
    """All that a page says of a pipeline."""

    model: str
    kind: str
    """``validated`` or ``proposed``: what the figures of the page are about; empty where nothing was asked yet."""
    run: Path | None
    """The run with these answers."""
    funnel: tuple[FunnelRow, ...]
    people: tuple[tuple[str, int, int], ...]
    """Of each stage its judgements, and how many people gave them."""
    triplets: tuple[Triplet, ...]
    """A sample of those that passed the filter, drawn by the plan's seed."""
    schemas: tuple[CheckedSchema, ...]
    """A sample, those that pass first."""
    seed: int


def is_pipeline(folder: Path) -> bool:
    """Whether a folder is that of a pipeline."""
    return (folder / STATE).is_file()


def read_pipeline(folder: Path) -> PipelineShown:
    """What the folder of a pipeline has."""
    plan, steps = read_plan(folder), read_state(folder / STATE)["steps"]
    runs = {kind: steps.get(f"{RUN}{kind}", {}).get("output") for kind in ("validated", "proposed")}
    kind = next((each for each, run in runs.items() if run), "")
    counts = read_counts(folder)
    rng = random.Random(plan.seed)
    return PipelineShown(
        model=plan.model,
        kind=kind,
        run=folder / str(runs[kind]) if kind else None,
        funnel=() if counts is None else _funnel(counts),
        people=tuple(_said(folder, stage) for stage in STAGES),
        triplets=tuple(_drawn(read_triplets(path), rng) if (path := folder / "filtered.tsv").is_file() else ()),
        schemas=tuple(_sample(folder / "schemas.tsv", rng)),
        seed=plan.seed,
    )


def _funnel(counts: StepCounts) -> tuple[FunnelRow, ...]:
    def told(numbers: Mapping[str, int]) -> str:
        return ", ".join(f"{name} {count:,}" for name, count in numbers.items())

    passing, validated = (sum(each.values()) for each in (counts.passing, counts.validated))
    rows = (
        ("nouns", counts.nouns, ""),
        ("associations", counts.associations, ""),
        ("kept after nonsense, ranking and knee", counts.kept, told(counts.left_out)),
        ("triplets with an exception", counts.triplets, told(counts.origins)),
        ("the model prefers the generic word", counts.filtered, ""),
        ("premise pairs", sum(counts.schemas.values()), told(counts.schemas)),
        ("pass all checks", passing, told(counts.objections)),
        ("passed by people or a stated judge", validated, told(counts.validated)),
    )
    most = max(1, *(count for _, count, _ in rows))
    return tuple(FunnelRow(step, count, count / most, note) for step, count, note in rows)


def _said(folder: Path, stage: str) -> tuple[str, int, int]:
    path = people_file(folder, stage)
    said = Counter(placed.judgement.annotator for placed in iter_judgements(path)) if path.is_file() else Counter()
    return stage, sum(said.values()), len(said)


def _drawn(triplets: Sequence[Triplet], rng: random.Random) -> list[Triplet]:
    return rng.sample(list(triplets), min(_SAMPLE, len(triplets)))


def _sample(path: Path, rng: random.Random) -> list[CheckedSchema]:
    """Schemas that pass, and a few that do not."""
    schemas = read_schemas(path)[0] if path.is_file() else []
    passing, others = ([each for each in schemas if each.passes == wanted] for wanted in (True, False))
    drawn = rng.sample(passing, min(_SAMPLE, len(passing)))
    return drawn + rng.sample(others, min(_SAMPLE // 3, len(others)))


# The public functions.


@translate_errors()
def make(
    nouns: str | Path,
    *,
    out: str | Path,
    model: str = MODEL,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    as_paper: bool = False,
    sources: PipelineSources | None = None,
    machine: PipelineMachine | None = None,
    people: PipelinePeople | None = None,
    spec: str | ScoringSpec = "default",
    served: ServedSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> PipelineSummary:
    """Build adversarial schemas for one model from its own associations, with tasks for people.

    The steps are associations, exceptions, adversarial filter, premises and checks. The same call resumes a stopped
    pipeline and takes in what people have answered. Only what people, or a stated judge, have passed gets a headline.

    Args:
        nouns: ``wordnet``, or a file with one noun per line or a column ``Word``.
        out: Folder of the pipeline.
        model: Model whose associations are turned against it.
        limit: Maximum number of nouns, drawn by seed.
        seed: Random seed.
        as_paper: Use the rules of the paper.
        sources: What people and texts already say.
        machine: Models that rank, write, judge and check.
        people: Stages in which people are asked.
        spec: Scoring spec.
        served: Server settings.
        progress: Progress callback.

    Returns:
        The yield of each step, the state of each stage, the probes, and the evaluation of each.
    """
    listed = load_nouns(nouns, as_paper=as_paper, limit=limit, seed=seed, progress=progress)
    folder = Path(out)
    sources, machine, people = sources or PipelineSources(), machine or PipelineMachine(), people or PipelinePeople()
    served = served or ServedSettings()
    warn_unused(served, (model, machine.ranker, machine.writer, machine.judge))
    for stage in people.stages:
        if stage not in get_args(StageName):
            raise unknown("stage", stage, STAGE_NAMES)
    plan = PipelinePlan(
        model=model,
        nouns=listed.nouns,
        elicitation=Elicitation(literal=as_paper, spec=parse_spec(spec) if isinstance(spec, str) else spec),
        seed=seed,
        served=served,
        **vars(sources),
        **vars(machine),
        **vars(people),
    )
    result, stages = _resume(plan, folder, progress)
    return pipeline_summary(result, folder, model, stages, listed.notes)


def _resume(plan: PipelinePlan, folder: Path, progress: Progress) -> tuple[PipelineResult, tuple[Stage, ...]]:
    """Collect people's answers, run the steps that follow from them, and update their tasks."""
    from horsesense.annotate.winoventi_stages import collect_people, refresh_stages

    collect_people(folder)
    result = run_pipeline(plan, folder, progress)
    return result, refresh_stages(folder, plan, result)


@translate_errors()
def status(folder: str | Path) -> PipelineStatus:
    """Show the progress of a pipeline, of the machine and of people, and the next step.

    Args:
        folder: Folder of a pipeline.

    Returns:
        The yield of each step, the state of each stage, and the next step.
    """
    from horsesense.annotate.winoventi_stages import stages_of

    where = Path(folder)
    plan = read_plan(where)
    counts = read_counts(where)
    stages = stages_of(where, plan)
    done = 0 if counts is None else sum(counts.validated.values())
    return PipelineStatus(where, plan.model, counts, stages, next_step(stages, done, where))


@translate_errors()
def serve(
    folder: str | Path,
    *,
    invite: Sequence[str] = (),
    host: str = "127.0.0.1",
    port: Annotated[int, Interval(ge=1, le=65535)] = 8000,
    address: str = "",
    started: Callable[[StagedServing], None] | None = None,
    progress: Progress = NO_PROGRESS,
) -> StagedServing:
    """Serve the stages of a pipeline to people, one after the other, until it is stopped with Ctrl-C.

    Each stage opens when the previous one has enough answers; the machine runs its steps in between.

    Args:
        folder: Folder of a pipeline.
        invite: Name of a person who has no link yet; the link is valid for all stages.
        host: Address to listen on; anything but loopback is public.
        port: Port.
        address: URL of the server for people. By default, from host and port.
        started: Called with the result before the first request.
        progress: Progress callback.

    Returns:
        The address and the links.
    """
    import uvicorn

    from horsesense.annotate.server.connections import connection_settings
    from horsesense.annotate.server.links import personal_links
    from horsesense.annotate.server.staged_app import StagedServing
    from horsesense.api.serving import check_free

    app = staged_app(folder, address or f"http://{host}:{port}", progress)
    check_free(host, port)
    served = app.open()
    links = personal_links(served, list(invite), False, "", False) if invite else ()
    serving = StagedServing(Path(folder), app.address, served.study.folder.name, links)
    if started is not None:
        started(serving)
    progress.log(f"{served.study.folder.name}: {served.instrument.title}  {app.address}")
    uvicorn.run(
        app, host=host, port=port, access_log=False, log_level="warning", server_header=False, **connection_settings()
    )
    return serving


def staged_app(folder: str | Path, address: str, progress: Progress = NO_PROGRESS) -> StagedApp:
    """Return the web app of a pipeline's stages, which `serve` runs.

    Args:
        folder: Folder of a pipeline.
        address: URL of the server for people.
        progress: Progress callback.

    Returns:
        An ASGI app; ``open()`` opens the current stage.
    """
    from horsesense.annotate.server.staged_app import StagedApp
    from horsesense.annotate.winoventi_stages import open_round

    where = Path(folder)
    plan = read_plan(where)

    def resume() -> None:
        _resume(plan, where, progress)

    return StagedApp(lambda: open_round(where, plan), resume, address, progress.log, plan.enough)
