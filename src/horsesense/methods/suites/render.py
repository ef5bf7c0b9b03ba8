"""Print a paper's tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from horsesense.terminal import console, line, table

if TYPE_CHECKING:
    from horsesense.methods.suites.frame import PaperTable


def print_tables(tables: Iterable[PaperTable]) -> None:
    """Print tables, with published rows marked."""
    from horsesense.report.tables import paper_counts, paper_interval, paper_value
    from horsesense.stats import Estimate

    for each in tables:
        frame = table("", *each.columns, title=each.title, padding=0)
        frame.columns[0].min_width = 14
        group = ""
        for row in each.rows:
            heading = f"published, {row.group}" if row.kind == "published" and row.group != "published" else row.group
            if heading and heading != group:
                group = heading
                frame.add_section()
                frame.add_row(f"{heading}:", style="dim")
            frame.add_row(f"  {row.name}", *(paper_value(cell) for cell in row.cells))
            if any(isinstance(cell, Estimate) for cell in row.cells):
                frame.add_row("", *(paper_interval(cell) for cell in row.cells), style="dim")
        console().print(frame)
        for note in filter(None, (paper_counts(each), *each.notes)):
            line(note, "dim")
