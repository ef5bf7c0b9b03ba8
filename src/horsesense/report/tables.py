"""Results as a table for a README (Markdown) or a paper (LaTeX with booktabs and graphicx)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from horsesense.core import HumanFigure, Item
from horsesense.report import wording
from horsesense.report.summary import Summary
from horsesense.report.wording import scored, value_text
from horsesense.stats import Estimate

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
    "→": r"$\rightarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def latex_text(text: str) -> str:
    r"""Text that LaTeX prints as it stands.

    >>> print(latex_text("50% of a_b & {c} \\x"))
    50\% of a\_b \& \{c\} \textbackslash{}x
    """
    return re.sub(r"[\\~^<>|\"&%$#_{}′−→≤≥]", lambda match: _SPECIAL[match[0]], " ".join(text.split()))


def latex_table(columns: str, lines: Sequence[str], caption: str) -> str:
    """A table no wider than the text: one that would be is scaled down. Lines are those between the outer rules."""
    parts = [
        r"\begin{table}",
        r"\centering",
        # Scaled only where it is too wide.
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *lines,
        r"\bottomrule",
        r"\end{tabular}}",
        rf"\caption{{{caption}}}",
        r"\end{table}",
    ]
    return "\n".join(parts) + "\n"


def markdown_text(text: str) -> str:
    r"""Text that Markdown prints as it stands in a cell.

    >>> print(markdown_text("a|b *c* <i>"))
    a\|b \*c\* \<i\>
    """
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", " ".join(text.split()))


def markdown(summaries: Sequence[Summary]) -> str:
    """A Markdown table, with what it rests on below."""
    names, rows = _cells(summaries, markdown_text, "{:,}", "–")
    lines = [f"| {' | '.join(names)} |", f"|{'|'.join(['---', '---'] + ['---:'] * (len(names) - 2))}|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", _caption(summaries, markdown_text)]) + "\n"


def latex(summaries: Sequence[Summary]) -> str:
    """A LaTeX table; the paper needs ``\\usepackage{booktabs,graphicx}``."""
    names, rows = _cells(summaries, latex_text, "{:,}", "--")
    lines = [f"{' & '.join(names)} \\\\", r"\midrule", *(f"{' & '.join(row)} \\\\" for row in rows)]
    return latex_table(f"ll{'r' * (len(names) - 2)}", lines, _caption(summaries, latex_text))


def _cells(
    summaries: Sequence[Summary], text: Callable[[str], str], count: str, dash: str
) -> tuple[list[str], list[list[str]]]:
    """Names of the columns, and the rows; whole families and cues only where some row has them."""
    families = any(s.result.strict for s in summaries)
    cues = any(s.control for s in summaries)
    names = ["model", "probe", "accuracy", text("95 % interval"), "chance", "n"]
    people = any(people_of(s) is not None for s in summaries)
    names += ["people"] if people else []
    names += ["whole families"] if families else []
    names += ["best cue", "where it fails"] if cues else []
    rows = []
    for s in summaries:
        e = s.result.estimate
        row = [text(s.label), text(s.result.probe), f"{e.value:.3f}", f"{e.low:.3f}{dash}{e.high:.3f}"]
        row += [_share(e.chance), count.format(e.n)]
        row += [_share(people_of(s))] if people else []
        row += [_value(s.result.strict)] if families else []
        if cues:
            missed = s.control.where.missed if s.control else None
            row += [_value(s.control.cue if s.control else None), _value(missed)]
        rows.append(row)
    return names, rows


def people_of(summary: Summary) -> float | None:
    """What people get on all of the probe; None where that is not known, or not in one figure."""
    items, figures = summary.answered.items, summary.answered.probe.card.human
    whole = [figure for figure in figures if all(about(item, figure) for item in items)]
    return whole[0].value if len(whole) == 1 else None


def about(item: Item, figure: HumanFigure) -> bool:
    """Whether a human figure is about this item."""
    name, _, value = figure.part.partition("=")
    return not figure.part or (name in item.facets and value_text(item.facets[name]) == value)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _value(e: Estimate | None) -> str:
    return "" if e is None else f"{e.value:.3f}"


def _caption(summaries: Sequence[Summary], text: Callable[[str], str]) -> str:
    counted = ", ".join(sorted({scored(s.result) for s in summaries}))
    caption = f"{counted}; 95 % intervals bootstrapped over units of dependence; a tie earns its share."
    if any(s.control for s in summaries):
        caption += " Best cue: what picking by the surface earns; where it fails: the model on items that it misses."
    if any(s.control and s.control.drawn for s in summaries):
        caption += f" {wording.DRAWN}"
    if any(s.control and s.control.whole for s in summaries):
        caption += f" {wording.WHOLE}"
    kinds = sorted({wording.human_figures(s.answered.probe.card.human) for s in summaries if people_of(s) is not None})
    caption += f" People: {' '.join(kinds)}" if kinds else ""
    return text(caption[0].upper() + caption[1:])
