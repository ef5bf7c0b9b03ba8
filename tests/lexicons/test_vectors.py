"""Every kind of vectors file gives the same words and numbers; a bad one is told in a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from horsesense.errors import UserError
from horsesense.lexicons.vectors import read_vectors

WORDS = ["ice", "Fire", "water's"]
TABLE = np.array([[1.5, -2.0, 0.25], [0.0, 3.0, -1.0], [4.0, 0.5, 0.125]], dtype=np.float32)
LINES = [f"{word} {' '.join(map(str, row.tolist()))}" for word, row in zip(WORDS, TABLE, strict=True)]


def glove(folder: Path) -> Path:
    path = folder / "plain.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def fasttext(folder: Path) -> Path:
    path = folder / "with_header.vec"
    path.write_text("3 3\n" + "".join(f"{line} \n" for line in LINES), encoding="utf-8")
    return path


def word2vec(folder: Path) -> Path:
    path = folder / "packed.bin"
    rows = (word.encode() + b" " + row.astype("<f4").tobytes() + b"\n" for word, row in zip(WORDS, TABLE, strict=True))
    path.write_bytes(b"3 3\n" + b"".join(rows))
    return path


def numpy_and_words(folder: Path) -> Path:
    np.save(folder / "table.npy", TABLE)
    (folder / "table.words").write_text("\n".join(WORDS), encoding="utf-8")
    return folder / "table.npy"


def numpy_and_parquet(folder: Path) -> Path:
    inner = folder / "inner"
    inner.mkdir()
    np.save(inner / "vectors.npy", TABLE)
    parquet.write_table(pa.table({"index": WORDS}), inner / "index.parquet")
    return inner


@pytest.mark.parametrize("write", [glove, fasttext, word2vec, numpy_and_words, numpy_and_parquet])
def test_every_kind_of_file(write: object, tmp_path: Path) -> None:
    path = write(tmp_path)  # type: ignore[operator]  # one of the writers above
    found = read_vectors(path)
    assert list(found.places) == WORDS
    np.testing.assert_array_equal(found.table, TABLE)
    few = read_vectors(path, keep=["fire", "Fire", "nothing"])
    assert list(few.places) == ["Fire"]
    np.testing.assert_array_equal(few.table, TABLE[1:2])


def test_phrases_are_means_and_unknown_words_are_counted(tmp_path: Path) -> None:
    found = read_vectors(glove(tmp_path))
    vector, lost = found.mean("ICE water's blimp")
    np.testing.assert_allclose(vector, (TABLE[0] + TABLE[2]) / 2)
    assert lost == 1
    vector, lost = found.mean("blimp zeppelin")
    assert (vector.tolist(), lost) == ([0.0, 0.0, 0.0], 2)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.txt", "ice 1 2 3\nfire 1 2\n", "a.txt:2: the line has 2 numbers, and vectors here have 3"),
        ("a.txt", "ice 1 2 3\nfire 1 2 3 4\n", "a.txt:2: the line has 4 numbers, and vectors here have 3"),
        ("a.vec", "2 4\nice 1 2 3\nfire 1 2 3\n", "a.vec:2: the line has 3 numbers, and vectors here have 4"),
        ("a.vec", "9 3\nice 1 2 3\n", "the header promises 9 words, and the file has 1"),
        ("a.txt", "ice 1 cold 3\n", "a.txt:1: the line is not a word and its numbers"),
        ("a.txt", "\n", "the file has no vectors"),
        ("a.npy", "not a table", "this is not a NumPy table"),
    ],
)
def test_bad_files(name: str, content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(UserError) as error:
        read_vectors(tmp_path / name)
    assert told in str(error.value)


def test_bad_tables(tmp_path: Path) -> None:
    path = word2vec(tmp_path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(UserError, match=r"3 vectors of 3 numbers.*number 3"):
        read_vectors(path)
    np.save(tmp_path / "alone.npy", TABLE)
    with pytest.raises(UserError, match="no list of words"):
        read_vectors(tmp_path / "alone.npy")
    (tmp_path / "alone.words").write_text("ice\n", encoding="utf-8")
    with pytest.raises(UserError, match="1 words for 3 vectors"):
        read_vectors(tmp_path / "alone.npy")
