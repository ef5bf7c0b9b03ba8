"""CATs from Python: a paper's sets asked together, and what CATs asks beyond accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from horsesense.api.asking import ask, chosen_models, default_folder
from horsesense.api.controls import fit_control
from horsesense.api.frames import Frame, columns_of
from horsesense.api.probes import PathLike
from horsesense.api.run import AnyRun, Run, answered_of, answers_by_place
from horsesense.api.stored_run import StoredRun, with_report
from horsesense.core import ScoringSpec
from horsesense.data import cache_folder
from horsesense.errors import UserError, translate_errors
from horsesense.methods.cats.evidence import EvidenceOfRuns, evidence_of_runs
from horsesense.methods.cats.step_accuracy import Counted, ModelSteps, StepsOfRuns, counted, steps_of_runs
from horsesense.methods.cats.suite import SUITES as CATS_SUITES
from horsesense.methods.cats.suite import OpenedSuite, SetFiles
from horsesense.methods.cats.suite_table import SuiteTable, suite_table
from horsesense.methods.cats.who_gets_what import WhoOfRuns, who_of_runs
from horsesense.methods.suites import find_paper_suite
from horsesense.methods.suites.frame import OpenedData, PaperSuite, PaperTable
from horsesense.methods.suites.stored import CONTROLS, keep_suite, suite_tables
from horsesense.progress import Progress
from horsesense.registry import ONE_OPTION
from horsesense.runs.comparison import by_probe
from horsesense.signatures import extends
from horsesense.training.controls import control

if TYPE_CHECKING:
    from horsesense.models.protocol import Model

__all__ = ["AskedSuite", "InferenceSteps", "ask_suite", "evidence", "run_suite", "steps", "who"]

_MOST_LINES = 10
"""Lines that were skipped, each told with its reason; of more, only how many."""


@dataclass(frozen=True)
class AskedSuite:
    """A suite as models answered it."""

    run: Run
    """The answers."""
    tables: tuple[PaperTable, ...]
    """The paper's tables with these models in them."""
    table: SuiteTable | None = None
    """Of CATs: a row a model, the published rows, and the best blind cue of each set."""


@translate_errors()
@extends(ask, without=("probe", "formats"))
def ask_suite(
    model: str | Model | Sequence[str | Model],
    suite: str = "cats",
    *,
    data: PathLike | None = None,
    skip_bad: bool = False,
    spec: str | ScoringSpec | None = None,
    **options: Any,
) -> AskedSuite:
    """Run models on all sets of a paper.

    Args:
        model: One or several, by name or loaded.
        suite: Suite: cats, cats-robust, partwhole, rica, winoventi or wordnetqa.
        data: Folder of the paper's datasets. By default, what was fetched.
        skip_bad: Skip and count lines that cannot be read.
        spec: Scoring spec. By default, the paper's.

    Returns:
        The run, and its tables.
    """
    paper = find_paper_suite(suite)
    opened = paper.open_data(None if data is None else Path(data), skip_bad)
    out, progress = options["out"], options["progress"]
    _say_missing(suite, opened, progress)
    run = ask(model, opened.probes, spec=paper.spec if spec is None else spec, formats="loglikelihood", **options)
    if out is not None:
        keep_suite(Path(out), suite, opened.others)
        _fit_controls(paper, opened, Path(out) / CONTROLS, progress)
    tables = suite_tables(suite, list(run.answered), None if out is None else Path(out), opened.others)
    if suite not in CATS_SUITES:
        return AskedSuite(run, tables)
    of_cats = OpenedSuite(CATS_SUITES[suite], SetFiles(opened.found, opened.missing), opened.probes)
    return AskedSuite(run, tables, suite_table(of_cats, list(run.answered), run.normalise, progress))


@translate_errors()
@extends(ask, without=("probe", "formats"))
def run_suite(
    suite: str,
    /,
    *,
    data: PathLike | None = None,
    skip_bad: bool = False,
    out: PathLike | None = None,
    spec: Annotated[str | ScoringSpec | None, ONE_OPTION] = None,
    **options: Any,
) -> StoredRun:
    """Run models on all datasets of a paper, and print the paper's tables with these models in them.

    Args:
        suite: Suite: cats, cats-robust, partwhole, rica, winoventi or wordnetqa.
        data: Folder of the paper's datasets. By default, what was fetched.
        skip_bad: Skip and count lines that cannot be read.
        out: Folder that stores the answers; an interrupted run resumes there. By default, runs/MODEL-SUITE.
        spec: Scoring spec: a preset and fields, separated by commas. By default, the paper's.

    Returns:
        The run with its results and tables, and the report.
    """
    models = options["model"] = chosen_models(options["model"])
    find_paper_suite(suite)
    folder = out if out is not None else default_folder(models, [suite])
    asked = ask_suite(suite=suite, data=data, skip_bad=skip_bad, out=folder, spec=spec, **options)
    return with_report(asked.run, options["progress"], asked.table, asked.tables)


def _fit_controls(suite: PaperSuite, opened: OpenedData, folder: Path, progress: Progress) -> None:
    """The paper's controls, fitted on the training part of each set and kept as runs; what is kept already stays."""
    for name, probe in opened.probes.items():
        training = opened.training.get(name)
        test = replace(probe, card=replace(probe.card, name=name), called=name)
        for each in suite.controls:
            where = folder / "-".join((name, each.name, *each.slots))
            if where.is_dir() or (training is None and control(each.name).trains):
                continue
            vectors = "glove" if cache_folder("glove").is_dir() else "none"
            if vectors == "none" and each.name == "vector-similarity":
                progress.log(
                    f"{name}: {each.name} is left out, since word vectors are not here: horsesense fetch glove"
                )
                continue
            progress.log(f"{name}: {each.name} is fitted")
            fit_control(
                each.name,
                test,
                train=training,
                slots=each.slots,
                vectors=vectors,
                seeds=1,
                out=where,
                allow_overlap=True,
                progress=progress,
            )


def _say_missing(name: str, opened: OpenedData, progress: Progress) -> None:
    """Which sets there are, and which are not: told before hours of asking."""
    for called, probe in opened.probes.items():
        if skipped := probe.card.notes.get("bad lines skipped"):
            progress.log(f"{called}: {skipped:,} bad lines skipped")
        for line in probe.skipped[:_MOST_LINES]:
            progress.log(f"skipped {line}")
        if len(probe.skipped) > _MOST_LINES:
            progress.log(f"and {len(probe.skipped) - _MOST_LINES:,} more lines skipped")
    number = len(opened.found) + len(opened.missing)
    progress.log(f"{name}: {len(opened.found)} of {number} sets here: {', '.join(opened.found)}")
    if opened.missing:
        progress.log(f"{name}: missing: {', '.join(opened.missing)}; the row has no figure for them")


@translate_errors()
def evidence(*runs: AnyRun) -> EvidenceOfRuns:
    """How often the deciding token is the edited one, where it stands, and what other tokens carry.

    Args:
        runs: Runs on probes of pairs, or their folders.

    Returns:
        One entry a model and probe of judged pairs; other probes are left out.
    """
    found = evidence_of_runs(answered_of(runs))
    if not found.evidence:
        fix = "give runs on ca, wsc, sm …"
        raise UserError("no probe of these runs has judged pairs", file=_first(runs), fix=fix)
    return found


@translate_errors()
def who(*runs: AnyRun) -> WhoOfRuns:
    """Which items one model gets and another misses, with the place of the key word (CATs, table 4).

    Args:
        runs: Runs, or their folders; one with two models will do.

    Returns:
        One entry a probe and pair of models.
    """
    probes = by_probe(answers_by_place(runs))
    found = who_of_runs(list(models.values()) for models in probes.values())
    if not found.pairs:
        fix = "give folders whose probes have the same name"
        raise UserError("no probe was asked of two models", file=_first(runs), fix=fix)
    return found


@dataclass(frozen=True)
class InferenceSteps:
    """Accuracy by inference steps."""

    steps: StepsOfRuns
    """Who counted, and every model's figures."""
    counted: Counted | None
    """What people said of each item; None where a rule counted."""

    @property
    def models(self) -> tuple[ModelSteps, ...]:
        """One entry a model."""
        return self.steps.models

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.steps.to_json()

    def frame(self) -> Frame:
        """One row a model, probe and number of steps; over all probes, the probe is empty."""
        rows = [
            {
                "model": model.model,
                "probe": name,
                "steps": each.steps,
                "accuracy": each.accuracy.value,
                "low": each.accuracy.low,
                "high": each.accuracy.high,
                "n": each.accuracy.n,
            }
            for model in self.models
            for name, numbers in ((None, model.by_steps), *((kept.probe, kept.by_steps) for kept in model.sets))
            for each in numbers
        ]
        return Frame(columns_of(rows), f"accuracy by inference steps, counted by {self.steps.counted_by}")

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


@translate_errors()
def steps(*runs: AnyRun, judgements: Sequence[PathLike] = ()) -> InferenceSteps:
    """Accuracy by inference steps, as the share of wrong options that the right one beats (CATs, figure 2).

    Args:
        runs: Runs, or their folders.
        judgements: Filled task files of the instrument steps; without them a rule counts.

    Returns:
        For each model its probes in the order of their steps, and accuracy by steps.
    """
    counts = _counted_by_people([Path(file) for file in judgements]) if judgements else None
    return InferenceSteps(steps_of_runs([each for each in answered_of(runs) if each.judged], counts), counts)


def _counted_by_people(files: Sequence[Path]) -> Counted:
    """What people counted; "4 or more" counts as four, and who cannot tell gives no number."""
    from horsesense.annotate.judgement_files import collect

    collected = collect(files)
    if collected.instrument.name != "steps":
        raise UserError(
            f"these are judgements of the instrument {collected.instrument.name}", file=files[0], fix="use steps"
        )
    votes = [(each.item, each.value.split()[0]) for each in collected.judgements]
    try:
        return counted([(item, float(number)) for item, number in votes if number.isdecimal()])
    except UserError as error:
        raise error.at(files[0]) from None


def _first(runs: Sequence[AnyRun]) -> Path | None:
    """The folder of the first run, for an error to name; none where it is in memory."""
    return (runs[0].folder if isinstance(runs[0], Run) else Path(runs[0])) if runs else None
