"""WinoVenti's pipeline from Python: made by the machine, served to people stage by stage, and how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

from annotated_types import Ge

from horsesense.annotate.winoventi_stages import collect_people, open_round, refresh_stages, stages_of
from horsesense.api.probes import PathLike
from horsesense.api.winoventi_associations import MODEL, nouns_of
from horsesense.core import ScoringSpec
from horsesense.core.spec import parse_spec
from horsesense.errors import translate_errors, unknown
from horsesense.methods.winoventi.asking import Asking
from horsesense.methods.winoventi.people import Stage
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
from horsesense.methods.winoventi.summaries import (
    PipelineStatus,
    PipelineSummary,
    kept_counts,
    next_step,
    pipeline_summary,
)
from horsesense.models.api.settings import ServedSettings, warn_unused
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.annotate.server.staged_app import StagedApp, StagedServing


@translate_errors()
def make(
    nouns: PathLike,
    *,
    out: PathLike,
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
    listed = nouns_of(nouns, as_paper=as_paper, limit=limit, seed=seed, progress=progress)
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
        asking=Asking(literal=as_paper, spec=parse_spec(spec) if isinstance(spec, str) else spec),
        seed=seed,
        served=served,
        **vars(sources),
        **vars(machine),
        **vars(people),
    )
    result, stages = _gone_on(plan, folder, progress)
    return pipeline_summary(result, folder, model, stages, listed.notes)


def _gone_on(plan: PipelinePlan, folder: Path, progress: Progress) -> tuple[PipelineResult, tuple[Stage, ...]]:
    """Take in what people said, do what follows from it, and bring their tasks up to date."""
    collect_people(folder)
    result = run_pipeline(plan, folder, progress)
    return result, refresh_stages(folder, plan, result)


def status(folder: PathLike) -> PipelineStatus:
    """How far the machine and people have come in the folder of a pipeline.

    Args:
        folder: The folder that `make` made.

    Returns:
        The yield of each step, each stage, and what is to be done next.
    """
    where = Path(folder)
    plan = read_plan(where)
    counts = kept_counts(where)
    stages = stages_of(where, plan)
    done = 0 if counts is None else sum(counts.validated.values())
    return PipelineStatus(where, plan.model, counts, stages, next_step(stages, done, where))


@translate_errors()
def serve(
    folder: PathLike,
    *,
    invite: Sequence[str] = (),
    host: str = "127.0.0.1",
    port: int = 8000,
    address: str = "",
    started: Callable[[StagedServing], None] | None = None,
    progress: Progress = NO_PROGRESS,
) -> StagedServing:
    """Serve the stages of a pipeline, one after the other, until it is stopped (Ctrl-C).

    Each stage opens when the one before has enough; between two the machine does what follows from the answers.

    Args:
        folder: The folder that `make` made.
        invite: People, by name, who are not invited yet; each gets a link that holds for all stages.
        host: The address to listen on; others than loopback are public.
        port: Where it listens.
        address: Where people reach it; by default host and port.
        started: Called with what is returned, before the first request.
        progress: Told where it is served, and when a stage is done.

    Returns:
        Where it was served, when it has been stopped.
    """
    import uvicorn

    from horsesense.annotate.server.connections import connection_settings
    from horsesense.annotate.server.links import personal_links
    from horsesense.annotate.server.staged_app import StagedServing
    from horsesense.api.serving import check_free

    app = staged(folder, address or f"http://{host}:{port}", progress)
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


def staged(folder: PathLike, address: str, progress: Progress = NO_PROGRESS) -> StagedApp:
    """The web app of a pipeline's stages, as `serve` runs it.

    Args:
        folder: The folder that `make` made.
        address: Where people reach it.
        progress: Told when a stage is done.

    Returns:
        An ASGI app; its ``open()`` opens the stage that people are at.
    """
    from horsesense.annotate.server.staged_app import StagedApp

    where = Path(folder)
    plan = read_plan(where)

    def go_on() -> None:
        _gone_on(plan, where, progress)

    return StagedApp(lambda: open_round(where, plan), go_on, address, progress.log, plan.enough)
