"""How well people do at the released sets, as published (``people.tsv``): references, never a bar."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from horsesense.files import read_table
from horsesense.records import HumanFigure, Item

_COLUMNS = ("release", "part", "value", "kind", "n", "people", "source")


def published_people(release: str, items: Sequence[Item]) -> tuple[HumanFigure, ...]:
    """The published figures for those parts of a release that are among the items.

    >>> [figure.part for figure in published_people("cats", [Item("cats", "sentences", options=("a", "b"))])]
    []
    """
    parts = {f"{name}={value}" for item in items for name, value in item.facets.items()} | {""}
    return tuple(figure for figure in _figures(release) if figure.part in parts)


def _figures(release: str) -> list[HumanFigure]:
    found = []
    for _, row in read_table(Path(str(files(__package__).joinpath("people.tsv"))), _COLUMNS):
        name, part, value, kind, n, people, source = (row[column] for column in _COLUMNS)
        if name == release:
            known = (int(n) if n else None, int(people) if people else None)
            found.append(HumanFigure(float(value), kind, source, part, *known))
    return found
