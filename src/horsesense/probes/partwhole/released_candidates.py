"""The release's candidates before annotation: ``whole,part,adjective`` a line, no header."""

from __future__ import annotations

from pathlib import Path

from horsesense.errors import UserError
from horsesense.probes.released.reading import Reading, fields_of


def read_candidates(path: Path) -> set[tuple[str, str, str]]:
    """The triples of a file of candidates."""
    found = set()
    for number, raw in Reading().lines(path):
        fields = [field.strip() for field in fields_of(raw, ",", quoted=True)]
        if len(fields) != 3 or not all(fields):
            raise UserError("this is no candidate", file=path, line=number, fix="a line has whole,part,adjective")
        found.add((fields[0], fields[1], fields[2]))
    return found
