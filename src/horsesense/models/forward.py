"""One batch through a network: what families share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from horsesense.models.rows import Given, Row

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a network says, and where in it each row is read."""

    logits: torch.Tensor
    """Rows × places × entries (of the vocabulary, or labels)."""
    places: list[list[int]]
    """For each row, the place of each of its reads."""


def ids_tensor(ids: Sequence[Sequence[int]], device: Any) -> torch.Tensor:
    import torch

    return torch.tensor(ids, dtype=torch.long, device=device)


def plain_outputs(network: Any, given: list[Given], rows: list[Row], device: Any) -> Outputs:
    """Feed the ids as they are. All rows have one length, so everything is attended to."""
    import torch

    ids = ids_tensor([one.ids for one in given], device)
    asked = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if given[0].types:
        asked["token_type_ids"] = ids_tensor([one.types for one in given], device)
    return Outputs(network(**asked).logits, [list(row.reads) for row in rows])
