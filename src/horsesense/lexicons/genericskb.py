"""GenericsKB (Bhakthavatsalam et al., 2020): general statements about kinds of things, "Beavers build dams."."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from horsesense.data import numbered_lines
from horsesense.errors import UserError
from horsesense.lexicons.triples import Fact, Facts

LICENCE = "CC BY 4.0"
SAYS = "says"
"""The relation of a term and a sentence about it."""


def generic_statements(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Term and sentence of each line, as they are written; the score behind them is left."""
    for path in paths:
        for number, line in numbered_lines(path):
            cells = line.rstrip("\r").split("\t")
            if len(cells) < 2:
                raise UserError("this is not a line of GenericsKB", file=path, line=number, fix="term, tab, statement")
            yield cells[0], cells[1].strip()


def read_generics(paths: Sequence[Path]) -> Facts:
    """What is said of each term; what a sentence says is for others to read."""
    said = dict.fromkeys((term.lower(), sentence) for term, sentence in generic_statements(paths))
    return Facts("genericskb", LICENCE, tuple(Fact(SAYS, term, sentence) for term, sentence in said))
