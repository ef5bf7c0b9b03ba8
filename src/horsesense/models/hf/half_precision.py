"""Half precision: sums in float32, and fused kernels on a GPU."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import logits_agree

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
    given = [row.given for row in rows]
    with torch.inference_mode():
        before = family.outputs(network, given, rows, device).logits
        norms = fuse_norms(network)
        same = bool(norms) and logits_agree(family.outputs(network, given, rows, device).logits, before, network.dtype)
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
