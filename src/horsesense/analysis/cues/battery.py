"""What a cue is, and the list of them all.

A new cue is one function over the `Table` with a one-line docstring and a decorator; importing
its file in `load` puts it into the battery.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from horsesense.analysis.cues.table import Table
from horsesense.analysis.cues.tokens import Floats, Ints
from horsesense.errors import UserError


@dataclass(frozen=True, slots=True)
class Keys:
    """What an option shows, as categories whose worth is learnt; an option may show none, one or many."""

    codes: Ints
    """The category of each entry."""
    option: Ints
    """The flat option it belongs to, in rising order."""


@dataclass(frozen=True, slots=True)
class Number:
    """A cue that gives each option a number; whether the most or the least wins is learnt."""

    name: str
    about: str
    """One line: what the number is."""
    most: str
    """How to tell a person to pick by it: "the option …"."""
    least: str
    compute: Callable[[Table], Floats] = field(repr=False)
    """Flat numbers, nan where it has none to give."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """A cue whose categories are right more or less often in other items."""

    name: str
    about: str
    most: str
    """How to tell a person to pick by it: "the option …"."""
    compute: Callable[[Table], Keys] = field(repr=False)


Cue = Number | Learnt

_BATTERY: dict[str, Cue] = {}


def number(most: str, least: str) -> Callable[[Callable[[Table], Floats]], Callable[[Table], Floats]]:
    """Put a function into the battery that gives each option a number."""

    def register(compute: Callable[[Table], Floats]) -> Callable[[Table], Floats]:
        name, about = _named(compute)
        _BATTERY[name] = Number(name, about, most, least, compute)
        return compute

    return register


def learnt(most: str) -> Callable[[Callable[[Table], Keys]], Callable[[Table], Keys]]:
    """Put a function into the battery that gives each option categories."""

    def register(compute: Callable[[Table], Keys]) -> Callable[[Table], Keys]:
        name, about = _named(compute)
        _BATTERY[name] = Learnt(name, about, most, compute)
        return compute

    return register


def _named(compute: Callable[..., object]) -> tuple[str, str]:
    about = (compute.__doc__ or "").strip().partition("\n")[0]
    return compute.__name__.replace("_", " "), about


def battery() -> list[Cue]:
    """All cues, in the order of their files."""
    from horsesense.analysis.cues import generality, logic, overlap, prior, shape, wording

    assert all((shape, wording, overlap, generality, prior, logic))
    return list(_BATTERY.values())


def given(name: str, scores: Sequence[Sequence[float]], items: Sequence[object]) -> Number:
    """A cue out of numbers that the caller has, one list an item: a model's score without the question, say."""
    if len(scores) != len(items):
        raise UserError(f"the cue {name!r} has scores for {len(scores)} items of {len(items)}")
    by_item: Mapping[int, Sequence[float]] = {id(item): row for item, row in zip(items, scores, strict=True)}

    def compute(table: Table) -> Floats:
        return np.array([value for item in table.items for value in by_item[id(item)]], dtype=np.float64)

    return Number(name, "numbers given by the caller", f"with the highest {name}", f"with the lowest {name}", compute)


def keys(codes: Ints, where: Ints | None = None) -> Keys:
    """One category an option; a negative one means none.

    >>> keys(np.array([4, -1, 2])).option.tolist()
    [0, 2]
    """
    place = np.arange(len(codes)) if where is None else where
    shown = codes >= 0
    return Keys(codes[shown], place[shown])


NO_KEYS = Keys(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def with_label(table: Table, codes: Ints) -> Keys:
    """What an item shows (one code an item, negative for nothing), crossed with each option it could mean.

    This makes sense only where the options come from a small set: labels, or "more" and "less".
    """
    if not table.closed:
        return NO_KEYS
    flat = codes[table.item_of]
    return keys(np.where(flat >= 0, flat * len(table.texts) + table.text_of, -1))
