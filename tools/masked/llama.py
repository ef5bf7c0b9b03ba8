"""SmolLM2 as plain functions over tensors: quick to sample from in large batches, quick to train.

transformers' own model spends most of a small step outside the GPU. The tests compare this with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

LINEAR = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
)
NORMS = ("input_layernorm", "post_attention_layernorm")

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
"""From queries (batch, heads, length, width), keys and values (with fewer heads) to what is attended to."""


@dataclass(frozen=True)
class Llama:
    """The weights, and the few numbers that their shapes do not tell."""

    embedding: Tensor
    norms: list[list[Tensor]]
    """For each layer the weights of NORMS; the last norm of all stands alone at the end."""
    linear: list[list[Tensor]]
    """For each layer the weights of LINEAR."""
    width: int
    """Of one attention head."""
    theta: float
    eps: float

    @property
    def heads(self) -> tuple[int, int]:
        """Of queries; of keys and values."""
        query, key = self.linear[0][0], self.linear[0][1]
        return query.shape[0] // self.width, key.shape[0] // self.width

    def to(self, device: torch.device | str, dtype: torch.dtype) -> Llama:
        def moved(tensors: list[Tensor]) -> list[Tensor]:
            return [tensor.to(device, dtype) for tensor in tensors]

        norms, linear = [moved(n) for n in self.norms], [moved(w) for w in self.linear]
        return Llama(self.embedding.to(device, dtype), norms, linear, self.width, self.theta, self.eps)


def read_llama(folder: Path) -> Llama:
    """The weights of a folder that transformers saved; input and output embeddings are one."""
    config = json.loads((folder / "config.json").read_text())
    tensors = load_file(folder / "model.safetensors")
    layers = range(config["num_hidden_layers"])
    return Llama(
        embedding=tensors["model.embed_tokens.weight"],
        norms=[[tensors[f"model.layers.{n}.{name}.weight"] for name in NORMS] for n in layers]
        + [[tensors["model.norm.weight"]]],
        linear=[[tensors[f"model.layers.{n}.{name}.weight"] for name in LINEAR] for n in layers],
        width=config["head_dim"],
        theta=config["rope_parameters"]["rope_theta"],
        eps=config["rms_norm_eps"],
    )


def rotation(model: Llama, length: int) -> Tensor:
    """Cosines and sines of the rotary embedding: (2, length, width)."""
    device = model.embedding.device
    speeds = model.theta ** -(torch.arange(0, model.width, 2, device=device).float() / model.width)
    angles = torch.arange(length, device=device).float()[:, None] * speeds
    angles = torch.cat([angles, angles], dim=-1)
    return torch.stack([angles.cos(), angles.sin()]).to(model.embedding.dtype)


def rotated(x: Tensor, turn: Tensor) -> Tensor:
    left, right = x.chunk(2, dim=-1)
    return x * turn[0] + torch.cat([-right, left], dim=-1) * turn[1]


def layer(x: Tensor, norms: list[Tensor], linear: list[Tensor], turn: Tensor, model: Llama, attend: Attend) -> Tensor:
    """One block of the network."""
    q, k, v, o, gate, up, down = linear
    batch, length, size = x.shape

    def split(weight: Tensor, inner: Tensor) -> Tensor:
        return functional.linear(inner, weight).view(batch, length, -1, model.width).transpose(1, 2)

    inner = functional.rms_norm(x, (size,), norms[0], model.eps)
    found = attend(rotated(split(q, inner), turn), rotated(split(k, inner), turn), split(v, inner))
    x = x + functional.linear(found.transpose(1, 2).reshape(batch, length, -1), o)
    inner = functional.rms_norm(x, (size,), norms[1], model.eps)
    return x + functional.linear(functional.silu(functional.linear(inner, gate)) * functional.linear(inner, up), down)


def attend_within(mask: Tensor) -> Attend:
    """Attention where the mask (batch, 1, length, length) is true."""

    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        groups = q.shape[1] // k.shape[1]
        k, v = k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1)
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    return attend


def states(model: Llama, ids: Tensor, mask: Tensor) -> Tensor:
    """The last hidden states of whole texts; the output layer is ``states @ embedding.T``."""
    x = functional.embedding(ids, model.embedding)
    turn = rotation(model, ids.shape[1])
    for norms, linear in zip(model.norms, model.linear, strict=False):
        x = layer(x, norms, linear, turn, model, attend_within(mask))
    return functional.rms_norm(x, x.shape[-1:], model.norms[-1][0], model.eps)
