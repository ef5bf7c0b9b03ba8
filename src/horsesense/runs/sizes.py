"""How much a batch and a shard hold: what the folder was begun with, else what the device likes."""

from __future__ import annotations

from pathlib import Path

from horsesense.models.local.device import choose_device
from horsesense.runs.manifest import manifest_path, read_manifest
from horsesense.runs.shards import SHARD_TOKENS
from horsesense.scoring.batches import DEFAULT_BUDGET

GPU_BUDGET = 65_536
"""Tokens a batch on a GPU: fewer leave it waiting for its next kernel."""
GPU_SHARD = 4_194_304
"""Tokens a shard on a GPU, some seconds of work as on a processor."""


def sizes(folder: Path, device: str, budget: int | None = None) -> tuple[int, int]:
    """Tokens a batch and tokens a shard. A folder that was begun keeps to its own, wherever it is finished."""
    if manifest_path(folder).is_file():
        kept = read_manifest(folder)
        if kept.parts:
            return budget or kept.budget, kept.shard
    on_gpu = choose_device(device)[0].type == "cuda"
    return budget or (GPU_BUDGET if on_gpu else DEFAULT_BUDGET), GPU_SHARD if on_gpu else SHARD_TOKENS
