"""Attention over many short texts: several per tile, each attending to itself alone.

GPU kernels work on tiles of 64 positions; a text of 16 tokens leaves three quarters of a tile empty. So several texts
share a tile, and a mask that all batches share keeps them apart. Only attention is changed, so no architecture has to
know of it; a self-test at load shows whether the logits stay the same.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import logits_agree
from horsesense.models.hf.rows import ModelInput, Row

if TYPE_CHECKING:
    import torch

NAME = "batched-sdpa"
TILE = 64
"""Positions per tile of a kernel."""


def batched_sdpa(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float | None = None
) -> torch.Tensor:
    """Return what `scaled_dot_product_attention` gives without a mask; (texts, heads, positions, width), all of one
    length."""
    import torch

    texts, heads, positions, width = query.shape
    beside = min(TILE // positions, texts)
    if beside < 2:
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, scale=scale)
    parts = []
    for start, stop, count in _parts(texts, beside):
        # Texts are contiguous in memory, position by position, so that putting them into one tile costs no copy.
        q, k, v = (
            tensor[start:stop].transpose(1, 2).reshape(-1, count * positions, heads, width).transpose(1, 2)
            for tensor in (query, key, value)
        )
        mask = _apart(count, positions, query.dtype, query.device)
        attended = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
        parts.append(attended.transpose(1, 2).reshape(stop - start, positions, heads, width))
    return (parts[0] if len(parts) == 1 else torch.cat(parts)).transpose(1, 2)


def _parts(texts: int, beside: int) -> list[tuple[int, int, int]]:
    """Return start, stop and texts per tile: full tiles, then the rest.

    >>> _parts(7, 3), _parts(6, 3)
    ([(0, 6, 3), (6, 7, 1)], [(0, 6, 3)])
    """
    whole = texts - texts % beside
    return [(0, whole, beside)] + ([(whole, texts, texts - whole)] if whole < texts else [])


@cache
def _apart(count: int, positions: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return the mask that is added to attention scores, so that each of ``count`` texts attends to itself alone."""
    import torch

    with torch.inference_mode(False):  # it is cached, and may be used where gradients are needed
        of = torch.arange(count * positions, device=device) // positions
        return torch.zeros(len(of), len(of), dtype=dtype, device=device).masked_fill_(of[:, None] != of, -torch.inf)


def _attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    is_causal: bool | None = None,
    **more: Any,
) -> tuple[torch.Tensor, None]:
    """The attention function as transformers calls it. Masked, causal, cross and biased attention is passed on to
    sdpa.
    """
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    looks_back = getattr(module, "is_causal", True) if is_causal is None else is_causal
    plain = attention_mask is None and not dropout and not looks_back and more.get("position_bias") is None
    if not plain or query.shape != key.shape:
        usual: tuple[torch.Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, is_causal=is_causal, **more
        )
        return usual
    # cuDNN compiles its kernel for every number of texts and positions, which takes longer than it saves.
    fast = SDPBackend.EFFICIENT_ATTENTION if query.shape[2] <= TILE else SDPBackend.FLASH_ATTENTION
    with sdpa_kernel([fast, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH], set_priority=True):
        return batched_sdpa(query, key, value, scaling).transpose(1, 2).contiguous(), None


def use_batched_sdpa(network: Any) -> None:
    """Give a network this attention."""
    from transformers import AttentionInterface
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, AttentionMaskInterface

    AttentionInterface.register(NAME, _attention)
    AttentionMaskInterface.register(NAME, ALL_MASK_ATTENTION_FUNCTIONS["sdpa"])
    network.set_attn_implementation(NAME)


def can_use_batched_sdpa(network: Any, family: Family, device: Any) -> bool:
    """Whether a network lets its attention be replaced and gives the same logits. The network is left as it was."""
    import torch

    if getattr(network.config, "_attn_implementation", None) != "sdpa":
        return False
    rows = [Row(ModelInput(ids), (1,), (5,)) for ids in ((5, 6, 7, 8), (8, 7, 9, 5), (9, 9, 5, 6))]
    given = [row.given for row in rows]
    same = False
    with torch.inference_mode():
        before = family.outputs(network, given, rows, device).logits
        try:
            use_batched_sdpa(network)
            same = logits_agree(family.outputs(network, given, rows, device).logits, before, network.dtype)
        except (RuntimeError, KeyError, TypeError, ValueError, AttributeError):
            pass  # an architecture that calls its attention in another way
    network.set_attn_implementation("sdpa")
    return same
