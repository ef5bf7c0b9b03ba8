"""What a group of people settled on for one item, and files of such labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files.tables import iter_rows, write_rows


@dataclass(frozen=True, slots=True)
class Label:
    """The outcome of adjudication for one item."""

    item: str
    """Id of the item as it was asked, or the name of its family."""
    instrument: str
    rule: str
    """Name of the rule that settled it."""
    value: str | None
    """What was settled; None where the item is dropped."""
    reason: str = ""
    """Why it is dropped, in the same words for every item dropped for that reason."""
    votes: Mapping[str, int] = field(default_factory=dict)
    """How many judged what, the labels in their own order."""
    share: float = 0.0
    """Part of the votes that went to the value; a probability under Dawid and Skene's model."""
    tie: bool = False
    """Whether the votes were even, so that the rule had to choose or to drop."""

    @property
    def people(self) -> int:
        """How many judgements stand behind it."""
        return sum(self.votes.values())


_FIELDS = tuple(f.name for f in fields(Label))


def label_from_dict(values: Mapping[str, Any]) -> Label:
    """A label from plain JSON values, checked."""
    missing = [name for name in ("item", "instrument", "rule", "value") if name not in values]
    if missing:
        raise UserError(f"the field {missing[0]!r} of a label is missing", fix="give what annotate export wrote")
    strange = [name for name in values if name not in _FIELDS]
    if strange:
        raise UserError(f"the field {strange[0]!r} of a label is unknown", fix=f"a label has {', '.join(_FIELDS)}")
    kinds: Sequence[tuple[str, Any, str]] = (
        ("item", str, "text"),
        ("instrument", str, "text"),
        ("rule", str, "text"),
        ("value", (str, type(None)), "text or null"),
        ("reason", str, "text"),
        ("votes", dict, "an object"),
        ("share", (int, float), "a number"),
        ("tie", bool, "true or false"),
    )
    for name, kind, told in kinds:
        if name in values and not isinstance(values[name], kind):
            raise UserError(f"the field {name!r} of a label is not {told}")
    if not all(type(count) is int for count in values.get("votes", {}).values()):
        raise UserError("the votes of a label are not whole numbers")
    return Label(**values)


def read_labels(path: str | Path) -> list[tuple[int, Label]]:
    """The labels of a JSON lines file with their lines."""
    path, found = Path(path), []
    lines: dict[str, int] = {}
    for line, row in iter_rows(path):
        try:
            label = label_from_dict(row)
            if label.item in lines:
                raise UserError(f"the item {label.item} has a label already in line {lines[label.item]}")
        except UserError as error:
            raise error.at(path, line) from None
        lines[label.item] = line
        found.append((line, label))
    if not found:
        raise UserError("there is no label", file=path, fix="give what annotate export wrote")
    return found


def write_labels(path: str | Path, labels: Iterable[Label]) -> None:
    """Write labels as JSON lines, or as a table for people (.csv, .tsv) that is not read back."""
    path = Path(path)
    write_rows(path, map(asdict, labels), _FIELDS)
