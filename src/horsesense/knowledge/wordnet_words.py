"""All words of WordNet, for asking whether a string is one."""

from __future__ import annotations

from pathlib import Path

from horsesense.files import numbered_lines
from horsesense.knowledge.wordnet import PARTS


def read_words(folder: Path) -> frozenset[str]:
    """The words that WordNet has an entry for, underscores for spaces."""
    lines = (line for ending in PARTS.values() for _, line in numbered_lines(folder / f"index.{ending}"))
    return frozenset(line.partition(" ")[0] for line in lines if not line.startswith("  "))
