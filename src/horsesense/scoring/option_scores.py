"""Score the options of items: every token with its log-probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from horsesense.core import Answer, Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.encoding import encode_pairs
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.protocol import DEFAULT_BUDGET, EncodedPrompt, Likelihood, Model
from horsesense.scoring.prompts import ItemPrompts, item_prompts


@dataclass(frozen=True, slots=True)
class TokenizedItem:
    """An item as prompts, tokenised."""

    item: Item
    prompts: ItemPrompts
    options: tuple[EncodedPrompt, ...]
    baseline: tuple[EncodedPrompt, ...]

    shift: int = 0
    """Characters before the prompts (examples, a chat template); offsets are given without them."""

    @property
    def longest(self) -> int:
        return max(option.length for option in self.options)

    @property
    def questions(self) -> tuple[EncodedPrompt, ...]:
        return self.options + self.baseline

    @property
    def cost(self) -> int:
        """Number of tokens to compute."""
        return sum(question.cost for question in self.questions)


def prepare(
    model: Model, items: Sequence[Item], spec: ScoringSpec, before: Mapping[str, str] | None = None
) -> list[TokenizedItem]:
    """Build the prompts of items, tokenised in one call; an item that cannot be asked is an error.

    ``before`` has the text before the prompts of an item, by its id: few-shot examples.
    """
    if not isinstance(model, LanguageModel):
        return _prepare_texts(model, items, spec, before or {})
    for item in items:
        if item.form not in model.family.forms:
            raise UserError(
                f"item {item.id}: {model.name} is of the family {model.family.name!r}, which cannot answer the form "
                f"{item.form!r}",
                fix=f"it answers {', '.join(model.family.forms)}",
            )
    if model.family.head == "tokens":
        return _prepare_texts(model, items, spec, before or {})
    if before:
        raise UserError(f"{model.name} is a classifier, which takes no examples", fix="leave shots out")
    framed = encode_pairs(model, items, spec)
    return [
        TokenizedItem(item, ItemPrompts(item.form, ()), options, ())
        for item, options in zip(items, framed, strict=True)
    ]


def _prepare_texts(
    model: Model, items: Sequence[Item], spec: ScoringSpec, before: Mapping[str, str]
) -> list[TokenizedItem]:
    prompts = [item_prompts(item, spec, model.scores_to_end) for item in items]
    if before:
        prompts = [_behind(before[item.id], each) for item, each in zip(items, prompts, strict=True)]
    return prepare_prompts(model, items, prompts, [len(before.get(item.id, "")) for item in items], spec)


def prepare_prompts(
    model: Model, items: Sequence[Item], prompts: Sequence[ItemPrompts], shifts: Sequence[int], spec: ScoringSpec
) -> list[TokenizedItem]:
    """Encode items with given prompts; ``shifts`` as in `TokenizedItem`."""
    try:
        encoded = iter(model.encode([prompt for each in prompts for prompt in each.prompts + each.baseline], spec))
    except UserError:
        # Raised again with the item that it is about.
        for item, each in zip(items, prompts, strict=True):
            try:
                model.encode(each.prompts + each.baseline, spec)
            except UserError as error:
                raise UserError(f"item {item.id}: {error.problem}", fix=error.fix) from error
        raise
    prepared = []
    for item, each, shift in zip(items, prompts, shifts, strict=True):
        options = tuple(next(encoded) for _ in each.prompts)
        baseline = tuple(next(encoded) for _ in each.baseline)
        prepared.append(TokenizedItem(item, each, options, baseline, shift))
    return prepared


def _behind(before: str, prompts: ItemPrompts) -> ItemPrompts:
    """Put a text before the prompts; the PMI baseline stays as it is."""
    shift = len(before)
    moved = (replace(p, text=before + p.text, start=p.start + shift, end=p.end + shift) for p in prompts.prompts)
    return replace(prompts, prompts=tuple(moved))


def answer_of(model: Model, prepared: TokenizedItem, scored: Sequence[Likelihood]) -> Answer:
    """Return the answer of an item, from the scores of its options and then of its baselines."""
    options = scored[: len(prepared.options)]
    totals = tuple(_total(each.logprobs) for each in options)
    if isinstance(model, LanguageModel) and model.family.head != "tokens":
        scores = _log_softmax(totals) if model.family.head == "options" else totals
        return Answer(prepared.item.id, prepared.prompts.view, scores, flags=("",) * len(scores))
    return Answer(
        item=prepared.item.id,
        view=prepared.prompts.view,
        scores=totals,
        logprobs=tuple(tuple(float(value) for value in each.logprobs) for each in options),
        starts=tuple(_moved(each.starts, prepared.shift) for each in options),
        ends=tuple(_moved(each.ends, prepared.shift) for each in options),
        flags=tuple(" ".join(each.flags) for each in options),
        baseline=tuple(_total(each.logprobs) for each in scored[len(prepared.options) :]),
    )


def _moved(places: tuple[int, ...], shift: int) -> tuple[int, ...]:
    return tuple(max(0, index - shift) for index in places) if shift else places


def _log_softmax(scores: Sequence[float]) -> tuple[float, ...]:
    values = np.asarray(scores, dtype=np.float64)
    return tuple(float(value) for value in values - np.logaddexp.reduce(values))


def _total(values: npt.NDArray[np.float32]) -> float:
    return float(values.astype(np.float64).sum())


def answer_items(model: Model, items: Sequence[Item], spec: ScoringSpec, budget: int = DEFAULT_BUDGET) -> list[Answer]:
    """Score items in one call; stored runs go through `horsesense.runs`."""
    prepared = prepare(model, items, spec)
    scored = iter(model.likelihoods([q for p in prepared for q in p.questions], spec, budget))
    return [answer_of(model, p, [next(scored) for _ in p.questions]) for p in prepared]
