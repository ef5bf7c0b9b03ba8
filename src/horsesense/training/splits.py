"""Disjoint parts of a probe: whole clusters, drawn by seed. Pure."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from horsesense.core import Item
from horsesense.errors import UserError, argument

HELD_OUT = 0.1
"""Share of a training set that is held out for model selection where there is no development set."""


def hold_out(items: Sequence[Item], share: float, seed: int, group: str = "family") -> tuple[list[Item], list[Item]]:
    """Split items into those that stay and those that are held out: about ``share`` of them, in whole clusters.

    Clusters are sorted before they are shuffled, so that the order of the file does not matter; both parts keep it.

    >>> items = [Item(probe="demo", form="choice", text=str(n), options=("a",), family=str(n // 2)) for n in range(8)]
    >>> stay, held = hold_out(items, 0.25, seed=0)
    >>> len(stay), len(held), {item.family for item in stay} & {item.family for item in held}
    (6, 2, set())
    """
    if not 0 < share < 1:
        raise UserError(f"a share of {share} cannot be held out", fix="use more than 0 and less than 1")
    members: dict[str, list[str]] = defaultdict(list)
    for item in items:
        members[item.unit(group)].append(item.id)
    clusters = sorted(members)
    if len(clusters) < 2:
        raise UserError(
            f"all items are of one {group}, so nothing can be held out",
            fix=f"give {argument('dev')}, or name another group",
        )
    random.Random(seed).shuffle(clusters)
    target, held = round(share * len(items)), set[str]()
    for cluster in clusters[:-1]:  # at least one stays
        if held and len(held) >= target:
            break
        held.update(members[cluster])
    return [item for item in items if item.id not in held], [item for item in items if item.id in held]


def with_gold(items: Sequence[Item], what: str) -> list[Item]:
    """Return the items with a gold answer; a part without any is an error."""
    judged = [item for item in items if item.answer is not None]
    if not judged:
        raise UserError(f"the {what} part has no item with a gold answer", fix="give a probe with golds")
    return judged
