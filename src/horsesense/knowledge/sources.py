"""A source by its name, imported the first time somebody asks for it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from horsesense.errors import UserError
from horsesense.knowledge.gcide import gcide_origin, read_gcide
from horsesense.knowledge.gcide_source import find_gcide
from horsesense.knowledge.graph import Graph, load_graph
from horsesense.knowledge.own import read_own
from horsesense.knowledge.store import add_source, find_source, list_sources
from horsesense.knowledge.triples import Origin
from horsesense.knowledge.wordnet import read_synsets
from horsesense.knowledge.wordnet_source import find_wordnet
from horsesense.knowledge.wordnet_triples import wordnet_origin, wordnet_triples
from horsesense.records.document import Document


@dataclass(frozen=True, slots=True)
class AddedSource(Document):
    """A source of one's own that was added."""

    name: str
    """What it is called."""
    version: str
    """Of the file it was read from."""
    licence: str
    """Under which it may be used."""
    concepts: int
    """How many it has."""


@dataclass(frozen=True, slots=True)
class KeptSource(Document):
    """A source that is kept."""

    name: str
    """What it is called."""
    version: str
    """Of the files it was read from; empty where they do not say."""
    licence: str
    """Under which it may be used."""


KeptSources = list[KeptSource]
"""All sources, by name."""


def kept_sources() -> KeptSources:
    """The sources that are kept, with version and licence."""
    return [KeptSource(origin.name, origin.version, origin.licence) for origin in list_sources()]


def open_graph(name: str = "wordnet") -> Graph:
    """The graph of a source; WordNet and GCIDE are imported where they are on this machine and not in the store."""
    if name == "wordnet":
        _ensure_wordnet()
    elif name == "gcide":
        _ensure_gcide()
    return load_graph(name)


def add_own(name: str, path: Path) -> AddedSource:
    """Put a user's file of triples into the store."""
    origin, triples = read_own(name, path)
    add_source(origin, triples)
    return AddedSource(name, origin.version, origin.licence, len(load_graph(name)))


def _ensure_wordnet() -> None:
    folder = find_wordnet()
    if folder is None:
        with suppress(UserError):  # the files may be gone, and what was read from them still here
            find_source("wordnet")
            return
        raise UserError("WordNet is not on this machine", fix="run: horsesense fetch wordnet")
    origin = wordnet_origin(folder)
    if not _is_kept(origin):
        add_source(origin, wordnet_triples(read_synsets(folder)), loops=True)  # its verbs have a loop


def _ensure_gcide() -> None:
    folder = find_gcide()
    if folder is None:
        with suppress(UserError):
            find_source("gcide")
            return
        raise UserError("GCIDE is not on this machine", fix="run: horsesense fetch gcide")
    origin = gcide_origin(folder)
    if not _is_kept(origin):
        triples, left_out = read_gcide(folder)
        add_source(origin, triples, left_out=left_out)


def _is_kept(origin: Origin) -> bool:
    with suppress(UserError):
        return find_source(origin.name) == origin
    return False
