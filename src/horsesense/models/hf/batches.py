"""Score questions in the batches of a plan; a batch that does not fit into memory is halved.

The longest come first, block by block: while a GPU computes one block, the next is planned, so that nothing waits for
the plan of the whole. Texts that share prefixes keep their order, since those of an item are neighbours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.core import ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.models.hf.batch_plan import Plan, gc_disabled, make_plan
from horsesense.models.hf.encoding import FramedPrompt
from horsesense.models.hf.forward import Pending
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.rows import Row
from horsesense.models.protocol import DEFAULT_BUDGET, Values
from horsesense.progress import NO_PROGRESS, Progress

BLOCK = 8
"""Batches per planned block, about. A prefix that two blocks share is computed in each."""
_FIRST = 1 / 8
"""Batches of the first block on a GPU, so that it soon has work; each block is twice the one before it."""
_UNDER_WAY = 2
"""Batches queued on a GPU while the next is prepared."""


def score_questions(
    model: LanguageModel,
    questions: Sequence[FramedPrompt],
    spec: ScoringSpec,
    budget: int = DEFAULT_BUDGET,
    progress: Progress = NO_PROGRESS,
) -> list[Values]:
    """Return the log-probability of each scored token of each question; progress is counted in tokens."""
    marks = model.marks
    sizes = _sizes(questions)
    order = list(range(len(questions)))
    if not _shares(model, sizes, spec):
        order.sort(key=lambda number: -questions[number].length)
    rows = (model.family.rows(questions[number].question, spec, marks) for number in order)
    scores: list[Values] = [_NONE] * len(questions)
    for number, values in zip(order, score_rows(model, rows, sizes, spec, budget, progress), strict=True):
        scores[number] = values
    return scores


_NONE: Values = np.zeros(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of questions that planning needs."""

    longest: int
    """Tokens of the longest question."""
    total: int
    """Tokens of all questions without prefix sharing; the total of progress reports."""


def _sizes(questions: Sequence[FramedPrompt]) -> Sizes:
    lengths = [question.length for question in questions]
    return Sizes(max(lengths, default=0), sum(question.cost for question in questions))


def _shares(model: LanguageModel, sizes: Sizes, spec: ScoringSpec) -> bool:
    """Whether texts with a common prefix are merged."""
    return sizes.longest <= model.longest_in_trees and not spec.exact


def score_rows(
    model: LanguageModel,
    questions: Iterable[Sequence[Row]],
    sizes: Sizes,
    spec: ScoringSpec,
    budget: int = DEFAULT_BUDGET,
    progress: Progress = NO_PROGRESS,
) -> list[Values]:
    """Return the values of the rows of each question; each question has at least one row."""
    share, room = _shares(model, sizes, spec), 1 if spec.exact else budget
    blocks = (
        _Block(planned, make_plan((row for rows in planned for row in rows), room, share))
        for planned in _cut(questions, budget, _FIRST if model.device.type == "cuda" else BLOCK)
    )
    scored: list[Values] = []
    done = 0.0
    for block, batch, values in _computed(model, blocks, spec.exact, progress):
        block.scores[block.plan.positions(batch)] = values
        block.left -= 1
        done += block.a_token * sum(sum(block.plan.inputs[n].given.shape) for n in batch)
        progress.update("scoring", min(round(done), sizes.total), sizes.total, "tokens")
        if not block.left:
            scored += block.values()
    return scored


class _Block:
    """Some questions with their plan, and the values that are computed already."""

    def __init__(self, questions: Sequence[Sequence[Row]], plan: Plan) -> None:
        self.plan = plan
        self.a_token = sum(_cost(rows) for rows in questions) / plan.tokens
        """Tokens of the questions per computed token."""
        self.left = len(plan.batches)
        self.scores = np.zeros(len(plan.slots), dtype=np.float32)
        self._counts = [sum(len(row.reads) for row in rows) for rows in questions]

    def values(self) -> list[Values]:
        return np.split(self.scores[self.plan.slots], np.cumsum(self._counts)[:-1])


def _cut(questions: Iterable[Sequence[Row]], budget: int, batches: float) -> Iterator[list[Sequence[Row]]]:
    """Cut questions into blocks; ``batches`` is the size of the first one."""
    left = iter(questions)
    while block := _filled(left, batches * budget):
        yield block
        batches = min(2 * batches, BLOCK)


def _filled(questions: Iterator[Sequence[Row]], size: float) -> list[Sequence[Row]]:
    """Return the next questions with about ``size`` tokens."""
    block = []
    with gc_disabled():
        for rows in questions:
            block.append(rows)
            size -= _cost(rows)
            if size <= 0:
                break
    return block


def _cost(rows: Sequence[Row]) -> int:
    return sum(sum(row.given.shape) for row in rows)


def _computed(
    model: LanguageModel, blocks: Iterable[_Block], exact: bool, progress: Progress
) -> Iterator[tuple[_Block, Sequence[int], Values]]:
    """Yield each batch with its values, in order; later ones are queued while earlier ones are read from the device."""
    under_way: deque[tuple[_Block, Sequence[int], list[Pending]]] = deque()
    for block in blocks:
        for batch in block.plan.batches:
            under_way.append((block, batch, _begin(model, [block.plan.inputs[n] for n in batch], exact, progress)))
            if len(under_way) > _UNDER_WAY or model.device.type == "cpu":
                yield _taken(model, *under_way.popleft())
    while under_way:
        yield _taken(model, *under_way.popleft())


def _taken(
    model: LanguageModel, block: _Block, batch: Sequence[int], pending: list[Pending]
) -> tuple[_Block, Sequence[int], Values]:
    return block, batch, np.concatenate([model.finish(part) for part in pending])


def _begin(model: LanguageModel, rows: Sequence[Row], exact: bool, progress: Progress) -> list[Pending]:
    """Start a batch. Halving depends on the batch alone, so a resumed run halves in the same way."""
    import torch

    try:
        return [model.begin(rows, exact)]
    except torch.OutOfMemoryError:
        # The exception keeps the tensors that filled the memory alive; the halves are tried after it is gone.
        pass
    if len(rows) == 1:
        raise UserError(
            f"one input of {sum(rows[0].given.shape):,} tokens does not fit into the memory of {model.device}",
            fix=f"use {argument('device', 'cpu')}, {argument('dtype', 'bfloat16')} or a smaller model",
        )
    if model.device.type == "cuda":
        torch.cuda.empty_cache()
    progress.log(f"out of memory with {len(rows)} inputs of {sum(rows[0].given.shape)} tokens: trying halves")
    half = len(rows) // 2
    return _begin(model, rows[:half], exact, progress) + _begin(model, rows[half:], exact, progress)
