"""What of a probe is asked, cut into shards that are computed whole or not at all; the sizes of shard and batch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from horsesense.models.contract import DEFAULT_BUDGET
from horsesense.models.local.device import choose_device
from horsesense.models.local.large import SPREAD
from horsesense.records import Item
from horsesense.runs.manifest import manifest_path, read_manifest

SHARD_TOKENS = 16_384
"""Tokens a shard, about: half a minute of a small model on a laptop, which is what a kill can cost."""
GPU_BUDGET = 65_536
"""Tokens a batch on a GPU: fewer leave it waiting for its next kernel."""
GPU_SHARD = 4_194_304
"""Tokens a shard on a GPU, some seconds of work as on a processor."""


class Asked(Protocol):
    """An item with its questions, whatever the way of asking."""

    @property
    def item(self) -> Item: ...

    @property
    def longest(self) -> int:
        """Tokens of its longest question."""

    @property
    def cost(self) -> int:
        """Tokens that are computed for it."""


Each = TypeVar("Each", bound=Asked)


def cut(prepared: Sequence[Each], size: int) -> list[list[Each]]:
    """Shards of about ``size`` tokens, of items of like length, in an order that the file's does not change."""
    shards: list[list[Each]] = []
    room = 0
    for each in sorted(prepared, key=lambda p: (p.longest, p.item.id)):
        if room <= 0:
            shards.append([])
            room = size
        shards[-1].append(each)
        room -= each.cost
    return shards


SERVED = "served"
"""Where a model runs that is asked through a server: not here."""
SERVED_SHARD = 4_194_304
"""Tokens a shard of a server, about: every reply is kept at once, so that a kill costs nothing."""


def sizes(folder: Path | None, device: str, budget: int | None = None) -> tuple[int, int]:
    """Tokens a batch and tokens a shard. A folder that was begun keeps to its own, wherever it is finished."""
    if folder is not None and manifest_path(folder).is_file():
        kept = read_manifest(folder)
        if kept.parts:
            return budget or kept.budget, kept.shard
    where = "auto" if device == SPREAD else device
    on_gpu = device != SERVED and choose_device(where)[0].type == "cuda"
    return budget or (GPU_BUDGET if on_gpu else DEFAULT_BUDGET), GPU_SHARD if on_gpu else SHARD_TOKENS


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
