"""Adjectives of WordNet with their opposites and synonyms, from the one file that has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from horsesense.files import numbered_lines

_MARKER = re.compile(r"\((?:a|p|ip)\)$")


@dataclass(frozen=True, slots=True)
class Adjectives:
    """What WordNet says of each adjective, sense by sense."""

    antonyms: Mapping[str, tuple[frozenset[str], ...]]
    """Direct antonyms in each sense; those of a similar word do not count."""
    senses: Mapping[str, tuple[tuple[str, ...], ...]]
    """The words of each sense, the adjective itself among them."""


def read_adjectives(folder: Path) -> Adjectives:
    """The adjectives of a WordNet folder; a sense is found by its number, never by seeking (see `wordnet`)."""
    words: dict[str, tuple[str, ...]] = {}
    pointers: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for _, line in numbered_lines(folder / "data.adj"):
        if line.startswith("  "):
            continue
        fields = line.partition("|")[0].split()
        count = int(fields[3], 16)
        words[fields[0]] = tuple(_MARKER.sub("", word).lower() for word in fields[4 : 4 + 2 * count : 2])
        place = 4 + 2 * count
        for start in range(place + 1, place + 1 + 4 * int(fields[place]), 4):
            symbol, target, _, ends = fields[start : start + 4]
            if symbol == "!":
                pointers.setdefault((fields[0], int(ends[:2], 16)), []).append((target, int(ends[2:], 16)))
    antonyms: dict[str, list[frozenset[str]]] = {}
    senses: dict[str, list[tuple[str, ...]]] = {}
    for sense, members in words.items():
        for number, each in enumerate(members, 1):
            senses.setdefault(each, []).append(members)
            opposed = pointers.get((sense, number), ())
            antonyms.setdefault(each, []).append(frozenset(words[target][other - 1] for target, other in opposed))
    return Adjectives(
        {word: tuple(found) for word, found in antonyms.items()},
        {word: tuple(found) for word, found in senses.items()},
    )
