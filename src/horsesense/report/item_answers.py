"""One item as one model answered it, from a run folder: any item, also those that a page leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from horsesense.core import Item, Reply
from horsesense.core.document import Document
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.scoring.normalise import BY_FORM, normalised
from horsesense.scoring.texts import ScoredText, ScoredToken, TokenEvidence, stored_texts, text_evidence
from horsesense.stats import credits


@dataclass(frozen=True, slots=True)
class OptionScore(Document):
    """One option as a model scored it."""

    option: str
    """Its text in the item."""
    score: float
    """What is compared: the highest is chosen."""
    sum: float
    """Before it is normalised."""
    text: str
    """As it was asked; empty where there are no tokens."""
    tokens: tuple[ScoredToken, ...]
    """Those that were scored."""


@dataclass(frozen=True, slots=True)
class OptionEvidence(Document):
    """The right option against the best other one."""

    other: int
    """The number of the best other option."""
    q: tuple[TokenEvidence, ...]
    """What each place says for the right one."""
    sum: float
    """The difference of the two sums."""
    share_of_edit: float
    """Share of the evidence at positions where the options differ."""


@dataclass(frozen=True, slots=True)
class ItemAnswer(Document):
    """A model's answer to an item."""

    model: str
    """Who was asked."""
    probe: str
    """In which probe of the run."""
    normalise: str
    """How scores were made of tokens, or the prompt format where that is not by options."""
    chosen: tuple[int, ...]
    """The option with the highest score, or all that tie for it; none for an item without an answer."""
    outcome: str
    """``right``, ``wrong`` or ``tie``, or why there is no answer; empty where the item has no gold."""
    credit: float | None
    """1: right; 0: wrong; between: a tie; null: the item has no gold or no answer."""
    options: tuple[OptionScore, ...]
    """In the order of the item."""
    evidence: OptionEvidence | None
    """The right option against the best other one; null where their tokens cannot be compared."""
    replies: tuple[Reply, ...]
    """Prompts and replies, for letters and generate."""


@dataclass(frozen=True, slots=True)
class ItemAnswers(Document):
    """One item, and the answer of every model of a run."""

    item: Item
    """The item."""
    answers: tuple[ItemAnswer, ...]
    """One per model and probe."""


def item_answers(runs: Sequence[ProbeAnswers], item: Item) -> ItemAnswers:
    """Return an item with the answer of every model that was asked it."""
    answers = [
        _item_answer(answered, item, index)
        for answered in runs
        for index, identity in enumerate(answered.columns.ids)
        if identity == item.id
    ]
    return ItemAnswers(item, tuple(answers))


def _item_answer(answered: ProbeAnswers, item: Item, index: int) -> ItemAnswer:
    answer, how = answered.answers[index], answered.primary() or BY_FORM[item.form]
    scores = normalised(answer, item, answered.spec, how)
    lost = answered.outcome_at(index)
    earned = credits([scores], [item.answer], [item.id])
    credit = None if item.answer is None or lost else float(earned.values[0])
    outcome = {None: "", 1.0: "right", 0.0: "wrong"}.get(credit, "tie")
    texts = stored_texts(answer, item, answered.spec)
    evidence = None
    if compared := right_and_other(item, texts, scores):
        right, against, other = compared
        weighed = text_evidence(right, against)
        evidence = OptionEvidence(other, weighed.q, weighed.sum, weighed.share_of_edit)
    return ItemAnswer(
        model=answered.part.model.name,
        probe=answered.part.probe.name,
        normalise=how if answered.format == "loglikelihood" else answered.format,
        chosen=() if lost else tuple(earned.predicted[0]),
        outcome=lost or outcome,
        credit=credit,
        options=tuple(
            OptionScore(option, score, total, text.text if text else "", text.tokens if text else ())
            for option, score, total, text in zip(item.options, scores, answer.scores, texts, strict=True)
        ),
        evidence=evidence,
        replies=tuple(answered.replies_to(item.id)),
    )


def right_and_other(
    item: Item, texts: Sequence[ScoredText | None], scores: Sequence[float]
) -> tuple[ScoredText, ScoredText, int] | None:
    """Return the right option and the best other one, with its index; None where tokens cannot be compared."""
    if item.answer is None or len(texts) < 2 or item.form not in ("sentences", "cloze"):
        return None
    other = max((n for n in range(len(texts)) if n != item.answer), key=lambda n: scores[n])
    right, against = texts[item.answer], texts[other]
    return None if right is None or against is None else (right, against, other)
