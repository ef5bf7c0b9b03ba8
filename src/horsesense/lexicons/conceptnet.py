"""ConceptNet: the official assertions file, JSON lines of assertions, and the 100,000 triples of Li et al. (2016)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from horsesense.data import numbered_lines
from horsesense.errors import UserError
from horsesense.lexicons.triples import Fact, Facts

LICENCE = "CC BY-SA 4.0"
_OTHER_LANGUAGE = "not English at both ends"
_FIELDS = "relation, head, tail, weight, or the five fields of the official assertions, tabs between them; or JSON"


def read_conceptnet(paths: Sequence[Path]) -> Facts:
    """English assertions of one or several files; what is false there (``0`` in the dev sets) is left out."""
    left_out: Counter[str] = Counter()
    facts = [fact for path in paths for fact in _facts(path, left_out)]
    return Facts("conceptnet", LICENCE, tuple(dict.fromkeys(facts)), left_out)


def _facts(path: Path, left_out: Counter[str]) -> Iterator[Fact]:
    for number, line in numbered_lines(path):
        cells = line.split("\t")
        if line.startswith("{"):
            yield _json(line, path, number)
        elif len(cells) == 5 and cells[0].startswith("/a/"):
            english = _official(cells)
            left_out[_OTHER_LANGUAGE] += english is None
            if english is not None:
                yield english
        else:
            fact = _plain(cells, path, number)
            left_out["marked as false"] += fact.weight == 0
            if fact.weight != 0:
                yield fact


def _official(cells: list[str]) -> Fact | None:
    """``/a/[…]``, ``/r/CapableOf``, ``/c/en/bird/n``, ``/c/en/fly``, ``{"weight": 1.0, …}``."""
    _, relation, start, end, about = cells
    head, tail = start.split("/"), end.split("/")
    if head[2:3] != ["en"] or tail[2:3] != ["en"]:
        return None
    # The weight is found without parsing: the file has 34 million lines.
    weight = about.rpartition('"weight":')[2].strip(" }") or "1"
    return Fact(relation.rpartition("/")[2], _words(head[3]), _words(tail[3]), float(weight.partition(",")[0]))


def _words(term: str) -> str:
    return term.replace("_", " ").lower()


def _json(line: str, path: Path, number: int) -> Fact:
    """``{"rel": "AtLocation", "start": "Ferret", "end": "Pet Store"}``, the cache of ConceptNet 5.6 without weights."""
    try:
        cells = json.loads(line)
        relation, head, tail = (cells[name] for name in ("rel", "start", "end"))
        return Fact(relation, head.lower(), tail.lower())
    except (ValueError, KeyError, TypeError, AttributeError):
        fix = 'a line of JSON has "rel", "start" and "end"'
        raise UserError("this is not an assertion of ConceptNet", file=path, line=number, fix=fix) from None


def _plain(cells: list[str], path: Path, number: int) -> Fact:
    try:
        relation, head, tail, weight = (cell.strip() for cell in cells)
        return Fact(relation, head.lower(), tail.lower(), float(weight))
    except ValueError:
        raise UserError(
            "this is not a line of ConceptNet", file=path, line=number, fix=f"a line has {_FIELDS}"
        ) from None
