"""Shared parts of reframed datasets: rows of the source, items, clusters, steps and card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.core import Card, Facet, Item, Probe, Source
from horsesense.data.tables import COMMAS, TABS, named_cells, open_table
from horsesense.errors import UserError
from horsesense.methods.cats.dataset import facets_of, groups_of, with_sources
from horsesense.methods.cats.joining import without_separators
from horsesense.methods.published.reading import Reading, check_columns, names_of, split_of

SourceRow = Mapping[str, str]
"""A row of a table by column name; the sources have quoted commas or plain tabs."""


def rows_of(
    reading: Reading, path: Path, wanted: Sequence[str] = (), *, tabs: bool = False
) -> Iterator[tuple[int, SourceRow]]:
    """Each row by column name, with the line on which it begins; a row of another length is bad.

    Tab-separated files of these sources do not quote, so a quotation mark is one.
    """
    table = open_table(path, TABS if tabs else COMMAS)
    if not table.header:
        raise UserError("the file is empty", file=path, fix="check that it was fetched whole")
    header = [name.strip() for name in table.header]
    check_columns(header, wanted, path)
    for number, cells in table.rows:
        row: dict[str, str] = {}
        with reading.line(path, number):
            row = named_cells(cells, header, "is there a stray separator?")
        if row:
            yield number, row


def filled_cell(row: SourceRow, column: str) -> str:
    """A field that must not be empty.

    >>> filled_cell({"label": "1 "}, "label")
    '1'
    """
    value = row[column].strip()
    if not value:
        raise UserError(f"the field {column!r} is empty", fix="fill it in, or leave the row out")
    return value


def distinct(item: Item) -> Item:
    """The item, where its options differ: between two of the same there is nothing to choose."""
    if len(set(item.options)) < len(item.options):
        raise UserError("two options are the same", fix="leave the instance out")
    return item


@dataclass(frozen=True, slots=True)
class Reframing:
    """One set in the making."""

    reading: Reading
    task: str
    """The set's name in CATs: wsc, ca, sm, smr, swag, hella_swag, arct_1, arct_2."""
    licence: str = ""
    """Of the source, where it has one."""

    def add(
        self,
        options: Sequence[str],
        answer: int,
        path: Path,
        line: int,
        facets: dict[str, Facet] | None = None,
        identity: str = "",
        family: str = "",
        member: str = "",
    ) -> None:
        """Add an instance; options that are the same are refused."""
        cleaned = []
        for option in options:
            text, marks = without_separators(self.reading.clean(option))
            self.reading.notes["[SEP] replaced by a space"] += marks
            cleaned.append(text)
        item = Item(
            probe="cats",
            form="sentences",
            options=tuple(cleaned),
            answer=answer,
            family=family,
            member=member,
            groups=groups_of(self.task, cleaned, answer),
            facets=facets_of(self.task, cleaned, answer) | (facets or {}) | split_of(path),
            source=Source(file=path.name, line=line, id=identity, licence=self.licence),
        )
        self.reading.add(distinct(item))

    def probe(self, paths: Sequence[Path], how: str) -> Probe:
        """The probe of all instances; ``how`` says what was done to the source."""
        self.reading.notes = +self.reading.notes
        self.reading.items = with_sources(self.reading.items)
        card = Card(
            name=f"cats-{self.task.replace('_', '-')}",
            method="cats",
            licence=self.licence,
            made=f"Reframed from {names_of(paths)} as CATs does: {how}.",
            normalise="mean",
            group="source",
        )
        return self.reading.probe(card, paths)
