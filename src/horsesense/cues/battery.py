"""Definition of cues, their registry, and the accuracy of answering by a cue.

A new cue is one function over the `Table` with a one-line docstring and a decorator; importing its module in `battery`
registers it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats, Ints, Scores, spread
from horsesense.errors import UserError
from horsesense.registry import Plugin, require_plugin

Bools = NDArray[np.bool_]

_WORTH_SORTING = 1_000_000
_PSEUDO = 2.0
"""Pseudo-count of a category: it starts as if observed twice and correct at chance rate."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Categories of options, whose association with the key is learnt; an option may have none, one or many."""

    codes: Ints
    """Category of each entry."""
    option: Ints
    """Flat index of the option of each entry, increasing."""


@dataclass(frozen=True, slots=True)
class Number:
    """A cue that assigns a number to each option; whether the maximum or the minimum wins is learnt."""

    name: str
    about: str
    """One-line description of the number."""
    most: str
    """Answering rule in words: "the option …"."""
    least: str
    compute: Callable[[Table], Floats] = field(repr=False)
    """Function from the table to flat numbers; nan for options without one."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """A cue of categories whose association with the key is learnt from other items."""

    name: str
    about: str
    most: str
    """Answering rule in words: "the option …"."""
    compute: Callable[[Table], Keys] = field(repr=False)


Cue = Number | Learnt

_BATTERY: dict[str, Cue] = {}


def number(most: str, least: str) -> Callable[[Callable[[Table], Floats]], Callable[[Table], Floats]]:
    """Register a function that assigns a number to each option."""

    def register(compute: Callable[[Table], Floats]) -> Callable[[Table], Floats]:
        name, about = _named(compute)
        _BATTERY[name] = Number(name, about, most, least, compute)
        return compute

    return register


def learnt(most: str) -> Callable[[Callable[[Table], Keys]], Callable[[Table], Keys]]:
    """Register a function that assigns categories to each option."""

    def register(compute: Callable[[Table], Keys]) -> Callable[[Table], Keys]:
        name, about = _named(compute)
        _BATTERY[name] = Learnt(name, about, most, compute)
        return compute

    return register


def _named(compute: Callable[..., object]) -> tuple[str, str]:
    if not compute.__module__.startswith("horsesense."):  # it would silently enter every verdict
        raise TypeError("an external cue must be a Number or a Learnt; the decorators are for the battery")
    about = (compute.__doc__ or "").strip().partition("\n")[0]
    return compute.__name__.replace("_", " "), about


def battery() -> list[Cue]:
    """Return all cues in the order of their modules; the order breaks ties between cues of equal accuracy."""
    from horsesense.cues import generality, question, surface, taxonomy_relations, word_choice, word_forms

    assert all((generality, question, surface, taxonomy_relations, word_choice, word_forms))
    return list(_BATTERY.values())


def given(name: str, scores: Sequence[Sequence[float]], items: Sequence[object]) -> Number:
    """Make a cue from given numbers, one list per item, such as a model's scores without the question."""
    if len(scores) != len(items):
        raise UserError(f"the cue {name!r} has scores for {len(scores)} items of {len(items)}")
    by_item: Mapping[int, Sequence[float]] = {id(item): row for item, row in zip(items, scores, strict=True)}

    def compute(table: Table) -> Floats:
        return np.array([value for item in table.items for value in by_item[id(item)]], dtype=np.float64)

    return Number(name, "numbers given by the caller", f"with the highest {name}", f"with the lowest {name}", compute)


def keys(codes: Ints, where: Ints | None = None) -> Keys:
    """Return one category per option; a negative code means none.

    >>> keys(np.array([4, -1, 2])).option.tolist()
    [0, 2]
    """
    option = np.arange(len(codes)) if where is None else where
    has_code = codes >= 0
    return Keys(codes[has_code], option[has_code])


NO_KEYS = Keys(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def with_label(table: Table, codes: Ints) -> Keys:
    """Cross a code per item (negative for none) with each option that it could indicate.

    This is meaningful only if the options come from a small set: labels, or "more" and "less".
    """
    if not table.closed:
        return NO_KEYS
    flat = codes[table.item_of]
    return keys(np.where(flat >= 0, flat * len(table.texts) + table.text_of, -1))


def shares(table: Table, scores: Scores) -> tuple[Floats, Bools]:
    """Return the flat credit of each option if it is correct, and per item whether the cue separates the options.

    The highest options share one point. An item earns chance if all options tie or fewer than two have a number: the
    cue abstains.
    """
    known = ~np.isnan(scores)
    filled = np.where(known, scores, -np.inf)
    best = filled == highest(table, filled)[table.item_of]
    ties = counted(table, best)
    covered = (ties < table.counts) & (counted(table, known) >= 2)
    point = np.where(covered, 1.0 / ties, table.chance)[table.item_of]
    return np.where(covered[table.item_of] & ~best, 0.0, point), covered


def credit(table: Table, scores: Floats, gold: Ints) -> Floats:
    """Return the credit per item of scores without nan: the `shares` of the gold alone, in half the time."""
    best = scores == highest(table, scores)[table.item_of]
    return np.asarray(best[gold] / counted(table, best))


def highest(table: Table, values: Scores) -> Scores:
    """Return the largest flat value of each item. Columns are much faster than ``reduceat`` on short rows."""
    if not table.even:
        return np.maximum.reduceat(values, table.starts[:-1])
    wide = values.reshape(len(table), -1)
    top = wide[:, 0].copy()
    for column in range(1, wide.shape[1]):
        np.maximum(top, wide[:, column], out=top)
    return top


def counted(table: Table, values: Bools) -> Ints:
    """Count the true flat values of each item."""
    if not table.even:
        return np.add.reduceat(values, table.starts[:-1], dtype=np.int64)
    wide = values.reshape(len(table), -1)
    total = wide[:, 0].astype(np.int64)
    for column in range(1, wide.shape[1]):
        total += wide[:, column]
    return total


@dataclass(frozen=True, slots=True)
class Offered:
    """Category counts of some items, pseudo-counts included."""

    shown: Floats
    """Number of occurrences."""
    right: Floats
    """Prior number of correct occurrences."""
    base: Floats
    """Log odds of being correct by chance."""
    asked: Ints | slice
    """Entries to score: all of them, or those of the items to be answered."""


class Learner:
    """A cue of categories that can be trained on any part of the items."""

    def __init__(self, table: Table, keys: Keys) -> None:
        self.table = table
        self.keys = keys
        self.empty = not len(keys.codes)
        codes = keys.codes
        if len(codes) < _WORTH_SORTING or codes.max(initial=0) > 2 * len(
            codes
        ):  # otherwise gaps cost less than sorting
            codes = np.unique(codes, return_inverse=True)[1]
        self._codes: Ints = codes
        self._size = int(codes.max(initial=0)) + 1
        self._option = keys.option
        self._entry_item = table.item_of[keys.option]
        self._expected = table.chance[self._entry_item]
        # Most cues have exactly one category per option: its weight is the score, without a sum.
        self._single = len(codes) == len(table.text_of) and bool((keys.option == np.arange(len(codes))).all())
        self._starts = np.searchsorted(keys.option, np.arange(len(table.text_of) + 1))

    def take(self, table: Table, chosen: Ints) -> Learner:
        """Restrict the cue to some items; ``table`` is that of the items ``chosen``."""
        first = np.full(len(self.table), -1, dtype=np.int64)
        first[chosen] = table.starts[:-1]
        moved = first[self._entry_item]
        inside = moved >= 0
        option = (moved + self.keys.option - self.table.starts[:-1][self._entry_item])[inside]
        order = np.argsort(option, kind="stable")
        return Learner(table, Keys(self.keys.codes[inside][order], option[order]))

    def offered(self, train: Bools, asked: Bools | None = None) -> Offered:
        """Count the categories in ``train``, whatever the key; only options of ``asked`` items will be scored."""
        seen = train[self._entry_item].astype(np.float64)
        offered_rows, expected = self._sum(seen), self._sum(seen * self._expected)
        rate = np.divide(expected, offered_rows, out=np.full(self._size, 0.5), where=offered_rows > 0)
        indices = slice(None) if asked is None else np.flatnonzero(asked[self._entry_item])
        return Offered(offered_rows + _PSEUDO, _PSEUDO * rate, np.log(rate / (1 - rate)), indices)

    def scores(self, train: Bools, gold: Ints, offered: Offered | None = None) -> Floats:
        """Return the flat log odds of each option being correct, relative to chance, summed over its categories.

        ``gold`` is an argument so that a permutation test can learn from a shuffled key.
        """
        known = self.offered(train) if offered is None else offered
        golds = gold[train]
        entries = golds if self._single else spread(np.diff(self._starts)[golds], self._starts[golds])[1]
        right = np.bincount(self._codes[entries], minlength=self._size) + known.right
        # Equal sums of logarithms may differ in the last digit; ties must be preserved.
        worth = (np.log(right / (known.shown - right)) - known.base).round(9)
        scores: Floats = worth[self._codes[known.asked]]
        if self._single:
            flat = np.zeros(len(self.table.text_of))
            flat[known.asked] = scores
            return flat
        option = self._option[known.asked]
        summed = np.bincount(option, weights=scores, minlength=len(self.table.text_of)).astype(np.float64)
        return summed.round(9)

    def _sum(self, values: Floats) -> Floats:
        return np.bincount(self._codes, weights=values, minlength=self._size).astype(np.float64)


def number_scores(table: Table, cue: Number) -> Floats:
    """Return the numbers of a cue; labels of a pair have none, because their wording is uninformative."""
    return np.where(table.labels, np.nan, cue.compute(table))


def in_item_rank(table: Table, scores: Scores) -> NDArray[np.float32]:
    """Return flat ranks within items, from -1 (lowest) to 1 (highest); 0 for options without a number.

    >>> from horsesense.core import Item
    >>> from horsesense.cues.table import table_of
    >>> table = table_of([Item(probe="p", form="choice", text="?", options=("a", "b", "c"), answer=0)])
    >>> in_item_rank(table, np.array([5.0, 7.0, 5.0])).tolist()
    [-0.5, 1.0, -0.5]
    """
    wide = np.full((len(table), int(table.counts.max())), np.nan)
    inside = np.arange(wide.shape[1]) < table.counts[:, None]
    wide[inside] = scores
    above = np.zeros_like(wide)
    for column in range(wide.shape[1]):
        other = wide[:, column : column + 1]
        above += (other < wide).astype(np.float64) - (other > wide)
    return (above / (table.counts[:, None] - 1))[inside].astype(np.float32)


def phrase(cue: Cue, direction: int) -> str:
    """Return the answering rule of a cue in words: "the option …". Direction 0 is the maximum, 1 the minimum."""
    return cue.least if isinstance(cue, Number) and direction else cue.most


def foreign(name: str) -> Cue:
    """Return the cue of that name, labelled with its package; its output is checked."""
    plugin = require_plugin("cues", name)
    cue = plugin.load(object, "anything")
    if not isinstance(cue, Number | Learnt):
        raise plugin.another(cue, "a Number or a Learnt")
    called = {"name": f"{name} ({plugin.origin})", "about": f"{cue.about} (from {plugin.origin})"}
    called["most"] = f"{cue.most} ({plugin.package})"
    if isinstance(cue, Number):
        return replace(cue, **called, least=f"{cue.least} ({plugin.package})", compute=_checked_numbers(plugin, cue))
    return replace(cue, **called, compute=_checked_keys(plugin, cue))


def _checked_numbers(plugin: Plugin, cue: Number) -> Callable[[Table], Floats]:
    def compute(table: Table) -> Floats:
        numbers = plugin.made(cue.compute, np.ndarray, table)
        if numbers.shape != table.text_of.shape or numbers.dtype.kind not in "fiu":
            raise plugin.wrong("does not give one number per option")
        return numbers.astype(np.float64)

    return compute


def _checked_keys(plugin: Plugin, cue: Learnt) -> Callable[[Table], Keys]:
    def compute(table: Table) -> Keys:
        result = plugin.made(cue.compute, Keys, table)
        rising = result.codes.shape == result.option.shape and bool((np.diff(result.option) >= 0).all())
        if not rising or (len(result.option) and not 0 <= result.option[0] <= result.option[-1] < len(table.text_of)):
            raise plugin.wrong("does not give an option for each category, in increasing order")
        return result

    return compute
