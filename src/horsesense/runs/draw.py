"""Drawing a part of a probe: whole families, by seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from horsesense.records import Item


def draw(items: Sequence[Item], limit: int | None, seed: int) -> list[Item]:
    """At most ``limit`` items (but one whole family at least), in the order of the probe.

    Families are drawn whole, because half a family says nothing about the strict metric; they are
    sorted before they are shuffled, so that the order of the file does not matter.

    >>> items = [Item(probe="demo", form="choice", text=str(n), options=("a",), family=str(n // 2)) for n in range(6)]
    >>> sorted({item.family for item in draw(items, 4, seed=0)})
    ['0', '2']
    """
    if limit is None or limit >= len(items):
        return list(items)
    sizes: dict[str, int] = {}
    for item in items:
        sizes[item.unit()] = sizes.get(item.unit(), 0) + 1
    families = sorted(sizes)
    random.Random(seed).shuffle(families)
    chosen: set[str] = set()
    left = limit
    for family in families:
        if sizes[family] <= left or not chosen:
            chosen.add(family)
            left -= sizes[family]
    return [item for item in items if item.unit() in chosen]
