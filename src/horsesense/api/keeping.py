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
from horsesense.errors import translate_errors, unknown
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


@dataclass(frozen=True, slots=True)
class FetchResult(Document):
    """Files in the cache, or what can be fetched."""

    fetched: tuple[Fetched, ...] | None = None
    """What was fetched, one entry per name."""
    available: tuple[Fetchable, ...] | None = None
    """What can be fetched, if no name was given."""


@translate_errors()
def fetch(*names: str, folder: PathLike | None = None, progress: Progress = NO_PROGRESS) -> FetchResult:
    """Download published datasets, bundled models and knowledge sources into the cache; without a name, list them.

    Args:
        names: Dataset, model or source; cached ones are not downloaded again. By default, all are listed.
        folder: Local folder to take the files from, instead of the network.
        progress: Progress callback.

    Returns:
        The path and hash of each, or, without names, what can be fetched.

    >>> "wordnet" in {each.name for each in fetch().available}
    True
    >>> fetch("wordnett")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    horsesense.errors.UserError: there is no thing to fetch 'wordnett'; did you mean 'wordnet'?
    """
    known = _fetchable()
    if not names:
        return FetchResult(available=tuple(Fetchable(name, kind) for name, (kind, _) in known.items()))
    for name in names:
        if name not in known:
            raise unknown("thing to fetch", name, known)
    fetched = []
    for name in names:
        kind, get = known[name]
        progress.log(f"fetching {name} ({kind})")
        fetched.append(get(None if folder is None else Path(folder), progress))
    return FetchResult(tuple(fetched))


def _fetchable() -> dict[str, tuple[str, Callable[[Path | None, Progress], Fetched]]]:
    """Name → what it is, and how to get it."""
    from horsesense.lexicons.gcide import fetch_gcide
    from horsesense.lexicons.vectors import fetch_glove
    from horsesense.lexicons.wordnet import fetch_wordnet
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
    """Check a file of triples, or a wordnet in LMF, and add it as a knowledge source.

    Args:
        name: Name of the source; builders take it as their source.
        file: Triples (relation, concept and target, separated by tabs), or a wordnet in LMF (.xml, .xml.gz, .xml.xz).
        replace: Replace a source of that name that has other content.

    Returns:
        The source, with its licence and how many concepts it has.
    """
    from horsesense.lexicons.sources import add_file

    return add_file(name, Path(file), replace)


@translate_errors()
def list_sources() -> KeptSources:
    """List the knowledge sources that have been added.

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
    """List the builders, datasets, models, cues, controls and formats that installed packages add.

    Returns:
        Each with its kind, name, package and version. None of them is loaded, so a broken one is listed too.
    """
    return InstalledPlugins(tuple(InstalledPlugin(p.kind, p.name, p.package, p.version) for p in every()))
