"""What was said in letters and words: what was made out, and whether the place of an option mattered."""

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

MADE_OUT = {
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
"""Rules that make an option out (`horsesense.scoring.reply_parsing`)."""
_Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ReplyStatistics(Document):
    """What was said and made out."""

    n: int
    """Replies: items, times orders, times samples."""
    parsed: int
    """Replies of which an option could be made out; the others earn nothing."""
    why: Mapping[str, int]
    """The rule that made an option out, or why none did, with how often."""
    bounded: int
    """Letters that the server did not tell, of which only the most they can be is known."""
    positions: tuple[float, ...]
    """How often the option shown first, second … was chosen, as shares of what was made out."""
    by_chance: tuple[float, ...]
    """The same shares if the place an option is shown at did not matter."""
    bias: float
    """Half the sum of what the two differ by: 0 is none, 1 - 1/n always the same of n places."""
    stable: float | None
    """Share of the items whose choice is the same in every order; null where one order was shown."""


def reply_statistics(columns: ItemColumns, replies: StoredReplies) -> ReplyStatistics:
    """Count what was said. A place has the chance of the options that stood there: their share over all orders."""
    said = replies.columns("item", "rotation", "parsed", "why", "bounded")
    place = places_in(columns.ids, [said["item"]])
    said = {name: column.filter(place >= 0) for name, column in said.items()}
    place, rotation = place[place >= 0], said["rotation"].to_numpy().astype(np.int64)
    parsed = said["parsed"].fill_null(-1).to_numpy().astype(np.int64)
    if (strange := parsed >= columns.options[place]).any():
        item = columns.ids[int(place[strange.argmax()])]
        raise UserError(
            f"a reply names an option that the item {item} does not have", fix="ask again in another folder"
        )
    chosen, chance = _by_place(columns.options, place, rotation, parsed)
    whole = chosen.sum() or 1.0
    positions, expected = tuple((chosen / whole).tolist()), tuple((chance / whole).tolist())
    why = Counter({each["values"]: each["counts"] for each in said["why"].value_counts().to_pylist()})
    return ReplyStatistics(
        n=len(place),
        parsed=int((parsed >= 0).sum()),
        why=dict(why.most_common()),
        bounded=said["bounded"].flatten().true_count,
        positions=positions,
        by_chance=expected,
        bias=sum(abs(a - b) for a, b in zip(positions, expected, strict=True)) / 2,
        stable=_stable(place, rotation, parsed),
    )


def _by_place(options: _Numbers, place: _Numbers, rotation: _Numbers, parsed: _Numbers) -> tuple[Floats, Floats]:
    """How often what was shown first, second … was chosen, and how often it would be if the place did not matter."""
    most = int(options.max())
    chosen, chance = np.zeros(most), np.zeros(most)
    made_out, counts = parsed >= 0, options[place]
    for count in np.unique(counts[made_out]).tolist():
        here = made_out & (counts == count)
        items, which = np.unique(place[here], return_inverse=True)
        option, turned = parsed[here], rotation[here] % count
        np.add.at(chosen, (option - turned) % count, 1.0)
        shape = len(items), count
        votes = np.bincount(which * count + option, minlength=len(items) * count).reshape(shape)
        orders = np.bincount(which * count + turned, minlength=len(items) * count).reshape(shape)
        shares = votes / votes.sum(axis=1, keepdims=True)
        for shown in range(count):
            # The option o stands at this place in the order that is turned by o - place.
            chance[shown] += (shares * orders[:, (np.arange(count) - shown) % count]).sum()
    return chosen, chance


def _stable(place: _Numbers, rotation: _Numbers, parsed: _Numbers) -> float | None:
    """Share of the items shown in several orders of which every reply makes out the same option."""
    order = np.argsort(place, kind="stable")
    begins = np.flatnonzero(np.diff(place[order], prepend=-2))
    if not len(begins):
        return None
    turned, option = rotation[order], parsed[order]
    several = np.minimum.reduceat(turned, begins) < np.maximum.reduceat(turned, begins)
    least = np.minimum.reduceat(option, begins)
    same = (least >= 0) & (least == np.maximum.reduceat(option, begins))
    return float(same[several].mean()) if several.any() else None


def in_words(replies: ReplyStatistics) -> str:
    """The same in one remark."""
    parts = [f"{replies.parsed:,} of {replies.n:,} replies made out ({replies.parsed / max(1, replies.n):.1%})"]
    if replies.parsed < replies.n:
        lost = {why: count for why, count in replies.why.items() if why not in MADE_OUT}
        parts.append("not made out: " + ", ".join(f"{why} {count:,}" for why, count in lost.items()))
    if replies.bounded:
        parts.append(f"{replies.bounded:,} letters only bounded")
    if replies.stable is not None:
        shares = "/".join(f"{share:.2f}" for share in replies.positions)
        parts.append(
            f"chosen by place {shares}, bias {replies.bias:.2f}, same choice in all orders {replies.stable:.2f}"
        )
    return "; ".join(parts)
