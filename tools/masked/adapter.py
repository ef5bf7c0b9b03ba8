"""The adapter: two thin matrices for every linear layer and one vector for the mask; kept in int8, a scale a row."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from llama import LINEAR, Llama
from safetensors.torch import save_file
from torch import Tensor


@dataclass(frozen=True)
class Adapter:
    """What is trained: the weight of layer n and name m becomes ``weight + up[n][m].T @ down[n][m]``."""

    down: list[list[Tensor]]
    """(rank, inputs)."""
    up: list[list[Tensor]]
    """(rank, outputs)."""
    mask: Tensor
    """The embedding of the mask token."""

    def parameters(self) -> list[Tensor]:
        """What may change."""
        tensors = [*(tensor for part in (*self.down, *self.up) for tensor in part), self.mask]
        return [tensor for tensor in tensors if tensor.requires_grad]


def name_of(number: int, linear: str) -> str:
    """The name of a linear layer, as in the base's file."""
    return f"layers.{number}.{linear}"


def new_adapter(base: Llama, rank: int, where: str = "") -> Adapter:
    """One that changes nothing yet; the mask begins as the mean of all embeddings.

    Layers in whose name the regular expression ``where`` is not found stay as they are.
    """

    def thin(name: str, size: int, spread: float) -> Tensor:
        values = torch.randn(rank, size, device=base.embedding.device) * spread
        return values.requires_grad_(re.search(where, name) is not None)

    named = [
        [(name_of(number, name), weight.shape) for name, weight in zip(LINEAR, linear, strict=True)]
        for number, linear in enumerate(base.linear)
    ]
    down = [[thin(name, inputs, inputs**-0.5) for name, (_, inputs) in linear] for linear in named]
    up = [[thin(name, outputs, 0.0) for name, (outputs, _) in linear] for linear in named]
    return Adapter(down, up, base.embedding.float().mean(dim=0).requires_grad_())


def quantised(values: Tensor) -> tuple[Tensor, Tensor]:
    """Rows as int8, and the scale of each."""
    scale = values.detach().float().abs().amax(dim=1).clamp_min(1e-12) / 127
    return (values.detach() / scale[:, None]).round().to(torch.int8), scale


def rounded(adapter: Adapter) -> Adapter:
    """The adapter as it will be read back."""

    def back(values: Tensor) -> Tensor:
        whole, scale = quantised(values)
        return whole * scale[:, None]

    down, up = ([[back(tensor) for tensor in part] for part in side] for side in (adapter.down, adapter.up))
    return Adapter(down, up, adapter.mask.detach().half().float())


def with_mask(embedding: Tensor, adapter: Adapter, mask: int) -> Tensor:
    at = torch.tensor([mask], device=embedding.device)
    return embedding.index_copy(0, at, adapter.mask.to(embedding.dtype)[None])


@torch.no_grad()
def merged(base: Llama, adapter: Adapter, mask: int, dtype: torch.dtype) -> Llama:
    """The base with the adapter added to its weights."""
    parts = zip(base.linear, adapter.down, adapter.up, strict=True)
    linear = [[w + u.T @ d for w, d, u in zip(*part, strict=True)] for part in parts]
    embedding = with_mask(base.embedding, adapter, mask)
    return replace(base, embedding=embedding, linear=linear).to(embedding.device, dtype)


def save_adapter(adapter: Adapter, path: Path, about: dict[str, str]) -> None:
    """Write what was trained; ``about`` goes into the header of the file."""
    tensors = {"mask": adapter.mask.detach().half().cpu()}
    for side, parts in (("down", adapter.down), ("up", adapter.up)):
        for number, part in enumerate(parts):
            for name, tensor in zip(LINEAR, part, strict=True):
                if tensor.requires_grad:
                    whole, scale = quantised(tensor)
                    tensors[f"{name_of(number, name)}.{side}"] = whole.cpu()
                    tensors[f"{name_of(number, name)}.{side}_scale"] = scale.cpu()
    save_file(tensors, path, metadata=about)
