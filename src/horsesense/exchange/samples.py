"""One sample of a log, and what readers of logs share: golds, options and columns however they are written."""

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
from horsesense.core.jsonl import item_from_dict
from horsesense.errors import UserError, argument

ANOTHER = f"choose another {argument('out')}"
_LONGEST = 60
"""Characters of a value to slice by."""
_MOST_VALUES = 50
"""Values of a column to slice by."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one model answered to one item, once."""

    task: str
    model: str
    item: Item
    scores: tuple[float, ...] = ()
    """One log-likelihood an option; empty where it was asked in words."""
    parsed: int | None = None
    """Of a reply in words: the option that it names; None where none was made out."""
    said: str = ""
    """The reply."""
    why: str = ""
    """Who says so: the tool's own scorer."""
    repeat: int = 0
    """Which of several times, from 0."""
    columns: Mapping[str, Facet] = field(default_factory=dict)
    """What else the log says of the item."""
    group: str = ""
    """The unit of dependence that the probe's card names, where it is a probe of ours."""

    @property
    def format(self) -> str:
        """Prompt format."""
        return "loglikelihood" if self.scores else "generate"


@dataclass(slots=True)
class Columns:
    """The columns that came with the items of a task, and which of them are worth slicing by."""

    rows: int = 0
    values: dict[str, set[Facet] | None] = field(default_factory=dict)
    """Column → its values; None where there are too many."""
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
        """Those with few values, each of which comes again."""
        return [name for name, seen in self.values.items() if seen is not None and 2 * len(seen) <= max(self.rows, 4)]

    def shown(self, name: str, value: Facet) -> Facet:
        """A value as a facet has it: of one kind in all items."""
        kinds = self.kinds[name]
        if len(kinds) == 1:
            return value
        return float(value) if kinds <= {int, float} else str(value)


def plain_columns(values: Mapping[str, Any], without: Sequence[str] = ()) -> dict[str, Facet]:
    """The values that are text, numbers, true or false."""
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
    """The whole item, where the log is of a probe of ours; None where it is not."""
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
    """A sample of a probe of ours: what runs call it, and its unit of dependence, travel beside the item."""
    name, group = (value if isinstance(value := beside.get(key), str) else "" for key in ("probe", "group"))
    return Sample(name or task, model, item, group=group, **answered)


def number_of(value: Any, what: str) -> float:
    """A finite number, written as one or as text.

    >>> number_of("-3.5", "score"), number_of(2, "score")
    (-3.5, 2.0)
    """
    if type(value) in (int, float, str):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise UserError(f"the {what} {str(value)[:40]!r} is no number") from None
        if isfinite(number):
            return number
    raise UserError(f"the {what} {str(value)[:40]!r} is no finite number")


def gold_of(written: Any, options: Sequence[str]) -> int | None:
    """The right option by its place, letter or text; None where nothing is said.

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
    raise UserError(f"the gold {str(written)[:60]!r} is none of the {len(options)} options")


def _in_range(place: int, options: Sequence[str]) -> int | None:
    if place == -1:  # how many sets say that nobody knows
        return None
    if not 0 <= place < len(options):
        raise UserError(f"the gold {place} is out of range: there are {len(options)} options")
    return place


def open_item(probe: str, text: str, gold: str) -> Item:
    """A question without options: the gold, and all else. Nothing is earned by guessing."""
    return checked(Item(probe=probe, form="choice", text=text or "?", options=(gold.strip() or "?", OPEN), answer=0))


def checked(item: Item) -> Item:
    check_item(item)
    return item


def probe_name_of(task: str) -> str:
    """A task as the name of a probe.

    >>> probe_name_of("mmlu/anatomy 2")
    'mmlu-anatomy-2'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", task).strip("-._") or "log"
