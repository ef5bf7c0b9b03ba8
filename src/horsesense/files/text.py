"""Reading text files, plain or gzipped, with errors that name the line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from horsesense.errors import UserError
from horsesense.files.disk import disk_errors

_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = "\ufeff"


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes; a gzipped file is unpacked on the way, whatever its name."""
    # Opened once: a pipe (``<(zcat …)``) would have lost its beginning at a second look.
    with disk_errors(path), path.open("rb") as plain:
        packed = plain.peek(2)[:2] == _GZIP_MAGIC
        try:
            yield cast(IO[bytes], gzip.GzipFile(fileobj=plain)) if packed else plain
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise UserError("the gzipped file is damaged", file=path, fix="get it again") from error


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
    with opened(Path(path)) as handle:
        return handle.read()


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, a byte-order mark left out."""
    return _decoded(read_bytes(path), Path(path), 1).removeprefix(_BYTE_ORDER_MARK)


def numbered_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Each line that is not blank, with its number from 1; line ends (LF or CRLF) left out.

    Only LF ends a line: a release may hold U+2028 or U+0085 inside a sentence, where
    ``str.splitlines`` would break it. Lines are read one at a time, so memory stays flat.
    """
    path = Path(path)
    with opened(path) as handle:
        for number, raw in enumerate(handle, start=1):
            line = _decoded(raw, path, number).rstrip("\r\n")
            if number == 1:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            if line and not line.isspace():
                yield number, line
