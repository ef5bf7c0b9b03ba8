"""Statistics of replies: what became of the questions, and whether the position of an option mattered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from horsesense.core.answer_columns import StoredReplies
from horsesense.core.arrow import offsets_of, places_in
from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.formatting import p_value
from horsesense.runs.item_columns import ItemColumns
from horsesense.stats import Estimate, accuracy
from horsesense.stats.resampling import NOTHING, Floats

BIASED = 0.01
"""Significance level of position bias: every result has such a test."""
_Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PositionBias(Document):
    """Whether answers depend on where an option is shown. Orders are drawn by seed, so by chance all positions are
    chosen equally often."""

    shares: tuple[Estimate, ...]
    """Share of the answers that chose the option shown first, second …; its chance is the share without bias."""
    bias: float
    """Half the sum of absolute differences from chance; 0 without bias, 1 - 1/n always the same of n positions."""
    p: float
    """Probability of shares at least this uneven without bias: chi-square, items as clusters."""


@dataclass(frozen=True, slots=True)
class ReplyStatistics(Document):
    """What became of the questions, and position bias."""

    n: int
    """Replies: items × orders × samples."""
    parsed: int
    """Replies that name an option."""
    outcomes: Mapping[str, int]
    """Outcome → replies: answered, refused, filtered, cut off, unparsed, empty, failed."""
    why: Mapping[str, int]
    """The rule that parsed a reply, or why none did → count."""
    bounded: int
    """Letters that the server did not list, of which only an upper bound is known."""
    letters: float | None
    """Letters: mean probability that the next token is one of the offered letters; null for generation."""
    position: PositionBias | None
    """Position bias; null where nothing was parsed or orders are not known."""
    stable: float | None
    """Share of the items with the same choice in every order; null where one order was shown."""
    tokens: int
    """Tokens of all replies, thoughts included."""


def reply_statistics(columns: ItemColumns, replies: StoredReplies) -> ReplyStatistics:
    """Compute the statistics of the replies to some items."""
    names = ("item", "order", "parsed", "outcome", "why", "bounded", "logprobs", "tokens")
    table = replies.columns(*names)
    index = places_in(columns.ids, [table["item"]])
    table = {name: column.filter(index >= 0) for name, column in table.items()}
    index = index[index >= 0]
    parsed = table["parsed"].fill_null(-1).to_numpy().astype(np.int64)
    if (strange := parsed >= columns.options[index]).any():
        item = columns.ids[int(index[strange.argmax()])]
        raise UserError(
            f"a reply names an option that the item {item} does not have", fix="run it again in another folder"
        )
    begins, orders = (
        offsets_of(table["order"]),
        table["order"].flatten().to_numpy().astype(np.int64),
    )
    first = np.append(orders, -1)[begins[:-1]]
    first[np.diff(begins) == 0] = -1
    return ReplyStatistics(
        n=len(index),
        parsed=int((parsed >= 0).sum()),
        outcomes=_counts(table["outcome"]),
        why=_counts(table["why"]),
        bounded=table["bounded"].flatten().true_count,
        letters=_letters(table),
        position=_position(columns, index, parsed, begins, orders),
        stable=_stable(index, first, parsed),
        tokens=int(table["tokens"].to_numpy().sum()),
    )


def _counts(column: Any) -> dict[str, int]:
    pairs = {each["values"]: each["counts"] for each in column.value_counts().to_pylist()}
    return dict(Counter(pairs).most_common())


def _letters(table: Mapping[str, Any]) -> float | None:
    lengths = np.diff(offsets_of(table["logprobs"]))
    if not lengths.any():
        return None
    values = table["logprobs"].flatten().to_numpy()
    known = ~table["bounded"].flatten().to_numpy(zero_copy_only=False)
    return float((np.exp(values) * known).sum() / (lengths > 0).sum())


def _position(
    columns: ItemColumns, index: _Numbers, parsed: _Numbers, begins: _Numbers, flat: _Numbers
) -> PositionBias | None:
    """Compare the positions of the chosen options with equal shares.

    Without bias, all orders of an item could as well have been rotated together by any number of positions. The
    covariance of an item's counts under these rotations gives a chi-square test with items as clusters.
    """
    # An item without options has no positions, and its score of guessing is 0.
    usable = (parsed >= 0) & (np.diff(begins) == columns.options[index]) & (columns.guesses[index] > 0)
    if not usable.any():
        return None
    most = int(columns.options[index[usable]].max())
    counts = np.zeros((len(columns.ids), most))
    expected, chi, freedom = np.zeros_like(counts), 0.0, 0
    for many in np.unique(columns.options[index[usable]]).tolist():
        here = np.flatnonzero(usable & (columns.options[index] == many))
        orders = flat[begins[here][:, None] + np.arange(many)]
        np.add.at(counts, (index[here], (orders == parsed[here][:, None]).argmax(axis=1)), 1.0)
        items = np.unique(index[here])
        own = counts[items, :many]
        expected[items, :many] = own.sum(axis=1, keepdims=True) / many
        turned = np.stack([np.roll(own, shift, axis=1) for shift in range(many)]) - expected[items, :many]
        spread = np.einsum("sia,sib->ab", turned, turned) / many
        apart = (own - expected[items, :many]).sum(axis=0)
        rank = int(np.linalg.matrix_rank(spread, tol=NOTHING**0.5 * len(items)))
        chi += float(apart @ np.linalg.pinv(spread, rcond=1e-9) @ apart)
        freedom += rank
    asked = counts.sum(axis=1) > 0
    shares: Floats = counts[asked] / counts[asked].sum(axis=1, keepdims=True)
    chance = (expected[asked] / counts[asked].sum(axis=1, keepdims=True)).mean(axis=0)
    estimates = tuple(
        accuracy(shares[:, position], columns.units[asked], float(chance[position])) for position in range(most)
    )
    bias = sum(abs(each.value - (each.chance or 0.0)) for each in estimates) / 2
    return PositionBias(estimates, bias, float(scipy.special.chdtrc(freedom, chi)) if freedom else 1.0)


def _stable(index: _Numbers, first: _Numbers, parsed: _Numbers) -> float | None:
    """Return the share of items, shown in several orders, whose replies all name the same option."""
    order = np.argsort(index, kind="stable")
    begins = np.flatnonzero(np.diff(index[order], prepend=-2))
    if not len(begins):
        return None
    turned, option = first[order], parsed[order]
    several = np.minimum.reduceat(turned, begins) < np.maximum.reduceat(turned, begins)
    least = np.minimum.reduceat(option, begins)
    same = (least >= 0) & (least == np.maximum.reduceat(option, begins))
    return float(same[several].mean()) if several.any() else None


def in_words(replies: ReplyStatistics) -> str:
    """Summarise in one line."""
    parts = [f"{replies.parsed:,} of {replies.n:,} name an option ({replies.parsed / max(1, replies.n):.1%})"]
    if lost := {name: count for name, count in replies.outcomes.items() if name != "answered"}:
        parts.append("the others: " + ", ".join(f"{name} {count:,}" for name, count in lost.items()))
    if replies.letters is not None:
        parts.append(f"the letters carry {replies.letters:.0%} of the probability")
    if replies.bounded:
        parts.append(f"{replies.bounded:,} letters with an upper bound only")
    if replies.stable is not None:
        parts.append(f"same choice in all orders {replies.stable:.2f}")
    return "; ".join(parts)


def position_in_words(position: PositionBias) -> str:
    """State the share of each position with its interval, and the test."""
    shares = ", ".join(f"{letter} {each}" for letter, each in zip(ascii_uppercase, position.shares, strict=False))
    finding = "position bias" if position.p < BIASED else "no significant position bias"
    return f"{finding}: chosen by position {shares}; bias {position.bias:.2f}, p {p_value(position.p)}"
