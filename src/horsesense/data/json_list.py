"""A JSON file that is one long list, read element by element: memory stays flat however long the list is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import IO, Any

from horsesense.data.text import opened
from horsesense.errors import UserError

_CHUNK = 1 << 14
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DEEPEST = 10_000
"""Brackets that may be open at a time, those in texts among them: at 100,000 a file of 200 KB takes 25 GB to read."""


def json_elements(path: str | Path, chunk: int = _CHUNK) -> Iterator[Any]:
    """The elements of the list, one at a time; a file that is not a list, or is truncated, is an error.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> _ = path.write_text('[{"a": 1}, [2.5], "three"]')
    >>> list(json_elements(path, chunk=5))
    [{'a': 1}, [2.5], 'three']
    """
    import ijson

    path, count = Path(path), 0
    with opened(path) as handle:
        try:
            for element in ijson.items(_List(handle, path), "item", use_float=True, buf_size=chunk):
                yield element
                count += 1
        except (ijson.JSONError, UnicodeDecodeError) as error:
            if isinstance(error, UnicodeDecodeError) or "UTF8" in str(error):
                raise UserError("the file is not UTF-8", file=path, fix="save the file as UTF-8") from error
            raise UserError(
                f"the JSON list is damaged or cut off after {count:,} elements", file=path, fix="get it again"
            ) from error


class _List:
    """The bytes of a file from the bracket on that opens the list; a pipe cannot be wound back to it."""

    def __init__(self, handle: IO[bytes], path: Path) -> None:
        self._handle, self._path, self._open = handle, path, 0
        first = handle.read(1)
        if first == _BYTE_ORDER_MARK[:1] and handle.read(2) == _BYTE_ORDER_MARK[1:]:
            first = handle.read(1)
        while first.isspace():
            first = handle.read(1)
        if first not in (b"[", b""):
            raise UserError("the file is not a JSON list", file=path, fix="check that it is the right file")
        self._start = first

    def read(self, size: int) -> bytes:
        if not size or not self._start:
            return self._checked(self._handle.read(size))
        start, self._start = self._start, b""
        return start

    def _checked(self, part: bytes) -> bytes:
        """Refuse what is nested too deep before the parser sees it: it keeps the whole path of every level."""
        opened, closed = (part.count(first) + part.count(second) for first, second in ((b"[", b"{"), (b"]", b"}")))
        if self._open + opened > _DEEPEST and self._open + _deepest(part) > _DEEPEST:
            raise UserError("the JSON is nested too deep", file=self._path, fix="check that it is the right file")
        self._open += opened - closed
        return part


def _deepest(part: bytes) -> int:
    """The most brackets that are open at a time, of those that a stretch opens itself.

    >>> _deepest(b'[[1], {"a": [2]}]')
    3
    """
    return max(accumulate(1 if each in b"[{" else -1 for each in part if each in b"[]{}"), default=0)
