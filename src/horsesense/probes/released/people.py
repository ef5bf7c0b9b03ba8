"""How well people do at the released sets, as published (``people.tsv``): references, never a bar."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from horsesense.records import HumanFigure, Item


def published_people(release: str, items: Sequence[Item]) -> tuple[HumanFigure, ...]:
    """The published figures for those parts of a release that are among the items.

    >>> [figure.part for figure in published_people("cats", [Item("cats", "sentences", options=("a", "b"))])]
    []
    """
    parts = {f"{name}={value}" for item in items for name, value in item.facets.items()} | {""}
    return tuple(figure for figure in _figures(release) if figure.part in parts)


def _figures(release: str) -> list[HumanFigure]:
    table = files(__package__).joinpath("people.tsv").read_text(encoding="utf-8")
    found = []
    for line in table.splitlines()[1:]:
        name, part, value, kind, n, people, source = line.split("\t")
        if name == release:
            known = (int(n) if n else None, int(people) if people else None)
            found.append(HumanFigure(float(value), kind, source, part, *known))
    return found
