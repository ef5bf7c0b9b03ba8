"""Samples of logs, and helpers for log readers: golds, options and columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from string import ascii_uppercase
from typing import Any

import orjson

from horsesense.core import Facet, Item, check_item
from horsesense.core.item import OPEN
from horsesense.core.item_file import item_from_dict
from horsesense.errors import UserError, argument

ANOTHER = f"choose another {argument('out')}"
_LONGEST = 60
"""Maximum length of a facet value."""
_MOST_VALUES = 50
"""Maximum number of values of a facet."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer of one model to one item."""

    task: str
    model: str
    item: Item
    scores: tuple[float, ...] = ()
    """One log-likelihood per option; empty for a generated reply."""
    parsed: int | None = None
    """Option parsed from a generated reply; None if none was."""
    said: str = ""
    """The reply."""
    why: str = ""
    """How the option was parsed."""
    repeat: int = 0
    """Number of the repeat, from 0."""
    columns: Mapping[str, Facet] = field(default_factory=dict)
    """Other columns of the item."""
    group: str = ""
    """The cluster named on the probe's card, for an exported probe."""

    @property
    def format(self) -> str:
        """Prompt format."""
        return "loglikelihood" if self.scores else "generate"


@dataclass(slots=True)
class Columns:
    """The columns of the items of a task, and which of them can be facets."""

    rows: int = 0
    values: dict[str, set[Facet] | None] = field(default_factory=dict)
    """Column → its values; None if there are too many."""
    kinds: dict[str, set[type]] = field(default_factory=dict)

    def see(self, columns: Mapping[str, Facet]) -> None:
        self.rows += 1
        for name, value in columns.items():
            self.kinds.setdefault(name, set()).add(type(value))
            seen = self.values.setdefault(name, set())
            if seen is None:
                continue
            seen.add(value)
            if len(seen) > _MOST_VALUES or (isinstance(value, str) and len(value) > _LONGEST):
                self.values[name] = None

    @property
    def names(self) -> list[str]:
        return list(self.values)

    def facets(self) -> list[str]:
        """Return columns with few, repeated values."""
        return [name for name, seen in self.values.items() if seen is not None and 2 * len(seen) <= max(self.rows, 4)]

    def shown(self, name: str, value: Facet) -> Facet:
        """Return a facet value, of one type in all items."""
        kinds = self.kinds[name]
        if len(kinds) == 1:
            return value
        return float(value) if kinds <= {int, float} else str(value)


def plain_columns(values: Mapping[str, Any], without: Sequence[str] = ()) -> dict[str, Facet]:
    """Return the values that are strings, numbers or booleans."""
    return {
        str(name): value
        for name, value in values.items()
        if name not in without
        and (
            isinstance(value, str | bool)
            or (type(value) is int and abs(value) < 2**63)
            or (type(value) is float and isfinite(value))
        )
    }


def own_item(written: Any) -> Item | None:
    """Return the item that an exported probe includes; None for other logs."""
    if not isinstance(written, str) or not written.startswith("{"):
        return None
    try:
        values = orjson.loads(written)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(values, dict) or not {"probe", "form", "options"} <= values.keys():
        return None
    return item_from_dict(values)


def of_ours(beside: Mapping[str, Any], task: str, model: str, item: Item, **answered: Any) -> Sample:
    """Make a sample of an exported probe, with its name and cluster."""
    name, group = (value if isinstance(value := beside.get(key), str) else "" for key in ("probe", "group"))
    return Sample(name or task, model, item, group=group, **answered)


def number_of(value: Any, what: str) -> float:
    """Return a finite number from a number or a string.

    >>> number_of("-3.5", "score"), number_of(2, "score")
    (-3.5, 2.0)
    """
    if type(value) in (int, float, str):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise UserError(f"the {what} {str(value)[:40]!r} is not a number") from None
        if isfinite(number):
            return number
    raise UserError(f"the {what} {str(value)[:40]!r} is not a finite number")


def gold_of(written: Any, options: Sequence[str]) -> int | None:
    """Return the gold option by its index, letter or text; None if there is none.

    >>> gold_of("1", ("a", "b")), gold_of("B", ("ice", "fire")), gold_of("ice", ("ice", "fire")), gold_of(None, ("a",))
    (1, 1, 0, None)
    """
    if isinstance(written, list) and len(written) == 1:
        written = written[0]
    if written is None or written == "":
        return None
    if type(written) is int:
        return _in_range(written, options)
    if type(written) is float and written.is_integer():
        return _in_range(int(written), options)
    if isinstance(written, str):
        text = written.strip()
        stripped = [option.strip() for option in options]
        if stripped.count(text) == 1:
            return stripped.index(text)
        if re.fullmatch(r"-?[0-9]{1,4}", text):
            return _in_range(int(text), options)
        if len(text) == 1 and text.upper() in ascii_uppercase:
            return _in_range(ascii_uppercase.index(text.upper()), options)
    raise UserError(f"the gold {str(written)[:60]!r} is not one of the {len(options)} options")


def _in_range(index: int, options: Sequence[str]) -> int | None:
    if index == -1:  # many datasets write an unknown gold as -1
        return None
    if not 0 <= index < len(options):
        raise UserError(f"the gold {index} is out of range: there are {len(options)} options")
    return index


def open_item(probe: str, text: str, gold: str) -> Item:
    """Make an item without options: the gold and everything else; chance is 0."""
    return checked(Item(probe=probe, form="choice", text=text or "?", options=(gold.strip() or "?", OPEN), answer=0))


def checked(item: Item) -> Item:
    """Check an item, and return it."""
    check_item(item)
    return item


def probe_name_of(task: str) -> str:
    """Return the name of a probe from the name of a task.

    >>> probe_name_of("mmlu/anatomy 2")
    'mmlu-anatomy-2'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", task).strip("-._") or "log"
