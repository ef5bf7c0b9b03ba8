"""A source of one's own: a file of triples, tabs between relation, concept and target."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from horsesense.errors import UserError, unknown
from horsesense.files import numbered_lines, sha256_of_bytes
from horsesense.knowledge.closure import closure
from horsesense.knowledge.triples import BETWEEN_CONCEPTS, INSTANCE, ISA, RELATIONS, Origin, Triple

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_TAKEN = ("wordnet", "gcide")


def read_own(name: str, path: Path) -> tuple[Origin, list[Triple]]:
    """Read and check a file of triples. Lines that begin with ``#`` are remarks;
    ``# licence: …`` and ``# version: …`` are kept."""
    if not _NAME.fullmatch(name) or name in _TAKEN:
        raise UserError(
            f"a source cannot be called {name!r}",
            fix="use lower-case letters, digits, dashes and underscores, and neither wordnet nor gcide",
        )
    about: dict[str, str] = {}
    lines: list[int] = []
    triples: list[Triple] = []
    for number, line in numbered_lines(path):
        if line.startswith("#"):
            key, _, value = line.lstrip("# ").partition(":")
            about.setdefault(key.strip().lower(), value.strip())
            continue
        triples.append(_triple(line, path, number))
        lines.append(number)
    if not triples:
        raise UserError("there is no triple in the file", file=path, fix="write: relation, tab, concept, tab, target")
    _check_targets(triples, lines, path)
    _check_circles(triples, lines, path)
    fingerprint = sha256_of_bytes(repr(triples).encode())[:16]
    return Origin(name, about.get("version", ""), about.get("licence", "none stated"), fingerprint), triples


def _triple(line: str, path: Path, number: int) -> Triple:
    fields = [field.strip() for field in line.split("\t")]
    if len(fields) != 3 or not all(fields):
        raise UserError(
            f"the line has {len(fields)} fields and not three with something in them",
            file=path,
            line=number,
            fix="write: relation, tab, concept, tab, target",
        )
    if fields[0] not in RELATIONS:
        raise unknown("relation", fields[0], RELATIONS).at(path, number)
    return Triple(*fields)


def _check_targets(triples: list[Triple], lines: list[int], path: Path) -> None:
    named = {triple.concept for triple in triples if triple.relation == "lemma"}
    for triple, line in zip(triples, lines, strict=True):
        missing = [triple.concept, triple.target] if triple.relation in BETWEEN_CONCEPTS else [triple.concept]
        for concept in missing:
            if concept not in named:
                raise UserError(
                    f"the concept {concept!r} has no word", file=path, line=line, fix=f"add: lemma, {concept}, its word"
                )


def _check_circles(triples: list[Triple], lines: list[int], path: Path) -> None:
    """A circle of isa is told with the first line that is part of it."""
    numbers: dict[str, int] = {}
    links = [(t, line) for t, line in zip(triples, lines, strict=True) if t.relation in (ISA, INSTANCE)]
    for triple, _ in links:
        numbers.setdefault(triple.concept, len(numbers))
        numbers.setdefault(triple.target, len(numbers))
    pairs = np.array([(numbers[t.concept], numbers[t.target]) for t, _ in links], dtype=np.int64).reshape(-1, 2)
    loops = set(closure(max(len(numbers), 1), pairs[:, 0], pairs[:, 1]).loops.tolist())
    for triple, line in links:
        if {numbers[triple.concept], numbers[triple.target]} <= loops:
            circle = " isa ".join(_circle(triple.concept, links))
            raise UserError(f"isa goes round in a circle: {circle}", file=path, line=line, fix="take one link out")


def _circle(start: str, links: list[tuple[Triple, int]]) -> Iterator[str]:
    """The shortest way from a concept round to itself, at most ten concepts told."""
    parents: dict[str, list[str]] = {}
    for triple, _ in links:
        parents.setdefault(triple.concept, []).append(triple.target)
    came: dict[str, str] = {}
    waiting = [start]
    while start not in came:
        reached = []
        for child in waiting:
            for parent in parents.get(child, ()):
                if parent not in came:
                    came[parent] = child
                    reached.append(parent)
        waiting = reached
    way = [start]
    while came[way[-1]] != start:
        way.append(came[way[-1]])
    way = [start, *reversed(way)]
    yield from way if len(way) <= 10 else [*way[:5], "…", *way[-4:]]
