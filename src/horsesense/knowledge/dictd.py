"""Dictionaries in the format of dictd: an index of words with places in one text, which dictzip packs as gzip does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import numbered_lines, read_bytes

_DIGITS = {c: n for n, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}


def dictd_files(folder: Path, name: str) -> tuple[Path, Path] | None:
    """Index and text of a dictionary in a folder, packed or not; None where one of them is missing."""
    index = folder / f"{name}.index"
    texts = [path for ending in ("dict.dz", "dict") if (path := folder / f"{name}.{ending}").is_file()]
    return (index, texts[0]) if index.is_file() and texts else None


def read_dictd(index: Path, text: Path) -> Iterator[str]:
    """The entries, each once, in the order of the text. Those about the dictionary itself are left out."""
    content = read_bytes(text)
    places: set[tuple[int, int]] = set()
    for number, line in numbered_lines(index):
        fields = line.split("\t")
        try:
            word, start, length = fields[0], _number(fields[1]), _number(fields[2])
        except (IndexError, KeyError) as error:
            fix = "get the file again"
            raise UserError("this is not a line of a dictd index", file=index, line=number, fix=fix) from error
        if start + length > len(content):
            raise UserError(f"the text ends before the entry {word!r}", file=text, fix="get the file again")
        if not word.startswith(("00-", "00database")):
            places.add((start, length))
    for start, length in sorted(places):
        yield content[start : start + length].decode("utf-8", "replace")


def _number(text: str) -> int:
    """A number in the digits of base 64.

    >>> _number("BA")
    64
    """
    value = 0
    for digit in text:
        value = value * 64 + _DIGITS[digit]
    return value
