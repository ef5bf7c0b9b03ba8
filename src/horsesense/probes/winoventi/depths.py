"""Which associations a generator had, and at what depth: from the release's collection or from our own tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files.tables import open_table
from horsesense.probes.winoventi.associations import Association, read_associations

Depths = Mapping[tuple[str, str], int]
"""Noun and generic word → least depth at which the word is associated with the noun."""

_RELEASED = ("Word", "Associative Bias", "min_k")
_TRIPLET = ("Word", "Associative Bias", "Alternative")
_TRUE = {"True": True, "False": False}


def depths_of(associations: Iterable[Association]) -> dict[tuple[str, str], int]:
    """The least depth of each association."""
    found: dict[tuple[str, str], int] = {}
    for each in associations:
        found[each.noun, each.word] = min(each.k, found.get((each.noun, each.word), each.k))
    return found


def read_depths(path: Path) -> dict[tuple[str, str], int]:
    """From the release's cleaned outcome collection (tabs, ``min_k``), or from what winoventi associations wrote."""
    table = open_table(path)
    if not set(_RELEASED) <= set(table.header):
        return depths_of(read_associations(path))
    found: dict[tuple[str, str], int] = {}
    for number, cells in table.rows:
        row = dict(zip(table.header, cells, strict=False))
        noun, word, depth = (row.get(name, "") for name in _RELEASED)
        if not noun or not word or not depth.isdigit():
            raise UserError("the line has no noun, association and depth", file=path, line=number, fix="repair it")
        found[noun, word] = min(int(depth), found.get((noun, word), int(depth)))
    return found


def read_registry(path: Path) -> dict[str, set[str]]:
    """The release's registry: model → names of the triplets of which it prefers the generic without a premise."""
    table = open_table(path)
    header = table.header
    if tuple(header[:3]) != _TRIPLET or len(header) < 4:
        raise UserError(
            "this is not a registry of associations",
            file=path,
            line=1,
            fix=f"its header is {', '.join(_TRIPLET)} and a column a model, tabs between them",
        )
    passes: dict[str, set[str]] = {model: set() for model in header[3:]}
    for number, cells in table.rows:
        if len(cells) != len(header) or any(cell not in _TRUE for cell in cells[3:]):
            raise UserError("the line is not a triplet with True or False a model", file=path, line=number)
        name = " | ".join(cells[:3])
        for model, cell in zip(header[3:], cells[3:], strict=True):
            if _TRUE[cell]:
                passes[model].add(name)
    return passes
