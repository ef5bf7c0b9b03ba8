"""Tables for a README (Markdown) or a paper (LaTeX with booktabs and graphicx): results, and those of papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from horsesense.core import HumanFigure, Item
from horsesense.formatting import number
from horsesense.methods.suites.frame import PaperRow, PaperTable
from horsesense.report import run_text
from horsesense.report.run_text import scored, value_text
from horsesense.report.summary import Summary
from horsesense.stats import Estimate

Cell = Estimate | float | None
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "′": "$'$",
    "−": "$-$",
    "–": "--",
    "→": r"$\rightarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_LONG, _WIDE = 36, "16em"
"""Letters above which a row's name is wrapped in LaTeX, and the width of its box."""


def latex_text(text: str) -> str:
    r"""Escape text for LaTeX.

    >>> print(latex_text("50% of a_b & {c} \\x"))
    50\% of a\_b \& \{c\} \textbackslash{}x
    """
    return re.sub(r"[\\~^<>|\"&%$#_{}′−–→≤≥∞]", lambda match: _SPECIAL[match[0]], " ".join(text.split()))


def markdown_text(text: str) -> str:
    r"""Escape text for a cell in Markdown; brackets that close no link stay as they are.

    >>> print(markdown_text("a|b *c* <i> 0.70 [0.49, 0.86]"))
    a\|b \*c\* \<i\> 0.70 [0.49, 0.86]
    """
    return re.sub(r"\](?=[(\[:])", r"\\]", re.sub(r"([\\`*_<>|#~])", r"\\\1", " ".join(text.split())))


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of plain text, rendered as Markdown or LaTeX."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    left: int = 1
    """Columns that hold words; the others hold numbers."""
    sections: frozenset[int] = frozenset()
    """Rows that have a rule above them in LaTeX."""

    def markdown(self) -> str:
        """Render as Markdown, with the caption below."""
        lines = [_line(self.columns), f"|{'|'.join(['---'] * self.left + ['---:'] * (len(self.columns) - self.left))}|"]
        lines += [_line(row) for row in self.rows]
        return "\n".join([*lines, *(["", markdown_text(self.caption)] if self.caption else [])]) + "\n"

    def latex(self) -> str:
        """Render as LaTeX, no wider than the text; the paper needs ``\\usepackage{booktabs,graphicx}``."""
        lines = [_latex_line(self.columns)]
        for place, row in enumerate(self.rows):
            lines += [r"\midrule"] if place == 0 or place in self.sections else []
            lines.append(_latex_line(row))
        parts = [
            r"\begin{table}",
            r"\centering",
            # Scaled only where it is too wide.
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{'l' * self.left}{'r' * (len(self.columns) - self.left)}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}}",
            rf"\caption{{{latex_text(self.caption)}}}",
            r"\end{table}",
        ]
        return "\n".join(parts) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(markdown_text, cells))} |"


def _latex_line(cells: Sequence[str]) -> str:
    return f"{' & '.join(map(_latex_cell, cells))} \\\\"


def _latex_cell(text: str) -> str:
    """Format a cell: a value above its interval, and a long name on several lines."""
    ends = re.fullmatch(r"(\S+) (\[[^][]+, [^][]+\])", text)
    if ends:
        value, interval = map(latex_text, ends.groups())
        return rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{value}\\{{\tiny {interval}}}\end{{tabular}}"
    escaped = latex_text(text)
    return rf"\parbox[t]{{{_WIDE}}}{{\raggedright {escaped}}}" if len(text) > _LONG else escaped


# Results of runs.


def results_table(summaries: Sequence[Summary]) -> TextTable:
    """Build the table of results; whole families, people and cues only where some row has them."""
    families = any(s.result.strict for s in summaries)
    cues = any(s.control for s in summaries)
    people = any(people_of(s) is not None for s in summaries)
    columns = ["model", "probe", "accuracy [95% CI]", "chance", "n", "verdict"]
    columns += ["people"] if people else []
    columns += ["whole families"] if families else []
    columns += ["best cue", "accuracy where the cue fails"] if cues else []
    rows = []
    for s in summaries:
        e, verdict = s.result.accuracy, run_text.verdict_label(s.result)
        cells = (verdict, "") if s.result.unanswered else (f"{e:.3f}", verdict)
        row = [s.label, s.result.probe, cells[0], paper_value(e.chance), f"{e.n:,}", cells[1]]
        row += [paper_value(people_of(s))] if people else []
        row += [paper_value(None if s.result.unanswered else s.result.strict)] if families else []
        missed = s.control.where.missed if s.control and not s.result.unanswered else None
        row += [paper_value(s.control.cue if s.control else None), paper_value(missed)] if cues else []
        rows.append(row)
    return TextTable(columns, rows, _caption(summaries), left=2)


def people_of(summary: Summary) -> float | None:
    """Return human accuracy on the whole probe; None where it is not known, or not as one figure."""
    items, figures = summary.answered.items, summary.answered.probe.card.human
    whole = [figure for figure in figures if all(about(item, figure) for item in items)]
    return whole[0].value if len(whole) == 1 else None


def about(item: Item, figure: HumanFigure) -> bool:
    """Say whether a human figure applies to this item."""
    name, _, value = figure.part.partition("=")
    return not figure.part or (name in item.facets and value_text(item.facets[name]) == value)


def _caption(summaries: Sequence[Summary]) -> str:
    metrics = " ".join(sorted({scored(s.result) for s in summaries}))
    caption = f"{metrics} Intervals are 95%, by a cluster bootstrap; ties earn 1/k. {run_text.verdict_rule()}"
    if any(s.control for s in summaries):
        caption += " Best cue: accuracy of the best surface cue, chosen on the other half of the items."
    if any(s.control and s.control.drawn for s in summaries):
        caption += f" {run_text.DRAWN}"
    if any(s.control and s.control.whole for s in summaries):
        caption += f" {run_text.WHOLE}"
    kinds = sorted({run_text.human_figures(s.answered.probe.card.human) for s in summaries if people_of(s) is not None})
    caption += f" People: {' '.join(kinds)}" if kinds else ""
    return caption


# Tables of papers and methods.


def paper_cell(cell: Cell) -> str:
    """Format a figure with its interval; a published one has none.

    >>> paper_cell(0.5), paper_cell(None)
    ('0.500', '')
    """
    return f"{paper_value(cell)} {paper_interval(cell)}".strip()


def paper_value(cell: Cell) -> str:
    """Format a figure without its interval."""
    return "" if cell is None else number(cell.value if isinstance(cell, Estimate) else cell, ".3f")


def paper_interval(cell: Cell) -> str:
    """Format the interval of a figure; empty where it has none: published, or from too few clusters."""
    return f"{cell:i.2f}" if isinstance(cell, Estimate) else ""


def paper_counts(table: PaperTable) -> str:
    """State how many items (pairs, votes) each column of our rows rests on."""
    counts = []
    for place, column in enumerate(table.columns):
        cells = (row.cells[place] for row in table.rows)
        sizes = {cell.n for cell in cells if isinstance(cell, Estimate)}
        if sizes:
            low, high = min(sizes), max(sizes)
            counts.append(f"{column} {low:,}" if low == high else f"{column} {low:,} to {high:,}")
    return f"n: {', '.join(counts)}." if counts else ""


def markdown_tables(tables: Sequence[PaperTable]) -> str:
    """Render all tables as Markdown, one below the other."""
    return "\n".join(f"**{markdown_text(table.title)}**\n\n{_paper_table(table, '').markdown()}" for table in tables)


def latex_tables(tables: Sequence[PaperTable]) -> str:
    """Render all tables as LaTeX."""
    return "\n".join(_paper_table(table, f"{table.title}. ").latex() for table in tables)


def _paper_table(table: PaperTable, title: str) -> TextTable:
    rows = [[_name(row), *map(paper_cell, row.cells)] for row in table.rows]
    groups = [f"{row.kind}:{row.group}" for row in table.rows]
    sections = frozenset(place for place in range(1, len(groups)) if groups[place] != groups[place - 1])
    brackets = "Brackets: 95% intervals." if any(paper_interval(c) for row in table.rows for c in row.cells) else ""
    notes = " ".join(note for note in (brackets, paper_counts(table), *table.notes) if note)
    return TextTable(["", *table.columns], rows, f"{title}{notes}".strip(), sections=sections)


def _name(row: PaperRow) -> str:
    marks = {"published": " (published)", "control": " (control)"}
    return row.name + marks.get(row.kind, "")
