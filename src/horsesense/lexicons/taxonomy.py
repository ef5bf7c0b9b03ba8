"""WordNet's graph under its former name, until ``api`` is dissolved."""

from __future__ import annotations

from pathlib import Path

from horsesense.lexicons.graph import Graph as Taxonomy
from horsesense.lexicons.sources import open_graph

__all__ = ["Taxonomy", "load_taxonomy"]


def load_taxonomy(folder: Path) -> Taxonomy:
    """Return WordNet's graph."""
    return open_graph("wordnet")
