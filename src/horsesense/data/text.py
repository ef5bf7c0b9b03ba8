"""Reading text files, plain or gzipped, with errors that name the line."""

from __future__ import annotations

import gzip
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any

from horsesense.data.disk import disk_errors, refuse_devices
from horsesense.errors import UserError, now_reading

LONGEST_LINE = 16 << 20
"""Bytes of a line; a file without line ends, such as a picture, would else be read into memory whole."""
MOST_BYTES = 512 << 20
"""Bytes of a file that is read as one."""
MOST_UNPACKED, FREE = 200, 32 << 20
"""Times its packed size that a gzipped file may have, and the bytes that it may have in any case. Text is packed to a
tenth; a small file that unpacks to gigabytes is a mistake or an attack, and would fill the memory."""
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = "\ufeff"


class _Unpacked(RawIOBase):
    """The bytes of a gzipped file, as far as they are in proportion to the packed ones."""

    def __init__(self, plain: BufferedReader, path: Path) -> None:
        self._plain, self._path, self._count = plain, path, 0
        self._packed = gzip.GzipFile(fileobj=plain)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._packed.readinto(buffer)
        self._count += count
        if self._count > FREE and self._plain.seekable() and self._count > MOST_UNPACKED * self._plain.tell():
            problem = f"the gzipped file unpacks to more than {MOST_UNPACKED} times its size"
            raise UserError(problem, file=self._path, fix="unpack it yourself if you trust it")
        return count


@contextmanager
def open_bytes(path: Path) -> Iterator[BufferedReader]:
    """Open a file, or a pipe that somebody writes to; a gzipped file is unpacked, whatever its name."""
    with now_reading(path), disk_errors(path):
        if not path.is_fifo():
            refuse_devices(path)
        # Opened once: a pipe (``<(zcat …)``) would have lost its beginning at a second look.
        with path.open("rb") as plain:
            packed = plain.peek(2)[:2] == _GZIP_MAGIC
            try:
                yield BufferedReader(_Unpacked(plain, path)) if packed else plain
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise UserError("the gzipped file is damaged", file=path, fix="get it again") from error


def _decode(raw: bytes, path: Path, line: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line += raw.count(b"\n", 0, error.start)
        raise UserError(
            f"byte {raw[error.start]:#04x} is not UTF-8", file=path, line=line, fix="save the file as UTF-8"
        ) from error


def read_bytes(path: str | Path) -> bytes:
    """Read the bytes of a file, unpacked where it is gzipped."""
    path = Path(path)
    with open_bytes(path) as handle:
        large = path.stat().st_size > MOST_BYTES
        content = b"" if large else handle.read(MOST_BYTES + 1)
    if large or len(content) > MOST_BYTES:
        problem = f"the file is larger than {MOST_BYTES >> 20} MB, which is too large to be read as one"
        raise UserError(problem, file=path, fix="give a smaller one")
    return content


def read_text(path: str | Path) -> str:
    """Read the text of a UTF-8 file without its byte-order mark."""
    return _decode(read_bytes(path), Path(path), 1).removeprefix(_BYTE_ORDER_MARK)


def decoded_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield each line with its number from 1 and its line end.

    Only LF ends a line: a published dataset may contain U+2028 or U+0085 inside a sentence, where
    ``str.splitlines`` would break it. Lines are read one at a time, so memory stays flat.
    """
    path = Path(path)
    with open_bytes(path) as handle:
        for number, raw in enumerate(iter(partial(handle.readline, LONGEST_LINE + 1), b""), start=1):
            if len(raw) > LONGEST_LINE:
                problem = f"the line is longer than {LONGEST_LINE >> 20} MB"
                raise UserError(problem, file=path, line=number, fix="check that it is the right file")
            line = _decode(raw, path, number)
            yield number, line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line


def numbered_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield each line that is not blank, with its number from 1, without its line end (LF or CRLF)."""
    for number, line in decoded_lines(path):
        if line and not line.isspace():
            yield number, line.rstrip("\r\n")


@cache
def shipped_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file of the package, once; what it holds is not to be changed."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
