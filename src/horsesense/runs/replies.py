"""Statistics of replies: how many were parsed, and whether the position of an option mattered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.core.arrow import places_in
from horsesense.core.document import Document
from horsesense.core.reply_columns import StoredReplies
from horsesense.errors import UserError
from horsesense.runs.item_columns import ItemColumns
from horsesense.stats.resampling import Floats

PARSED_RULES = {
    "best letter",
    "boxed",
    "letter alone",
    "stated",
    "leading letter",
    "option as it stands",
    "begins with the option",
    "letter named",
    "option named",
}
"""Rules that parse an option (`horsesense.scoring.reply_parsing`)."""
_Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ReplyStatistics(Document):
    """How replies were parsed, and position bias."""

    n: int
    """Replies: items × orders × samples."""
    parsed: int
    """Parsed replies; the others score 0."""
    why: Mapping[str, int]
    """The rule that parsed a reply, or why none did → count."""
    bounded: int
    """Letters that the server did not list, of which only an upper bound is known."""
    positions: tuple[float, ...]
    """Share of parsed replies that chose the option shown first, second …"""
    by_chance: tuple[float, ...]
    """The same shares if the position of an option did not matter."""
    bias: float
    """Position bias: half the sum of absolute differences of the two; 0 without bias, 1 - 1/n always the same of n
    positions."""
    stable: float | None
    """Share of the items with the same choice in every order; null where one order was shown."""


def reply_statistics(columns: ItemColumns, replies: StoredReplies) -> ReplyStatistics:
    """Compute the statistics. Under no bias, a position has the share of the options that were shown there, over all
    orders."""
    said = replies.columns("item", "rotation", "parsed", "why", "bounded")
    index = places_in(columns.ids, [said["item"]])
    said = {name: column.filter(index >= 0) for name, column in said.items()}
    index, rotation = index[index >= 0], said["rotation"].to_numpy().astype(np.int64)
    parsed = said["parsed"].fill_null(-1).to_numpy().astype(np.int64)
    if (strange := parsed >= columns.options[index]).any():
        item = columns.ids[int(index[strange.argmax()])]
        raise UserError(
            f"a reply names an option that the item {item} does not have", fix="run it again in another folder"
        )
    chosen, chance = _by_place(columns.options, index, rotation, parsed)
    whole = chosen.sum() or 1.0
    positions, expected = tuple((chosen / whole).tolist()), tuple((chance / whole).tolist())
    why = Counter({each["values"]: each["counts"] for each in said["why"].value_counts().to_pylist()})
    return ReplyStatistics(
        n=len(index),
        parsed=int((parsed >= 0).sum()),
        why=dict(why.most_common()),
        bounded=said["bounded"].flatten().true_count,
        positions=positions,
        by_chance=expected,
        bias=sum(abs(a - b) for a, b in zip(positions, expected, strict=True)) / 2,
        stable=_stable(index, rotation, parsed),
    )


def _by_place(options: _Numbers, index: _Numbers, rotation: _Numbers, parsed: _Numbers) -> tuple[Floats, Floats]:
    """Count how often the option shown first, second … was chosen, and how often it would be without position bias."""
    most = int(options.max())
    chosen, chance = np.zeros(most), np.zeros(most)
    made_out, counts = parsed >= 0, options[index]
    for count in np.unique(counts[made_out]).tolist():
        here = made_out & (counts == count)
        items, which = np.unique(index[here], return_inverse=True)
        option, turned = parsed[here], rotation[here] % count
        np.add.at(chosen, (option - turned) % count, 1.0)
        shape = len(items), count
        votes = np.bincount(which * count + option, minlength=len(items) * count).reshape(shape)
        orders = np.bincount(which * count + turned, minlength=len(items) * count).reshape(shape)
        shares = votes / votes.sum(axis=1, keepdims=True)
        for shown in range(count):
            # Option o is at this position in the order that is rotated by o - position.
            chance[shown] += (shares * orders[:, (np.arange(count) - shown) % count]).sum()
    return chosen, chance


def _stable(index: _Numbers, rotation: _Numbers, parsed: _Numbers) -> float | None:
    """Return the share of items, shown in several orders, whose replies all name the same option."""
    order = np.argsort(index, kind="stable")
    begins = np.flatnonzero(np.diff(index[order], prepend=-2))
    if not len(begins):
        return None
    turned, option = rotation[order], parsed[order]
    several = np.minimum.reduceat(turned, begins) < np.maximum.reduceat(turned, begins)
    least = np.minimum.reduceat(option, begins)
    same = (least >= 0) & (least == np.maximum.reduceat(option, begins))
    return float(same[several].mean()) if several.any() else None


def in_words(replies: ReplyStatistics) -> str:
    """Summarise in one line."""
    parts = [f"{replies.parsed:,} of {replies.n:,} replies parsed ({replies.parsed / max(1, replies.n):.1%})"]
    if replies.parsed < replies.n:
        lost = {why: count for why, count in replies.why.items() if why not in PARSED_RULES}
        parts.append("not parsed: " + ", ".join(f"{why} {count:,}" for why, count in lost.items()))
    if replies.bounded:
        parts.append(f"{replies.bounded:,} letters with an upper bound only")
    if replies.stable is not None:
        shares = "/".join(f"{share:.2f}" for share in replies.positions)
        parts.append(
            f"chosen by position {shares}, bias {replies.bias:.2f}, same choice in all orders {replies.stable:.2f}"
        )
    return "; ".join(parts)
