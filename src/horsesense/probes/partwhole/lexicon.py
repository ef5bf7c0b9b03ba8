"""What is known of adjectives: which do not stand before nouns, which do not describe, what kind they are."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from horsesense.files import read_table, read_text
from horsesense.knowledge.wordnet import read_adjectives
from horsesense.knowledge.wordnet_source import find_wordnet
from horsesense.language.inflection import is_adjective

_DATA = files("horsesense.probes.partwhole").joinpath("data")
OTHER = "other"
COLOUR = "colour"


def read_words(path: Path) -> frozenset[str]:
    """The words of a list: spaces or lines between them, remarks after ``#``."""
    lines = (line.partition("#")[0] for line in read_text(path).splitlines())
    return frozenset(word.lower() for line in lines for word in line.split())


@cache
def not_attributive() -> frozenset[str]:
    """Adjectives that do not stand before a noun: *awake* (partwhole.txt, 3.2)."""
    return read_words(Path(str(_DATA.joinpath("not_attributive.txt"))))


@cache
def not_descriptive() -> frozenset[str]:
    """Adjectives that pick out and do not describe: *first* (partwhole.txt, 3.2)."""
    return read_words(Path(str(_DATA.joinpath("not_descriptive.txt"))))


@cache
def _classes() -> dict[str, str]:
    found: dict[str, str] = {}
    for _, row in read_table(Path(str(_DATA.joinpath("adjective_classes.tsv"))), ("class", "adjectives")):
        for word in row["adjectives"].split():
            found.setdefault(word, row["class"])  # copper is a colour first
    return found


def adjective_class(adjective: str) -> str:
    """What kind of thing an adjective says; *other* where the list does not have it.

    >>> [adjective_class(word) for word in ("green", "wooden", "tall", "nuclear", "postmodern")]
    ['colour', 'material', 'size', 'function', 'other']
    """
    return _classes().get(adjective.lower(), OTHER)


@cache
def _wordnet_adjectives() -> frozenset[str]:
    """The adjectives of WordNet, where it is on this machine: the dictionary of inflections lacks "responsible"."""
    folder = find_wordnet()
    return frozenset() if folder is None else frozenset(read_adjectives(folder).senses)


def is_known_adjective(word: str) -> bool:
    """Whether a dictionary here, or our list, has it as an adjective.

    >>> is_known_adjective("wooden"), is_known_adjective("brick"), is_known_adjective("hers")
    (True, True, False)
    """
    return is_adjective(word) or adjective_class(word) != OTHER or word in _wordnet_adjectives()


def is_colour(adjective: str) -> bool:
    """Also of several words: *light blue*."""
    return adjective_class(adjective.rpartition(" ")[2]) == COLOUR
