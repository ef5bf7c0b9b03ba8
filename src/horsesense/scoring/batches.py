"""The batches of a plan through a model; where one does not fit into memory, in halves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from horsesense.errors import UserError
from horsesense.models.language_model import LanguageModel, Pending
from horsesense.models.rows import Row
from horsesense.scoring.plan import Plan

Values = npt.NDArray[np.float32]
Remark = Callable[[str], None]


def run_batches(
    model: LanguageModel, plan: Plan, exact: bool, say: Remark | None = None
) -> Iterator[tuple[Sequence[int], Values]]:
    """Each batch with its numbers. One is under way while the one before it is taken off the device."""
    before: tuple[Sequence[int], list[Pending]] | None = None
    for batch in plan.batches:
        begun = _begin(model, [plan.inputs[number] for number in batch], exact, say)
        if before:
            yield before[0], _values(model, before[1])
        before = batch, begun
    if before:
        yield before[0], _values(model, before[1])


def _values(model: LanguageModel, pending: list[Pending]) -> Values:
    return np.concatenate([model.finish(part) for part in pending])


def _begin(model: LanguageModel, rows: Sequence[Row], exact: bool, say: Remark | None) -> list[Pending]:
    """Start a batch. Halving depends on the batch alone, so a resumed run halves alike."""
    import torch

    try:
        return [model.begin(rows, exact)]
    except torch.OutOfMemoryError:
        # The error holds on to the tensors that filled the memory; the halves are tried after it is gone.
        pass
    if len(rows) == 1:
        raise UserError(
            f"one input of {sum(rows[0].given.shape):,} tokens does not fit into the memory of {model.device}",
            fix="use --device cpu, --dtype bfloat16 or a smaller model",
        )
    if model.device.type == "cuda":
        torch.cuda.empty_cache()
    if say:
        say(f"out of memory with {len(rows)} inputs of {sum(rows[0].given.shape)} tokens: trying halves")
    half = len(rows) // 2
    return _begin(model, rows[:half], exact, say) + _begin(model, rows[half:], exact, say)
