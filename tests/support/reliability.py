"""The tables of docs/results/reliability.md, which commands write, and the place where those commands work."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support import ROOT

PAGE = ROOT / "docs" / "results" / "reliability.md"


def put(name: str, table: str) -> None:
    """Put a table between its marks in the page."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{PAGE}: there is no place for the table {name}")
    PAGE.write_text(f"{before}{begin}{table.rstrip()}\n{end}{after}", encoding="utf-8")


def rows(name: str) -> list[list[str]]:
    """The cells of a table in the page, without its head."""
    text = PAGE.read_text(encoding="utf-8").partition(f"<!-- {name}: begin -->\n")[2].partition("<!--")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:] if line]


def quick_place() -> str | None:
    """Memory, where the system lends it as a folder: thousands of small folders come and go."""
    place = "/dev/shm"
    return place if Path(place).is_dir() and os.access(place, os.W_OK) else None
