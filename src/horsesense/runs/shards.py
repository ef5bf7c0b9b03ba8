"""Draw items of a probe, and cut them into shards that are computed whole or not at all.

A draw is nested: a larger ``limit`` includes the items of a smaller one. Its order is cut into blocks that double in
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
from horsesense.models.hf.device import DEVICE_MAP, choose_device
from horsesense.models.protocol import DEFAULT_BUDGET
from horsesense.runs.manifest import manifest_path, read_manifest

Integers = npt.NDArray[np.int64]
SHARD_TOKENS = 16_384
"""Approximate tokens per shard: half a minute of a small model on a laptop, which is what a kill can cost."""
GPU_BUDGET = 65_536
"""Tokens per batch on a GPU: fewer leave it waiting for its next kernel."""
GPU_SHARD = 4_194_304
"""Approximate tokens per shard on a GPU, some seconds of work."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Token counts of the items of a part, column by column."""

    ids: Sequence[str]
    longest: Integers
    """Tokens of each item's longest prompt."""
    costs: Integers
    """Tokens to compute for each item."""

    @classmethod
    def joined(cls, stretches: Sequence[TokenCounts | None]) -> TokenCounts:
        """Join those of consecutive stretches of a probe."""
        known = [each for each in stretches if each is not None]
        if len(known) == 1:
            return known[0]
        ids = [item for each in known for item in each.ids]
        return cls(ids, np.concatenate([w.longest for w in known]), np.concatenate([w.costs for w in known]))

    def __len__(self) -> int:
        return len(self.ids)


_BLOCK = 64
"""Items of the first block; each further one is as large as all before it."""


def cut(weights: TokenCounts, size: int, ranks: Mapping[str, int] | None = None) -> list[Integers]:
    """Cut items into shards of about ``size`` tokens and similar length; the order of the file does not matter.

    A shard is an array of item indices. ``ranks`` has the rank of each item in the order of the draw; without them
    there is one block.
    """
    blocks = [_block(ranks[item]) for item in weights.ids] if ranks else [0] * len(weights)
    longest, costs = weights.longest.tolist(), weights.costs.tolist()
    order = sorted(range(len(weights)), key=lambda index: (blocks[index], longest[index], weights.ids[index]))
    begins: list[int] = []
    room = before = 0
    for number, index in enumerate(order):
        if room <= 0 or blocks[index] != before:
            begins.append(number)
            room, before = size, blocks[index]
        room -= costs[index]
    return np.split(np.array(order, dtype=np.int64), begins[1:])


def _block(rank: int) -> int:
    """
    >>> [_block(rank) for rank in (0, 63, 64, 127, 128, 255, 256)]
    [0, 0, 1, 1, 2, 2, 3]
    """
    return (rank // _BLOCK).bit_length()


SERVED = "served"
"""The device name of a served model."""
SERVED_SHARD = 4_194_304
"""Approximate tokens per shard of a server: every reply is stored at once, so that a kill costs nothing."""


def sizes(folder: Path | None, device: str, budget: int | None = None, on_gpu: bool | None = None) -> tuple[int, int]:
    """Return (batch_tokens, shard_tokens); an existing run keeps its sizes.

    ``on_gpu`` says what the workers have; None: what this process finds.
    """
    if folder is not None and manifest_path(folder).is_file():
        manifest = read_manifest(folder)
        if manifest.parts:
            return budget or manifest.budget, manifest.shard
    where = "auto" if device == DEVICE_MAP else device
    if on_gpu is None:
        on_gpu = device != SERVED and choose_device(where)[0].type == "cuda"
    return budget or (GPU_BUDGET if on_gpu else DEFAULT_BUDGET), GPU_SHARD if on_gpu else SHARD_TOKENS


def draw(items: Sequence[Item], limit: int | None, seed: int) -> Sequence[Item]:
    """Draw at most ``limit`` items (but at least one whole family), in the order of the probe.

    Families are drawn whole, because half a family says nothing about the strict metric. A smaller limit draws a subset
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
    """Return the rank of each item of a whole probe in the order of the draw."""
    units, ids = units_of(items), list(ids_of(items))
    index = {family: number for number, family in enumerate(_shuffled(set(units), seed))}
    indices = [index[unit] for unit in units]
    ordered = sorted(range(len(ids)), key=lambda number: (indices[number], ids[number]))
    return {ids[number]: rank for rank, number in enumerate(ordered)}


def _shuffled(families: Iterable[str], seed: int) -> list[str]:
    """Sort, then shuffle, so that the order of the file does not matter."""
    order = sorted(families)
    random.Random(seed).shuffle(order)
    return order


SHARD_SECONDS = 30.0
"""Approximate cost of a kill, in seconds."""
SAMPLE = 256
"""Tokens that a model's speed is measured on, on a CPU; on a GPU a whole batch."""


def benchmark_sample(weights: TokenCounts, sample: int) -> list[int]:
    """Return the indices of items to measure the model's speed on; none where the run is too short to matter."""
    if int(weights.costs.sum()) <= 8 * sample:
        return []
    longest, costs = weights.longest.tolist(), weights.costs.tolist()
    chosen: list[int] = []
    tokens = 0
    order = sorted(range(len(weights)), key=lambda index: (longest[index], weights.ids[index]))
    for index in order[len(order) // 2 :]:
        if tokens >= sample:
            break
        chosen.append(index)
        tokens += costs[index]
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
