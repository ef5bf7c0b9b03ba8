"""Print checks, splits and tables of part-whole triples on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge

from horsesense.terminal import console, line, table

if TYPE_CHECKING:
    from horsesense.methods.partwhole.checking import OddTriples
    from horsesense.methods.partwhole.pictures import PairPictures
    from horsesense.methods.partwhole.recasting import TriplesSplit
    from horsesense.methods.partwhole.table import Distributions, PartWholeTable, TableRow, VotesOfTriples
    from horsesense.stats import Estimate


def print_odd(checked: OddTriples, *, most: Annotated[int, Ge(1)] = 20) -> None:
    """Print the odd rows by kind.

    Args:
        most: Maximum number of rows per kind; --json has all.
    """
    from horsesense.methods.partwhole.checking import KINDS

    odd_rows = {(oddity.file, oddity.line) for oddity in checked.odd}
    line(f"{checked.rows:,} rows, {len(odd_rows):,} of them odd")
    for kind, meaning in KINDS.items():
        of_kind = [oddity for oddity in checked.odd if oddity.kind == kind]
        if not of_kind:
            continue
        line(f"{kind}: {len(of_kind):,} ({meaning})", "bold")
        for oddity in of_kind[:most]:
            triple, about = ", ".join(oddity.triple), f"  {oddity.about}" if oddity.about else ""
            line(f"  {oddity.file}:{oddity.line}  {triple}{about}")
        if len(of_kind) > most:
            line(f"  … and {len(of_kind) - most:,} more")


def print_split(split: TriplesSplit) -> None:
    """Print the size and the file of each part."""
    for part in split.parts:
        words = f"{part.wholes:,} wholes, {part.parts:,} parts, {part.adjectives:,} adjectives"
        line(f"{part.part:<6} {part.items:,} items, {words}  {part.out}")
    if split.dropped:
        line(f"dropped {split.dropped:,} triples whose nouns belong to different parts")


def print_pictures(pictures: PairPictures) -> None:
    """Print how many pairs have pictures."""
    line(
        f"{pictures.with_pictures:,} of {pictures.pairs:,} pairs have pictures, {len(pictures.images):,} files; "
        f"{len(pictures.without):,} pairs have none  {pictures.out}"
    )


def print_table(rows: PartWholeTable, *, details: bool = False) -> None:
    """Print the table with the published rows, and the comparison with votes.

    Args:
        details: Print the confusion matrix and the slices of each row too.
    """
    _print_rows(rows)
    if rows.votes is not None:
        _print_votes(rows, rows.votes)
    if details:
        _print_details(rows.rows)


def _print_rows(rows: PartWholeTable) -> None:
    frame = table("", "accuracy", "absolute error", "kappa", "n")
    frame.columns[0].min_width = 12
    for row in rows.rows:
        cells = [_number(each) for each in (row.accuracy, row.mean_absolute_error, row.quadratic_kappa)]
        frame.add_row(_row_name(row), *cells, f"{row.n:,}")
    published = rows.published
    frame.add_section()
    where = "the same triples" if published.same_triples else "other triples"
    frame.add_row(f"published ({where}):", style="dim")
    for each in published.rows:
        frame.add_row(f"  {each.name}", f"{each.accuracy:.3f}")
    console().print(frame)
    line("In brackets 95% intervals, clustered by whole and by part; kappa is quadratic-weighted.", "dim")
    line(f"Published: {published.source}; {published.about}.", "dim")


def _row_name(row: TableRow) -> str:
    return row.name + (f" (mean of {row.seeds} seeds)" if row.seeds > 1 else "")


def _vote_cells(each: Distributions | None) -> tuple[str, str]:
    if each is None:
        return "", ""
    mark = "*" if each.calibrated else ""
    return _number(each.ranked_probability) + mark, _number(each.log_score) + mark


def _print_votes(rows: PartWholeTable, votes: VotesOfTriples) -> None:
    """Print the distance of each row from the votes behind the labels, and that of people last."""
    frame = table("", "RPS", "log score", "accuracy", "votes", title="compared with the votes")
    frame.columns[0].min_width = 12
    for row in rows.rows:
        if row.votes is not None:
            cells = *_vote_cells(row.votes), _number(row.votes.accuracy), f"{row.votes.votes:,}"
            frame.add_row(_row_name(row), *cells)
    if votes.ceiling is not None:
        frame.add_row(
            "people: one vote against two others", *_vote_cells(votes.ceiling), "", f"{votes.ceiling.votes:,}"
        )
    console().print(frame)
    line("RPS: ranked probability score; log score: smoothed. Both are 0 at best, on triples with three votes.", "dim")
    line("* and accuracy: after a calibration fitted on dev.", "dim")
    counts = ", ".join(f"{n} votes {count:,}" for n, count in votes.by_number.items())
    line(f"{votes.triples:,} triples have votes ({counts}).", "dim")
    if votes.ceiling and votes.ceiling_with_dropped:
        without, every = votes.ceiling.ranked_probability, votes.ceiling_with_dropped.ranked_probability
        line(
            f"{votes.all_different:,} triples whose votes all differ are not in the published dataset: the RPS of one "
            f"vote against two others is {every.value:.3f} with them and {without.value:.3f} without them.",
            "dim",
        )


def _print_details(rows: Sequence[TableRow]) -> None:
    for row in rows:
        if row.confusion is not None:
            labels = row.confusion.labels
            grid = table("", *labels, title=f"{row.name}: gold label (rows), chosen label (columns)")
            for label, counts in zip(labels, row.confusion.counts, strict=True):
                grid.add_row(label, *(f"{count:,.0f}" for count in counts))
            console().print(grid)
        for name, slices in row.slices.items():
            cells = "; ".join(f"{each.where} {_number(each.accuracy)}, n = {each.accuracy.n:,}" for each in slices)
            line(f"{row.name} by {name}: {cells}", "dim")


def _number(e: Estimate | None) -> str:
    if e is None or isnan(e.value):
        return ""
    return f"{e:v.3f} {e:i.2f}".rstrip()
