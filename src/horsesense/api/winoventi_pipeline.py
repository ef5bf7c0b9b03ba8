"""WinoVenti's pipeline from Python: made by the machine, served to people stage by stage, and how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.annotate.winoventi_stages import collect_people, open_round, refresh_stages, stages_of
from horsesense.api.probes import PathLike
from horsesense.api.winoventi_associations import MODEL, nouns_of
from horsesense.core import ScoringSpec
from horsesense.core.spec import parse_spec
from horsesense.errors import translate_errors, unknown
from horsesense.methods.winoventi.asking import Asking
from horsesense.methods.winoventi.model_checks import LEAST_MEAN
from horsesense.methods.winoventi.people import STAGES, Stage
from horsesense.methods.winoventi.pipeline import PipelineResult, run_pipeline
from horsesense.methods.winoventi.plan import TABLE, PipelinePlan, read_plan
from horsesense.methods.winoventi.summaries import (
    PipelineStatus,
    PipelineSummary,
    kept_counts,
    next_step,
    pipeline_summary,
)
from horsesense.models.api import ServedSettings
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.annotate.server.staged_app import StagedApp, StagedServing


@translate_errors()
def make(
    nouns: PathLike,
    *,
    out: PathLike,
    model: str = MODEL,
    limit: int | None = None,
    seed: int = 0,
    exceptions: Sequence[PathLike] = (),
    conceptnet: PathLike | None = None,
    texts: Sequence[PathLike] = (),
    premises: Sequence[PathLike] = (),
    ranker: str = "smollm2",
    writer: str = TABLE,
    judge: str = "",
    write: int | None = None,
    samples: int = 2,
    most: int = 3,
    least: float = LEAST_MEAN,
    entailment: str = "",
    vectors: str = "minilm",
    validated: Sequence[PathLike] = (),
    people: Sequence[str] = STAGES,
    judges: int = 3,
    enough: float = 1.0,
    as_paper: bool = False,
    spec: str | ScoringSpec = "default",
    device: str = "auto",
    served: ServedSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> PipelineSummary:
    """Associations, exceptions, adversarial filter, premises and checks in one folder, with tasks for people.

    What people said so far is taken in; so the same call goes on after they have worked. Only what they, or a stated
    judge, have passed gets a headline.

    Args:
        nouns: ``"wordnet"`` or a file of nouns.
        out: Folder of the pipeline; each step is done once, and a stopped one goes on.
        model: Whose associations are turned against it.
        limit: At most so many nouns, drawn by ``seed``.
        seed: Of every draw.
        exceptions: Exceptions by people: collected judgements, the release's outcome collection or its registry.
        conceptnet: Triples of ConceptNet: what it denies of nouns is a candidate, what it says of them is evidence.
        texts: Texts in which adjectives are looked up beside their nouns: GenericsKB, or any corpus.
        premises: Premises by people.
        ranker: The causal model that ranks associations by perplexity; ``"none"``.
        writer: Who writes premises: ``"circumstances"``, the shipped table; a model, also a served one, that is no
            kin of ``model``; ``"none"``.
        judge: A model, kin of neither, that says which exceptions are plausible, where it tells sound ones from others;
            empty: tables, texts and people do.
        write: Triplets that premises are written for by machine; all where it is left out.
        samples: Premises for each.
        most: Exceptions an association.
        least: Mean log-probability of a token that a machine's sentence needs, by the ranker.
        entailment: A model of entailment for the check of ambiguity; empty: no such check.
        vectors: A model of word vectors for the check of meaning; ``"none"``: no such check.
        validated: What people said of schemas elsewhere, by the instrument schema.
        people: Stages in which people are asked; in others the machine's proposals go on as they are.
        judges: People who validate a schema.
        enough: Share of a stage's tasks that must be answered before the next stage opens.
        as_paper: The paper's own rules.
        spec: What a score means.
        device: Where models are put.
        served: How servers are asked, where a model is behind one.
        progress: Told how far it has come.

    Returns:
        What each step gave, how far people are, the probes, and the evaluation of each.
    """
    listed = nouns_of(nouns, as_paper=as_paper, limit=limit, seed=seed, progress=progress)
    folder = Path(out)
    plan = PipelinePlan(
        model=model,
        nouns=listed.nouns,
        ranker=ranker,
        writer=writer,
        judge=judge,
        asking=Asking(literal=as_paper, spec=parse_spec(spec) if isinstance(spec, str) else spec),
        judged=tuple(Path(file) for file in exceptions),
        conceptnet=None if conceptnet is None else Path(conceptnet),
        texts=tuple(Path(file) for file in texts),
        written=tuple(Path(file) for file in premises),
        most=most,
        write=write,
        samples=samples,
        least=least,
        entailment=entailment,
        vectors=vectors,
        validated=tuple(Path(file) for file in validated),
        asked=_stages(people),
        judges=judges,
        enough=enough,
        seed=seed,
        device=device,
        served=served or ServedSettings(),
    )
    result, stages = _gone_on(plan, folder, progress)
    return pipeline_summary(result, folder, model, stages, listed.notes)


def _stages(people: Sequence[str]) -> tuple[str, ...]:
    for stage in people:
        if stage not in STAGES:
            raise unknown("stage", stage, STAGES)
    return tuple(stage for stage in STAGES if stage in people)


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
