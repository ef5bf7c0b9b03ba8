"""Any text corpus, found by phrase: sentences in an SQLite full-text index (FTS5, part of Python).

The index holds words as they are written; inflection is the business of the one who asks, who names all forms.
A stemmer would take "wooden" for "wood" and "university" for "universe".
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from horsesense.data import cache_folder, numbered_lines, sha256_of_bytes
from horsesense.data.store import Store
from horsesense.errors import UserError
from horsesense.progress import NO_PROGRESS, Progress

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]?[A-Z])")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Col|Rev|No|vs|etc)\.$")
_ENDS = (".", "!", "?", '"', "'", "”", "’")
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a corpus, and its position."""

    text: str
    file: str
    """Name of the corpus file, without folders."""
    place: int
    """Number of the sentence in the index, in the order of the files."""


def read_sentences(path: Path) -> Iterator[str]:
    """The sentences of a file: one per line, cells of a table, or running text that was wrapped.

    Which of them it is shows in the first lines: tabs, or how many lines end as a sentence does.
    """
    lines = numbered_lines(path)
    first = [line for _, line in islice(lines, 200)]
    if not first:
        raise UserError("the corpus is empty", file=path, fix="give a text file")
    rest = (line for _, line in lines)
    everything = (line for part in (first, rest) for line in part)
    if sum("\t" in line for line in first) > len(first) / 2:
        for line in everything:
            yield from dict.fromkeys(cell.strip() for cell in line.split("\t") if cell.count(" ") > 1)
    elif sum(line.rstrip().endswith(_ENDS) for line in first) >= len(first) * 0.6:
        yield from (line.strip() for line in everything)
    else:
        yield from _unwrapped(everything)


def _unwrapped(lines: Iterable[str]) -> Iterator[str]:
    """Sentences of wrapped text; one that is still open waits for its end."""
    open_ = ""
    for line in lines:
        *done, open_ = _split(f"{open_} {line.strip()}".strip())
        yield from done
        if len(open_) > 2_000:  # a table of contents, verse: no sentence
            open_ = ""
    if open_:
        yield open_


def _split(text: str) -> list[str]:
    """
    >>> _split("Mr. Hyde came. He sat down")
    ['Mr. Hyde came.', 'He sat down']
    """
    parts: list[str] = []
    for part in _SENTENCE_END.split(text):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return parts


class Corpus:
    """An index over corpus files, made once and kept in the user's cache; one that has rotted there is made again."""

    def __init__(self, paths: Sequence[Path], progress: Progress = NO_PROGRESS) -> None:
        if not paths:
            raise UserError("no corpus is given", fix="give at least one text file")
        self.path = _index_path(paths)
        Store(self.path.parent).compute(self.path, lambda temporary: _index(temporary, paths, progress))
        self._connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)

    def __len__(self) -> int:
        (count,) = self._connection.execute("select count(*) from sentences_docsize").fetchone()
        return int(count)

    def find(self, phrases: Sequence[str], most: int = 200) -> list[Sentence]:
        """Sentences that have one of the phrases, words side by side, in the order of the corpus."""
        query = " OR ".join(f'"{_plain(phrase)}"' for phrase in phrases if _plain(phrase))
        if not query:
            return []
        rows = self._connection.execute(
            "select text, file, rowid from sentences where sentences match ? order by rowid limit ?",
            (f"text: ({query})", most),
        )
        return [Sentence(*row) for row in rows]

    def close(self) -> None:
        self._connection.close()


def _plain(phrase: str) -> str:
    return phrase.replace('"', " ").strip()


def _index_path(paths: Sequence[Path]) -> Path:
    about = []
    for path in paths:
        if not path.is_file():
            raise UserError("no such file", file=path, fix="check the path")
        stat = path.stat()
        about.append((str(path.resolve()), stat.st_size, stat.st_mtime_ns))
    return cache_folder("corpora", f"{sha256_of_bytes(repr((_VERSION, about)).encode())[:16]}.sqlite")


def _index(file: Path, paths: Sequence[Path], progress: Progress) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("pragma journal_mode = off")  # the file is thrown away where this does not end
        connection.execute("create virtual table sentences using fts5(text, file unindexed, tokenize = 'unicode61')")
        for number, path in enumerate(paths):
            progress.update("indexing", number, len(paths))
            rows = ((sentence, path.name) for sentence in read_sentences(path))
            connection.executemany("insert into sentences (text, file) values (?, ?)", rows)
        connection.execute("insert into sentences (sentences) values ('optimize')")
