"""A loaded language model, asked for log-probabilities at given places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horsesense.errors import UserError
from horsesense.models.families import Family
from horsesense.models.rows import Row
from horsesense.models.tokens import Tokens, tokenise

if TYPE_CHECKING:
    import torch

_READS_AT_ONCE = 512
"""Rows of the vocabulary held in float32 at a time; keeps memory flat as batches grow."""


@dataclass(frozen=True)
class LanguageModel:
    """Weights, tokenizer and what has to be known of them."""

    name: str
    family: str
    module: Family
    network: Any
    tokenizer: Any
    device: torch.device
    dtype: str
    window: int
    """How many tokens it can see, special ones included."""
    weights: str
    """SHA-256 of the weight files."""
    revision: str
    architecture: str
    parameters: int
    notes: tuple[str, ...] = ()
    """What was decided at load, in words: device, dtype and their reasons."""

    @property
    def mask(self) -> int | None:
        identity: int | None = self.tokenizer.mask_token_id
        return identity

    def tokenise(self, texts: Sequence[str]) -> list[Tokens]:
        return tokenise(self.tokenizer, texts)

    def logprobs(self, rows: Sequence[Row]) -> list[npt.NDArray[np.float32]]:
        """Log-probabilities of each row's targets. All rows have one length, so nothing is padded.

        The softmax is in float32 whatever the weights are in.
        """
        import torch

        counts = [len(row.reads) for row in rows]
        with torch.inference_mode():
            ids = torch.tensor([row.ids for row in rows], device=self.device)
            logits = self.network(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
            which = torch.tensor(np.repeat(np.arange(len(rows)), counts), device=self.device)
            reads = torch.tensor([place for row in rows for place in row.reads], device=self.device)
            targets = torch.tensor([token for row in rows for token in row.targets], device=self.device)
            found = torch.empty(len(targets), dtype=torch.float32, device=self.device)
            for start in range(0, len(targets), _READS_AT_ONCE):
                part = slice(start, start + _READS_AT_ONCE)
                scores = logits[which[part], reads[part]].float()
                chosen = scores.gather(1, targets[part, None])[:, 0]
                found[part] = chosen - scores.logsumexp(dim=1)
            values = found.cpu().numpy()
        if not np.isfinite(values).all():
            raise UserError(
                f"{self.name} gives log-probabilities that are not numbers",
                fix="its weights are damaged, or --dtype float32 is needed",
            )
        return np.split(values, np.cumsum(counts)[:-1])

    def describe(self) -> dict[str, Any]:
        """What a manifest keeps of it."""
        return {
            "name": self.name,
            "family": self.family,
            "architecture": self.architecture,
            "direction": "left to right" if self.module.ASKS_WHAT_FOLLOWS else "both sides",
            "parameters": self.parameters,
            "window": self.window,
            "weights": self.weights,
            "revision": self.revision,
            "dtype": self.dtype,
        }
