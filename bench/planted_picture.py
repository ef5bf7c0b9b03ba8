"""Draw the picture of planted cues from the table of its results page, one line per model and prompt format.

    python bench/planted_picture.py

Reads docs/results/planted-cues.md and writes docs/images/planted-cues.svg.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from horsesense.drawing import accuracies

DOCS = Path(__file__).parent.parent / "docs"
CELL = re.compile(r"([−\d.]+) \[([−\d.]+), ([−\d.]+)\]")


def rows_of(text: str) -> list[dict[str, Any]]:
    """Return an effect per cell of the first table with a column of cues."""
    table = re.search(r"^\| cue \|.*(?:\n\|.*)+", text, re.MULTILINE)
    assert table
    head, _, *lines = ([cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines())
    rows = []
    for cue, *cells in lines:
        for model, cell in zip(head[1:], cells, strict=True):
            if (found := CELL.match(cell)) and "*" not in cue:
                value, low, high = (float(each.replace("−", "-")) for each in found.groups())
                ends = {"accuracy": value, "low": low, "high": high, "chance": 0.0}
                rows.append({"label": cue.partition(" (")[0], "model": model, "n": 0, **ends})
    return rows


if __name__ == "__main__":
    rows = rows_of((DOCS / "results/planted-cues.md").read_text())
    chart = accuracies(rows, "share of answers that the planted cue moves")
    chart.save(DOCS / "images/planted-cues.svg")
    print(f"{len(rows)} effects of {len({row['model'] for row in rows})} models")
