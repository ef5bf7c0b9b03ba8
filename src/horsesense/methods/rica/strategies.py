"""The strategies of table 4 and measured quantities: where the axioms of each template come from.

What ships comes from tables, from the order of grades, the latitudes of places and the scales of quantities; what
knowledge bases give is in `crawling`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from horsesense.data import read_table
from horsesense.errors import UserError, unknown
from horsesense.lexicons.triples import Facts
from horsesense.methods.rica.crawling import SOURCES, crawled
from horsesense.methods.rica.knowledge_tables import DATA, TEMPLATES, KnownAxiom, fill, read_known
from horsesense.methods.rica.scales import quantity_axioms

SHIPPED_LICENCE = "CC0"
GRADES = ("older: is *", "better: is * at long division")
APART = 30
"""Degrees of latitude, whichever the hemisphere, from which on one place is surely the hotter one."""
_CLIMATES = ("hotter: lives in a * climate", "less: see snow in winter")


@dataclass(frozen=True)
class Sources:
    """What strategies draw on; without anything given, the tables that ship with the package."""

    tables: Sequence[Path] = ()
    """A user's tables."""
    facts: Mapping[str, Facts] = field(default_factory=dict)
    """conceptnet, genericskb and atomic, where they were given."""
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Lists that take the place of shipped ones: animals, materials, occupations."""
    shipped: bool = True


def strategies_of(sources: Sources) -> list[str]:
    """Those that have something to draw on; with a table of one's own, all, since it may have axioms of any."""
    return [name for name in TEMPLATES if sources.tables or _draws(name, sources)]


def known_axioms(strategies: Sequence[str], sources: Sources, rejected: Counter[str]) -> Iterator[KnownAxiom]:
    """The axioms of some strategies, each with its source and status."""
    for name in strategies:
        if name not in TEMPLATES:
            raise unknown("strategy", name, TEMPLATES)
    for path in sources.tables:
        yield from (known for known in read_known(path) if known.template in strategies)
    for name in strategies:
        yield from crawled(name, sources.facts, sources.lists, rejected)
        if sources.shipped:
            yield from _shipped(name, rejected)
        if not sources.tables and not _draws(name, sources):
            needed = " or ".join(f"give --{source} FILE" for source in SOURCES.get(name, ()))
            needed = needed or "leave the shipped tables in"
            raise UserError(f"the strategy {name} has nothing to draw on", fix=needed)


def _draws(name: str, sources: Sources) -> bool:
    return any(source in sources.facts for source in SOURCES.get(name, ())) or (sources.shipped and _ships(name))


def _ships(name: str) -> bool:
    return name in ("grade", "location", "quantity") or (DATA / f"{name}.tsv").is_file()


def _shipped(name: str, rejected: Counter[str]) -> Iterator[KnownAxiom]:
    if name == "grade":
        yield from _grades()
    elif name == "location":
        yield from _places(rejected)
    elif name == "quantity":
        yield from quantity_axioms(SHIPPED_LICENCE, rejected)
    elif _ships(name):
        yield from read_known(DATA / f"{name}.tsv", SHIPPED_LICENCE)


def _grades() -> Iterator[KnownAxiom]:
    rows = [(int(row["rank"]), row["grade"]) for _, row in read_table(DATA / "grades.tsv", ("rank", "grade"))]
    for (low, lower), (high, higher) in combinations(sorted(rows), 2):
        for conclusion in GRADES if high - low >= 2 else ():
            yield KnownAxiom(
                fill("grade", higher, lower, conclusion), "grade", "machine", SHIPPED_LICENCE, "grades.tsv"
            )


def _places(rejected: Counter[str]) -> Iterator[KnownAxiom]:
    columns = ("place", "latitude")
    rows = [(abs(float(row["latitude"])), row["place"]) for _, row in read_table(DATA / "places.tsv", columns)]
    for (near, hot), (far, cold) in combinations(sorted(rows), 2):
        if far - near < APART:
            rejected["location: latitudes too near each other"] += 1
            continue
        for climate in _CLIMATES:
            axiom = fill("location", hot, cold, climate)
            yield KnownAxiom(axiom, "location", "machine", SHIPPED_LICENCE, "places.tsv")
