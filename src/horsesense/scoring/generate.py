"""Prompt formats ``generate`` and ``structured``: a short reply, sampled once or several times, and the option that it
names.

In the structured format the server allows no reply but a letter of the options (`Turn.allowed`). Nothing has to be
parsed, but a constraint can change what a model answers, so its results are those of another format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log

from horsesense.core import Answer, Item, Reply, ScoringSpec
from horsesense.core.answer import ReplyOutcome
from horsesense.errors import UserError, argument
from horsesense.models.api.served_model import ServedModel
from horsesense.models.protocol import Continuation, Model, Sampling, Turn
from horsesense.scoring.free_answers import is_open, read_free_answer
from horsesense.scoring.letters import ShownItem, in_orders, in_words
from horsesense.scoring.prompt_formats import Answers, Call, PromptFormat
from horsesense.scoring.prompts import ONLY_LETTER, REASONED, SHORTLY, is_chat, letters_of, prompt_text
from horsesense.scoring.reply_parsing import parse_reply

REPLY_TOKENS = 48
"""Tokens for an answer, in addition to those for reasoning."""


def _spec(spec: ScoringSpec) -> ScoringSpec:
    if spec.samples > 1 and not spec.temperature:
        raise UserError(f"{spec.samples} samples at temperature 0 are all the same", fix="set temperature, or 1 sample")
    return spec


def _structured_spec(spec: ScoringSpec) -> ScoringSpec:
    if spec.reason or spec.chat == "off":
        raise UserError(
            f"the structured format does not allow {'reasoning' if spec.reason else 'plain text'}",
            fix=f"use {argument('formats', 'generate')}",
        )
    return _spec(spec)


def _prepare(model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]) -> list[ShownItem]:
    return show_items(items, spec, pool, is_chat(spec, model.can("chat"), model.name))


def _prepare_structured(
    model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]
) -> list[ShownItem]:
    return show_structured(items, spec, pool, chat=True)


def show_items(items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item], chat: bool) -> list[ShownItem]:
    """Build the prompts of items."""
    return in_orders(items, spec, pool, chat, REASONED if spec.reason else SHORTLY, spec.orders or 1)


def show_structured(items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item], chat: bool) -> list[ShownItem]:
    """Build the prompts of items, each with the letters that are allowed."""
    if any(is_open(item) for item in items):
        raise UserError(
            "the structured format needs options, and some items have none",
            fix=f"use {argument('formats', 'generate')}",
        )
    return [
        replace(
            shown_item, turns=tuple(replace(turn, allowed=letters_of(shown_item.item)) for turn in shown_item.turns)
        )
        for shown_item in in_orders(items, spec, pool, chat, ONLY_LETTER, spec.orders or 1)
    ]


def _answer(asked: Sequence[ShownItem], call: Call) -> Answers:
    spec = call.spec
    sampling = Sampling(REPLY_TOKENS + spec.reason, spec.temperature, spec.samples, room=spec.room)
    turns = [each for item in asked for each in item.turns]
    written = iter(call.model.continuations(turns, sampling, call.progress))
    answers, replies = [], []
    for item in asked:
        own = [
            _reply(item.item, order, turn, sample, each, spec)
            for order, turn in zip(item.orders, item.turns, strict=True)
            for sample, each in enumerate(next(written))
        ]
        replies += own
        answers.append(answer_from(item.item, own))
    return answers, replies


def _reply(
    item: Item, order: Sequence[int], turn: Turn, sample: int, written: Continuation, spec: ScoringSpec
) -> Reply:
    chat = bool(turn.messages)
    if turn.allowed:
        index, outcome, why = read_structured(written, turn.allowed)
    elif is_open(item):
        index, outcome, why = read_free_answer(written, item, endless=not (chat or spec.reason))
    else:
        index, outcome, why = read_reply(written, [item.options[option] for option in order], spec, chat)
    return Reply(
        item=item.id,
        format="structured" if turn.allowed else "generate",
        order=tuple(order),
        sample=sample,
        prompt=prompt_text(turn),
        request=written.request,
        sent=written.sent,
        text=written.text,
        reasoning=written.reasoning,
        outcome=outcome,
        logprobs=(),
        bounded=(),
        parsed=None if index is None else order[index],
        why=why,
        finish=written.finish,
        prompt_tokens=written.prompt_tokens,
        tokens=written.tokens,
    )


def read_reply(
    written: Continuation, options: Sequence[str], spec: ScoringSpec, chat: bool
) -> tuple[int | None, ReplyOutcome, str]:
    """Return the option that a reply names, its outcome, and the rule or the reason.

    A reply that was cut off or refuses may still name an option; nothing that a filter or an error left counts. A plain
    text continues without end: only its first line counts, and its length means nothing.
    """
    if written.outcome in ("filtered", "failed"):
        return None, written.outcome, written.reported or written.outcome
    endless = not (chat or spec.reason)
    reply = next((line for line in written.text.splitlines() if line.strip()), "") if endless else written.text
    parsed = parse_reply(reply, options, reasoned=bool(spec.reason))
    if parsed.option is not None:
        return parsed.option, "answered", parsed.why
    if written.outcome == "refused" or parsed.why == "refuses":
        return None, "refused", written.reported or parsed.why
    if written.finish == "length" and not endless:
        return None, "cut off", "cut off while it thinks" if parsed.why == "empty" and written.reasoning else parsed.why
    return None, "empty" if parsed.why == "empty" else "unparsed", parsed.why


def read_structured(written: Continuation, allowed: Sequence[str]) -> tuple[int | None, ReplyOutcome, str]:
    """Return the option of a structured reply; one that is not allowed is not parsed by other rules."""
    if written.outcome == "answered" and written.text in allowed:
        return allowed.index(written.text), "answered", "structured"
    outcome: ReplyOutcome = "unparsed" if written.outcome == "answered" else written.outcome
    return None, outcome, written.reported or ("breaks the schema" if outcome == "unparsed" else outcome)


def answer_from(item: Item, replies: Sequence[Reply]) -> Answer:
    """Return the log of each option's share of the parsed replies, smoothed so that none is zero.

    Without a parsed reply, the flag of every option is the most frequent outcome.
    """
    votes = [sum(reply.parsed == option for reply in replies) for option in range(len(item.options))]
    if not any(votes):
        ((outcome, _),) = Counter(reply.outcome for reply in replies).most_common(1)
        return Answer(item.id, item.form, (0.0,) * len(votes), flags=(outcome,) * len(votes))
    scores = tuple(log((count + 0.5) / (sum(votes) + 0.5 * len(votes))) for count in votes)
    return Answer(item.id, item.form, scores, flags=("",) * len(votes))


def _in_words(model: Model, spec: ScoringSpec) -> str:
    drawn = f"{spec.samples} samples at temperature {spec.temperature:g}" if spec.temperature else "greedy"
    room = f", {spec.reason} tokens for reasoning" if spec.reason else ""
    return f"{in_words(model, spec, spec.orders or 1)}, {drawn}{room}"


def _structured_in_words(model: Model, spec: ScoringSpec) -> str:
    assert isinstance(model, ServedModel)
    return f"{_in_words(model, spec)}, held to the letters by {model.found.structured.style}"


GENERATE = PromptFormat("generate", "text", _spec, _prepare, _answer, _in_words)
STRUCTURED = PromptFormat(
    "structured", "structured", _structured_spec, _prepare_structured, _answer, _structured_in_words
)
