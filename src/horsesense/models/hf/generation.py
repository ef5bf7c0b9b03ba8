"""Generate continuations of a text or conversation with a local causal model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from horsesense.core import ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.models.protocol import Continuation, Sampling, Turn
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.models.hf.language_model import LanguageModel

_AT_ONCE = 16
"""Turns of one length per batch."""
_ENDS = ("<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>")
"""Tokens that end a turn in common chat templates, beside those that the model declares."""


def continuations(
    model: LanguageModel, turns: Sequence[Turn], sampling: Sampling, progress: Progress = NO_PROGRESS
) -> list[list[Continuation]]:
    """Return the continuations of each turn. Greedy turns of one length share a batch; a sample depends on the seed and
    the turn alone, never on the rest of the batch."""
    if not model.family.left_to_right:
        raise UserError(
            f"{model.name} is {model.family} and cannot generate text",
            fix=f"use a causal model, or {argument('formats', 'loglikelihood')}",
        )
    framed = [_ids(model, turn) for turn in turns]
    longest = max(map(len, framed), default=0)
    if longest + (sampling.room or sampling.tokens) > model.window:
        raise UserError(
            f"a question has {longest} tokens and its reply may have {sampling.room or sampling.tokens}, and "
            f"{model.name} sees {model.window}",
            fix="use fewer tokens for reasoning, or fewer examples",
        )
    made: dict[int, list[Continuation]] = {}
    at_once = 1 if sampling.temperature else _AT_ONCE
    for _, logits_agree in groupby(
        sorted(range(len(turns)), key=lambda n: (len(framed[n]), n)), key=lambda n: len(framed[n])
    ):
        positions = list(logits_agree)
        for start in range(0, len(positions), at_once):
            part = positions[start : start + at_once]
            written = _written(model, [framed[position] for position in part], sampling)
            made.update(zip(part, written, strict=True))
            progress.update("replies", len(made), len(turns))
    return [made[position] for position in range(len(turns))]


def _ids(model: LanguageModel, turn: Turn) -> tuple[int, ...]:
    if turn.messages:
        (tokens,) = model.tokenise([model.apply_chat_template(turn)])
        return tokens.ids
    frame = model.family.frame(model.tokenizer, ScoringSpec())
    (tokens,) = model.tokenise([turn.text])
    return (*frame.before, *tokens.ids)


def _written(model: LanguageModel, rows: list[tuple[int, ...]], sampling: Sampling) -> list[list[Continuation]]:
    import torch

    ids = torch.tensor(rows, device=model.device)
    ends = _ends(model)
    how: dict[str, Any] = {"do_sample": False, "num_return_sequences": 1}
    if sampling.temperature:
        many = sampling.samples
        how = {"do_sample": True, "temperature": sampling.temperature, "top_p": 1.0, "top_k": 0}
        how["num_return_sequences"] = many
    devices = [model.device] if model.device.type == "cuda" else []
    with torch.random.fork_rng(devices), model.preserve_state():
        torch.manual_seed(_seed(sampling.seed, rows[0]))
        out = model.network.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=sampling.room or sampling.tokens,
            use_cache=True,
            eos_token_id=sorted(ends) or None,
            pad_token_id=min(ends) if ends else 0,
            **how,
        )
    texts = [_continuation(model, row[ids.shape[1] :].tolist(), ends, ids.shape[1]) for row in out]
    if not sampling.temperature:  # all samples are the same
        return [[text] * sampling.samples for text in texts]
    return [texts]


def _seed(seed: int, ids: tuple[int, ...]) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {ids}".encode()).digest()[:7])


def _ends(model: LanguageModel) -> set[int]:
    declared = getattr(getattr(model.network, "generation_config", None), "eos_token_id", None)
    ends = set(declared) if isinstance(declared, list) else {declared}
    vocabulary = model.tokenizer.get_vocab()
    ends |= {model.tokenizer.eos_token_id, *(vocabulary[each] for each in _ENDS if each in vocabulary)}
    return {end for end in ends if isinstance(end, int)}


def _continuation(model: LanguageModel, ids: list[int], ends: set[int], before: int) -> Continuation:
    stop = next((position for position, token in enumerate(ids) if token in ends), None)
    written = ids if stop is None else ids[:stop]
    text = model.tokenizer.decode(written, skip_special_tokens=True)
    return Continuation.of_text(text, "length" if stop is None else "stop", before, len(written))
