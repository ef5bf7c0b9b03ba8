"""Shared code of readers: numbered lines, counted repairs, bad lines that are reported or skipped; published votes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import orjson

from horsesense.core import Card, Item, Judgement, Probe, check_item
from horsesense.data import read_bytes
from horsesense.data.tables import Layout, cells_of, check_header, named_cells
from horsesense.errors import UserError, unknown
from horsesense.registry import load, provided

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_REPAIRS = {
    "\u00a0": (" ", "non-breaking spaces"),
    "\uff0c": (", ", "full-width commas"),
    # A GB 2312 quotation mark whose two bytes were read as Latin-1.
    "\u00a1\u00af": ("\u2019", "garbled quotation marks"),
    "\u00a1\u00ae": ("\u2018", "garbled quotation marks"),
}
_Value = TypeVar("_Value")
ItemOf = Callable[["Reading", dict[str, _Value], Path, int], Item]
"""From the values of a line, its file and its number to the item."""
_SPLIT = re.compile(r"(?<![a-z])(train|dev|eval|valid|test)(?![a-z])")


class Reading:
    """The items and notes of one import, as they grow.

    >>> reading = Reading(skip_bad=True)
    >>> with reading.line(Path("a.txt"), 1):
    ...     raise UserError("bad")
    >>> dict(reading.notes)
    {'bad lines skipped': 1}
    """

    def __init__(self, skip_bad: bool = False) -> None:
        self.skip_bad = skip_bad
        self.items: list[Item] = []
        self.notes: Counter[str] = Counter()
        self._names: Counter[str] = Counter()
        self.skipped: list[UserError] = []

    def lines(self, path: Path) -> list[tuple[int, bytes]]:
        """Yield the lines of a file with their numbers from 1; line ends are removed and counted."""
        content = read_bytes(path)
        if content.startswith(_BYTE_ORDER_MARK):
            self.notes["byte-order marks"] += 1
            content = content.removeprefix(_BYTE_ORDER_MARK)
        if not content.strip():
            raise UserError("the file is empty", file=path, fix="check that it was fetched whole")
        if not content.endswith(b"\n"):
            self.notes["no final newline"] += 1
        # Only LF ends a line: a sentence may hold U+2028 or U+0085, where splitlines would break it.
        lines = content.split(b"\n")
        while not lines[-1].strip():
            lines.pop()
        returns = sum(line.endswith(b"\r") for line in lines)
        if returns:
            self.notes["CRLF line ends"] += returns
        return [(number, line.removesuffix(b"\r")) for number, line in enumerate(lines, start=1)]

    @contextmanager
    def line(self, path: Path, number: int) -> Iterator[None]:
        """Report an error inside with file and line, or skip and count it; half a line is never stored."""
        notes, count = Counter(self.notes), len(self.items)
        try:
            yield
        except UserError as error:
            if not self.skip_bad:
                raise error.at(path, number) from None
            self.skipped.append(error.at(path, number))
            self.notes = notes
            del self.items[count:]
            self.notes["bad lines skipped"] += 1

    def add(self, item: Item) -> None:
        check_item(item)
        if len(set(item.options)) < len(item.options):
            self.notes["items with identical options"] += 1
        self.items.append(item)

    def add_json(self, paths: Sequence[Path], item_of: ItemOf[Any]) -> None:
        """Add the item of each line, which is a JSON object."""
        for path in paths:
            for number, raw in self.lines(path):
                with self.line(path, number):
                    self.add(item_of(self, json_of(raw), path, number))

    def add_rows(
        self, paths: Sequence[Path], columns: Sequence[str], item_of: ItemOf[str], delimiter: str, *, quoted: bool
    ) -> None:
        """Add the item of each row under the header of a CSV or TSV file."""
        for path in paths:
            header, lines = self.header(path, columns, delimiter, quoted=quoted)
            for number, raw in lines:
                with self.line(path, number):
                    self.add(item_of(self, row_of(raw, header, delimiter, quoted=quoted), path, number))

    def header(
        self, path: Path, columns: Sequence[str], delimiter: str, *, quoted: bool
    ) -> tuple[list[str], list[tuple[int, bytes]]]:
        """Return the checked header of a CSV or TSV file, and the lines under it."""
        first, *lines = self.lines(path)
        try:
            header = fields_of(first[1], delimiter, quoted=quoted)
        except UserError as error:
            raise error.at(path, 1) from None
        check_columns(header, columns, path)
        return header, lines

    def clean(self, text: str) -> str:
        """Repair known errors of published texts, and count each repair.

        >>> Reading().clean(" warm,\u00a0dry ")
        'warm, dry'
        """
        for wrong, (right, name) in _REPAIRS.items():
            count = text.count(wrong)
            if count:
                text = text.replace(wrong, right)
                self.notes[name] += count
        stripped = text.strip()
        if stripped != text:
            self.notes["texts with outer spaces"] += 1
        return stripped

    def unique(self, name: str) -> str:
        """Return the name, numbered where it was used before: a dataset may contain a line twice."""
        self._names[name] += 1
        return name if self._names[name] == 1 else f"{name} ({self._names[name]})"

    def probe(self, card: Card, paths: Sequence[Path]) -> Probe:
        """The probe of all items; an item that was read before is dropped and counted."""
        if not self.items:
            if self.skipped:
                raise self.skipped[0]
            raise UserError(f"the file has no item of {card.name}", file=paths[0], fix="check the file")
        items = {}
        for item in self.items:
            if item.id in items:
                self.notes["repeated items dropped"] += 1
            else:
                items[item.id] = item
        if contradicted := _contradicted(items.values()):
            self.notes["items asked elsewhere with another key"] = contradicted
        read = Probe.of(list(items.values()), card, dict(sorted(self.notes.items())))
        return replace(read, skipped=tuple(self.skipped))


def _contradicted(items: Iterable[Item]) -> int:
    """Return items whose question and options occur in another item with a different right answer."""
    keys: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for item in items:
        if item.answer is not None:
            question = (item.form, item.premise, item.text, *sorted(item.options))
            keys[question][item.options[item.answer]] += 1
    return sum(answers.total() for answers in keys.values() if len(answers) > 1)


def text_of(raw: bytes) -> str:
    """The text of a line, which must not be empty."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"byte {raw[error.start]:#04x} is not UTF-8", fix="save the file as UTF-8") from None
    if not text.strip():
        raise UserError("the line is empty", fix="remove it")
    return text


def json_of(raw: bytes) -> dict[str, Any]:
    """The JSON object of a line."""
    try:
        values = orjson.loads(text_of(raw))
    except orjson.JSONDecodeError as error:
        raise UserError(f"the line is not JSON: {error.msg}", fix="repair or remove it") from None
    if not isinstance(values, dict):
        raise UserError("the line is not a JSON object", fix="check that it is a file of this dataset")
    return values


def fields_of(raw: bytes, delimiter: str, *, quoted: bool) -> list[str]:
    """The fields of one line of a CSV or TSV file."""
    return cells_of(text_of(raw), Layout(delimiter, quoted))


def row_of(raw: bytes, header: Sequence[str], delimiter: str, *, quoted: bool) -> dict[str, str]:
    """One line of a CSV or TSV file by column name."""
    return named_cells(fields_of(raw, delimiter, quoted=quoted), header, "repair or remove it", called="line")


def check_columns(header: Sequence[str], wanted: Sequence[str], path: Path) -> None:
    """Check that the first line names the columns of the dataset, each once."""
    missing = [name for name in wanted if name not in header]
    if missing:
        raise UserError(
            f"the column {missing[0]!r} is missing", file=path, line=1, fix=f"the columns are {', '.join(wanted)}"
        )
    check_header(header, path)


def whole_number(value: object, name: str, most: int) -> int:
    """A number from 0 to ``most``, given as a number or as its digits.

    >>> whole_number("3", "label", 4), whole_number(3, "label", 4)
    (3, 3)
    """
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,4}", value):
        value = int(value)
    if type(value) is not int or not 0 <= value <= most:
        raise UserError(f"the {name} {value!r} is not a number from 0 to {most}")
    return value


def text_field(values: dict[str, Any], name: str) -> str:
    """A field of a JSON object that must hold text."""
    value = values.get(name)
    if not isinstance(value, str) or not value.strip():
        problem = "is missing" if value is None else "is not text" if not isinstance(value, str) else "is empty"
        raise UserError(f"the field {name!r} {problem}", fix="check that it is a file of this dataset")
    return value


def stem_of(path: Path) -> str:
    """The file's name without its endings.

    >>> stem_of(Path("a/train.jsonl.gz"))
    'train'
    """
    return path.name.partition(".")[0]


def split_of(path: Path) -> dict[str, str]:
    """Return the split in a file's name as a facet; empty where there is none.

    >>> split_of(Path("nli_style_dev.jsonl.gz")), split_of(Path("ca.txt"))
    ({'split': 'dev'}, {})
    """
    match = _SPLIT.search(stem_of(path).lower())
    return {"split": match[1]} if match else {}


def names_of(paths: Sequence[Path]) -> str:
    """The files of an import in a few words."""
    names = [path.name for path in paths]
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"


@dataclass(frozen=True, slots=True)
class ReleasedVotes:
    """Published judgements, and the items that they are about."""

    probe: Probe
    """The items as people saw them; its card's notes count what was repaired."""
    judgements: tuple[Judgement, ...]


def read_votes(name: str, paths: Sequence[Path], *, skip_bad: bool = False) -> ReleasedVotes:
    """Read published judgements; a bad line is reported with file and line, or skipped and counted."""
    known = provided("votes")
    if name not in known:
        raise unknown("release of judgements", name, known)
    if not paths:
        raise UserError(f"no file was given for {name}")
    votes: ReleasedVotes = load(known[name])(paths, skip_bad)
    return votes
