"""What the papers printed: one line a figure, with its place, its kind and how it is computed here.

``ledger/*.tsv`` was entered twice, independently (docs/results/replication.md describes how differences were resolved).
Digits are as printed. Rows and columns have the names of the paper, shortened where they are long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import nan
from pathlib import Path
from typing import Literal, cast

from horsesense.data import read_table
from horsesense.errors import UserError, unknown

PAPERS = ("cats", "rica", "winoventi", "partwhole", "wordnetqa")
"""In the order of the documentation."""
Kind = Literal["data", "asked", "trained", "people", "setting", "cited"]
"""What a figure rests on: data alone, a model as it is, a model that was trained for it, people's judgements; or it
is a choice of the authors, or somebody else's figure."""
KINDS: tuple[Kind, ...] = ("data", "asked", "trained", "people", "setting", "cited")
Sense = Literal["", "about", "over"]
"""How exactly it is meant: as printed, about so much, or more than that."""
_COLUMNS = ("place", "row", "column", "value", "sense", "unit", "kind", "n", "needs", "how", "missing", "note")
_SCRIPTS = ("paper", "place", "says", "does", "bears on")
_UNITS = {"k": 1_000.0, "m": 1_000_000.0, "b": 1_000_000_000.0}
BETWEEN = " | "
"""Separator of place, row and column in the name of a figure."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to compute a figure: a function that is registered under a name, and which of its results it is."""

    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as a paper prints it."""

    paper: str
    place: str
    """Its place in the paper: a table, a section, a figure."""
    row: str
    """What it is about: a model, a set."""
    column: str
    """What was measured."""
    value: str
    """The digits as printed."""
    sense: Sense
    """Empty: as printed; ``about``; ``over``."""
    unit: str
    """Per cent, fraction, count …"""
    kind: Kind
    """What it rests on."""
    n: str
    """Number of items behind it, where the paper states it."""
    needs: str
    """The data, model or people that it takes."""
    ways: tuple[Way, ...]
    """How it is computed here; empty where it cannot be."""
    missing: str
    """What is missing, where no way leads to it: a kind, and after a colon which."""
    note: str
    """What a reader has to know."""

    @property
    def name(self) -> str:
        """Its name in the paper: place, row and column."""
        return BETWEEN.join((self.place, self.row, self.column))

    @property
    def number(self) -> float:
        """Its value."""
        return number_of(self.value)

    @property
    def step(self) -> float:
        """One unit of its last printed digit.

        >>> step_of("0.430"), step_of("1.7k"), step_of("2000"), step_of("2000", about=True)
        (0.001, 100.0, 1.0, 1000.0)
        """
        return step_of(self.value, about=self.sense == "about")

    @property
    def cell(self) -> tuple[float, float]:
        """Its value and one unit of its last printed digit."""
        return self.number, self.step


def number_of(value: str) -> float:
    """Printed digits as a number; thousands may be written with a k.

    >>> number_of("1.7k"), number_of("-12.0"), number_of("336M")
    (1700.0, -12.0, 336000000.0)
    """
    if "/" in value:  # 4/5: some have four, some five
        return nan
    unit = _UNITS.get(value[-1:].lower())
    return float(value[:-1]) * unit if unit else float(value)


def step_of(value: str, about: bool = False) -> float:
    """One unit of the last printed digit; of a figure that is meant roughly, zeros at its end are not counted."""
    unit = _UNITS.get(value[-1:].lower(), 1.0)
    digits = value[:-1] if unit > 1 else value
    if "." in digits:
        return float(f"1e-{len(digits.partition('.')[2])}") * unit
    zeros = len(digits) - len(digits.rstrip("0")) if about else 0
    return float(10**zeros) * unit


@cache
def read_ledger(paper: str) -> tuple[Figure, ...]:
    """All figures of a paper, in the order in which it prints them."""
    if paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    path = Path(__file__).with_name("ledger") / f"{paper}.tsv"
    figures = []
    for line, row in read_table(path, _COLUMNS):
        try:
            figures.append(_figure(paper, row))
        except ValueError:
            raise UserError("this is not a figure", file=path, line=line, fix="repair the ledger") from None
    return tuple(figures)


def _figure(paper: str, row: Mapping[str, str]) -> Figure:
    if row["kind"] not in KINDS:
        raise ValueError(row["kind"])
    ways = []
    for each in filter(None, row["how"].split(" ; ")):
        name, _, key = each.partition(": ")
        ways.append(Way(name.strip(), key.strip()))
    given = {name: row[name] for name in ("place", "row", "column", "value", "unit", "n", "needs", "missing", "note")}
    return Figure(paper=paper, sense=cast(Sense, row["sense"]), kind=row["kind"], ways=tuple(ways), **given)


@cache
def by_name(paper: str) -> Mapping[str, Figure]:
    """The figures of a paper by place, row and column."""
    return {figure.name: figure for figure in read_ledger(paper)}


def printed(paper: str, *name: str) -> float:
    """A printed figure by place, row and column.

    >>> printed("partwhole", "table 3", "Majority baseline", "Accuracy")
    0.43
    """
    return by_name(paper)[BETWEEN.join(name)].number


def printed_table(paper: str, place: str) -> dict[str, dict[str, float]]:
    """A printed table: row → column → number, in the order of the paper.

    >>> printed_table("partwhole", "table 2")["Probably"]
    {'Percentage': 19.8}
    """
    rows = figures_at(paper, place)
    numbers = {
        row: {name: f.number for name, f in cells.items() if f.value[-1:].isdigit()} for row, cells in rows.items()
    }
    return {row: cells for row, cells in numbers.items() if cells}


@cache
def figures_at(paper: str, place: str) -> Mapping[str, Mapping[str, Figure]]:
    """Return the figures of a table or section: row → column → figure, in the order of the paper."""
    table: dict[str, dict[str, Figure]] = {}
    for figure in read_ledger(paper):
        if figure.place == place:
            table.setdefault(figure.row, {})[figure.column] = figure
    return table


# Where code and text differ.


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A place where the code of a paper does not do what the paper says."""

    paper: str
    """The paper."""
    place: str
    """Repository, commit, file and function."""
    says: str
    """What the paper says."""
    does: str
    """What the code does."""
    bears_on: str
    """The figures that it bears on."""


@cache
def discrepancies(paper: str) -> tuple[Discrepancy, ...]:
    """Return where a paper's code and files differ from its text, from the authors' public repositories."""
    path = Path(__file__).with_name("ledger") / "scripts.tsv"
    rows = [row for _, row in read_table(path, _SCRIPTS)]
    return tuple(Discrepancy(*(row[name] for name in _SCRIPTS)) for row in rows if row["paper"] == paper)
