"""A loaded language model, asked for log-probabilities at given places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horsesense.errors import UserError
from horsesense.models.families import Family
from horsesense.models.rows import Marks, Row
from horsesense.models.tokens import Tokens, tokenise

if TYPE_CHECKING:
    import torch

Ranked = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]
"""Token ids and their log-probabilities, best first."""

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
    def marks(self) -> Marks:
        """The token ids that rows are made with."""
        from horsesense.models.seq2seq import SENTINEL

        sentinel = self.tokenizer.convert_tokens_to_ids(SENTINEL) if SENTINEL in self.tokenizer.get_vocab() else None
        start = getattr(self.network.config, "decoder_start_token_id", None)
        return Marks(self.tokenizer.mask_token_id, sentinel, start)

    def tokenise(self, texts: Sequence[str]) -> list[Tokens]:
        return tokenise(self.tokenizer, texts)

    def logprobs(self, rows: Sequence[Row]) -> list[npt.NDArray[np.float32]]:
        """Log-probabilities of each row's targets. All rows have one shape, so nothing is padded.

        The softmax is in float32 whatever the weights are in. Where it is over the options of an
        item, which lie in several rows, the bare score is given.
        """
        import torch

        with torch.inference_mode():
            logits, which, places = self._read(rows)
            targets = torch.tensor([token for row in rows for token in row.targets], device=self.device)
            found = torch.empty(len(targets), dtype=torch.float32, device=self.device)
            for start in range(0, len(targets), _READS_AT_ONCE):
                part = slice(start, start + _READS_AT_ONCE)
                scores = logits[which[part], places[part]].float()
                found[part] = scores.gather(1, targets[part, None])[:, 0]
                if self.module.HEAD != "options":
                    found[part] -= scores.logsumexp(dim=1)
            values = found.cpu().numpy()
        self._check(values)
        return np.split(values, np.cumsum([len(row.reads) for row in rows])[:-1])

    def top(self, rows: Sequence[Row], k: int) -> list[Ranked]:
        """For each row, which reads one place: the ids and log-probabilities of its k best tokens.

        Some models pad their vocabulary; entries that the tokenizer does not have are no tokens.
        """
        import torch

        with torch.inference_mode():
            logits, which, places = self._read(rows)
            known = logits[which, places].float().log_softmax(dim=1)[:, : len(self.tokenizer)]
            best = known.topk(k, dim=1)
            ids, values = best.indices.cpu().numpy(), best.values.cpu().numpy()
        self._check(values)
        return list(zip(ids, values, strict=True))

    def _read(self, rows: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        import torch

        found = self.module.outputs(self.network, [row.given for row in rows], list(rows), self.device)
        counts = torch.tensor([len(row.reads) for row in rows], device=self.device)
        which = torch.arange(len(rows), device=self.device).repeat_interleave(counts)
        return found.logits, which, torch.tensor([p for places in found.places for p in places], device=self.device)

    def _check(self, values: npt.NDArray[np.float32]) -> None:
        if not np.isfinite(values).all():
            raise UserError(
                f"{self.name} gives log-probabilities that are not numbers",
                fix="its weights are damaged, or --dtype float32 is needed",
            )

    def describe(self) -> dict[str, Any]:
        """What a manifest keeps of it."""
        return {
            "name": self.name,
            "family": self.family,
            "architecture": self.architecture,
            "direction": self.module.DIRECTION,
            "parameters": self.parameters,
            "window": self.window,
            "weights": self.weights,
            "revision": self.revision,
            "dtype": self.dtype,
        }
