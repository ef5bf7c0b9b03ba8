"""One item as one model answered it, from what a run keeps: any item, also those that a page leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from horsesense.analysis import credits
from horsesense.records import Answer, Item, ScoringSpec
from horsesense.runs.results import Answered
from horsesense.scoring.normalise import BY_FORM, normalised
from horsesense.scoring.prompts import ask
from horsesense.scoring.texts import ScoredText, ScoredToken


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """What a model made of an item."""

    model: str
    probe: str
    normalise: str
    """How scores were made of tokens."""
    scores: Sequence[float]
    """One an option."""
    sums: Sequence[float]
    """The sum over the tokens of each option, before it is normalised."""
    chosen: Sequence[int]
    """The option with the highest score, or all that tie for it."""
    credit: float | None
    """1 where it is right, 0 where it is wrong, a part in a tie; None where the item has no gold."""
    texts: Sequence[ScoredText | None]
    """Each option as it was asked, token by token; None for what has no tokens."""
    compared: tuple[ScoredText, ScoredText, int] | None
    """The right option, the best other one and its number, where their tokens can be compared."""


def item_answers(runs: Sequence[Answered], item: Item) -> list[ItemAnswer]:
    """What every model that was asked the item answered."""
    answers = []
    for answered in runs:
        for asked, answer in zip(answered.items, answered.answers, strict=True):
            if asked.id == item.id:
                how = answered.primary() or BY_FORM[item.form]
                scores = normalised(answer, item, answered.spec, how)
                earned = credits([scores], [item.answer], [item.id])
                texts = scored_texts(answer, item, answered.spec)
                answers.append(
                    ItemAnswer(
                        model=answered.part.model.name,
                        probe=answered.part.probe.name,
                        normalise=how,
                        scores=scores,
                        sums=answer.scores,
                        chosen=earned.predicted[0],
                        credit=None if item.answer is None else float(earned.values[0]),
                        texts=texts,
                        compared=right_and_other(item, texts, scores),
                    )
                )
    return answers


def scored_texts(answer: Answer, item: Item, spec: ScoringSpec) -> list[ScoredText | None]:
    """Each option as it was asked, token by token, from what is kept; None for a classifier, which has no tokens."""
    if not answer.logprobs:
        return [None] * len(item.options)
    # The stretch that was scored is in the kept offsets, so it does not matter what the family asks of a blank.
    prompts = ask(item, spec, asks_what_follows=True).prompts
    return [
        ScoredText(
            prompt.text,
            tuple(
                ScoredToken(prompt.text[start:end], start, end, value)
                for start, end, value in zip(starts, ends, logprobs, strict=True)
            ),
        )
        for prompt, starts, ends, logprobs in zip(prompts, answer.starts, answer.ends, answer.logprobs, strict=True)
    ]


def right_and_other(
    item: Item, texts: Sequence[ScoredText | None], scores: Sequence[float]
) -> tuple[ScoredText, ScoredText, int] | None:
    """The right option and the best other one, with its number; None where tokens cannot be set against tokens."""
    if item.answer is None or len(texts) < 2 or item.form not in ("sentences", "cloze"):
        return None
    other = max((n for n in range(len(texts)) if n != item.answer), key=lambda n: scores[n])
    right, against = texts[item.answer], texts[other]
    return None if right is None or against is None else (right, against, other)
