"""A text cut into tokens once, each with the characters it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one text, without any special ones."""

    ids: tuple[int, ...]
    starts: tuple[int, ...]
    """Where each token's first non-space character stands. Some tokenizers count the space before a
    word to the token and some do not, so borders are compared here, never at the raw offset."""
    ends: tuple[int, ...]


def tokenise(tokenizer: Any, texts: Sequence[str]) -> list[Tokens]:
    """Tokenise whole texts; a token of nothing but space counts to the word that follows it."""
    if not texts:
        return []
    batch = tokenizer(
        list(texts), add_special_tokens=False, return_offsets_mapping=True, return_attention_mask=False, verbose=False
    )
    return [
        Tokens(
            ids=tuple(ids),
            starts=tuple(_first_character(text, start, end) for start, end in offsets),
            ends=tuple(end for _, end in offsets),
        )
        for text, ids, offsets in zip(texts, batch["input_ids"], batch["offset_mapping"], strict=True)
    ]


def _first_character(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start
