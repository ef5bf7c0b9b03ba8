"""Terminal output of ``replicate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.terminal import console, line, print_table, say, table

if TYPE_CHECKING:
    from horsesense.replication.replication import PaperReplication, Replication

_MOST = 12
"""Maximum number of rows of a table; the page has all."""


def replication(done: Replication) -> None:
    """Print counts, differences, inconsistencies and scores of models."""
    from horsesense.replication.page import COUNTED, totals
    from horsesense.replication.replication import PAGE

    rows = totals(done.papers)
    frame = table("", *(name for name, _ in rows))
    for i, name in enumerate(COUNTED):
        frame.add_row(name, *(f"{row[i]:,}" for _, row in rows))
    console().print(frame)
    for paper in done.papers:
        _paper(paper)
    say(f"every figure: {done.out / PAGE}" if done.out else "give a folder with --out for a page with every figure")


def _paper(paper: PaperReplication) -> None:
    from horsesense.replication.page import shown_printed, shown_value

    differs = [each for each in paper.outcomes if each.verdict == "differs"]
    rows = [
        (f"{each.place}: {each.row}, {each.column}", each.reason, shown_printed(each), shown_value(each))
        for each in differs[:_MOST]
    ]
    print_table(("differs", "why", "printed", "here"), rows, left=2, title=f"{paper.paper}: {paper.cited}")
    _more(len(differs))
    for inconsistency in paper.inconsistencies[:_MOST]:
        line(f"inconsistent, {inconsistency.place}: {inconsistency.problem}")
    _more(len(paper.inconsistencies))
    for cell in paper.models[:_MOST]:
        why = cell.why_no_verdict or ("" if cell.whole else "on a part")
        score = f"{cell.estimate:.3f}, n {cell.estimate.n:,}"
        line(f"{cell.model}, {cell.suite} {cell.column}: {score}{'; no verdict: ' if why else ''}{why}")


def _more(count: int) -> None:
    if count > _MOST:
        line(f"and {count - _MOST} more", "dim")
