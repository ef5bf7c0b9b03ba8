"""The tokens around a text: which BOS a causal model gets, what frames a masked model's input.

The choice moves accuracy by points. SmolLM2 declares a chat marker as its BOS, but saw
``<|endoftext|>`` between the documents of its training; so a declared token comes last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from horsesense.errors import UserError

DOCUMENT_SEPARATOR = "<|endoftext|>"


@dataclass(frozen=True, slots=True)
class Frame:
    """Token ids put before and after every text."""

    before: tuple[int, ...]
    after: tuple[int, ...] = ()
    scores_first: bool = True
    """Whether the first token of a text can be scored: a causal model needs something before it."""
    told: str = ""
    """The tokens, and why these, in words for the user."""


def causal_frame(tokenizer: Any, policy: str) -> Frame:
    """The BOS under a policy: ``auto``, ``none``, or a token.

    ``auto`` takes what the tokenizer's post-processor puts before a text; else ``<|endoftext|>``
    where that is a special token; else the declared BOS; else EOS. Exactly one.
    """
    if policy == "none":
        return Frame((), scores_first=False, told="none, so the first token is not scored")
    if policy != "auto":
        identity = tokenizer.convert_tokens_to_ids(policy)
        if identity is None or tokenizer.convert_ids_to_tokens(identity) != policy:
            raise UserError(f"the tokenizer has no token {policy!r} to begin with", fix="use bos=auto or bos=none")
        return Frame((identity,), told=f"{policy} (asked for)")
    before, _ = added_tokens(tokenizer)
    if before:
        return Frame(before[:1], told=f"{tokenizer.convert_ids_to_tokens(before[0])} (the tokenizer adds it)")
    if DOCUMENT_SEPARATOR in tokenizer.all_special_tokens:
        identity = tokenizer.convert_tokens_to_ids(DOCUMENT_SEPARATOR)
        return Frame((identity,), told=f"{DOCUMENT_SEPARATOR} (it separated documents in training)")
    for name in ("bos_token", "eos_token"):
        token = getattr(tokenizer, name, None)
        if token is not None:
            return Frame((tokenizer.convert_tokens_to_ids(token),), told=f"{token} (its {name.replace('_', ' ')})")
    raise UserError("the tokenizer has no token to begin a text with", fix="use --spec bos=none")


def masked_frame(tokenizer: Any, special_tokens: bool) -> Frame:
    """What the tokenizer puts around a text, such as [CLS] and [SEP]."""
    if not special_tokens:
        return Frame((), told="none (asked for)")
    before, after = added_tokens(tokenizer)
    told = " ".join([*tokenizer.convert_ids_to_tokens(before), "…", *tokenizer.convert_ids_to_tokens(after)])
    return Frame(before, after, told=told)


def added_tokens(tokenizer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids that the tokenizer's post-processor adds before and after a text."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a", add_special_tokens=True)["input_ids"]
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start]), tuple(full[start + len(bare) :])
    raise UserError("the tokenizer changes a text when it adds its special tokens", fix="use another model")
