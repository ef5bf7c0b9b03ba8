"""A paper's tables as Markdown, LaTeX and part of the page: our rows, and published ones marked as such."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan

from horsesense.methods.suites.frame import PaperRow, PaperTable
from horsesense.report.tables import latex_table, latex_text, markdown_text
from horsesense.stats import Estimate

Cell = Estimate | float | None
MARK = "published"
_LONG, _WIDE = 36, "16em"
"""Letters of a row's name above which it is broken, and how wide it is then."""


def shown_cell(cell: Cell, interval: bool = False, dash: str = "–") -> str:
    """A figure with its interval and its number of items; a published one has neither.

    >>> shown_cell(0.5), shown_cell(None)
    ('0.500', '')
    """
    if cell is None:
        return ""
    if not isinstance(cell, Estimate):
        return f"{cell:z.3f}"
    ends = shown_interval(cell, dash) if interval else ""
    return f"{cell.value:z.3f}" + (f" ({ends})" if ends else "")


def shown_interval(cell: Cell, dash: str = "–") -> str:
    """The interval of a figure; empty where it has none: published, or of too few units."""
    if not isinstance(cell, Estimate) or isnan(cell.low):
        return ""
    between = " to " if cell.low < 0 else dash
    return f"{cell.low:z.2f}{between}{cell.high:z.2f}"


def counts(table: PaperTable) -> str:
    """How many items (pairs, votes) each column of our rows rests on."""
    found = []
    for place, column in enumerate(table.columns):
        cells = (row.cells[place] for row in table.rows)
        sizes = {cell.n for cell in cells if isinstance(cell, Estimate)}
        if sizes:
            low, high = min(sizes), max(sizes)
            found.append(f"{column} {low:,}" if low == high else f"{column} {low:,} to {high:,}")
    return f"n: {', '.join(found)}." if found else ""


def markdown_tables(tables: Sequence[PaperTable]) -> str:
    """All tables, one below the other."""
    return "\n".join(_markdown(table) for table in tables)


def _markdown(table: PaperTable) -> str:
    names = ["", *(markdown_text(column) for column in table.columns)]
    lines = [f"**{markdown_text(table.title)}**", "", f"| {' | '.join(names)} |"]
    lines.append(f"|{'|'.join(['---'] + ['---:'] * len(table.columns))}|")
    for row in table.rows:
        cells = [_named(row, markdown_text), *(shown_cell(cell, interval=True) for cell in row.cells)]
        lines.append(f"| {' | '.join(cells)} |")
    notes = [note for note in (counts(table), *table.notes) if note]
    return "\n".join([*lines, "", markdown_text(f"In brackets 95 %. {' '.join(notes)}")]) + "\n"


def latex_tables(tables: Sequence[PaperTable]) -> str:
    """All tables; the paper needs ``\\usepackage{booktabs,graphicx}``."""
    return "\n".join(_latex(table) for table in tables)


def _latex(table: PaperTable) -> str:
    lines = [f"{' & '.join(['', *(latex_text(column) for column in table.columns)])} \\\\"]
    names = [_named(row, latex_text) for row in table.rows]
    group = ""
    for row, name in zip(table.rows, names, strict=True):
        heading = f"{row.kind}:{row.group}"
        if heading != group:
            lines.append(r"\midrule")
            group = heading
        # A name of several lines has its figures beside the first.
        named = rf"\parbox[t]{{{_WIDE}}}{{\raggedright {name}}}" if len(name) > _LONG else name
        figures = [_signed(shown_cell(cell)) for cell in row.cells]
        ends = [_signed(shown_interval(cell, " to ")) for cell in row.cells]
        if any(ends):
            figures = [
                rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{figure}\\{{\tiny {end}}}\end{{tabular}}" if end else figure
                for figure, end in zip(figures, ends, strict=True)
            ]
        lines.append(f"{' & '.join([named, *figures])} \\\\")
    notes = [note for note in (counts(table), *table.notes) if note]
    below = "Below each figure its 95 % interval. " if any(_has_interval(row) for row in table.rows) else ""
    caption = latex_text(f"{table.title}. {below}{' '.join(notes)}")
    return latex_table(f"l{'r' * len(table.columns)}", lines, caption)


def _has_interval(row: PaperRow) -> bool:
    return any(shown_interval(cell) for cell in row.cells)


def _signed(number: str) -> str:
    """A minus, where a hyphen would be printed."""
    return number.replace("-", "$-$")


def _named(row: PaperRow, text: Callable[[str], str]) -> str:
    marks = {"published": f" ({MARK})", "control": " (control)"}
    return text(row.name + marks.get(row.kind, ""))
