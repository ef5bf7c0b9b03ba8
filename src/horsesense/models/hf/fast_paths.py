"""Fast paths of a network, and the self-tests that say which of them it allows.

Each fast path must leave the logits as they were, which a few forward passes on tiny inputs show. The outcome depends
on the architecture, its config and the libraries, not on the weights. So it is stored in the user's cache, and the next
load of such a model runs no self-test.

Attention over many short texts: GPU kernels work on tiles of 64 positions; a text of 16 tokens leaves three quarters of
a tile empty. So several texts share a tile, each attending to itself alone: a mask that all batches share keeps them
apart. Only attention is changed, so no architecture has to know of it.

Half precision: sums in float32, and fused kernels on a GPU.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache, partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from horsesense import __version__
from horsesense.data import cache_folder
from horsesense.data.store import Store
from horsesense.errors import UserError
from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import (
    SelectiveLMHead,
    find_head,
    install_head,
    logits_agree,
    longest_in_trees,
    takes_trees,
)
from horsesense.models.hf.rows import ModelInput, Row

if TYPE_CHECKING:
    import torch


def sum_head_in_float32(network: Any) -> None:
    """Let the output layer of a network in half precision sum in float32: margins between options are small.

    A GPU multiplies in half precision and sums in float32, which takes a fourteenth of the time of a float32 product
    and no second copy of the weights; elsewhere weights and inputs become float32. A scale or cap that the network
    applies to its logits still applies.
    """
    import torch

    head = network.get_output_embeddings()
    if head is None:  # a classifier scores no tokens
        return
    if type(head).__name__ == "Linear" and _sums_wide(head.weight):
        head.forward = partial(_wide_product, head)
        return
    for name, parameter in list(head.named_parameters(recurse=False)):
        setattr(head, name, torch.nn.Parameter(parameter.detach().float(), requires_grad=False))
    head.register_forward_pre_hook(lambda _, inputs: (inputs[0].float(), *inputs[1:]))


def _sums_wide(weight: torch.Tensor) -> bool:
    """Whether the device can multiply in half precision with a float32 result; torch has this for CUDA from 2.8 on."""
    import torch

    if weight.device.type != "cuda" or weight.dtype not in (torch.bfloat16, torch.float16):
        return False
    try:
        torch.mm(weight[:8, :8], weight[:8, :8].T, out_dtype=torch.float32)
    except (TypeError, RuntimeError, NotImplementedError):  # an older torch, or a device without such a product
        return False
    return True


def _wide_product(head: torch.nn.Linear, hidden: torch.Tensor) -> torch.Tensor:
    import torch

    flat = hidden.reshape(-1, hidden.shape[-1]).to(head.weight.dtype)
    logits = torch.mm(flat, head.weight.T, out_dtype=torch.float32).view(*hidden.shape[:-1], -1)
    return logits if head.bias is None else logits + head.bias.float()


def can_fuse_norms(network: Any, family: Family, device: Any) -> bool:
    """Whether the logits stay the same when root-mean-square norms run as one kernel. The network is left as it was."""
    import torch

    rows = list(family.trial)
    model_inputs = [row.given for row in rows]
    with torch.inference_mode():
        before = family.outputs(network, model_inputs, rows, device).logits
        norms = fuse_norms(network)
        same = bool(norms) and logits_agree(
            family.outputs(network, model_inputs, rows, device).logits, before, network.dtype
        )
    for norm in norms:
        del norm.forward
    return same


def fuse_norms(network: Any) -> list[Any]:
    """Let root-mean-square norms run as one kernel and return them.

    Transformers writes them out: six steps over the output of a layer, a tenth of a large decoder's time on a GPU.
    """
    norms = [part for part in network.modules() if _is_written_out(part)]
    for norm in norms:
        norm.forward = partial(_norm, norm)
    return norms


def _is_written_out(part: Any) -> bool:
    import torch

    is_rms_norm = type(part).__name__.endswith("RMSNorm") and not isinstance(part, torch.nn.RMSNorm)
    return is_rms_norm and getattr(part, "weight", None) is not None and hasattr(part, "variance_epsilon")


def _norm(norm: Any, hidden: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.nn.functional.rms_norm(hidden, norm.weight.shape, norm.weight, norm.variance_epsilon)


# Self-tests.


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
    model_inputs = [row.given for row in rows]
    same = False
    with torch.inference_mode():
        before = family.outputs(network, model_inputs, rows, device).logits
        try:
            use_batched_sdpa(network)
            same = logits_agree(family.outputs(network, model_inputs, rows, device).logits, before, network.dtype)
        except (RuntimeError, KeyError, TypeError, ValueError, AttributeError):
            pass  # an architecture that calls its attention in another way
    network.set_attn_implementation("sdpa")
    return same


# Self-tests.


_SELF_TESTS = 1
"""Counted up when a self-test or a fast path changes."""
_NEARLY = 0.998
"""Correlation of logits that differ by rounding to 8 bits alone: 0.9996 in SmolLM2."""
_IRRELEVANT = (
    "_name_or_path",
    "name_or_path",
    "architectures",
    "transformers_version",
    "dtype",
    "torch_dtype",
    "id2label",
    "label2id",
    "task_specific_params",
    "finetuning_task",
)
"""Fields of a config that no self-test depends on; the dtype is part of the key by itself."""
_ROWS = 1_000
"""Rows of the output layer that are looked at to see whether its weights say anything."""


@dataclass(frozen=True, slots=True)
class FastPaths:
    """Outcome of the self-tests of a network."""

    left_to_right: bool
    """Whether a prediction sees nothing to its right; an encoder loaded as a causal model sees what it predicts."""
    fused_norms: bool
    batched_sdpa: bool
    selective_head: int | None
    """Which module a `SelectiveLMHead` stands in for; None where none will do."""
    prefix_trees: bool


def apply_fast_paths(
    network: Any, family: Family, device: Any, dtype: str, *, movable: bool
) -> tuple[FastPaths, SelectiveLMHead | None]:
    """Install all fast paths that a network allows; a stored outcome saves the self-tests."""
    store = Store(cache_folder("self-tests"))
    path = store.root / f"{_key(network, family, device, dtype)}.json"
    stored = FastPaths(**json.loads(path.read_bytes())) if store.has(path, recorded=True) else None
    paths = stored or _self_tests(network, family, device, dtype, movable)
    if paths.fused_norms:
        fuse_norms(network)
    if paths.batched_sdpa:
        use_batched_sdpa(network)
    head = None if paths.selective_head is None else install_head(network, paths.selective_head)
    if stored is None and _is_conclusive(network):
        with suppress(OSError, UserError):  # a cache that cannot be used costs time only
            store.write(path, json.dumps(asdict(paths)) + "\n")
    return paths, head


def _self_tests(network: Any, family: Family, device: Any, dtype: str, movable: bool) -> FastPaths:
    on_gpu = device.type == "cuda"
    left_to_right = family.left_to_right and _sees_nothing_ahead(network, device, dtype)
    # Later tests run with the earlier fast paths in place, as the model will.
    fused = dtype != "float32" and on_gpu and can_fuse_norms(network, family, device)
    norms = fuse_norms(network) if fused else []
    batched = family.batched_sdpa and on_gpu and movable and can_use_batched_sdpa(network, family, device)
    if batched:
        use_batched_sdpa(network)
    index = find_head(network, family, device)
    head = None if index is None else install_head(network, index)
    long_enough = family.takes_trees and longest_in_trees(network.config, 8) > 0
    trees = long_enough and takes_trees(network, device)
    if head is not None:
        head.remove()
    if batched:
        network.set_attn_implementation("sdpa")
    for norm in norms:
        del norm.forward
    return FastPaths(left_to_right, fused, batched, index, trees)


def _sees_nothing_ahead(network: Any, device: Any, dtype: str) -> bool:
    """Whether a later token leaves the logits before it as they were.

    Weights of 8 bits are rounded by the largest values of a text, so that the logits are only nearly the same.
    """
    import torch

    with torch.inference_mode():
        first, second = (
            network(input_ids=torch.tensor([[0, 1, last]], device=device)).logits[0, :2].float() for last in (2, 3)
        )
    if dtype == "int8":
        return float(torch.corrcoef(torch.stack([first.flatten(), second.flatten()]))[0, 1]) > _NEARLY
    return bool(torch.allclose(first, second, rtol=1e-2, atol=1e-2, equal_nan=True))


def _key(network: Any, family: Family, device: Any, dtype: str) -> str:
    import torch

    config = {name: value for name, value in network.config.to_dict().items() if name not in _IRRELEVANT}
    parts = {
        "self_tests": _SELF_TESTS,
        "horsesense": __version__,
        **{library: version(library) for library in ("torch", "transformers")},
        "architecture": type(network).__name__,
        "family": family.name,
        "dtype": dtype,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
        "attention": getattr(network.config, "_attn_implementation", ""),
        "config": config,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def _is_conclusive(network: Any) -> bool:
    """Whether the output layer distinguishes inputs; with constant or NaN weights any test passes."""
    head = network.get_output_embeddings()
    weight = getattr(head, "weight", None)
    if weight is None or not weight.is_floating_point():
        return True
    spread = float(weight.detach()[:_ROWS].float().std())
    return 0 < spread < float("inf")
