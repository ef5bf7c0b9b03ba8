"""Reading text: encodings, line ends, gzipped files whole and damaged, pipes."""

from __future__ import annotations

import gzip
import os
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.data import numbered_lines, read_bytes, read_text, sha256_of_file
from horsesense.errors import UserError, unknown

LINES = "first\n\nthird \u2028 still third\r\n\u0085\n last"


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_only_a_newline_ends_a_line(packed: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    content = ("\ufeff" + LINES).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    assert list(numbered_lines(path)) == [(1, "first"), (3, "third \u2028 still third"), (5, " last")]
    assert read_text(path) == LINES
    assert read_bytes(path) == content


@given(st.text(st.characters(exclude_categories=["Cs"])), st.booleans())
def test_text_comes_back(text: str, packed: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        assert read_text(path) == text.removeprefix("\ufeff")
        found = dict(numbered_lines(path))
    lines = text.removeprefix("\ufeff").split("\n")
    expected = {number: line.rstrip("\r") for number, line in enumerate(lines, start=1)}
    assert found == {number: line for number, line in expected.items() if line and not line.isspace()}


def test_a_byte_that_is_not_utf8_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("eins\nzwei\ndrü\n".encode("latin-1"))
    for read in (read_text, lambda p: list(numbered_lines(p))):
        with pytest.raises(UserError) as caught:
            read(path)
        assert str(caught.value) == f"{path}:3: byte 0xfc is not UTF-8; save the file as UTF-8"
    path.write_bytes("eins".encode("utf-16"))
    with pytest.raises(UserError, match=r"a\.txt:1: byte 0xff is not UTF-8"):
        read_text(path)


def test_no_damage_to_a_gzipped_file_goes_unseen(tmp_path: Path) -> None:
    """Cut it anywhere, or flip any byte of what it holds: it is told, or the text is right all the same."""
    text = "".join(f"line {n}, {n * n}\n" for n in range(60))
    whole = gzip.compress(text.encode(), mtime=0)
    path = tmp_path / "a.txt.gz"
    damages = [whole[:cut] for cut in range(2, len(whole))] + [whole + b"more", whole + b"\x1f\x8b"]
    damages += [whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :] for at in range(2, len(whole))]
    told = 0
    for damaged in damages:
        path.write_bytes(damaged)
        try:
            found = read_text(path)
        except UserError as error:
            found = str(error)
        told += found != text
        assert found in (text, f"{path}: the gzipped file is damaged; get it again")
    assert told > len(damages) - 12, "only a few bytes of the header (time, system) carry no weight"


def test_a_pipe_is_read_from_its_beginning(tmp_path: Path) -> None:
    """As in ``horsesense import cats <(zcat a.gz) …``."""
    for content in (b"one\ntwo\n", gzip.compress(b"one\ntwo\n")):
        pipe = tmp_path / f"pipe{len(content)}"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        assert list(numbered_lines(pipe)) == [(1, "one"), (2, "two")]
        writer.join()


def test_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cases = [
        (tmp_path / "none.txt", "no such file or folder"),
        (tmp_path, "this is a folder, not a file"),
        (tmp_path / "file" / "a.txt", "a part of the path is a file, not a folder"),
        (tmp_path / ("n" * 300), "the name is too long"),
    ]
    for path, told in cases:
        with pytest.raises(UserError) as caught:
            read_text(path)
        assert (caught.value.file, caught.value.problem) == (str(path), told)


def test_hash_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    # FIPS 180-2, appendix B.1
    assert sha256_of_file(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_an_error_is_told_where_only_once() -> None:
    error = UserError("it is wrong", fix="put it right")
    assert str(error.at("a.txt", 3)) == "a.txt:3: it is wrong; put it right"
    assert str(error.at("a.txt", 3).at("b.txt", 9)) == "a.txt:3: it is wrong; put it right"
    assert str(error.at("a.txt")) == "a.txt: it is wrong; put it right"


def test_a_far_name_has_no_suggestion() -> None:
    assert str(unknown("form", "zzz", ["cloze", "choice"])) == "there is no form 'zzz'; known: choice, cloze"
