"""Reading text files, plain or gzipped, with errors that name the line."""

from __future__ import annotations

import gzip
import io
import os
import select
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from horsesense.data.disk import disk_errors
from horsesense.errors import UserError, now_reading

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LONGEST_LINE = 16 << 20
"""Bytes of a line; a file without line ends, such as a picture, would else be read into memory whole."""
MOST_BYTES = 512 << 20
"""Bytes of a file that is read as one."""
MOST_UNPACKED = 200
"""Largest ratio of text to gzipped file; text compresses to about a tenth, so a larger ratio is not text."""
_FREE = 64 << 20
"""Up to so many bytes it may hold more."""
PIPE_SECONDS = 20.0
"""How long a pipe may be empty before its first byte."""
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = "\ufeff"


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes; a gzipped file is unpacked on the way, whatever its name."""
    # Opened once: a pipe (``<(zcat …)``) would have lost its beginning at a second look.
    with now_reading(path), disk_errors(path), _opened(path) as plain:
        packed = plain.peek(2)[:2] == _GZIP_MAGIC
        try:
            yield cast(IO[bytes], io.BufferedReader(_Unpacked(plain, path), 1 << 17)) if packed else plain
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise UserError("the gzipped file is damaged", file=path, fix="get it again") from error


def _opened(path: Path) -> io.BufferedReader:
    """Open a file, or a pipe that somebody writes to; a device has no end, so it is refused."""
    mode = path.stat().st_mode
    if (stat.S_ISCHR(mode) and not path.samefile(os.devnull)) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise UserError("this is a device, not a file", file=path, fix="give a file")
    if not stat.S_ISFIFO(mode):
        return path.open("rb")
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a blocking open would wait for somebody who writes
    poll = select.poll()
    poll.register(number, select.POLLIN)
    if not poll.poll(PIPE_SECONDS * 1000):
        os.close(number)
        problem = f"nothing was written to this pipe within {PIPE_SECONDS:g} seconds"
        raise UserError(problem, file=path, fix="give a file, or begin to write")
    os.set_blocking(number, True)
    return os.fdopen(number, "rb")


class _Unpacked(io.RawIOBase):
    """The bytes inside a gzipped file, as long as they stay in proportion to it."""

    def __init__(self, plain: io.BufferedReader, path: Path) -> None:
        self._counted = _Counted(plain)
        self._inside = gzip.GzipFile(fileobj=cast(IO[bytes], self._counted))
        self._path, self._seen = path, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        content = self._inside.read1(len(view))
        self._seen += len(content)
        if self._seen > _FREE and self._seen > MOST_UNPACKED * self._counted.read_so_far:
            problem = f"the gzipped file unpacks to more than {MOST_UNPACKED} times its size"
            raise UserError(problem, file=self._path, fix="unpack it yourself if you trust it")
        view[: len(content)] = content
        return len(content)


class _Counted:
    """Counts the bytes read, because a pipe has no position."""

    def __init__(self, plain: io.BufferedReader) -> None:
        self._plain, self.read_so_far = plain, 0

    def read(self, size: int = -1) -> bytes:
        content = self._plain.read(size)
        self.read_so_far += len(content)
        return content


def _decoded(raw: bytes, path: Path, line: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line += raw.count(b"\n", 0, error.start)
        raise UserError(
            f"byte {raw[error.start]:#04x} is not UTF-8", file=path, line=line, fix="save the file as UTF-8"
        ) from error


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file, unpacked where it is gzipped."""
    path = Path(path)
    with opened(path) as handle:
        large = path.stat().st_size > MOST_BYTES
        content = b"" if large else handle.read(MOST_BYTES + 1)
    if large or len(content) > MOST_BYTES:
        problem = f"the file is larger than {MOST_BYTES >> 20} MB, which is too large to be read as one"
        raise UserError(problem, file=path, fix="give a smaller one")
    return content


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, a byte-order mark left out."""
    return _decoded(read_bytes(path), Path(path), 1).removeprefix(_BYTE_ORDER_MARK)


def numbered_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Each line that is not blank, with its number from 1; line ends (LF or CRLF) left out.

    Only LF ends a line: a published dataset may contain U+2028 or U+0085 inside a sentence, where
    ``str.splitlines`` would break it. Lines are read one at a time, so memory stays flat.
    """
    path = Path(path)
    with opened(path) as handle:
        for number, raw in enumerate(iter(partial(handle.readline, LONGEST_LINE + 1), b""), start=1):
            if len(raw) > LONGEST_LINE:
                problem = f"the line is longer than {LONGEST_LINE >> 20} MB"
                raise UserError(problem, file=path, line=number, fix="check that it is the right file")
            line = _decoded(raw, path, number).rstrip("\r\n")
            if number == 1:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            if line and not line.isspace():
                yield number, line
