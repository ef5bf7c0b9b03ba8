"""Tokenise a text, and choose the special tokens around it: the BOS token of a causal model, the frame of a masked one.

The choice of a BOS token moves accuracy by points. SmolLM2 declares a chat marker as its BOS token, but saw
``<|endoftext|>`` between the documents of its training; so a declared token comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from horsesense.errors import UserError, argument

DOCUMENT_SEPARATOR = "<|endoftext|>"


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """The tokens of one text, without special tokens."""

    ids: tuple[int, ...]
    starts: tuple[int, ...]
    """Index of each token's first non-space character. Some tokenizers include the space before a word in the token and
    some do not, so borders are compared here, never at the raw offset."""
    ends: tuple[int, ...]


def tokenise(tokenizer: Any, texts: Sequence[str]) -> list[TokenizedText]:
    """Tokenise whole texts; a token of nothing but space belongs to the word that follows it, if there is one."""
    if not texts:
        return []
    batch = tokenizer(
        list(texts), add_special_tokens=False, return_offsets_mapping=True, return_attention_mask=False, verbose=False
    )
    return [
        TokenizedText(
            ids=tuple(ids),
            starts=tuple(_first_character(text, start, end) for start, end in offsets),
            ends=tuple(end for _, end in offsets),
        )
        for text, ids, offsets in zip(texts, batch["input_ids"], batch["offset_mapping"], strict=True)
    ]


def _first_character(text: str, start: int, end: int) -> int:
    first = start
    while first < end and text[first].isspace():
        first += 1
    return start if first == len(text) else first


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """Token ids before and after every text."""

    before: tuple[int, ...]
    after: tuple[int, ...] = ()
    scores_first: bool = True
    """Whether the first token of a text can be scored: a causal model needs something before it."""
    in_words: str = ""
    """Description of the tokens, and the reason for them."""
    alone: bool = False
    """Whether they are used only where no text precedes the scored stretch."""

    def around(self, before: str) -> SpecialTokens:
        """Return the frame of a text whose scored stretch begins after ``before``."""
        return SpecialTokens((), scores_first=False, in_words=self.in_words) if self.alone and before.strip() else self


HARNESS = "lm-eval"
"""The policy of lm-evaluation-harness: what the tokenizer adds; where it adds nothing and nothing precedes the scored
stretch, the declared BOS token, else EOS."""


def causal_frame(tokenizer: Any, policy: str) -> SpecialTokens:
    """Choose the BOS token under a policy: ``auto``, ``none``, ``lm-eval``, or a token.

    ``auto`` takes what the tokenizer's post-processor puts before a text; else ``<|endoftext|>`` where that is a
    special token; else the declared BOS token; else EOS. Exactly one.
    """
    if policy == "none":
        return SpecialTokens((), scores_first=False, in_words="none, so the first token is not scored")
    if policy == HARNESS:
        return _harness_frame(tokenizer)
    if policy != "auto":
        identity = tokenizer.convert_tokens_to_ids(policy)
        if identity is None or tokenizer.convert_ids_to_tokens(identity) != policy:
            raise UserError(f"the tokenizer has no BOS token {policy!r}", fix="use bos=auto or bos=none")
        return SpecialTokens((identity,), in_words=f"{policy} (requested)")
    before, _ = added_tokens(tokenizer)
    if before:
        return SpecialTokens(
            before[:1], in_words=f"{tokenizer.convert_ids_to_tokens(before[0])} (the tokenizer adds it)"
        )
    if DOCUMENT_SEPARATOR in tokenizer.all_special_tokens:
        identity = tokenizer.convert_tokens_to_ids(DOCUMENT_SEPARATOR)
        description = f"{DOCUMENT_SEPARATOR} at the start (the document separator of its training data)"
        return SpecialTokens((identity,), in_words=description)
    for name in ("bos_token", "eos_token"):
        token = getattr(tokenizer, name, None)
        if token is not None:
            return SpecialTokens(
                (tokenizer.convert_tokens_to_ids(token),), in_words=f"{token} (its {name.replace('_', ' ')})"
            )
    raise UserError("the tokenizer has no BOS token", fix=f"use {argument('spec', 'bos=none')}")


def _harness_frame(tokenizer: Any) -> SpecialTokens:
    before, _ = added_tokens(tokenizer)
    if before:
        return SpecialTokens(
            before, in_words=f"{' '.join(tokenizer.convert_ids_to_tokens(before))} (the tokenizer adds it)"
        )
    token = tokenizer.bos_token or tokenizer.eos_token
    if token is None:
        raise UserError("the tokenizer has no BOS token", fix=f"use {argument('spec', 'bos=none')}")
    words = f"{token} where nothing precedes the scored text, else none (as lm-evaluation-harness does)"
    return SpecialTokens((tokenizer.convert_tokens_to_ids(token),), in_words=words, alone=True)


def masked_frame(tokenizer: Any, special_tokens: bool) -> SpecialTokens:
    """Return what the tokenizer puts around a text, such as [CLS] and [SEP]."""
    if not special_tokens:
        return SpecialTokens((), in_words="none (requested)")
    before, after = added_tokens(tokenizer)
    tokens = " ".join([*tokenizer.convert_ids_to_tokens(before), "…", *tokenizer.convert_ids_to_tokens(after)])
    return SpecialTokens(before, after, in_words=tokens)


def added_tokens(tokenizer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ids that the tokenizer's post-processor adds before and after a text."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a", add_special_tokens=True)["input_ids"]
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start]), tuple(full[start + len(bare) :])
    raise UserError("the tokenizer changes a text when it adds its special tokens", fix="use another model")
