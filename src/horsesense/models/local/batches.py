"""Questions through a model, in the batches of a plan; where one does not fit into memory, in halves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from horsesense.errors import UserError, argument
from horsesense.models.contract import DEFAULT_BUDGET, Values
from horsesense.models.local.language_model import LanguageModel, Pending
from horsesense.models.local.plan import Plan, make_plan
from horsesense.models.local.questions import Framed
from horsesense.models.local.rows import Row
from horsesense.records import ScoringSpec
from horsesense.watching import UNWATCHED, Watcher


def score_questions(
    model: LanguageModel,
    questions: Sequence[Framed],
    spec: ScoringSpec,
    budget: int = DEFAULT_BUDGET,
    watcher: Watcher = UNWATCHED,
) -> list[Values]:
    """The log-probability of each asked token of each question; the watcher is told how many tokens are done."""
    marks = model.marks
    made = (model.family.rows(question.question, spec, marks) for question in questions)
    longest = max((len(question.question.ids) for question in questions), default=0)
    return score_rows(model, made, longest, spec, budget, watcher)


def score_rows(
    model: LanguageModel,
    questions: Iterable[Sequence[Row]],
    longest: int,
    spec: ScoringSpec,
    budget: int = DEFAULT_BUDGET,
    watcher: Watcher = UNWATCHED,
) -> list[Values]:
    """The numbers of the rows of each question, of which the longest has so many tokens."""
    counts = []

    def rows() -> Iterator[Row]:
        for made in questions:
            counts.append(sum(len(row.reads) for row in made))
            yield from made

    share = longest <= model.longest_in_trees and not spec.exact
    plan = make_plan(rows(), 1 if spec.exact else budget, share)
    scores = np.zeros(len(plan.slots), dtype=np.float32)
    done, total = 0, sum(sum(row.given.shape) for row in plan.inputs)
    for batch, values in run_batches(model, plan, spec.exact, watcher):
        scores[plan.places(batch)] = values
        done += sum(sum(plan.inputs[n].given.shape) for n in batch)
        watcher.at("scoring", done, total, "tokens")
    # Cut after every question, the last one too: of no question there are no parts, and never one.
    return np.split(scores[plan.slots], np.cumsum(counts))[:-1]


def run_batches(
    model: LanguageModel, plan: Plan, exact: bool, watcher: Watcher = UNWATCHED
) -> Iterator[tuple[Sequence[int], Values]]:
    """Each batch with its numbers. One is under way while the one before it is taken off the device."""
    before: tuple[Sequence[int], list[Pending]] | None = None
    for batch in plan.batches:
        begun = _begin(model, [plan.inputs[number] for number in batch], exact, watcher)
        if before:
            yield before[0], _values(model, before[1])
        before = batch, begun
    if before:
        yield before[0], _values(model, before[1])


def _values(model: LanguageModel, pending: list[Pending]) -> Values:
    return np.concatenate([model.finish(part) for part in pending])


def _begin(model: LanguageModel, rows: Sequence[Row], exact: bool, watcher: Watcher) -> list[Pending]:
    """Start a batch. Halving depends on the batch alone, so a resumed run halves alike."""
    import torch

    try:
        return [model.begin(rows, exact)]
    except torch.OutOfMemoryError:
        # The error holds on to the tensors that filled the memory; the halves are tried after it is gone.
        pass
    if len(rows) == 1:
        raise UserError(
            f"one input of {sum(rows[0].given.shape):,} tokens does not fit into the memory of {model.device}",
            fix=f"use {argument('device', 'cpu')}, {argument('dtype', 'bfloat16')} or a smaller model",
        )
    if model.device.type == "cuda":
        torch.cuda.empty_cache()
    watcher.say(f"out of memory with {len(rows)} inputs of {sum(rows[0].given.shape)} tokens: trying halves")
    half = len(rows) // 2
    return _begin(model, rows[:half], exact, watcher) + _begin(model, rows[half:], exact, watcher)
