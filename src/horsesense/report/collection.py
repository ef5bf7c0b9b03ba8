"""The data of a report: every model on every probe of several run folders, and comparisons of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from horsesense.core import Probe
from horsesense.core.item_file import ids_of
from horsesense.core.spec import Normalisation
from horsesense.cues.artefact_control import BestCue, best_cue
from horsesense.cues.findings import encoded_items
from horsesense.cues.relatedness import Relatedness, relatedness
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import find_wordnet_graph
from horsesense.methods.suites.frame import PaperTable, run_tables
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import load, methods
from horsesense.report.summary import Summary, summarise
from horsesense.runs.comparison import ProbeComparison, by_probe, enough_answered, side_by_side
from horsesense.runs.item_columns import item_columns
from horsesense.runs.manifest import Manifest, manifest_path
from horsesense.runs.probe_answers import ProbeAnswers, read_finished
from horsesense.runs.result import LEAST_ANSWERED, Spread, shown_names, spreads
from horsesense.runs.withheld import WITHHELD_FROM, withheld_results
from horsesense.training.training_results import Curve, read_curves, study_runs

NONE: Mapping[str, Probe] = {}
MOST_WHOLE = 20_000
"""Items of a whole probe that cues are searched on where a part was scored; more would take minutes."""
NOT_SEARCHED = "not searched, to save time; run horsesense report"


@dataclass(frozen=True, slots=True)
class Collection:
    """The data of a report."""

    manifests: Mapping[Path, Manifest]
    probes: Mapping[str, Sequence[Summary]]
    """For each probe with gold answers, one summary per model."""
    unjudged: Sequence[tuple[str, str]]
    """Model and probe where no item has a gold answer, so that there is no score."""
    sides: Mapping[str, ProbeComparison | str]
    """For each probe that several models were scored on: the comparison, or why it is missing."""
    curves: Sequence[Curve] = ()
    """Learning curves."""
    how: Normalisation | None = None
    """The normalisation that was requested for the report; None: that of each run, or each probe's own."""
    unfinished: Sequence[tuple[str, str]] = ()
    """Model and probe (with its prompt format) whose answers are incomplete; left out."""
    papers: Sequence[PaperTable] = ()
    """The paper's tables of suite runs, with these models in them."""
    methods: Sequence[PaperTable] = ()
    """Tables that methods add for their own probes."""
    pipelines: Sequence[Any] = ()
    """Pipelines that generated schemas: the funnel and samples."""

    @property
    def spreads(self) -> tuple[Spread, ...]:
        """Differences between prompt formats, for each model and probe scored in several."""
        return spreads([summary.result for summary in self.summaries])

    @property
    def requested(self) -> Normalisation | None:
        """The normalisation that was requested for all scores, with the runs or with the report; None without one."""
        names = {self.how or summary.answered.normalise for summary in self.summaries}
        return names.pop() if len(names) == 1 else None

    @property
    def summaries(self) -> list[Summary]:
        return [summary for each in self.probes.values() for summary in each]


def collect(
    folders: Sequence[Path],
    cues: bool = True,
    how: Normalisation | None = None,
    progress: Progress = NO_PROGRESS,
    wholes: Mapping[str, Probe] = NONE,
) -> Collection:
    """Read run folders and summarise what is complete. ``cues`` searches the best cue of each probe (seconds).

    ``wholes`` are probes by name of which a part may have been scored: cues are searched on all of their items.

    The folder of a training or an inoculation stands for its curves and the runs beneath it, that of a schema
    pipeline for its funnel and the run on its schemas.
    """
    views = {folder: _pipeline(folder) for folder in folders}
    pipelines = [view for view in views.values() if view is not None]
    folders = [folder for folder in folders if views[folder] is None]
    folders += [view.run for view in pipelines if view.run is not None]
    manifests, runs = dict[Path, Manifest](), list[tuple[Path, Sequence[ProbeAnswers]]]()
    unfinished: list[tuple[str, str]] = []
    curves = {folder: [] if manifest_path(folder).is_file() else read_curves(folder) for folder in folders}
    whole = [run for folder in folders for run in (study_runs(folder) if curves[folder] else [folder])]
    for folder in dict.fromkeys(whole):
        manifest, parts, incomplete = read_finished(folder, alone=len(whole) == 1)
        unfinished += incomplete
        if parts:
            manifests[folder] = manifest
            runs.append((folder, parts))
    if whole and not runs:
        read_finished(whole[0])  # says what is wrong with it
    names = shown_names([*(a.part.model.name for _, parts in runs for a in parts), *(model for model, _ in unfinished)])
    unfinished = [(names[model], probe) for model, probe in unfinished]
    drawn = [curve for each in curves.values() for curve in each]
    collected = with_tables(collect_answered(runs, cues, how, progress, wholes), runs)
    return replace(collected, manifests=manifests, curves=drawn, unfinished=unfinished, pipelines=pipelines)


def _pipeline(folder: Path) -> Any:
    """Return what a method shows of the folder of a pipeline; None for any other folder."""
    readers = (load(method.pipeline) for method in methods().values() if method.pipeline)
    return next((view for read in readers if (view := read(folder)) is not None), None)


def with_tables(
    collected: Collection,
    runs: Sequence[tuple[Path, Sequence[ProbeAnswers]]],
    ready: Mapping[Path, Sequence[PaperTable]] = MappingProxyType({}),
) -> Collection:
    """Add the tables of each run; those of a suite that was asked just now are ``ready``."""
    papers: list[PaperTable] = []
    methods: list[PaperTable] = []
    for folder, parts in runs:
        own = run_tables(folder, parts) if not ready.get(folder) else (ready[folder], ())
        papers += own[0]
        methods += own[1]
    return replace(collected, papers=papers, methods=methods)


def collect_answered(
    runs: Sequence[tuple[Path, Sequence[ProbeAnswers]]],
    cues: bool = True,
    how: Normalisation | None = None,
    progress: Progress = NO_PROGRESS,
    wholes: Mapping[str, Probe] = NONE,
) -> Collection:
    """Summarise answers that are in memory; the path of each run distinguishes two runs of one model."""
    cue_of: dict[str, BestCue | str] = {}
    withheld = {
        (str(folder), each.model, each.probe, each.format): each
        for folder, answered in runs
        for each in withheld_results([replace(a, normalise=how) for a in answered] if how else answered)
    }
    folder_of = {id(each): str(folder) for folder, answered in runs for each in answered}
    probes: dict[str, list[Summary]] = {}
    unjudged: list[tuple[str, str]] = []
    sides: dict[str, ProbeComparison | str] = {}
    probed = by_probe(runs)
    names = shown_names(label for models in probed.values() for label in models)
    for probe, models in probed.items():
        named = str(probe)
        judged = {names[label]: answered for label, answered in models.items() if answered.judged}
        unjudged += [(names[label], named) for label in models if names[label] not in judged]
        for label, answered in judged.items():
            content = answered.part.probe.content
            if content not in cue_of:
                whole = wholes.get(answered.part.probe.name)
                cue_of[content] = _best_cue(named, answered, whole, progress) if cues else NOT_SEARCHED
            summary = summarise(label, answered, cue_of[content], how)
            key = folder_of[id(answered)], answered.part.model.name, answered.part.probe.name, answered.format
            probes.setdefault(named, []).append(replace(summary, withheld=withheld.get(key)))
        if len(judged) > 1:
            sides[named] = _compared(named, judged, how)
    return Collection({}, probes, unjudged, sides, (), how)


def _best_cue(probe: str, answered: ProbeAnswers, whole: Probe | None, progress: Progress) -> BestCue | str:
    """Search the best cue of a probe; a sentence where that is not possible."""
    progress.update(f"searching surface cues in {probe}", 0, 1)
    near = _relatedness(answered, progress)
    taxonomy = find_wordnet_graph() if any(item.concepts for item in answered.items) else None
    record, group = answered.part.probe, answered.probe.card.group
    if whole is not None and not set(ids_of(answered.items)) <= set(ids_of(whole.items)):
        raise UserError(
            f"the given probe {record.name} lacks some of the scored items",
            fix="give the file that was scored, or leave it out",
        )
    try:
        if record.items >= record.of:
            return replace(best_cue(answered.items, group, answered.units, taxonomy), relatedness=near)
        if whole is not None and len(whole.items) <= MOST_WHOLE:
            return replace(_of_the_whole(answered, whole, taxonomy), relatedness=near)
        cue = best_cue(answered.items, group, answered.units, taxonomy)
        return replace(cue, drawn=f"{record.items:,} of {record.of:,}", relatedness=near)
    except UserError as error:
        return error.problem


def _relatedness(answered: ProbeAnswers, progress: Progress) -> tuple[Relatedness, ...] | None:
    """Measure the option nearest to the question by each encoder; None without an encoder, empty without a question."""
    items = answered.items
    if any(WITHHELD_FROM in item.facets for item in items):
        return ()
    encoded = encoded_items(items, progress)
    near = (relatedness(encoder, items, cosines, answered.units) for encoder, cosines in encoded)
    return tuple(each for each in near if each is not None and each.coverage) if encoded else None


def _of_the_whole(answered: ProbeAnswers, whole: Probe, taxonomy: Graph | None) -> BestCue:
    """Search the best cue on a whole probe, and return its picks on the items that were scored."""
    place = {item: number for number, item in enumerate(ids_of(whole.items))}
    cue = best_cue(whole.items, whole.card.group, item_columns(whole.items, whole.card.group).units, taxonomy)
    asked = [place[item] for item in ids_of(answered.items)]
    return replace(cue, right=cue.right[asked], whole=len(place))


def _compared(probe: str, models: dict[str, ProbeAnswers], how: Normalisation | None) -> ProbeComparison | str:
    enough = enough_answered(models)
    few = f"{', '.join(label for label in models if label not in enough)} answered less than {LEAST_ANSWERED:.0%}"
    if len(enough) < 2:
        return f"{few} of the items"
    try:
        side = side_by_side(probe, enough, how)
        return side if len(enough) == len(models) else replace(side, notes=(*side.notes, f"{few}, and is left out"))
    except UserError as error:
        return error.problem
