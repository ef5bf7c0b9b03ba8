"""Which tokens are hidden: by pieces, at several rates, token by token or word by word."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from tokenizers import Tokenizer
from torch import Tensor

SPECIAL = 17
"""Ids below this are no text."""


def word_starts(tokenizer: Tokenizer) -> Tensor:
    """For each token of the vocabulary, whether it begins a word: after a space, or as punctuation."""
    names = [tokenizer.id_to_token(number) or "" for number in range(tokenizer.get_vocab_size())]
    return torch.tensor([name[:1] in "ĠĊĉ" or not name[:1].isalnum() for name in names])


def piece_of(ids: Tensor) -> Tensor:
    """The number of the piece that each token belongs to; a piece begins and ends with the separator, 0."""
    return ((ids == 0).cumsum(dim=1) + 1) // 2


def within_pieces(ids: Tensor) -> Tensor:
    """Who sees whom: (rows, 1, length, length)."""
    piece = piece_of(ids)
    return (piece[:, :, None] == piece[:, None, :])[:, None]


def hide(ids: Tensor, starts: Tensor, rates: Sequence[float], words: float, device_rng: torch.Generator) -> Tensor:
    """True where a token is hidden. Each piece has its own rate, and about one token hidden at least.

    ``words``: the share of pieces in which whole words are hidden.
    """

    def draw(*size: int) -> Tensor:
        return torch.rand(*size, device=ids.device, generator=device_rng)

    rows, length = ids.shape
    piece = piece_of(ids)
    text = ids >= SPECIAL
    size = torch.zeros(rows, length + 2, device=ids.device).scatter_add_(1, piece, text.float())
    choice = torch.tensor(rates, device=ids.device)[(draw(rows, length + 2) * len(rates)).long()]
    rate = torch.maximum(choice, 1 / size.clamp_min(1)).gather(1, piece)
    whole = (draw(rows, length + 2) < words).gather(1, piece)
    word = (starts[ids] | ~text).cumsum(dim=1)
    chance = torch.where(whole, draw(rows, length + 2).gather(1, word), draw(rows, length))
    return text & (chance < rate)
