"""Run the head of a network only at the positions that are read.

A vocabulary is large: the head costs as much as several layers at every position, and its logits are the largest tensor
in memory. So the output of the layers is reduced to the read positions before the head sees it. `SelectiveLMHead` is
inserted between the layers and the head of any architecture; a self-test at load compares it with the full logits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import logits_agree
from horsesense.models.hf.rows import Row

if TYPE_CHECKING:
    import torch

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
