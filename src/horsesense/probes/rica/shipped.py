"""The tables and the lexicon that come with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from horsesense.files import read_table
from horsesense.probes.rica.lexicon import Lexicon, read_lexicon

DATA = Path(__file__).with_name("data")


@cache
def shipped_lexicon() -> Lexicon:
    """Antonyms and paraphrases of our own writing."""
    return read_lexicon(DATA / "lexicon.tsv")


@cache
def shipped_list(name: str) -> tuple[str, ...]:
    """A list of our own: animals, materials, occupations, adjectives, names."""
    path = DATA / f"{name}.tsv"
    column = name.removesuffix("s")
    return tuple(row[column] for _, row in read_table(path, (column,)))
