"""Asking a model about items: every option's tokens with their log-probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.errors import UserError
from horsesense.models.language_model import LanguageModel
from horsesense.models.rows import Row
from horsesense.records import Answer, Item, ScoringSpec
from horsesense.scoring.batches import Remark, Values, run_batches
from horsesense.scoring.pairs import frame_pairs
from horsesense.scoring.plan import make_plan
from horsesense.scoring.prompts import Asked, ask
from horsesense.scoring.questions import Framed, Framer

DEFAULT_BUDGET = 4096
"""Tokens a batch. It is part of a manifest, because the last bits of a score depend on it."""

Progress = Callable[[int], None]
"""Called with the number of tokens just computed."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item, put into words and cut into tokens."""

    item: Item
    asked: Asked
    options: tuple[Framed, ...]
    baseline: tuple[Framed, ...]

    @property
    def longest(self) -> int:
        return max(len(option.question.ids) for option in self.options)

    @property
    def questions(self) -> tuple[Framed, ...]:
        return self.options + self.baseline


def framer_of(model: LanguageModel, spec: ScoringSpec) -> Framer:
    frame = model.family.frame(model.tokenizer, spec)
    unknown = model.tokenizer.unk_token_id
    # SmolLM2 declares the token that begins a text as the unknown one too; no text of its bytes needs one.
    return Framer(frame, model.window, spec.truncation, None if unknown in frame.before else unknown)


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
    return [Prepared(item, Asked(item.form, ()), options, ()) for item, options in zip(items, framed, strict=True)]


def _prepare_texts(model: LanguageModel, items: Sequence[Item], spec: ScoringSpec) -> list[Prepared]:
    framer = framer_of(model, spec)
    asked = [ask(item, spec, model.family.asks_what_follows) for item in items]
    tokens = iter(model.tokenise([prompt.text for one in asked for prompt in one.prompts + one.baseline]))
    prepared = []
    for item, one in zip(items, asked, strict=True):
        try:
            options = tuple(framer(prompt, next(tokens)) for prompt in one.prompts)
            baseline = tuple(framer(prompt, next(tokens)) for prompt in one.baseline)
        except UserError as error:
            raise UserError(f"item {item.id}: {error.problem}", fix=error.fix) from error
        prepared.append(Prepared(item, one, options, baseline))
    return prepared


def score_questions(
    model: LanguageModel,
    questions: Sequence[Framed],
    spec: ScoringSpec,
    budget: int = DEFAULT_BUDGET,
    progress: Progress | None = None,
    say: Remark | None = None,
) -> list[Values]:
    """The log-probability of each asked token of each question."""
    marks = model.marks
    counts = []

    def rows() -> Iterator[Row]:
        for question in questions:
            made = model.family.rows(question.question, spec, marks)
            counts.append(sum(len(row.reads) for row in made))
            yield from made

    longest = max((len(question.question.ids) for question in questions), default=0)
    share = longest <= model.longest_in_trees and not spec.exact
    plan = make_plan(rows(), 1 if spec.exact else budget, share)
    found = np.zeros(len(plan.slots), dtype=np.float32)
    for batch, values in run_batches(model, plan, spec.exact, say):
        found[plan.places(batch)] = values
        if progress:
            progress(sum(sum(plan.inputs[n].given.shape) for n in batch))
    # Cut after every question, the last one too: of no question there are no parts, and never one.
    return np.split(found[plan.slots], np.cumsum(counts))[:-1]


def answer_of(model: LanguageModel, prepared: Prepared, scored: Sequence[Values]) -> Answer:
    """The answer record of an item, from the scores of its options and then of its baselines."""
    options = scored[: len(prepared.options)]
    totals = tuple(_total(values) for values in options)
    if model.family.head != "tokens":
        scores = _log_softmax(totals) if model.family.head == "options" else totals
        return Answer(prepared.item.id, prepared.asked.view, scores, flags=("",) * len(scores))
    return Answer(
        item=prepared.item.id,
        view=prepared.asked.view,
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
