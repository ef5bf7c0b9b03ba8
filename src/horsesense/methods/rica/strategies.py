"""The eleven crawling strategies of table 4: where the axioms of each template come from.

Those that crawl a knowledge base are queries over facts and lists: who has the property, who has not. A query gives
the cells of a knowledge table (a, b, comparative, phrase), the fact behind it, and its status: what a knowledge base
does not say is not false, so a second entity that is only absent makes an axiom ``raw``. What ships comes from
tables, and from the order of grades and the latitudes of places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from horsesense.errors import UserError, unknown
from horsesense.files import read_table
from horsesense.knowledge.triples import Facts
from horsesense.methods.rica import constraints
from horsesense.methods.rica.knowledge_tables import DATA, TEMPLATES, KnownAxiom, fill, read_known, shipped_list
from horsesense.methods.rica.scales import quantity_axioms

SECONDS = 3
"""How many entities without the property are set against one that has it."""
SHIPPED_LICENCE = "CC0"
GRADES = ("older: is *", "better: is * at long division")
APART = 30
"""Degrees of latitude, whichever the hemisphere, from which on one place is surely the hotter one."""
_CLIMATES = ("hotter: lives in a * climate", "less: see snow in winter")

_AGAINST = """
    select h.head as a, o.name as b, h.tail as phrase, h.relation,
        case when n.head is null then 'raw' else 'machine' end as status
    from facts h join {entities} e on e.name = h.head, {entities} o
    left join facts n on n.head = o.name and n.tail = h.tail and n.relation = 'Not' || h.relation
    where h.relation in ({relations}) and o.name <> h.head
        and not exists (
            select 1 from facts k where k.head = o.name and k.tail = h.tail and k.relation = h.relation)
    qualify row_number() over (
        partition by h.head, h.tail order by n.head is null, md5(o.name || h.head || h.tail)) <= {seconds}
"""
_FROM_FACT = """
    select h.{a} as a, '' as b, h.{phrase} as phrase, h.relation, 'raw' as status
    from facts h {where}
"""


@dataclass(frozen=True, slots=True)
class Query:
    """How the rows of one template are found in a knowledge base."""

    source: str
    """conceptnet or atomic."""
    lists: tuple[str, ...]
    """Lists of names that it needs: the type constraint on entities."""
    sql: str
    word: str = "More"
    """The comparative of its conclusions."""


def _against(entities: str, relations: str) -> str:
    return _AGAINST.format(entities=entities, relations=relations, seconds=SECONDS)


def _from_fact(where: str, a: str = "head", phrase: str = "tail") -> str:
    return _FROM_FACT.format(a=a, phrase=phrase, where=where)


_TRAIT = "where h.relation = 'xAttr'"
QUERIES = {
    "material": Query("conceptnet", ("materials",), _against("materials", "'HasProperty'")),
    "animal": Query("conceptnet", ("animals",), _against("animals", "'CapableOf', 'AtLocation'")),
    "role": Query(
        "conceptnet",
        ("occupations",),
        _from_fact("join occupations e on e.name = h.head where h.relation = 'CapableOf'"),
    ),
    "action-between": Query("atomic", (), _from_fact(f"{_TRAIT} and h.head like '%person_b%'")),
    "action-alone": Query("atomic", (), _from_fact(_TRAIT)),
    "physical-alone": Query(
        "conceptnet",
        ("adjectives",),
        _from_fact("join adjectives e on e.name = h.head where h.relation = 'UsedFor'", a="tail", phrase="head"),
    ),
    "action-degree": Query("atomic", (), _from_fact(_TRAIT)),
    "physical-degree": Query(
        "conceptnet",
        ("adjectives",),
        _from_fact("join adjectives e on e.name = h.head where h.relation = 'UsedFor'"),
        word="Better",
    ),
}
"""Templates that a knowledge base can fill; grade, location and temporal come from numbers and tables."""


@dataclass(frozen=True)
class Sources:
    """What strategies draw on; without anything given, the tables that ship with the package."""

    tables: Sequence[Path] = ()
    """A user's tables."""
    facts: Mapping[str, Facts] = field(default_factory=dict)
    """conceptnet and atomic, where they were given."""
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Lists that take the place of shipped ones: animals, materials, occupations, adjectives."""
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
        query = QUERIES.get(name)
        facts = sources.facts.get(query.source) if query else None
        if query and facts:
            yield from _crawled(name, query, facts, sources, rejected)
        if sources.shipped:
            yield from _shipped(name, rejected)
        if not sources.tables and not _draws(name, sources):
            needed = f"give --{query.source} FILE" if query else "leave the shipped tables in"
            raise UserError(f"the strategy {name} has nothing to draw on", fix=needed)


def _draws(name: str, sources: Sources) -> bool:
    query = QUERIES.get(name)
    return bool(query and sources.facts.get(query.source)) or (sources.shipped and _ships(name))


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


def _crawled(name: str, query: Query, facts: Facts, sources: Sources, rejected: Counter[str]) -> Iterator[KnownAxiom]:
    lists = {kind: sources.lists.get(kind) or shipped_list(kind) for kind in query.lists}
    for a, b, phrase, relation, status in _rows(query, facts, lists):
        cells = _typed(name, a, phrase, relation)
        if TEMPLATES[name].number == 2 and constraints.is_symmetric(a):
            rejected[f"{name}: the relation holds both ways"] += 1
        elif cells is None:
            rejected[f"{name}: not of the type that the template asks for"] += 1
        else:
            premise, conclusion = cells
            axiom = fill(name, premise, b, f"{query.word.lower()}: {conclusion}")
            fact = (relation, phrase, a) if name == "physical-alone" else (relation, a, phrase)
            yield KnownAxiom(axiom, name, status, facts.licence, facts.source, triples=(fact,))


def _typed(name: str, a: str, phrase: str, relation: str) -> tuple[str, str] | None:
    """Premise and conclusion of a row, where both have the type that the template asks for."""
    premise: str | None = a
    conclusion: str | None
    if name == "action-between":
        premise, conclusion = constraints.event_between(a), constraints.trait(phrase)
    elif name.startswith("action"):
        premise, conclusion = constraints.lone_event(a), constraints.trait(phrase)
    elif name == "physical-alone":
        premise, conclusion = constraints.ability(a), phrase
    elif name == "material":
        conclusion = constraints.trait(phrase)
    else:
        conclusion = constraints.place(phrase) if relation == "AtLocation" else constraints.likely(phrase)
    return (premise, conclusion) if premise and conclusion else None


def _rows(query: Query, facts: Facts, lists: Mapping[str, Sequence[str]]) -> list[tuple[Any, ...]]:
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    columns = {name: [getattr(fact, name) for fact in facts.facts] for name in ("relation", "head", "tail", "weight")}
    connection.register("read_facts", pa.table(columns))
    connection.execute("create table facts as select * from read_facts")
    for name, members in lists.items():
        connection.register(f"read_{name}", pa.table({"name": sorted(set(members))}))
        connection.execute(f"create table {name} as select * from read_{name}")
    ordered = f"select distinct a, b, phrase, relation, status from ({query.sql}) order by all"
    return connection.execute(ordered).fetchall()
