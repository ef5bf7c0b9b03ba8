"""Tables of associations by model, as the release has them: a noun a line, a column a model, words joined by commas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files.tables import open_table
from horsesense.probes.winoventi.associations import Association

SUFFIX = "_common"
_NOUN = "Word"


@dataclass(frozen=True, slots=True)
class KTable:
    """Words of several models for the same nouns."""

    models: tuple[str, ...]
    nouns: tuple[str, ...]
    """A noun of two meanings stands there twice, as in THINGS."""
    columns: tuple[tuple[frozenset[str], ...], ...]
    """For each model, the words of each noun; empty where it has none."""


def read_k_file(path: Path) -> KTable:
    """Read one table. Lines end where the release's end, and the last cells of a line may be empty."""
    table = open_table(path)
    header = table.header
    models = [name.removesuffix(SUFFIX) for name in header[1:]]
    if len(header) < 3 or header[0] != _NOUN or not all(name.endswith(SUFFIX) for name in header[1:]):
        raise UserError(
            "this is not a table of associations",
            file=path,
            line=1 if header else None,
            fix=f"its header is {_NOUN!r} and two or more columns MODEL{SUFFIX}, tabs between them",
        )
    if len(set(models)) < len(models):
        raise UserError("a model has two columns", file=path, line=1, fix="remove one")
    nouns, rows = [], []
    for number, (noun, *cells) in table.rows:
        if len(cells) != len(models):
            raise UserError(
                f"the line has {len(cells) + 1} fields and the header {len(header)}", file=path, line=number
            )
        nouns.append(noun)
        rows.append([frozenset(filter(None, (word.strip() for word in cell.split(",")))) for cell in cells])
    if not rows:
        raise UserError("there is no noun in the table", file=path, fix="check that it was fetched whole")
    return KTable(tuple(models), tuple(nouns), tuple(zip(*rows, strict=True)))


def table_of(models: Sequence[tuple[str, Sequence[Association]]], k: int, nouns: Sequence[str]) -> KTable:
    """The same table from associations of our own, cut at ``k``.

    >>> cup = [Association("cup", "empty", 1), Association("cup", "full", 3)]
    >>> table_of([("a", cup), ("b", cup[:1])], k=3, nouns=["cup"]).columns == (
    ...     (frozenset({"empty", "full"}),), (frozenset({"empty"}),))
    True
    """
    columns = []
    for _, associations in models:
        words: dict[str, set[str]] = {noun: set() for noun in nouns}
        for each in associations:
            if each.k <= k and each.noun in words:
                words[each.noun].add(each.word)
        columns.append(tuple(frozenset(words[noun]) for noun in nouns))
    return KTable(tuple(name for name, _ in models), tuple(nouns), tuple(columns))
