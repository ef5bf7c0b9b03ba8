"""One item as one model answered it, from a run folder: any item, also those that a page leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from horsesense.core import Item, Reply
from horsesense.core.document import Document
from horsesense.core.overview import ItemLine
from horsesense.runs.results import Answered
from horsesense.scoring.evidence import TokenEvidence, text_evidence
from horsesense.scoring.normalise import BY_FORM, normalised
from horsesense.scoring.texts import ScoredText, ScoredToken, stored_texts
from horsesense.stats import credits


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """A model's answer to an item."""

    model: str
    probe: str
    normalise: str
    """How scores were made of tokens."""
    scores: Sequence[float]
    """One per option."""
    sums: Sequence[float]
    """The sum over the tokens of each option, before it is normalised."""
    chosen: Sequence[int]
    """The option with the highest score, or all that tie for it; none for an item without an answer."""
    outcome: str
    """``right``, ``wrong`` or ``tie``; ``refused``, ``filtered``, ``cut off``, ``unparsed``, ``empty`` or ``failed``;
    empty where the item has no gold."""
    credit: float | None
    """1 where it is right, 0 where it is wrong, a part in a tie; None where the item has no gold or no answer."""
    replies: Sequence[Reply]
    """Prompts and replies, for letters and generate."""
    texts: Sequence[ScoredText | None]
    """Each option as it was asked, token by token; None for what has no tokens."""
    compared: tuple[ScoredText, ScoredText, int] | None
    """The right option, the best other one and its number, where their tokens can be compared."""


@dataclass(frozen=True, slots=True)
class OptionDocument(Document):
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
class ReplyDocument(Document):
    """One prompt, and the reply to it."""

    outcome: str
    """``answered``, ``refused``, ``filtered``, ``cut off``, ``unparsed``, ``empty`` or ``failed``."""
    why: str
    """The rule that parsed it, or why none did."""
    parsed: int | None
    """Index of the option that it names."""
    order: tuple[int, ...]
    """Options as they were shown, first to last."""
    prompt: str
    """The prompt; in a conversation, the role before each message."""
    sent: str
    """The request as it was sent, as JSON; empty for a local model."""
    reasoning: str
    """Thoughts, where the model shows them."""
    text: str
    """The reply without its thoughts."""
    logprobs: tuple[float, ...]
    """Letters: log-probability of the letter of each option."""
    finish: str
    """``stop``, ``length``, or what the server reports."""
    tokens: int
    """Number of tokens of the reply, thoughts included."""

    @classmethod
    def of(cls, reply: Reply) -> ReplyDocument:
        return cls(**{each.name: getattr(reply, each.name) for each in fields(cls)})


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
class AnswerDocument(Document):
    """A model's answer to an item, as plain data."""

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
    options: tuple[OptionDocument, ...]
    """In the order of the item."""
    evidence: OptionEvidence | None
    """The right option against the best other one; null where their tokens cannot be compared."""
    replies: tuple[ReplyDocument, ...]
    """Prompts and replies, for letters and generate."""


@dataclass(frozen=True, slots=True)
class AnsweredItem(Document):
    """One item, and what every model of a run answered to it."""

    item: ItemLine
    """As it was asked."""
    answers: tuple[AnswerDocument, ...]
    """One per model and probe."""


def answered_item(item: Item, answers: Sequence[ItemAnswer]) -> AnsweredItem:
    """An item with all answers to it."""
    return AnsweredItem(ItemLine.of(item), tuple(_plain(item, answer) for answer in answers))


def _plain(item: Item, answer: ItemAnswer) -> AnswerDocument:
    evidence = None
    if answer.compared:
        right, against, other = answer.compared
        weighed = text_evidence(right, against)
        evidence = OptionEvidence(other, weighed.q, weighed.sum, weighed.share_of_edit)
    return AnswerDocument(
        model=answer.model,
        probe=answer.probe,
        normalise=answer.normalise,
        chosen=tuple(answer.chosen),
        outcome=answer.outcome,
        credit=answer.credit,
        options=tuple(
            OptionDocument(option, score, total, text.text if text else "", text.tokens if text else ())
            for option, score, total, text in zip(item.options, answer.scores, answer.sums, answer.texts, strict=True)
        ),
        evidence=evidence,
        replies=tuple(map(ReplyDocument.of, answer.replies)),
    )


def item_answers(runs: Sequence[Answered], item: Item) -> list[ItemAnswer]:
    """What every model that was asked the item answered."""
    answers = []
    for answered in runs:
        for place in (n for n, asked in enumerate(answered.columns.ids) if asked == item.id):
            answer, how = answered.answers[place], answered.primary() or BY_FORM[item.form]
            scores = normalised(answer, item, answered.spec, how)
            lost = answered.outcome_at(place)
            earned = credits([scores], [item.answer], [item.id])
            value = None if item.answer is None or lost else float(earned.values[0])
            outcome = {None: "", 1.0: "right", 0.0: "wrong"}.get(value, "tie")
            texts = stored_texts(answer, item, answered.spec)
            answers.append(
                ItemAnswer(
                    model=answered.part.model.name,
                    probe=answered.part.probe.name,
                    normalise=how if answered.format == "loglikelihood" else answered.format,
                    scores=scores,
                    sums=answer.scores,
                    chosen=() if lost else earned.predicted[0],
                    outcome=lost or outcome,
                    credit=value,
                    replies=answered.replies_to(item.id),
                    texts=texts,
                    compared=right_and_other(item, texts, scores),
                )
            )
    return answers


def right_and_other(
    item: Item, texts: Sequence[ScoredText | None], scores: Sequence[float]
) -> tuple[ScoredText, ScoredText, int] | None:
    """The right option and the best other one, with its number; None where tokens cannot be compared."""
    if item.answer is None or len(texts) < 2 or item.form not in ("sentences", "cloze"):
        return None
    other = max((n for n in range(len(texts)) if n != item.answer), key=lambda n: scores[n])
    right, against = texts[item.answer], texts[other]
    return None if right is None or against is None else (right, against, other)
