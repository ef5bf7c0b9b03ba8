"""Run one batch through a network: its head only where it is read, texts with a common prefix as one tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horsesense.models.hf.rows import ModelInput, Row

if TYPE_CHECKING:
    import torch

    from horsesense.models.hf.families import Family


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


def plain_outputs(network: Any, model_inputs: list[ModelInput], rows: list[Row], device: Any) -> Outputs:
    """Feed the ids as they are. All rows have one length, so everything is attended to.

    No mask is passed: transformers would check whether it hides anything, and so wait for the device (`trust_inputs`).
    """
    inputs = {"input_ids": ids_tensor([each.ids for each in model_inputs], device)}
    if model_inputs[0].types:
        inputs["token_type_ids"] = ids_tensor([each.types for each in model_inputs], device)
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


Forward = Callable[[bool], Any]
"""Calls the network and returns its logits; the argument says whether the layers will answer from memory."""


class SelectiveLMHead:
    """Stands in for the layers below a network's head, and passes on only the read positions."""

    def __init__(self, layers: Any) -> None:
        self._layers, self._before = layers, layers.__dict__.get("forward")
        self._forward = layers.forward
        self._positions: tuple[torch.Tensor, torch.Tensor] | None = None
        self._output: Any = None
        self._hidden: torch.Tensor | None = None
        self._part = slice(None)
        layers.forward = self._stand_in

    def remove(self) -> None:
        """Leave the network as it was."""
        if self._before is None:
            del self._layers.forward
        else:
            self._layers.forward = self._before

    def _stand_in(self, *inputs: Any, **options: Any) -> Any:
        if self._positions is None:
            return self._forward(*inputs, **options)
        if self._hidden is None:
            self._output = self._forward(*inputs, **options)
            self._hidden = self._output[0][self._positions]
        return _with_first(self._output, self._hidden[None, self._part])

    def logits(
        self, forward: Forward, positions: tuple[torch.Tensor, torch.Tensor], at_once: int
    ) -> Iterator[tuple[slice, torch.Tensor]]:
        """Yield the logits at (index in the batch, position), ``at_once`` at a time.

        The layers run once. For each further part the network is called again, and they answer from memory.
        """
        self._positions = positions
        try:
            for start in range(0, len(positions[0]), at_once):
                self._part = slice(start, start + at_once)
                yield self._part, forward(start > 0)[0]
        finally:
            self._positions = self._output = self._hidden = None


def batch_logits(network: Any, family: Family, rows: Sequence[Row], device: Any, again: bool) -> Any:
    """Return the logits of a batch. Where the layers answer from memory, their input does not matter."""
    fed = list(rows[:1] if again else rows)
    return family.outputs(network, [row.given for row in fed], fed, device).logits


def _with_first(output: Any, first: torch.Tensor) -> Any:
    """Return the same output with another last hidden state."""
    if isinstance(output, tuple):
        return (first, *output[1:])
    changed = type(output)(**dict(output))
    changed[next(iter(output))] = first
    return changed


def find_head(network: Any, family: Family, device: Any) -> int | None:
    """Find the module between layers and head by trying; None where none gives the logits of the full network.

    Returns:
        Its index among the candidates, for `install_head`. The network is left as it was.
    """
    if not family.selective_head:
        return None
    for index in range(len(_candidates(network))):
        head = install_head(network, index)
        agrees = _agrees(head, network, family, device)
        head.remove()
        if agrees:
            return index
    return None


def install_head(network: Any, index: int) -> SelectiveLMHead:
    """Install a selective head at the candidate that `find_head` returned."""
    return SelectiveLMHead(_candidates(network)[index])


def _candidates(network: Any) -> list[Any]:
    base = getattr(network, "base_model", network)
    decoder = getattr(network, "decoder", None)
    return [layers for layers in (base, decoder) if layers is not None and layers is not network]


def _agrees(head: SelectiveLMHead, network: Any, family: Family, device: Any) -> bool:
    import torch

    rows = list(family.trial)
    reads = [(number, position) for number, row in enumerate(rows) for position in row.reads]
    which, positions = torch.tensor(reads, device=device).T
    with torch.inference_mode():
        try:
            full = family.outputs(network, [row.given for row in rows], rows, device).logits[which, positions]
            parts = head.logits(partial(batch_logits, network, family, rows, device), (which, positions), 2)
            at_positions = torch.cat([logits for _, logits in parts])
        except (RuntimeError, IndexError, KeyError, TypeError, ValueError, AttributeError):
            return False  # an architecture that does more between layers and head than this knows
    return logits_agree(at_positions, full, network.dtype)


def tree_attention_mask(parents: Sequence[int], size: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Return the attention mask of a tree and the depth of each token; padded to ``size`` with tokens that attend to
    themselves.

    >>> seen, depth = tree_attention_mask((-1, 0, 1, 0), 5)
    >>> seen.astype(int).tolist()
    [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    >>> depth.tolist()
    [0, 1, 2, 1, 0]
    """
    seen = np.eye(size, dtype=np.bool_)
    depth = np.zeros(size, dtype=np.int64)
    for position, parent in enumerate(parents):
        if parent >= 0:
            seen[position] |= seen[parent]
            depth[position] = depth[parent] + 1
    return seen, depth


def tree_logits(network: Any, model_inputs: Sequence[ModelInput], device: Any) -> torch.Tensor:
    """Return the logits of trees of unequal size in one batch."""
    import torch

    size = max(len(tree.ids) for tree in model_inputs)
    ids = np.zeros((len(model_inputs), size), dtype=np.int64)
    seen = np.empty((len(model_inputs), 1, size, size), dtype=np.bool_)
    depth = np.empty((len(model_inputs), size), dtype=np.int64)
    for number, tree in enumerate(model_inputs):
        ids[number, : len(tree.ids)] = tree.ids
        seen[number, 0], depth[number] = tree_attention_mask(tree.parents or range(-1, len(tree.ids) - 1), size)
    # An additive mask: every kind of attention takes one, not every kind takes a boolean mask.
    mask = torch.zeros(seen.shape, dtype=network.dtype, device=device)
    mask.masked_fill_(to_device(~seen, device), torch.finfo(network.dtype).min)
    logits: torch.Tensor = network(
        input_ids=to_device(ids, device), attention_mask=mask, position_ids=to_device(depth, device)
    ).logits
    return logits


_LOCAL = ("sliding_window", "window_size", "attention_chunk_size", "local_attention_window")
"""Fields of a config that give the size of a sliding window."""


def longest_in_trees(config: Any, window: int) -> int:
    """Return up to how many tokens a text may have to be put into a tree; 0 where that is too few to pay.

    A layer with a sliding window builds its own mask, which a tree's would replace; up to its length both are the same.
    """
    sizes = [getattr(config, name, None) for name in _LOCAL]
    limit = min([window, *(size for size in sizes if isinstance(size, int) and size > 0)])
    return limit if limit >= 8 else 0


def takes_trees(network: Any, device: Any) -> bool:
    """Whether a tree gives the same logits as its texts one by one."""
    import torch

    texts = ((5, 6, 7, 8), (5, 6, 9, 7, 8))
    tree = ModelInput((5, 6, 7, 8, 9, 7, 8), parents=(-1, 0, 1, 2, 1, 4, 5))
    paths = ((0, 1, 2, 3), (0, 1, 4, 5, 6))
    with torch.inference_mode():
        try:
            # The second, longer one tests the padding of the first.
            logits = tree_logits(network, [tree, ModelInput((*tree.ids, 5), parents=(*tree.parents, 6))], device)[0]
        except (RuntimeError, IndexError, KeyError, TypeError, ValueError, AttributeError):
            return False  # an architecture without such inputs
        for text, path in zip(texts, paths, strict=True):
            alone = network(input_ids=torch.tensor([text], device=device)).logits[0]
            if not logits_agree(logits[list(path)], alone, network.dtype):
                return False
    return True
