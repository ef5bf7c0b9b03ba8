"""Reports of runs: a page, a table for a paper, rows for another tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from horsesense.core import Probe
from horsesense.core.catalogue import PathLike
from horsesense.core.document import INTERNAL, Document, TableDocument
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask import probes_named
from horsesense.runs.result import Result
from horsesense.runs.run import AnyRun, Results, Run, answers_by_place, finished_by_place
from horsesense.scoring.normalise import parse_normalisation
from horsesense.stats.slices import FacetRow

if TYPE_CHECKING:
    from horsesense.report.collection import Collection
    from horsesense.report.summary import Summary

Format = Literal["html", "md", "latex"]
_ENDINGS = {"html": ".html", "md": ".md", "latex": ".tex"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSlice(FacetRow, Document):
    """Accuracy of a model on the items of a probe that have one value of a facet."""

    model: str
    """Name of the model."""
    probe: str
    """Name of the probe."""


@dataclass(frozen=True, slots=True)
class Report(TableDocument):
    """Results of runs, and where the report was written."""

    results: tuple[Result, ...]
    """One for each model and probe in the folders that has gold answers."""
    out: Path | None = None
    """The page or table, if it was written."""
    text: str | None = None
    """The table; none for a page."""
    slices: tuple[ModelSlice, ...] | None = None
    """One for each value of the facets that were asked for, for probes that have them."""
    unfinished: tuple[str, ...] | None = None
    """Models, each with its probe, whose answers are incomplete; left out."""
    unjudged: tuple[tuple[str, str], ...] = field(default=(), metadata=INTERNAL)
    """Models, each with its probe, without gold answers."""
    not_sliced: tuple[str, ...] = field(default=(), metadata=INTERNAL)
    """Which could not be sliced, and why."""
    charts: tuple[Path, ...] = field(default=(), metadata=INTERNAL)
    """Files of charts that were written."""

    def frame(self) -> Results:
        """Return accuracy with its interval, chance and n, one row per model and probe with gold answers."""
        return Results(list(self.results))


@translate_errors()
def write_report(
    *runs: AnyRun,
    out: PathLike | None = None,
    format: Format = "html",
    charts: PathLike | None = None,
    normalise: Normalisation | None = None,
    by: Sequence[str] = (),
    cues: bool = True,
    probes: Probe | PathLike | Sequence[Probe | PathLike] | Mapping[str, Probe] = (),
    pictures: bool = True,
    progress: Progress = NO_PROGRESS,
) -> Report:
    """Write one self-contained HTML page, or a table for a README or a paper.

    Args:
        runs: Run folder. In Python, also a `Run`.
        out: File to write. By default, report.html in the run folder, or in the current folder for several runs; tables
            are printed.
        format: Format: a page (html), or a table (md, latex).
        charts: Folder to write every chart to, as SVG and PNG.
        normalise: Score of an option: the sum of its token log-probabilities, their mean per token, word or
            character, or pmi (log-probability after the question minus that of the option alone). By default, that of
            the run, or as set in the probe's card.
        by: Facet to break accuracy down by.
        cues: Search for the best cue of each probe, which takes some seconds.
        probes: File of the whole probe, if a run asked only a part of it: cues are then measured on the whole probe.
        pictures: Draw the plots of the page, which takes some seconds.
        progress: Progress callback.

    Returns:
        The results, slices and tables, and where they were written.
    """
    from horsesense.report.collection import collect
    from horsesense.report.summary import sliced_by

    if not runs:
        raise UserError("no run is given", fix="name the folder of one")
    if format not in _ENDINGS:
        raise unknown("format", format, _ENDINGS)
    how = parse_normalisation(normalise) if normalise else None
    if charts is not None:
        from horsesense.drawing import need_pictures

        need_pictures()
    wholes = {name: whole for run in runs if isinstance(run, Run) for name, whole in run.wholes.items()}
    wholes |= probes_named(probes)
    if any(isinstance(run, Run) for run in runs):
        collected = _collected(runs, cues, how, progress, wholes)
    else:
        folders = [Path(run) for run in runs if not isinstance(run, Run)]
        collected = collect(folders, cues=cues, how=how, progress=progress, wholes=wholes)
    slices, not_sliced = sliced_by(collected.summaries, by)
    for text in not_sliced:
        progress.log(text)
    path = Path(out) if out is not None else default_report(runs) if format == "html" else None
    text = _written(collected, path, format, runs, progress, pictures)
    drawn: Sequence[Path] = ()
    if charts is not None:
        from horsesense.report.charts import write_charts

        drawn = write_charts(collected, Path(charts))
    return Report(
        results=tuple(summary.result for summary in collected.summaries),
        out=path,
        text=text or None,
        slices=tuple(_model_slice(summary, row) for summary, rows in slices for row in rows) if by else None,
        unfinished=tuple(f"{model} on {probe}" for model, probe in collected.unfinished) or None,
        unjudged=tuple(collected.unjudged),
        not_sliced=tuple(not_sliced),
        charts=tuple(drawn),
    )


def _model_slice(summary: Summary, row: FacetRow) -> ModelSlice:
    return ModelSlice(
        model=_named_in_full(summary),
        probe=summary.result.probe,
        facet=row.facet,
        value=row.value,
        items=row.items,
        clusters=row.clusters,
    )


def _named_in_full(summary: Summary) -> str:
    """Return the name of a model in results, with the folder where two runs have the same name."""
    _, bracket, place = summary.label.partition(" (")
    return f"{summary.result.model}{bracket}{place}"


def default_report(runs: Sequence[AnyRun], format: Format = "html") -> Path:
    """Where a report goes that no file is named for: into the folder of its one run, else here."""
    name = f"report{_ENDINGS[format]}"
    only = runs[0] if len(runs) == 1 else None
    folder = only.folder if isinstance(only, Run) else None if only is None else Path(only)
    return Path(name) if folder is None else folder / name


def _collected(
    runs: Sequence[AnyRun], cues: bool, how: Normalisation | None, progress: Progress, wholes: Mapping[str, Probe]
) -> Collection:
    """Runs in hand, with what earlier calls asked in their folders, and how they were made where that is kept."""
    from horsesense.report.collection import collect_answered, with_tables

    by_place, rest = finished_by_place(runs)
    whole = [
        (place, [*answered, *(run.beside if isinstance(run, Run) else ())])
        for run, (place, answered) in zip(runs, by_place, strict=True)
    ]
    manifests = {run.folder: run.manifest for run in runs if isinstance(run, Run) and run.folder and run.manifest}
    ready = {run.folder: run.tables for run in runs if isinstance(run, Run) and run.folder and not run.beside}
    collected = with_tables(collect_answered(whole, cues, how, progress, wholes), whole, ready)
    split = [(name.partition(" on ")[0], name.partition(" on ")[2]) for name in rest]
    return replace(collected, manifests=manifests, unfinished=split)


def _written(
    collected: Collection,
    path: Path | None,
    format: Format,
    runs: Sequence[AnyRun],
    progress: Progress,
    pictures: bool,
) -> str:
    """Write the page or the table; the text of the table."""
    if format == "html":
        from horsesense.report.page import write_report as write_page

        assert path is not None
        write_page(collected, path, drawn=pictures, progress=progress)
        return ""
    from horsesense.data import write_file
    from horsesense.report.tables import latex_tables, markdown_tables, results_table

    if not collected.summaries:
        raise UserError("no item has a gold answer, so there is no score", file=answers_by_place(runs[:1])[0][0])
    table = results_table(collected.summaries)
    text = table.markdown() if format == "md" else table.latex()
    if tables := [*collected.papers, *collected.methods]:
        text = f"{(markdown_tables if format == 'md' else latex_tables)(tables)}\n{text}"
    if path is not None:
        write_file(path, text)
    return text


@dataclass(frozen=True, slots=True)
class WrittenRows(Document):
    """A table that was written."""

    out: Path
    """The file."""
    what: str
    """What a row is: an item as a model answered it, or a token of an option."""
    rows: int
    """How many there are."""
    columns: tuple[str, ...]
    """Their names."""


@translate_errors()
def export_run(
    *runs: AnyRun,
    out: PathLike | None = None,
    rows: Literal["items", "tokens"] = "items",
    normalise: Normalisation | None = None,
) -> WrittenRows:
    """Export the items or tokens of runs as a table.

    Args:
        runs: Run folder. In Python, also a `Run`.
        out: File to write: .csv, .jsonl, .json or .parquet. By default, items.csv or tokens.csv in the run folder.
        rows: One row per item (options, gold answer, prediction, scores, facets), or per token.
        normalise: Score of an option: the sum of its token log-probabilities, their mean per token, word or
            character, or pmi (log-probability after the question minus that of the option alone). By default, that of
            the run, or as set in the probe's card.

    Returns:
        The file, and how many rows it has.
    """
    if not runs:
        raise UserError("no run is given", fix="name a run folder")
    how = parse_normalisation(normalise) if normalise else None
    by_place, _ = finished_by_place(runs)
    whole = Run([each for _, answered in by_place for each in answered], by_place[0][0], how)
    only = by_place[0][0] if len(by_place) == 1 and by_place[0][0].is_dir() else Path()
    path = Path(out) if out is not None else only / f"{rows}.csv"
    frame = whole.export(path, rows)
    return WrittenRows(path, rows, len(frame), frame.columns)
