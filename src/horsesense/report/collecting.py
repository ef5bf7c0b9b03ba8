"""Several run folders as one report: every model on every probe, and where models meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from horsesense.core import Probe
from horsesense.core.item_file import ids_of
from horsesense.cues.artefact_control import BestCue, best_cue
from horsesense.errors import UserError
from horsesense.lexicons.taxonomy import Taxonomy, load_taxonomy
from horsesense.lexicons.wordnet_source import find_wordnet
from horsesense.methods.rica.run_tables import rica_tables
from horsesense.methods.suites.frame import PaperTable
from horsesense.methods.suites.stored import kept_tables
from horsesense.methods.winoventi.evaluation_tables import tables_of_run as evaluation_tables
from horsesense.methods.winoventi.pipeline_page import PipelineShown, is_pipeline, read_pipeline
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.report.summary import Summary, summarise
from horsesense.runs.comparison import AskedProbe, SideBySide, by_probe, side_by_side
from horsesense.runs.item_columns import item_columns
from horsesense.runs.manifest import Manifest, manifest_path
from horsesense.runs.result import Spread, shown_names, spreads
from horsesense.runs.results import Answered, read_finished
from horsesense.scoring.normalise import Normalisation
from horsesense.training.curves import Curve, read_curves, study_runs

NONE: Mapping[str, Probe] = {}
MOST_WHOLE = 20_000
"""Items of a whole probe on which cues are judged where a part was asked; beyond it would take minutes."""
NOT_LOOKED = "it was not looked for, to save time; horsesense report does"


@dataclass(frozen=True, slots=True)
class Collected:
    """All that a report is made of."""

    manifests: Mapping[Path, Manifest]
    probes: Mapping[str, Sequence[Summary]]
    """For each probe with a gold, one summary a model."""
    unjudged: Sequence[tuple[str, str]]
    """Model and probe where no item has a gold, so that there is nothing to count."""
    sides: Mapping[str, SideBySide | str]
    """For each probe that several models were asked: the comparison, or why there is none."""
    curves: Sequence[Curve] = ()
    """How trained models learned."""
    how: Normalisation | None = None
    """The normalisation that was asked for; None: each probe's own."""
    unfinished: Sequence[tuple[str, str]] = ()
    """Model and probe, with the way where it is not by options, whose answers are not all there; left out."""
    papers: Sequence[PaperTable] = ()
    """Of runs of a suite: the paper's tables with these models in them."""
    methods: Sequence[PaperTable] = ()
    """Of other runs: what a method makes of its probes beyond accuracy."""
    pipelines: Sequence[PipelineShown] = ()
    """Of folders of a WinoVenti pipeline: the funnel and samples."""

    @property
    def spreads(self) -> tuple[Spread, ...]:
        """What ways of asking are apart, for each model and probe that was asked in several."""
        return spreads([summary.result for summary in self.summaries])

    @property
    def summaries(self) -> list[Summary]:
        return [summary for each in self.probes.values() for summary in each]


def collect(
    folders: Sequence[Path],
    cues: bool = True,
    how: Normalisation | None = None,
    progress: Progress = NO_PROGRESS,
    wholes: Mapping[str, Probe] = NONE,
) -> Collected:
    """Read run folders and sum up what is whole. ``cues`` looks for the best cue of each probe, which takes seconds.

    Of ``wholes``, probes by name, a part may have been asked: cues are judged on all of their items.

    The folder of a training or an inoculation stands for its curves and the runs beneath it, that of a WinoVenti
    pipeline for its funnel and the run of what came out.
    """
    pipelines = [read_pipeline(folder) for folder in folders if is_pipeline(folder)]
    asked = [each.run for each in pipelines if each.run is not None]
    folders = [folder for folder in folders if not is_pipeline(folder)] + asked
    manifests, runs = dict[Path, Manifest](), list[tuple[Path, Sequence[Answered]]]()
    unfinished: list[tuple[str, str]] = []
    curves = {folder: [] if manifest_path(folder).is_file() else read_curves(folder) for folder in folders}
    whole = [run for folder in folders for run in (study_runs(folder) if curves[folder] else [folder])]
    for folder in dict.fromkeys(whole):
        manifest, parts, rest = read_finished(folder, alone=len(whole) == 1)
        begun = [(part.model.name, str(AskedProbe(part.probe.name, part.format))) for part in rest]
        unfinished += begun + manifest.not_begun
        if parts:
            manifests[folder] = manifest
            runs.append((folder, parts))
    if whole and not runs:
        read_finished(whole[0])  # says what is wrong with it
    shown = shown_names([*(a.part.model.name for _, parts in runs for a in parts), *(model for model, _ in unfinished)])
    unfinished = [(shown[model], probe) for model, probe in unfinished]
    drawn = [curve for each in curves.values() for curve in each]
    collected = with_tables(collect_answered(runs, cues, how, progress, wholes), runs)
    return replace(collected, manifests=manifests, curves=drawn, unfinished=unfinished, pipelines=pipelines)


def with_tables(collected: Collected, runs: Sequence[tuple[Path, Sequence[Answered]]]) -> Collected:
    """With the tables of each run: those of its suite, or of its method where it is of none."""
    papers: list[PaperTable] = []
    methods: list[PaperTable] = []
    for folder, parts in runs:
        kept = kept_tables(folder, parts) if folder.is_dir() else ()
        papers += kept
        methods += () if kept else (*rica_tables(parts), *evaluation_tables(folder, parts))
    return replace(collected, papers=papers, methods=methods)


def collect_answered(
    runs: Sequence[tuple[Path, Sequence[Answered]]],
    cues: bool = True,
    how: Normalisation | None = None,
    progress: Progress = NO_PROGRESS,
    wholes: Mapping[str, Probe] = NONE,
) -> Collected:
    """Sum up answers that are in memory; the path of each run tells two of one model apart."""
    cue_of: dict[str, BestCue | str] = {}
    probes: dict[str, list[Summary]] = {}
    unjudged: list[tuple[str, str]] = []
    sides: dict[str, SideBySide | str] = {}
    probed = by_probe(runs)
    shown = shown_names(label for models in probed.values() for label in models)
    for probe, models in probed.items():
        named = str(probe)
        judged = {shown[label]: answered for label, answered in models.items() if answered.judged}
        unjudged += [(shown[label], named) for label in models if shown[label] not in judged]
        for label, answered in judged.items():
            content = answered.part.probe.content
            if content not in cue_of:
                whole = wholes.get(answered.part.probe.name)
                cue_of[content] = _best_cue(named, answered, whole, progress) if cues else NOT_LOOKED
            probes.setdefault(named, []).append(summarise(label, answered, cue_of[content], how))
        if len(judged) > 1:
            sides[named] = _compared(named, judged, how)
    return Collected({}, probes, unjudged, sides, (), how)


def _best_cue(probe: str, answered: Answered, whole: Probe | None, progress: Progress) -> BestCue | str:
    """The best cue of a probe, or why there is none."""
    progress.update(f"looking for cues in {probe}: what answers it without understanding it", 0, 1)
    folder = find_wordnet() if any(item.concepts for item in answered.items) else None
    taxonomy = load_taxonomy(folder) if folder else None
    record, group = answered.part.probe, answered.probe.card.group
    if whole is not None and not set(ids_of(answered.items)) <= set(ids_of(whole.items)):
        raise UserError(
            f"the probe {record.name} that was given does not hold all that was asked",
            fix="give the file that was asked, or leave it out",
        )
    try:
        if record.items >= record.of:
            return best_cue(answered.items, group, answered.units, taxonomy)
        if whole is not None and len(whole.items) <= MOST_WHOLE:
            return _of_the_whole(answered, whole, taxonomy)
        found = best_cue(answered.items, group, answered.units, taxonomy)
        return replace(found, drawn=f"{record.items:,} of {record.of:,} items")
    except UserError as error:
        return error.problem


def _of_the_whole(answered: Answered, whole: Probe, taxonomy: Taxonomy | None) -> BestCue:
    """The best cue of a whole probe, and what it picks of the items that were asked."""
    place = {item: number for number, item in enumerate(ids_of(whole.items))}
    found = best_cue(whole.items, whole.card.group, item_columns(whole.items, whole.card.group).units, taxonomy)
    asked = [place[item] for item in ids_of(answered.items)]
    return replace(found, right=found.right[asked], whole=len(place))


def _compared(probe: str, models: dict[str, Answered], how: Normalisation | None) -> SideBySide | str:
    try:
        return side_by_side(probe, models, how)
    except UserError as error:
        return error.problem
