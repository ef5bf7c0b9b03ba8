"""Fill a blank, choose between given words, or continue a text with a local model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from horsesense.core import BLANK, Fill, ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.models.hf.batch_plan import make_plan
from horsesense.models.hf.batches import Sizes, score_rows
from horsesense.models.hf.encoding import require_token_head
from horsesense.models.hf.rows import ModelInput, Row
from horsesense.models.protocol import DEFAULT_BUDGET, Choices, Continuation, Sampling, Turn
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.models.hf.language_model import LanguageModel, Ranked

_CLOSING = " .,;:!?"
_MARKS = ("", "Ġ", "▁", " ")
"""What a vocabulary writes before a token that begins a word; nothing for one that does not."""


def best_words(
    model: LanguageModel, prompts: Sequence[str], k: int, spec: ScoringSpec, budget: int = DEFAULT_BUDGET
) -> list[list[Fill]]:
    """Return the k most probable single tokens for the blank of each prompt, subwords included, best first.

    A causal model needs the blank at the end of the prompt: it does not see what follows.
    """
    require_token_head(model)
    if k > len(model.tokenizer):
        raise UserError(f"{k} words are requested and the vocabulary has {len(model.tokenizer)}", fix="ask for fewer")
    rows = [_prompt_row(model, prompt, spec) for prompt in prompts]
    plan = make_plan(rows, 1 if spec.exact else budget)
    best: dict[int, Ranked] = {}
    for batch in plan.batches:
        ranked = model.top([_one_read(plan.inputs[number]) for number in batch], k)
        best.update(zip(batch, ranked, strict=True))
    fills = []
    numbers = np.searchsorted(plan.begins, plan.slots, side="right") - 1
    for prompt, number in zip(prompts, numbers.tolist(), strict=True):
        ids, values = best[number]
        words = [model.tokenizer.decode([int(token)]) for token in ids]
        by_rank = enumerate(zip(words, ids, values, strict=True), start=1)
        fills.append([Fill(prompt, rank, word, (int(token),), float(value)) for rank, (word, token, value) in by_rank])
    return fills


def _one_read(row: Row) -> Row:
    return Row(row.given, row.reads[:1], row.targets[:1])


def _prompt_row(model: LanguageModel, prompt: str, spec: ScoringSpec) -> Row:
    before, blank, after = prompt.partition(BLANK)
    if not blank or BLANK in after:
        raise UserError(f"the prompt {prompt!r} must have one blank {BLANK}")
    return blank_row(model, before, after, spec)


def blank_row(model: LanguageModel, before: str, after: str, spec: ScoringSpec, framed: bool = True) -> Row:
    """Return the input with a blank between two texts, read at the blank; the target does not matter.

    ``framed``: with the special tokens of the spec; a chat template has its own.
    """
    prompt = f"{before}{BLANK}{after}"
    frame = model.family.frame(model.tokenizer, spec).around(before)
    if model.family.scores_to_end:
        if after.strip(_CLOSING):
            raise UserError(
                f"{model.name} reads from left to right and does not see {after.strip()!r} after the blank",
                fix="end the prompt with the blank, or use a masked model",
            )
        (tokens,) = model.tokenise([before.rstrip() if framed else before or prompt])
        ids = (*(frame.before if framed else ()), *(tokens.ids if before.strip() else ()))
        if not ids:
            raise UserError(f"nothing precedes the blank of {prompt!r}", fix=f"use {argument('spec', 'bos=auto')}")
        return _checked(model, Row(ModelInput(ids), (len(ids) - 1,), (0,)), prompt)
    mask = model.tokenizer.mask_token
    if mask is None:
        raise UserError(f"{model.name} has no mask token to put into a blank", fix="use a masked or a causal model")
    (tokens,) = model.tokenise([f"{before}{mask}{after}"])
    ids = (*frame.before, *tokens.ids, *frame.after)
    position = len(ids) - 1 - ids[::-1].index(model.tokenizer.mask_token_id)
    return _checked(model, model.family.blank(ids, position, spec), prompt)


def _checked(model: LanguageModel, row: Row, prompt: str) -> Row:
    if len(row.given.ids) > model.window:
        raise UserError(f"the prompt {prompt[:60]!r} … has {len(row.given.ids)} tokens; the model sees {model.window}")
    return row


def choices(
    model: LanguageModel,
    turns: Sequence[Turn],
    words: Sequence[Sequence[str]],
    spec: ScoringSpec,
    progress: Progress = NO_PROGRESS,
) -> list[Choices]:
    """Return, for each turn, the log-probability of each of its words as the next one, with and without a leading
    space."""
    inputs, sizes = [], []
    for turn, options in zip(turns, words, strict=True):
        row = turn_row(model, turn, spec)
        ids = [tokens_of(model, word) for word in options]
        targets = tuple(token for each in ids for token in each)
        inputs.append([Row(row.given, row.reads * len(targets), targets)])
        sizes.append([len(each) for each in ids])
    chosen = []
    lengths = [len(rows[0].given.ids) for rows in inputs]
    scored = score_rows(model, inputs, Sizes(max(lengths, default=0), sum(lengths)), spec, progress=progress)
    for rows, values, counts in zip(inputs, scored, sizes, strict=True):
        parts = np.split(values.astype(np.float64), np.cumsum(counts)[:-1])
        sums = tuple(float(np.logaddexp.reduce(part)) for part in parts)
        chosen.append(Choices(sums, (False,) * len(sums), tokens=len(rows[0].given.ids)))
    return chosen


def turn_row(model: LanguageModel, turn: Turn, spec: ScoringSpec) -> Row:
    """Return the input of a turn, read at the position of the next word."""
    if turn.messages:
        return blank_row(model, model.apply_chat_template(turn), "", spec, framed=False)
    if model.family.scores_to_end:
        return blank_row(model, turn.text, "", spec)
    return blank_row(model, f"{turn.text.rstrip()} ", ".", spec)


def tokens_of(model: LanguageModel, word: str) -> tuple[int, ...]:
    """Return the ids of the tokens that are this word, with and without a leading space."""
    return _tokens_of(model.tokenizer, word)


@cache
def _tokens_of(tokenizer: Any, word: str) -> tuple[int, ...]:
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    token_ids = {vocabulary[mark + word] for mark in _MARKS if mark + word in vocabulary}
    if not token_ids:
        ids = tokenizer(word, add_special_tokens=False)["input_ids"]
        if len(ids) != 1:
            raise UserError(
                f"{word!r} is not a single token of this model", fix=f"use {argument('formats', 'generate')}"
            )
        token_ids = {ids[0]}
    return tuple(sorted(token_ids))


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
    by_turn: dict[int, list[Continuation]] = {}
    at_once = 1 if sampling.temperature else _AT_ONCE
    for _, logits_agree in groupby(
        sorted(range(len(turns)), key=lambda n: (len(framed[n]), n)), key=lambda n: len(framed[n])
    ):
        positions = list(logits_agree)
        for start in range(0, len(positions), at_once):
            part = positions[start : start + at_once]
            written = _written(model, [framed[position] for position in part], sampling)
            by_turn.update(zip(part, written, strict=True))
            progress.update("replies", len(by_turn), len(turns))
    return [by_turn[position] for position in range(len(turns))]


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
