"""What ``horsesense run --suite`` prints: a paper's row for each model, the paper's own rows beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from horsesense.cli.output import people, table

if TYPE_CHECKING:
    from rich.table import Table

    from horsesense.methods.cats.suite_table import SuiteTable
    from horsesense.methods.suites.frame import PaperTable
    from horsesense.stats import Estimate

_NONE = "–"


def print_suite(document: SuiteTable, tables: Sequence[PaperTable]) -> None:
    """What was measured set by set, the paper's tables, and what can be had without the question."""
    console = people()
    for frame in _set_tables(document):
        console.print(frame)
    print_tables(tables)
    for line in _cue_lines(document):
        console.print(line, markup=False, soft_wrap=True)


def print_tables(tables: Iterable[PaperTable]) -> None:
    """A paper's tables, published rows marked."""
    from rich.markup import escape

    from horsesense.report.tables import paper_counts, paper_interval, paper_value
    from horsesense.stats import Estimate

    console = people()
    for each in tables:
        frame = table("", *each.columns, title=escape(each.title), padding=0)
        frame.columns[0].min_width = 14
        group = ""
        for row in each.rows:
            heading = f"published, {row.group}" if row.kind == "published" and row.group != "published" else row.group
            if heading and heading != group:
                group = heading
                frame.add_section()
                frame.add_row(f"{escape(heading)}:", style="dim")
            frame.add_row(f"  {escape(row.name)}", *(paper_value(cell) for cell in row.cells))
            if any(isinstance(cell, Estimate) for cell in row.cells):
                frame.add_row("", *(paper_interval(cell) for cell in row.cells), style="dim")
        console.print(frame)
        for note in filter(None, (paper_counts(each), *each.notes)):
            console.print(note, style="dim", markup=False, soft_wrap=True)


def _titles(document: SuiteTable) -> dict[str, str]:
    from horsesense.methods.cats.table import titles

    sets = [*document.found, *document.missing]
    return {name: title for name, title in titles().items() if name in sets}


def _set_tables(document: SuiteTable) -> Iterator[Table]:
    """A table a model, one row a set, beside the best rule that does not look at the question."""
    from horsesense.methods.cats.table import AccuracyRow

    sets = _titles(document)
    for row in document.rows:
        if not isinstance(row, AccuracyRow):
            continue
        frame = table(
            "set", "accuracy", "95 % interval", "chance", "n", "units", "best blind rule", title=row.model, padding=0
        )
        for name in document.found:
            rule = document.cues[name].rule
            frame.add_row(sets[name], *_cells(row.sets.get(name)), f"{rule.accuracy.value:.3f}" if rule else "")
        frame.add_section()
        frame.add_row(f"mean of {row.sets_averaged}", *_cells(row.average))
        yield frame


def _cells(cell: Estimate | None) -> tuple[str, ...]:
    """Accuracy, interval, chance, items and units."""
    if cell is None:
        return (_NONE, "", "", "", "")
    chance = "" if cell.chance is None else f"{cell.chance:.3f}"
    return (_value(cell), _interval(cell), chance, f"{cell.n:,}", f"{cell.clusters:,}")


def _value(cell: Estimate | None) -> str:
    return _NONE if cell is None else f"{cell.value:.3f}"


def _interval(cell: Estimate | None) -> str:
    return "" if cell is None else f"{cell.low:.3f}–{cell.high:.3f}"


def _cue_lines(document: SuiteTable) -> Iterator[str]:
    """What can be had of each set without its question, and what of the paper's figures does not add up."""
    for name, cues in document.cues.items():
        picks = [f"{cue.accuracy.value:.3f} by picking {cue.pick}" for cue in (cues.rule, cues.learnt) if cue]
        picks = picks[:1] if cues.rule == cues.learnt else picks
        none = "nothing" if cues.searched else "not looked for in fewer than two units"
        yield f"{name}, without its question: {'; '.join(picks) or none} (chance {cues.chance:.3f})"
    wrong = document.published.averages_that_do_not_follow
    if wrong:
        printed = {row.model: row.average.printed for row in document.published.rows if row.average}
        listed = ", ".join(f"{model} ({printed[model]:.3f})" for model in wrong)
        yield f"published averages are computed again from their rows; those printed for {listed} do not follow"
    if document.missing and document.measure == "accuracy":
        yield f"an average of a measured row is over the {len(document.found)} sets that are here"
