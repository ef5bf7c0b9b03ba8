"""The crawling strategies of table 4 as queries over facts and lists: who has the property, who has not.

A query gives the cells of a knowledge table (a, b, comparative, phrase), the fact behind it, and its status: what a
knowledge base does not say is not false, so a second entity that is only absent makes an axiom ``raw``.
"""

from __future__ import annotations

from dataclasses import dataclass

SECONDS = 3
"""How many entities without the property are set against one that has it."""

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
_OF_ONE = """
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


def _of_one(where: str, a: str = "head", phrase: str = "tail") -> str:
    return _OF_ONE.format(a=a, phrase=phrase, where=where)


_TRAIT = "where h.relation = 'xAttr'"
QUERIES = {
    "material": Query("conceptnet", ("materials",), _against("materials", "'HasProperty'")),
    "animal": Query("conceptnet", ("animals",), _against("animals", "'CapableOf', 'AtLocation'")),
    "role": Query(
        "conceptnet",
        ("occupations",),
        _of_one("join occupations e on e.name = h.head where h.relation = 'CapableOf'"),
    ),
    "action-between": Query("atomic", (), _of_one(f"{_TRAIT} and h.head like '%person_b%'")),
    "action-alone": Query("atomic", (), _of_one(_TRAIT)),
    "physical-alone": Query(
        "conceptnet",
        ("adjectives",),
        _of_one("join adjectives e on e.name = h.head where h.relation = 'UsedFor'", a="tail", phrase="head"),
    ),
    "action-degree": Query("atomic", (), _of_one(_TRAIT)),
    "physical-degree": Query(
        "conceptnet",
        ("adjectives",),
        _of_one("join adjectives e on e.name = h.head where h.relation = 'UsedFor'"),
        word="Better",
    ),
}
"""Templates that a knowledge base can fill; grade, location and temporal come from numbers and tables."""
