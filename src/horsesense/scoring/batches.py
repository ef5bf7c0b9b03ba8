"""One batch through a model; where it does not fit into memory, in halves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from horsesense.errors import UserError
from horsesense.models.language_model import LanguageModel
from horsesense.models.rows import Row

Values = npt.NDArray[np.float32]
Remark = Callable[[str], None]


def batch_logprobs(model: LanguageModel, rows: Sequence[Row], say: Remark | None = None) -> list[Values]:
    """The log-probabilities of a batch. Halving depends on the batch alone, so a resumed run halves alike."""
    import torch

    try:
        return model.logprobs(rows)
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
    return batch_logprobs(model, rows[:half], say) + batch_logprobs(model, rows[half:], say)
