"""What is kept here: what others have published, knowledge of one's own, and what packages add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.probes import PathLike
from horsesense.core.document import Document
from horsesense.data.downloads import Fetched
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import Kind, every

if TYPE_CHECKING:
    from horsesense.lexicons.sources import AddedSource, KeptSources


@dataclass(frozen=True, slots=True)
class Fetchable:
    """Something that can be fetched."""

    name: str
    """What to ask for."""
    kind: str
    """What it is."""


@translate_errors()
def list_fetchable() -> tuple[Fetchable, ...]:
    """What there is to fetch.

    Returns:
        Each with its name and what it is.

    >>> "wordnet" in {each.name for each in list_fetchable()}
    True
    """
    return tuple(Fetchable(name, kind) for name, (kind, _) in _fetchable().items())


@translate_errors()
def fetch(*names: str, folder: PathLike | None = None, progress: Progress = NO_PROGRESS) -> tuple[Fetched, ...]:
    """Get published releases, bundled models or knowledge sources into the cache.

    Args:
        names: What to fetch, as `list_fetchable` names it; what is there already is not fetched again.
        folder: Take the files from here, not from the network.
        progress: Told what is being fetched.

    Returns:
        For each name where it lies now, and its hash.

    >>> fetch("wordnett")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    horsesense.errors.UserError: there is no thing to fetch 'wordnett'; did you mean 'wordnet'?
    """
    known = _fetchable()
    if not names:
        raise UserError("there is nothing to fetch", fix="name something")
    for name in names:
        if name not in known:
            raise unknown("thing to fetch", name, known)
    fetched = []
    for name in names:
        kind, get = known[name]
        progress.log(f"fetching {name} ({kind})")
        fetched.append(get(None if folder is None else Path(folder), progress))
    return tuple(fetched)


def _fetchable() -> dict[str, tuple[str, Callable[[Path | None, Progress], Fetched]]]:
    """Name → what it is, and how to get it."""
    from horsesense.lexicons.gcide import fetch_gcide
    from horsesense.lexicons.vectors import fetch_glove
    from horsesense.lexicons.wordnet_source import fetch_wordnet
    from horsesense.methods.published.pinned_files import fetch_release, published_files
    from horsesense.models.bundled import BUNDLED, fetch_bundled

    known: dict[str, tuple[str, Callable[[Path | None, Progress], Fetched]]] = {}
    for name, files in published_files().items():
        size = sum(file.bytes for file in files) / 1e6
        known[name] = (f"release, {len(files)} files, {size:.1f} MB", partial(fetch_release, name))
    for name in BUNDLED:
        known[name] = ("bundled model", partial(fetch_bundled, name))
    known["wordnet"] = ("knowledge source, WordNet 3.0", fetch_wordnet)
    known["gcide"] = ("knowledge source, the dictionary GCIDE", fetch_gcide)
    known["glove"] = ("word vectors, GloVe in 50 dimensions", fetch_glove)
    return known


@translate_errors()
def add_source(name: str, file: PathLike, *, replace: bool = False) -> AddedSource:
    """Check a file and keep it as a knowledge source.

    Args:
        name: What to call the source; builders take it by this name.
        file: Triples (relation, concept, target, with tabs between them), or a wordnet in LMF (.xml, .xml.gz, .xml.xz).
        replace: Put it in the place of a source of that name with other content; by default that one is kept, with an
            error.

    Returns:
        The source, with its licence and how many concepts it has.
    """
    from horsesense.lexicons.sources import add_file

    return add_file(name, Path(file), replace)


@translate_errors()
def list_sources() -> KeptSources:
    """The knowledge sources that are kept.

    Returns:
        Each with its name, version and licence.
    """
    from horsesense.lexicons.sources import kept_sources

    return kept_sources()


@dataclass(frozen=True, slots=True)
class InstalledPlugin(Document):
    """One thing that a package adds."""

    kind: Kind
    """What it adds: the group of its entry point, without ``horsesense.``"""
    name: str
    """What a user asks for."""
    package: str
    """Who adds it."""
    version: str
    """Which version of the package is installed."""


@dataclass(frozen=True, slots=True)
class InstalledPlugins(Document):
    """What packages of others add here."""

    plugins: tuple[InstalledPlugin, ...]
    """By kind and name."""


@translate_errors()
def list_plugins() -> InstalledPlugins:
    """What installed packages add: builders, releases, models, cues, controls, exchange formats.

    Returns:
        Each with its kind, name, package and version. None of them is loaded, so a broken one is listed too.
    """
    return InstalledPlugins(tuple(InstalledPlugin(p.kind, p.name, p.package, p.version) for p in every()))
