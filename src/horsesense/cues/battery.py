"""What a cue is, the list of them all, and what picking by one earns.

A new cue is one function over the `Table` with a one-line docstring and a decorator; importing its file in
`battery` puts it into the list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats, Ints, Scores, spread
from horsesense.errors import UserError

Bools = NDArray[np.bool_]

_WORTH_SORTING = 1_000_000
_PSEUDO = 2.0
"""A category starts as if seen twice and right as often as chance has it."""


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
    if not compute.__module__.startswith("horsesense."):  # it would enter every verdict unasked
        raise TypeError("a cue from elsewhere is a Number or a Learnt; the decorators are for the battery")
    about = (compute.__doc__ or "").strip().partition("\n")[0]
    return compute.__name__.replace("_", " "), about


def battery() -> list[Cue]:
    """All cues, in the order of their files: of two that earn the same the first is taken, so the order is kept."""
    from horsesense.cues import generality, question, surface, taxonomy_relations, word_choice, word_forms

    assert all((generality, question, surface, taxonomy_relations, word_choice, word_forms))
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


def shares(table: Table, scores: Scores) -> tuple[Floats, Bools]:
    """Flat: the credit an option earns if it is the right one; per item: whether the cue told the options apart.

    The best options share one point. An item earns chance where all options tie, or fewer than
    two have a number: the cue abstains.
    """
    known = ~np.isnan(scores)
    filled = np.where(known, scores, -np.inf)
    best = filled == highest(table, filled)[table.item_of]
    ties = counted(table, best)
    covered = (ties < table.counts) & (counted(table, known) >= 2)
    point = np.where(covered, 1.0 / ties, table.chance)[table.item_of]
    return np.where(covered[table.item_of] & ~best, 0.0, point), covered


def credit(table: Table, scores: Floats, gold: Ints) -> Floats:
    """Per item, what whole scores (no nan) earn: the `shares` of the gold alone, in half the time."""
    best = scores == highest(table, scores)[table.item_of]
    return np.asarray(best[gold] / counted(table, best))


def highest(table: Table, values: Scores) -> Scores:
    """Per item, the largest of its flat values. Columns are much faster than ``reduceat`` on short rows."""
    if not table.even:
        return np.maximum.reduceat(values, table.starts[:-1])
    wide = values.reshape(len(table), -1)
    top = wide[:, 0].copy()
    for column in range(1, wide.shape[1]):
        np.maximum(top, wide[:, column], out=top)
    return top


def counted(table: Table, values: Bools) -> Ints:
    """Per item, how many of its flat values are true."""
    if not table.even:
        return np.add.reduceat(values, table.starts[:-1], dtype=np.int64)
    wide = values.reshape(len(table), -1)
    total = wide[:, 0].astype(np.int64)
    for column in range(1, wide.shape[1]):
        total += wide[:, column]
    return total


@dataclass(frozen=True, slots=True)
class Offered:
    """What some items show of each category, pseudo-observations included."""

    shown: Floats
    """How often."""
    right: Floats
    """How often right before anything is seen."""
    base: Floats
    """Log odds of being right by chance."""
    asked: Ints | slice
    """The entries to score: all of them, or those of the items to be answered."""


class Learner:
    """A cue of categories, ready to learn from any part of the items."""

    def __init__(self, table: Table, keys: Keys) -> None:
        self.table = table
        self.keys = keys
        self.empty = not len(keys.codes)
        codes = keys.codes
        if len(codes) < _WORTH_SORTING or codes.max(initial=0) > 2 * len(codes):  # else gaps cost less than sorting
            codes = np.unique(codes, return_inverse=True)[1]
        self._codes: Ints = codes
        self._size = int(codes.max(initial=0)) + 1
        self._option = keys.option
        self._entry_item = table.item_of[keys.option]
        self._expected = table.chance[self._entry_item]
        # Most cues show exactly one category an option: then its worth is the score, without a sum.
        self._single = len(codes) == len(table.text_of) and bool((keys.option == np.arange(len(codes))).all())
        self._starts = np.searchsorted(keys.option, np.arange(len(table.text_of) + 1))

    def take(self, table: Table, chosen: Ints) -> Learner:
        """The same cue over some items only: ``table`` is that of the items ``chosen``."""
        first = np.full(len(self.table), -1, dtype=np.int64)
        first[chosen] = table.starts[:-1]
        moved = first[self._entry_item]
        kept = moved >= 0
        option = (moved + self.keys.option - self.table.starts[:-1][self._entry_item])[kept]
        order = np.argsort(option, kind="stable")
        return Learner(table, Keys(self.keys.codes[kept][order], option[order]))

    def offered(self, train: Bools, asked: Bools | None = None) -> Offered:
        """What ``train`` shows of each category, whatever its key; only options of ``asked`` items will be scored."""
        seen = train[self._entry_item].astype(np.float64)
        shown, expected = self._sum(seen), self._sum(seen * self._expected)
        rate = np.divide(expected, shown, out=np.full(self._size, 0.5), where=shown > 0)
        places = slice(None) if asked is None else np.flatnonzero(asked[self._entry_item])
        return Offered(shown + _PSEUDO, _PSEUDO * rate, np.log(rate / (1 - rate)), places)

    def scores(self, train: Bools, gold: Ints, offered: Offered | None = None) -> Floats:
        """Flat: the log odds that an option is right, against chance, summed over its categories.

        ``gold`` is given apart, so that a permutation test can learn from a shuffled key.
        """
        known = self.offered(train) if offered is None else offered
        golds = gold[train]
        entries = golds if self._single else spread(np.diff(self._starts)[golds], self._starts[golds])[1]
        right = np.bincount(self._codes[entries], minlength=self._size) + known.right
        # Sums of logarithms that are equal in truth may differ in the last digit; a tie must stay a tie.
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
    """The numbers of a cue; the labels of a pair have none, because their wording says nothing."""
    return np.where(table.labels, np.nan, cue.compute(table))


def in_item_rank(table: Table, scores: Scores) -> NDArray[np.float32]:
    """Flat: from -1 (least of its item) to 1 (most); 0 where there is no number.

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
    """How to pick by a cue: "the option …". Direction 0 is the most, 1 the least."""
    return cue.least if isinstance(cue, Number) and direction else cue.most
