"""What of a probe is asked, cut into shards that are computed whole or not at all; the sizes of shard and batch.

A draw is nested: what a small ``limit`` draws, a larger one draws too. Its order is cut into blocks that double in
size, and each block into shards, so that most shards of a small draw are shards of a large one, and are computed once.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

import numpy as np
import numpy.typing as npt

from horsesense.core import Item
from horsesense.core.item_file import ids_of, units_of
from horsesense.models.hf.device import SPREAD, choose_device
from horsesense.models.protocol import DEFAULT_BUDGET
from horsesense.runs.manifest import manifest_path, read_manifest

SHARD_TOKENS = 16_384
"""Tokens a shard, about: half a minute of a small model on a laptop, which is what a kill can cost."""
GPU_BUDGET = 65_536
"""Tokens a batch on a GPU: fewer leave it waiting for its next kernel."""
GPU_SHARD = 4_194_304
"""Tokens a shard on a GPU, some seconds of work as on a processor."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What the items of a part weigh, column by column: all that cutting needs to know of them."""

    ids: Sequence[str]
    longest: npt.NDArray[np.int64]
    """Tokens of the longest question of each."""
    costs: npt.NDArray[np.int64]
    """Tokens that are computed for each."""

    @classmethod
    def joined(cls, stretches: Sequence[Weights | None]) -> Weights:
        """Those of several stretches of a probe, one after the other."""
        known = [each for each in stretches if each is not None]
        if len(known) == 1:
            return known[0]
        ids = [item for each in known for item in each.ids]
        return cls(ids, np.concatenate([w.longest for w in known]), np.concatenate([w.costs for w in known]))

    def __len__(self) -> int:
        return len(self.ids)


_BLOCK = 64
"""Items of the first block; each further one is as large as all before it."""


def cut(weights: Weights, size: int, ranks: Mapping[str, int] | None = None) -> list[npt.NDArray[np.int64]]:
    """Shards of about ``size`` tokens, of items of like length, in an order that the file's does not change.

    A shard has the places of its items. ``ranks`` has the place of each item in the order of the draw; without them
    all is one block.
    """
    blocks = [_block(ranks[item]) for item in weights.ids] if ranks else [0] * len(weights)
    longest, costs = weights.longest.tolist(), weights.costs.tolist()
    order = sorted(range(len(weights)), key=lambda place: (blocks[place], longest[place], weights.ids[place]))
    begins: list[int] = []
    room = before = 0
    for number, place in enumerate(order):
        if room <= 0 or blocks[place] != before:
            begins.append(number)
            room, before = size, blocks[place]
        room -= costs[place]
    return np.split(np.array(order, dtype=np.int64), begins[1:])


def _block(rank: int) -> int:
    """
    >>> [_block(rank) for rank in (0, 63, 64, 127, 128, 255, 256)]
    [0, 0, 1, 1, 2, 2, 3]
    """
    return (rank // _BLOCK).bit_length()


SERVED = "served"
"""Where a model runs that is asked through a server: not here."""
SERVED_SHARD = 4_194_304
"""Tokens a shard of a server, about: every reply is kept at once, so that a kill costs nothing."""


def sizes(folder: Path | None, device: str, budget: int | None = None, on_gpu: bool | None = None) -> tuple[int, int]:
    """Tokens a batch and tokens a shard. A folder that was begun keeps to its own, wherever it is finished.

    ``on_gpu`` says what workers elsewhere have; None: what this process finds.
    """
    if folder is not None and manifest_path(folder).is_file():
        kept = read_manifest(folder)
        if kept.parts:
            return budget or kept.budget, kept.shard
    where = "auto" if device == SPREAD else device
    if on_gpu is None:
        on_gpu = device != SERVED and choose_device(where)[0].type == "cuda"
    return budget or (GPU_BUDGET if on_gpu else DEFAULT_BUDGET), GPU_SHARD if on_gpu else SHARD_TOKENS


def draw(items: Sequence[Item], limit: int | None, seed: int) -> Sequence[Item]:
    """At most ``limit`` items (but one whole family at least), in the order of the probe.

    Families are drawn whole, because half a family says nothing about the strict metric. A smaller limit draws a part
    of what a larger one draws.

    >>> items = [Item(probe="demo", form="choice", text=str(n), options=("a",), family=str(n // 2)) for n in range(6)]
    >>> sorted({item.family for item in draw(items, 4, seed=0)})
    ['0', '2']
    """
    if limit is None or limit >= len(items):
        return items
    units = units_of(items)
    sizes = Counter(units)
    chosen: set[str] = set()
    left = limit
    for family in _shuffled(sizes, seed):
        if sizes[family] <= left or not chosen:
            chosen.add(family)
            left -= sizes[family]
        else:
            break
    return [item for item, unit in zip(items, units, strict=True) if unit in chosen]


def ranks_of(items: Sequence[Item], seed: int) -> dict[str, int]:
    """The place of each item of a whole probe in the order that draws take them in."""
    units, ids = units_of(items), list(ids_of(items))
    place = {family: number for number, family in enumerate(_shuffled(set(units), seed))}
    places = [place[unit] for unit in units]
    ordered = sorted(range(len(ids)), key=lambda number: (places[number], ids[number]))
    return {ids[number]: rank for rank, number in enumerate(ordered)}


def _shuffled(families: Iterable[str], seed: int) -> list[str]:
    """Sorted before they are shuffled, so that the order of the file does not matter."""
    order = sorted(families)
    random.Random(seed).shuffle(order)
    return order


SHARD_SECONDS = 30.0
"""What a kill may cost, about."""
SAMPLE = 256
"""Tokens that a model's rate is measured on, on a processor; on a GPU a whole batch."""


def benchmark_sample(weights: Weights, sample: int) -> list[int]:
    """Return the indices of items to measure the model's speed on; none where the run is too short to matter."""
    if int(weights.costs.sum()) <= 8 * sample:
        return []
    longest, costs = weights.longest.tolist(), weights.costs.tolist()
    chosen: list[int] = []
    tokens = 0
    order = sorted(range(len(weights)), key=lambda place: (longest[place], weights.ids[place]))
    for place in order[len(order) // 2 :]:
        if tokens >= sample:
            break
        chosen.append(place)
        tokens += costs[place]
    return chosen


def calibrate_shard_size(size: int, seconds: float, tokens: int) -> int:
    """Return the tokens per shard, given the time of a sample: ``size``, or less where a shard takes over two minutes.

    Coarse on purpose: the last bits of a score depend on its shard, and two runs on a busy machine should agree.

    >>> calibrate_shard_size(16_384, 1.0, 500), calibrate_shard_size(16_384, 1.0, 50)
    (16384, 2048)
    """
    whole = size * seconds / tokens
    if whole <= 4 * SHARD_SECONDS:
        return size
    return int(max(SAMPLE, 2 ** round(log2(size * SHARD_SECONDS / whole))))
