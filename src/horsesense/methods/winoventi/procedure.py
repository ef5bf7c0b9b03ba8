"""The whole procedure for one model: people's studies for each stage; make and status; its summary and what a page
shows of it.

A stage opens when the one before has enough answers. Its studies are in ``people`` (`exceptions-1`, `premises-1` …):
new tasks go into a new study, and tasks that are no longer needed are closed. The judgements of each stage are
collected in one file, which the pipeline reads.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, get_args

from annotated_types import Ge

from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.judgements import StudyCounts
from horsesense.annotate.study import DATABASE, ITEMS, Study, make_study
from horsesense.core import Item, Judgement, Probe, ScoringSpec, iter_judgements, read_probe, write_judgements
from horsesense.core.document import Document
from horsesense.core.spec import parse_spec
from horsesense.data import FieldProblem, check_json, read_text
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.methods.winoventi.elicitation import MODEL, Elicitation
from horsesense.methods.winoventi.evaluation import Evaluation
from horsesense.methods.winoventi.nouns import load_nouns
from horsesense.methods.winoventi.people import FOLDER, STAGES, PeopleStage, people_file, stage_probe
from horsesense.methods.winoventi.pipeline import PipelineResult, StepCounts, run_pipeline
from horsesense.methods.winoventi.plan import (
    RUN,
    STAGE_NAMES,
    STATE,
    PipelineMachine,
    PipelinePeople,
    PipelinePlan,
    PipelineSources,
    StageName,
    read_plan,
    read_state,
)
from horsesense.methods.winoventi.schemas import CheckedSchema, Triplet, read_schemas, read_triplets
from horsesense.models.api.settings import ServedSettings, warn_unused
from horsesense.progress import NO_PROGRESS, Progress

INSTRUMENTS = {"exceptions": "exceptions", "premises": "premises", "validation": "schema"}
"""The instrument of each stage."""


def rounds(folder: Path, stage: str) -> list[Path]:
    """Return the studies of a stage in the order in which they were made."""
    studies = [path for path in (folder / FOLDER).glob(f"{stage}-*") if path.name.removeprefix(f"{stage}-").isdigit()]
    return sorted(studies, key=lambda path: int(path.name.rpartition("-")[2]))


def collect_people(folder: Path) -> None:
    """Collect the judgements so far in one file per stage."""
    for stage in STAGES:
        judgements: list[Judgement] = []
        for study in rounds(folder, stage):
            if (study / DATABASE).is_file():
                from horsesense.annotate.database.judgement_log import read_study_judgements

                judgements += read_study_judgements(study).judgements
        path = people_file(folder, stage)
        if judgements:
            write_judgements(path, judgements)
        elif path.is_file() and rounds(folder, stage):  # all of them were withdrawn
            path.unlink()


def stages_of(folder: Path, plan: PipelinePlan) -> tuple[PeopleStage, ...]:
    """Return the state of each stage, from its studies."""
    before_done, stages = True, []
    for stage in STAGES:
        studies = rounds(folder, stage)
        progress = [_progress(study, _judges(stage, plan)) for study in studies]
        if stage not in plan.asked:
            state = "not asked"
        elif not before_done or not studies:
            state = "waiting"
        else:
            state = "done" if all(each.has(plan.enough) for each in progress) else "open"
        before_done = before_done and state in ("done", "not asked")
        people = frozenset[str]().union(*(each.people for each in progress))
        stages.append(
            PeopleStage(
                stage,
                state,
                sum(each.tasks for each in progress),
                sum(each.target for each in progress),
                sum(each.answered for each in progress),
                len(people),
                tuple(studies),
            )
        )
    return tuple(stages)


def _progress(study: Path, judges: int) -> StudyCounts:
    """Count tasks and answers of a study; one that was never opened has no answers."""
    if not (study / DATABASE).is_file():
        names = _names(read_probe(study / ITEMS).items, study)
        return StudyCounts(len(names), judges * len(names), 0, frozenset())
    from horsesense.annotate.database.served_study import open_study
    from horsesense.annotate.database.stages import count_answers

    served = open_study(study)
    try:
        return count_answers(served)
    finally:
        served.engine.dispose()


def _judges(stage: str, plan: PipelinePlan) -> int:
    return plan.judges if stage == "validation" else find_instrument(INSTRUMENTS[stage]).judgements


def _names(items: Iterable[Item], study: Path) -> set[str]:
    """Return the names in judgements: item ids, or families for schemas."""
    return {item.family if study.name.startswith("validation") else item.id for item in items}


def refresh_stages(folder: Path, plan: PipelinePlan, result: PipelineResult) -> tuple[PeopleStage, ...]:
    """Update the studies with the result of the pipeline, and return the stages."""
    nouns = {noun.word: noun for noun in plan.nouns}
    for i, stage in enumerate(STAGES):
        before = stages_of(folder, plan)[:i]
        if stage in plan.asked and all(each.state in ("done", "not asked") for each in before):
            _refresh(folder, stage, stage_probe(stage, result, nouns), plan)
    return stages_of(folder, plan)


def _refresh(folder: Path, stage: str, probe: Probe, plan: PipelinePlan) -> None:
    """Close tasks that are no longer asked, and put new ones into a new study; one that was never opened is remade."""
    studies = rounds(folder, stage)
    if studies and not (studies[-1] / DATABASE).is_file():
        shutil.rmtree(studies.pop())
    by_family = stage == "validation"
    current = {item.family if by_family else item.id for item in probe.items}
    asked: set[str] = set()
    for study in studies:
        from horsesense.annotate.database.served_study import open_study
        from horsesense.annotate.database.stages import keep_open

        served = open_study(study)
        try:
            keep_open(served, current)
            asked |= served.tasks["item"].keys()
        finally:
            served.engine.dispose()
    new = [item for item in probe.items if (item.family if by_family else item.id) not in asked]
    if new:
        number = int(studies[-1].name.rpartition("-")[2]) + 1 if studies else 1
        where, instrument = folder / FOLDER / f"{stage}-{number}", INSTRUMENTS[stage]
        study_settings = Study(
            folder=where, instrument=find_instrument(instrument), per_item=_judges(stage, plan), seed=plan.seed
        )
        make_study(where, Probe.of(new, probe.card), instrument, study_settings)


def open_round(folder: Path, plan: PipelinePlan) -> Path | None:
    """Return the current study: the first one of the first open stage with tasks left."""
    for stage in stages_of(folder, plan):
        if stage.state != "open":
            continue
        for study in stage.studies:
            if not _progress(study, _judges(stage.stage, plan)).has(plan.enough):
                return study
    return None


# The procedure.


@dataclass(frozen=True, slots=True)
class PipelineStatus(Document):
    """Progress of a pipeline."""

    out: Path
    """Folder of the pipeline."""
    model: str
    """Tested model."""
    counts: StepCounts | None
    """Yield of each step; null before the first complete run."""
    stages: tuple[PeopleStage, ...]
    """Progress of people in each stage."""
    next: str
    """Next step, in words."""


@dataclass(frozen=True, slots=True)
class PipelineSummary(PipelineStatus):
    """Results and progress of the procedure for one model."""

    probes: Mapping[str, Path]
    """Probes: ``validated`` (by people or a stated judge) and ``proposed``, if there are any."""
    evaluations: Mapping[str, Evaluation]
    """Evaluation of the model on each probe; only the validated one has a headline."""
    sample: tuple[str, ...]
    """Some schemas that are not validated yet."""
    notes: Mapping[str, int]
    """Irregularities in the list of nouns, counted."""


_PROPOSED_SHOWN = 8


def sample_of(schemas: Sequence[CheckedSchema]) -> tuple[str, ...]:
    """Draw some schemas that passed the checks and are not validated, as readable text."""
    unvalidated = [each.schema for each in schemas if each.passes and not each.schema.validated]
    sample = Random(0).sample(unvalidated, min(_PROPOSED_SHOWN, len(unvalidated)))
    return tuple(f"{s.premise} The {s.triplet.noun}: {s.triplet.generic} / {s.triplet.exception}" for s in sample)


def next_step(stages: Sequence[PeopleStage], validated: int, folder: Path) -> str:
    """Return the next step in words.

    >>> next_step([PeopleStage("exceptions", "open", 4, 4, 1, 1, ())], 0, Path("wv"))
    'people answer exceptions (1 of 4 answers): horsesense annotate serve-pipeline wv'
    """
    for each in stages:
        if each.state == "open":
            done = f"{each.answered:,} of {each.wanted:,} answers"
            return f"people answer {each.stage} ({done}): horsesense annotate serve-pipeline {folder}"
        if each.state == "waiting":
            return f"run the steps that follow from people's answers: horsesense winoventi make … --out {folder}"
    if all(each.state == "not asked" for each in stages):
        return "people are not asked, so nothing is validated and there is no headline"
    return f"all stages are done: {validated:,} schemas are validated"


def read_counts(folder: Path) -> StepCounts | None:
    """Read the stored yield of each step."""
    path = folder / "counts.json"

    def wrong(problem: FieldProblem) -> UserError:
        problem_text = (
            f"the count {problem.where} is {problem.kind}" if problem.path else "these are not the counts of a pipeline"
        )
        return UserError(problem_text, file=path, fix="run winoventi make again in this folder")

    return check_json(StepCounts, read_text(path), wrong) if path.is_file() else None


if TYPE_CHECKING:
    from horsesense.annotate.database.stages import StudyStages

_SAMPLE = 12


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """Yield of one step."""

    step: str
    count: int
    share: float
    """Share of the largest step: the width of the bar."""
    note: str
    """Reasons or origins."""


@dataclass(frozen=True, slots=True)
class PipelineView:
    """What a page shows of a pipeline."""

    model: str
    kind: str
    """``validated`` or ``proposed``: the probe of the figures; empty before the first run."""
    run: Path | None
    """Run folder."""
    funnel: tuple[FunnelStep, ...]
    people: tuple[tuple[str, int, int], ...]
    """Stage, number of judgements and number of people."""
    triplets: tuple[Triplet, ...]
    """A sample of the triplets that passed the filter, drawn by the plan's seed."""
    schemas: tuple[CheckedSchema, ...]
    """A sample of schemas, those without objections first."""
    seed: int


def read_pipeline(folder: Path) -> PipelineView | None:
    """Read the folder of a pipeline; None for any other folder."""
    if not (folder / STATE).is_file():
        return None
    plan, steps = read_plan(folder), read_state(folder / STATE)["steps"]
    runs = {kind: steps.get(f"{RUN}{kind}", {}).get("output") for kind in ("validated", "proposed")}
    kind = next((each for each, run in runs.items() if run), "")
    counts = read_counts(folder)
    filtered, rng = folder / "filtered.tsv", Random(plan.seed)
    triplets = read_triplets(filtered) if filtered.is_file() else []
    return PipelineView(
        model=plan.model,
        kind=kind,
        run=folder / str(runs[kind]) if kind else None,
        funnel=() if counts is None else _funnel(counts),
        people=tuple(_said(folder, stage) for stage in STAGES),
        triplets=tuple(rng.sample(triplets, min(_SAMPLE, len(triplets)))),
        schemas=tuple(_sample(folder / "schemas.tsv", rng)),
        seed=plan.seed,
    )


def _funnel(counts: StepCounts) -> tuple[FunnelStep, ...]:
    def listing(numbers: Mapping[str, int]) -> str:
        return ", ".join(f"{name} {count:,}" for name, count in numbers.items())

    passing, validated = (sum(each.values()) for each in (counts.passing, counts.validated))
    rows = (
        ("nouns", counts.nouns, ""),
        ("associations", counts.associations, ""),
        ("kept after nonsense, ranking and knee", counts.kept, listing(counts.left_out)),
        ("triplets with an exception", counts.triplets, listing(counts.origins)),
        ("the model prefers the generic word", counts.filtered, ""),
        ("premise pairs", sum(counts.schemas.values()), listing(counts.schemas)),
        ("pass all checks", passing, listing(counts.objections)),
        ("validated by people or a stated judge", validated, listing(counts.validated)),
    )
    most = max(1, *(count for _, count, _ in rows))
    return tuple(FunnelStep(step, count, count / most, note) for step, count, note in rows)


def _said(folder: Path, stage: str) -> tuple[str, int, int]:
    path = people_file(folder, stage)
    counts = Counter(placed.judgement.annotator for placed in iter_judgements(path)) if path.is_file() else Counter()
    return stage, sum(counts.values()), len(counts)


def _sample(path: Path, rng: Random) -> list[CheckedSchema]:
    """Draw schemas without objections, and a few with."""
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
        elicitation=Elicitation(as_paper=as_paper, spec=parse_spec(spec)),
        seed=seed,
        served=served,
        **vars(sources),
        **vars(machine),
        **vars(people),
    )
    result, stages = _resume(plan, folder, progress)
    return PipelineSummary(
        out=folder,
        model=model,
        counts=result.counts,
        stages=stages,
        next=next_step(stages, sum(result.counts.validated.values()), folder),
        probes=result.probes,
        evaluations=result.evaluations,
        sample=sample_of(result.schemas),
        notes=listed.notes,
    )


def _resume(plan: PipelinePlan, folder: Path, progress: Progress) -> tuple[PipelineResult, tuple[PeopleStage, ...]]:
    """Collect people's answers, run the steps that follow from them, and update their tasks."""

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

    where = Path(folder)
    plan = read_plan(where)
    counts = read_counts(where)
    stages = stages_of(where, plan)
    done = 0 if counts is None else sum(counts.validated.values())
    return PipelineStatus(where, plan.model, counts, stages, next_step(stages, done, where))


def read_stages(folder: Path, progress: Progress) -> StudyStages | None:
    """Return the stages of a pipeline in which people take part, for a server; None for any other folder."""
    from horsesense.annotate.database.stages import StudyStages

    if not (folder / STATE).is_file():
        return None
    plan = read_plan(folder)

    def resume() -> None:
        _resume(plan, folder, progress)

    return StudyStages(lambda: open_round(folder, plan), resume, plan.enough)
