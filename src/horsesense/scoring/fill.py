"""The words that a model itself puts into a blank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.errors import UserError, argument
from horsesense.models.local.language_model import LanguageModel, Ranked
from horsesense.models.local.rows import Given, Row
from horsesense.records import BLANK, Fill, ScoringSpec
from horsesense.records.document import Document
from horsesense.scoring.plan import make_plan
from horsesense.scoring.questions import need_tokens

_CLOSING = " .,;:!?"


@dataclass(frozen=True, slots=True)
class FillDocument(Document):
    """The words that a model puts into blanks."""

    model: str
    """Who was asked."""
    spec: Mapping[str, str | int | bool]
    """What a score means: all fields of the scoring spec, and the tokens around each text in words."""
    fills: tuple[Fill, ...]
    """For each prompt in turn, its words, best first."""


def fill(
    model: LanguageModel, prompts: Sequence[str], k: int, spec: ScoringSpec, budget: int = 4096
) -> list[list[Fill]]:
    """The k best single tokens for the blank of each prompt, pieces and all, best first.

    A causal model can only be asked where the blank ends the prompt: it does not see what follows.
    """
    need_tokens(model)
    if k < 1:
        raise UserError(f"the {k} best words of a blank are asked for", fix="ask for 1 or more")
    if k > len(model.tokenizer):
        raise UserError(f"{k} words are asked for and the vocabulary has {len(model.tokenizer)}", fix="ask for fewer")
    rows = [_row(model, prompt, spec) for prompt in prompts]
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


def _row(model: LanguageModel, prompt: str, spec: ScoringSpec) -> Row:
    """The input with its blank, read at the blank; the target does not matter."""
    before, blank, after = prompt.partition(BLANK)
    if not blank or BLANK in after:
        raise UserError(f"the prompt {prompt!r} must have one blank {BLANK}")
    frame = model.family.frame(model.tokenizer, spec)
    if model.family.asks_what_follows:
        if after.strip(_CLOSING):
            raise UserError(
                f"{model.name} reads from left to right and cannot see {after.strip()!r} behind the blank",
                fix="end the prompt with the blank, or use a masked model",
            )
        (tokens,) = model.tokenise([before.rstrip() or prompt])
        ids = (*frame.before, *(tokens.ids if before.strip() else ()))
        if not ids:
            raise UserError(f"nothing stands before the blank of {prompt!r}", fix=f"use {argument('spec', 'bos=auto')}")
        return _checked(model, Row(Given(ids), (len(ids) - 1,), (0,)), prompt)
    mask = model.tokenizer.mask_token
    if mask is None:
        raise UserError(f"{model.name} has no mask token to put into a blank", fix="use a masked or a causal model")
    (tokens,) = model.tokenise([f"{before}{mask}{after}"])
    ids = (*frame.before, *tokens.ids, *frame.after)
    place = ids.index(model.tokenizer.mask_token_id)
    return _checked(model, model.family.blank(ids, place, spec), prompt)


def _checked(model: LanguageModel, row: Row, prompt: str) -> Row:
    if len(row.given.ids) > model.window:
        raise UserError(f"the prompt {prompt[:60]!r} … has {len(row.given.ids)} tokens; the model sees {model.window}")
    return row
