"""A JSON file that is one long list, read element by element: memory stays flat however long the list is."""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files.text import opened

_CHUNK = 1 << 20
_SEPARATORS = re.compile(r"[,\s]*")


def json_elements(path: str | Path, chunk: int = _CHUNK) -> Iterator[Any]:
    """The elements of the list, one at a time; a file that is no list, or is cut off, is an error.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> _ = path.write_text('[{"a": 1}, [2], "three"]')
    >>> list(json_elements(path, chunk=5))
    [{'a': 1}, [2], 'three']
    """
    path = Path(path)
    decode, text, begun, count = json.JSONDecoder().raw_decode, "", False, 0
    with opened(path) as handle:
        bytes_to_text = getincrementaldecoder("utf-8-sig")()
        while True:
            raw, place = handle.read(chunk), 0
            try:
                text += bytes_to_text.decode(raw, final=not raw)
            except UnicodeDecodeError as error:
                raise UserError("the file is not UTF-8", file=path, fix="save the file as UTF-8") from error
            if not begun and text.strip():
                if text.lstrip()[0] != "[":
                    raise UserError("the file is not a JSON list", file=path, fix="check that it is the right file")
                begun, place = True, text.index("[") + 1
            while begun:
                place = _between(text, place)
                if text.startswith("]", place):
                    return
                try:
                    element, end = decode(text, place)
                except json.JSONDecodeError:
                    break  # it goes on in the next chunk, or is damaged
                # A number or word may go on in the next chunk; only what follows shows that it is whole.
                if end == len(text) and raw:
                    break
                yield element
                count, place = count + 1, end
            text = text[place:]
            if not raw:
                raise UserError(
                    f"the JSON list is damaged or cut off after {count:,} elements", file=path, fix="get it again"
                )


def _between(text: str, place: int) -> int:
    """The place where the next element begins, or the end of the text."""
    found = _SEPARATORS.match(text, place)
    return found.end() if found else place
