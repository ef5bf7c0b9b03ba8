"""How good an adapted model is, told without any probe: held-out loss, and the development set."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from dev import read_dev
from llama import Llama, states
from masking import hide, within_pieces
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

ROWS = 64
"""Rows of 512 tokens at a time."""


@dataclass(frozen=True)
class Judge:
    """What has to be known of a masked model to ask it."""

    mask: int
    offset: int
    starts: Tensor
    """Which tokens begin a word."""

    @torch.no_grad()
    def held_out_loss(self, model: Llama, rows: Tensor) -> float:
        """Mean loss of a tenth of the words, the same ones for every model."""
        device = model.embedding.device
        rng = torch.Generator(device).manual_seed(1)
        losses = []
        for ids in rows.long().split(ROWS):
            ids = ids.to(device)
            hidden = hide(ids, self.starts, (0.1,), 1.0, rng)
            losses.append(self._losses(model, ids, hidden, hidden, hidden.roll(-self.offset, dims=1)))
        return torch.cat(losses).mean().item()

    @torch.no_grad()
    def dev_margins(self, model: Llama, tokenizer: Tokenizer) -> Tensor:
        """For each pair of the development set, mean log-probability a token: of the right one less of the wrong one.

        A token is hidden together with the rest of its word (Kauf and Ivanova 2023).
        """
        device = model.embedding.device
        encoded = [tokenizer.encode(sentence).ids for pair in read_dev() for sentence in pair]
        length = max(map(len, encoded)) + 2
        means = []
        for tokens in encoded:
            ids = torch.tensor([0, *tokens, *[0] * (length - 1 - len(tokens))], device=device)
            place = torch.arange(1, len(tokens) + 1, device=device)
            everywhere = torch.arange(length, device=device)[None]
            asked = everywhere == place[:, None]
            word = (self.starts[ids] | (ids == 0)).cumsum(dim=0)
            hidden = (everywhere >= place[:, None]) & (word[None] == word[place][:, None])
            copies = ids.expand(len(place), -1)
            means.append(-self._losses(model, copies, hidden, asked, asked.roll(-self.offset, dims=1)).mean())
        right, wrong = torch.stack(means).view(-1, 2).unbind(dim=1)
        return right - wrong

    def _losses(self, model: Llama, ids: Tensor, hidden: Tensor, asked: Tensor, read: Tensor) -> Tensor:
        found = states(model, ids.masked_fill(hidden, self.mask), within_pieces(ids))
        return functional.cross_entropy(
            functional.linear(found[read], model.embedding).float(), ids[asked], reduction="none"
        )
