"""Run one batch through a network: what families share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horsesense.models.hf.rows import ModelInput, Row

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Outputs:
    """Logits of a batch, and where each row is read."""

    logits: torch.Tensor
    """Rows × positions × entries (of the vocabulary, or labels)."""
    positions: list[list[int]]
    """For each row, the position of each of its reads."""


@dataclass(frozen=True, slots=True)
class Pending:
    """Values that may still be computed on the device."""

    values: torch.Tensor
    there: torch.Event | None = None
    """Event that marks their arrival; None where they have arrived. Asking a GPU for them later would wait for
    everything queued since."""


def ids_tensor(ids: Sequence[Sequence[int]], device: Any) -> torch.Tensor:
    return to_device(np.array(ids, dtype=np.int64), device)


def to_device(values: npt.NDArray[np.int64] | npt.NDArray[np.bool_], device: Any) -> torch.Tensor:
    """Make a tensor; the copy to a GPU does not wait for its work."""
    import torch

    tensor = torch.from_numpy(values)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def plain_outputs(network: Any, given: list[ModelInput], rows: list[Row], device: Any) -> Outputs:
    """Feed the ids as they are. All rows have one length, so everything is attended to.

    No mask is passed: transformers would check whether it hides anything, and so wait for the device (`trust_inputs`).
    """
    inputs = {"input_ids": ids_tensor([each.ids for each in given], device)}
    if given[0].types:
        inputs["token_type_ids"] = ids_tensor([each.types for each in given], device)
    return Outputs(network(**inputs).logits, [list(row.reads) for row in rows])


def logits_agree(logits: torch.Tensor, wanted: torch.Tensor, dtype: torch.dtype) -> bool:
    """Whether two computations of the same logits agree within the precision of their dtype."""
    import torch

    if logits.shape != wanted.shape:
        return False
    off, spread = (logits.float() - wanted.float()).square().mean().sqrt(), wanted.float().std()
    close = off <= (1e-3 if dtype == torch.float32 else 0.05) * spread
    # Weights that give NaN are reported when they are scored, not here.
    return bool(close) or bool(off.isnan() & spread.isnan())


@contextmanager
def preserve_state(network: Any) -> Iterator[None]:
    """Call a network in evaluation mode and without gradients, then restore mode, config and random state.

    Not torch's inference mode: tensors that a layer caches inside it could not be trained on afterwards.
    """
    import torch

    modes = [(module, module.training) for module in network.modules()]
    config, cached = network.config, getattr(network.config, "use_cache", None)
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices))
        stack.enter_context(torch.no_grad())
        try:
            for module, _ in modes:
                module.training = False
            if cached is not None:
                config.use_cache = False
            yield
        finally:
            for module, mode in modes:
                module.training = mode
            if cached is not None:
                config.use_cache = cached
