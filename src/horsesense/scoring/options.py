"""Asking a model about items: every option's tokens with their log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.errors import UserError
from horsesense.models.local.language_model import LanguageModel
from horsesense.records import Answer, Item, ScoringSpec
from horsesense.scoring.batches import DEFAULT_BUDGET, Values, score_questions
from horsesense.scoring.prompts import ItemPrompts, item_prompts
from horsesense.scoring.questions import Framed, frame_pairs, framer_of


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item, put into words and cut into tokens."""

    item: Item
    prompts: ItemPrompts
    options: tuple[Framed, ...]
    baseline: tuple[Framed, ...]

    @property
    def longest(self) -> int:
        return max(len(option.question.ids) for option in self.options)

    @property
    def questions(self) -> tuple[Framed, ...]:
        return self.options + self.baseline


def prepare(model: LanguageModel, items: Sequence[Item], spec: ScoringSpec) -> list[Prepared]:
    """Put items into words for this model, tokenised in one go; an item that cannot be asked is an error."""
    for item in items:
        if item.form not in model.family.forms:
            raise UserError(
                f"item {item.id}: {model.name} is of the family {model.family.name!r}, which cannot answer the form "
                f"{item.form!r}",
                fix=f"it answers {', '.join(model.family.forms)}",
            )
    if model.family.head == "tokens":
        return _prepare_texts(model, items, spec)
    framed = frame_pairs(model, items, spec)
    return [
        Prepared(item, ItemPrompts(item.form, ()), options, ()) for item, options in zip(items, framed, strict=True)
    ]


def _prepare_texts(model: LanguageModel, items: Sequence[Item], spec: ScoringSpec) -> list[Prepared]:
    framer = framer_of(model, spec)
    prompts = [item_prompts(item, spec, model.family.asks_what_follows) for item in items]
    tokens = iter(model.tokenise([prompt.text for each in prompts for prompt in each.prompts + each.baseline]))
    prepared = []
    for item, each in zip(items, prompts, strict=True):
        try:
            options = tuple(framer(prompt, next(tokens)) for prompt in each.prompts)
            baseline = tuple(framer(prompt, next(tokens)) for prompt in each.baseline)
        except UserError as error:
            raise UserError(f"item {item.id}: {error.problem}", fix=error.fix) from error
        prepared.append(Prepared(item, each, options, baseline))
    return prepared


def answer_of(model: LanguageModel, prepared: Prepared, scored: Sequence[Values]) -> Answer:
    """The answer record of an item, from the scores of its options and then of its baselines."""
    options = scored[: len(prepared.options)]
    totals = tuple(_total(values) for values in options)
    if model.family.head != "tokens":
        scores = _log_softmax(totals) if model.family.head == "options" else totals
        return Answer(prepared.item.id, prepared.prompts.view, scores, flags=("",) * len(scores))
    return Answer(
        item=prepared.item.id,
        view=prepared.prompts.view,
        scores=totals,
        logprobs=tuple(tuple(float(value) for value in values) for values in options),
        starts=tuple(option.starts for option in prepared.options),
        ends=tuple(option.ends for option in prepared.options),
        flags=tuple(" ".join(option.flags) for option in prepared.options),
        baseline=tuple(_total(values) for values in scored[len(prepared.options) :]),
    )


def _log_softmax(scores: Sequence[float]) -> tuple[float, ...]:
    values = np.asarray(scores, dtype=np.float64)
    return tuple(float(value) for value in values - np.logaddexp.reduce(values))


def _total(values: Values) -> float:
    return float(values.astype(np.float64).sum())


def answer_items(
    model: LanguageModel, items: Sequence[Item], spec: ScoringSpec, budget: int = DEFAULT_BUDGET
) -> list[Answer]:
    """Ask a model about items, all at once; runs that are kept go through `horsesense.runs`."""
    prepared = prepare(model, items, spec)
    scored = iter(score_questions(model, [q for p in prepared for q in p.questions], spec, budget))
    return [answer_of(model, p, [next(scored) for _ in p.questions]) for p in prepared]
