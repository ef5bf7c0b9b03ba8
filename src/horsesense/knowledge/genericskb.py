"""GenericsKB (Bhakthavatsalam et al., 2020): general statements about kinds of things, "Beavers build dams."."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import numbered_lines
from horsesense.knowledge.triples import Fact, Facts

LICENCE = "CC BY 4.0"
SAYS = "says"
"""The relation of a term and a sentence about it."""


def read_generics(paths: Sequence[Path]) -> Facts:
    """The term and the sentence of each line, as it is written; what it says is for others to read."""
    facts: dict[tuple[str, str], float] = {}
    for path in paths:
        for number, line in numbered_lines(path):
            cells = line.rstrip("\r").split("\t")
            try:
                term, sentence, score = cells
                facts[term.lower(), sentence.strip()] = float(score)
            except ValueError:
                fix = "a line has term, sentence and score, tabs between them"
                raise UserError("this is not a line of GenericsKB", file=path, line=number, fix=fix) from None
    return Facts("genericskb", LICENCE, tuple(Fact(SAYS, *said, weight) for said, weight in facts.items()))
