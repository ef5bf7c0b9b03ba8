"""Rows of unlike length in one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

IGNORED = -100
"""A label that no loss looks at."""


def table(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    """Rows filled up on the right.

    >>> table([[1, 2], [3]], 0).tolist()
    [[1, 2], [3, 0]]
    """
    import torch

    longest = max(map(len, rows))
    return torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])


def inputs(ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]], pad: int) -> dict[str, torch.Tensor]:
    """What a network is fed: ids, which of them are there, and which text each belongs to."""
    fed = {"input_ids": table(ids, pad), "attention_mask": table([[1] * len(row) for row in ids], 0)}
    if any(len(row) for row in types):
        fed["token_type_ids"] = table(types, 0)
    return fed
