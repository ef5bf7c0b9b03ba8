"""Tables in text files: a header and rows, tabs between the cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files.text import numbered_lines


def read_table(path: str | Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells of each row; ``columns`` must be in the header, in any order.

    Lines that begin with ``#`` are remarks. Cells that are missing at the end of a row are empty.
    """
    header: list[str] = []
    for number, line in numbered_lines(path):
        if line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if not header:
            header = cells
            missing = [name for name in columns if name not in header]
            if missing:
                raise UserError(
                    f"the table has no column {', '.join(map(repr, missing))}",
                    file=path,
                    line=number,
                    fix=f"its first line names the columns, tabs between them: {', '.join(columns)}",
                )
            continue
        if len(cells) > len(header):
            raise UserError(
                f"the row has {len(cells)} cells and the header {len(header)}", file=path, line=number, fix="check tabs"
            )
        yield number, dict.fromkeys(header, "") | dict(zip(header, cells, strict=False))
    if not header:
        raise UserError("the table is empty", file=path, fix=f"begin with the columns: {', '.join(columns)}")
