"""A heat map as a table: rows and columns of two facets, one estimate a cell."""

from __future__ import annotations

from dataclasses import dataclass

from horsesense.analysis import Estimate, Sliced
from horsesense.analysis.slices import facet_key
from horsesense.records import Facet


@dataclass(frozen=True, slots=True)
class HeatTable:
    """Cells in the order of rows and columns; None where no item is."""

    rows: tuple[Facet, ...]
    columns: tuple[Facet, ...]
    cells: tuple[tuple[Estimate | None, ...], ...]


def heat_table(sliced: Sliced) -> HeatTable:
    """Lay the slices of two facets out as a table."""
    found = {tuple(map(facet_key, one.where)): one.accuracy for one in sliced.slices}
    rows, columns = (sorted({key[place] for key in found}) for place in (0, 1))
    return HeatTable(
        rows=tuple(value for _, value in rows),
        columns=tuple(value for _, value in columns),
        cells=tuple(tuple(found.get((row, column)) for column in columns) for row in rows),
    )
