"""People in a WinoVenti pipeline: studies for each of its three stages, updated with the state of the pipeline.

A stage opens when the one before has enough answers. Its studies are in ``people`` (`exceptions-1`, `premises-1` …):
new tasks go into a new study, and tasks that are no longer needed are closed. The judgements of each stage are
collected in one file, which the pipeline reads.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from horsesense.annotate.annotation_status import StudyCounts
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.study import DATABASE, ITEMS, Study, make_study
from horsesense.core import Item, Judgement, Probe, read_probe, write_judgements
from horsesense.methods.winoventi.people import FOLDER, STAGES, PeopleStage, people_file, stage_probe
from horsesense.methods.winoventi.pipeline import PipelineResult
from horsesense.methods.winoventi.plan import PipelinePlan

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
                from horsesense.annotate.server.judgement_log import read_study_judgements

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
    from horsesense.annotate.server.served_study import open_study
    from horsesense.annotate.server.staged_app import count_answers

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
            probe = stage_probe(stage, result.kept, result.triplets, result.filtered, result.schemas, nouns)
            _refresh(folder, stage, probe, plan)
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
        from horsesense.annotate.server.served_study import open_study
        from horsesense.annotate.server.staged_app import keep_open

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
            folder=where, instrument=find_instrument(instrument), judgements=_judges(stage, plan), seed=plan.seed
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
