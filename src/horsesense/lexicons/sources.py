"""Knowledge sources by name, imported on first use, and users' files as sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from horsesense.core.document import Document
from horsesense.data import numbered_lines, sha256_of_bytes
from horsesense.data.store import Store
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.lexicons.gcide import find_gcide, gcide_origin, read_gcide
from horsesense.lexicons.graph import (
    Graph,
    add_source,
    build_graph,
    closure,
    find_source,
    list_sources,
    load_graph,
    source_path,
)
from horsesense.lexicons.triples import BETWEEN_CONCEPTS, INSTANCE, ISA, RELATIONS, Origin, Triple
from horsesense.lexicons.wordnet import find_wordnet, read_synsets, wordnet_origin, wordnet_triples
from horsesense.lexicons.wordnet_lmf import is_lmf, read_lmf

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class AddedSource(Document):
    """A source that a user added."""

    name: str
    """Name."""
    version: str
    """Of the file it was read from."""
    licence: str
    """Licence."""
    concepts: int
    """Number of concepts."""


@dataclass(frozen=True, slots=True)
class StoredSource(Document):
    """A stored source."""

    name: str
    """Name."""
    version: str
    """Version of its files; empty where they do not state it."""
    licence: str
    """Licence."""


@dataclass(frozen=True, slots=True)
class StoredSources(Document):
    """Stored knowledge sources."""

    sources: tuple[StoredSource, ...]
    """Each with its version and licence."""


@translate_errors()
def stored_sources() -> StoredSources:
    """List the knowledge sources that have been added.

    Returns:
        Each with its name, version and licence.
    """
    return StoredSources(tuple(StoredSource(origin.name, origin.version, origin.licence) for origin in list_sources()))


def open_graph(name: str = "wordnet") -> Graph:
    """Open the graph of a source; WordNet and GCIDE are imported if they are installed and not yet stored."""
    if name in _INSTALLED:
        _ensure(name, *_INSTALLED[name])
    return load_graph(name)


def find_wordnet_graph() -> Graph | None:
    """Return WordNet's graph, or None where WordNet is not on this machine."""
    return None if find_wordnet() is None else open_graph("wordnet")


def read_wordnet(folder: Path) -> Graph:
    """Read the graph of a WordNet folder without storing it; the verbs of WordNet 3.0 have a cycle."""
    return build_graph(wordnet_origin(folder), wordnet_triples(read_synsets(folder)), loops=True)


@translate_errors()
def add_file(name: str, file: str | Path, *, replace: bool = False) -> AddedSource:
    """Check a file of triples, or a wordnet in the Lexical Markup Framework (LMF), and add it as a knowledge source.

    Args:
        name: Name of the source; builders take it as their source.
        file: Triples (relation, concept and target, separated by tabs), or a wordnet in LMF (.xml, .xml.gz, .xml.xz).
        replace: Replace a source of that name that has other content.

    Returns:
        The source, with its licence and how many concepts it has.
    """
    path = Path(file)
    check_name(name)
    lmf, left_out = is_lmf(path), dict[str, int]()
    if lmf:
        origin, triples, left_out = read_lmf(name, path)
    else:
        origin, triples = read_triples(name, path)
    _check_free(origin, path, replace)
    # Some wordnets have isa cycles, like WordNet's verbs.
    graph = build_graph(origin, triples, left_out=left_out, loops=lmf)
    add_source(graph)
    return AddedSource(name, origin.version, origin.licence, len(graph))


def _check_free(origin: Origin, path: Path, replace: bool) -> None:
    """Check that a name is unused, has the same content, or may be replaced."""
    stored = {each.name: each.fingerprint for each in list_sources()}
    if not replace and stored.get(origin.name, origin.fingerprint) != origin.fingerprint:
        raise UserError(
            f"another source is called {origin.name!r} already",
            file=path,
            fix=f"choose another name, or give {argument('replace')} to put this one in its place",
        )


def _read_gcide(folder: Path) -> Graph:
    triples, left_out = read_gcide(folder)
    return build_graph(gcide_origin(folder), triples, left_out=left_out)


_Installed = tuple[str, Callable[[], Path | None], Callable[[Path], Origin], Callable[[Path], Graph]]
_INSTALLED: dict[str, _Installed] = {
    "wordnet": ("WordNet", lambda: find_wordnet(), wordnet_origin, read_wordnet),
    "gcide": ("GCIDE", lambda: find_gcide(), gcide_origin, _read_gcide),
}
"""Sources that are installed: their title, where they are, their origin and their graph."""


def _ensure(
    name: str,
    title: str,
    find: Callable[[], Path | None],
    origin_of: Callable[[Path], Origin],
    read: Callable[[Path], Graph],
) -> None:
    """Store an installed source, unless it is stored already."""
    folder = find()
    if folder is None:
        with suppress(UserError):  # the files may be gone while the stored source remains
            find_source(name)
            return
        raise UserError(f"{title} is not on this machine", fix=f"run: horsesense fetch {name}")
    if not _is_kept(origin_of(folder)):
        add_source(read(folder))


def _is_kept(origin: Origin) -> bool:
    with suppress(UserError):
        path = source_path(origin.name)
        return find_source(origin.name) == origin and Store(path.parent).has(path)
    return False


def part_links(source: str = "wordnet") -> list[tuple[str, str]]:
    """Return pairs of whole and part as words with spaces, in the case of the source."""
    graph = open_graph(source)
    wholes, parts = graph.links("part")
    pairs = ((graph.lemmas[whole], graph.lemmas[part]) for whole, part in zip(wholes, parts, strict=True))
    return [(whole[0], part[0]) for whole, part in pairs if whole and part]


def check_name(name: str) -> None:
    """Check the name of a user's source."""
    if not _NAME.fullmatch(name) or name in _INSTALLED:
        raise UserError(
            f"a source cannot be called {name!r}",
            fix="use lower-case letters, digits, dashes and underscores, and neither wordnet nor gcide",
        )


def read_triples(name: str, path: Path) -> tuple[Origin, list[Triple]]:
    """Read and check a file of triples, tabs between relation, concept and target.

    Lines that begin with ``#`` are comments; ``# licence: …``, ``# version: …`` and ``# language: …`` are stored.
    """
    check_name(name)
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
    licence = about.get("licence", "none stated")
    return Origin(name, about.get("version", ""), licence, fingerprint, about.get("language") or "en"), triples


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
    """Report an isa cycle with its first line."""
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
    """Return the shortest cycle through a concept, at most ten concepts of it."""
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
