"""Prompt format ``generate``: a short reply, sampled once or several times, and the option that it names."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from horsesense.core import Answer, Item, Reply, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.protocol import Continuation, Model, Sampling
from horsesense.scoring.letters import ShownItem, in_words, prepare_shown
from horsesense.scoring.option_prompts import REASONED, SHORTLY
from horsesense.scoring.prompt_formats import Answers, Call, PromptFormat
from horsesense.scoring.reply_parsing import parse_reply

REPLY_TOKENS = 48
"""Tokens for an answer, in addition to those for reasoning."""
UNPARSED = "unparsed"
"""Flag of every option of an item without a parsed reply: the item scores 0."""


def _spec(spec: ScoringSpec) -> ScoringSpec:
    if spec.samples > 1 and not spec.temperature:
        raise UserError(f"{spec.samples} samples at temperature 0 are all the same", fix="set temperature, or 1 sample")
    return spec


def _prepare(model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]) -> list[ShownItem]:
    return prepare_shown(model, items, spec, pool, REASONED if spec.reason else SHORTLY, spec.rotations or 1)


def _answer(asked: Sequence[ShownItem], call: Call) -> Answers:
    spec = call.spec
    sampling = Sampling(REPLY_TOKENS + spec.reason, spec.temperature, spec.samples, room=spec.room)
    turns = [each for shown in asked for each in shown.turns]
    written = iter(call.model.continuations(turns, sampling, call.progress))
    answers, replies = [], []
    for shown in asked:
        said = []
        for order, turn in zip(shown.orders, shown.turns, strict=True):
            chat = bool(turn.messages)
            said += [_reply(shown.item, order, n, each, spec, chat) for n, each in enumerate(next(written))]
        replies += said
        answers.append(answer_from(shown.item, said))
    return answers, replies


def _reply(
    item: Item, order: Sequence[int], sample: int, written: Continuation, spec: ScoringSpec, chat: bool
) -> Reply:
    index, why = parse_generated(written.text, [item.options[option] for option in order], written.finish, spec, chat)
    return Reply(
        item=item.id,
        format="generate",
        rotation=order[0],
        sample=sample,
        request=written.request,
        text=written.text,
        logprobs=(),
        bounded=(),
        parsed=None if index is None else order[index],
        why=why,
        finish=written.finish,
        prompt_tokens=written.prompt_tokens,
        tokens=written.tokens,
    )


def parse_generated(
    text: str, shown: Sequence[str], finish: str, spec: ScoringSpec, chat: bool
) -> tuple[int | None, str]:
    """Parse a reply by the current rules. A plain text continues without end: only its first line counts."""
    said = text if chat or spec.reason else next((line for line in text.splitlines() if line.strip()), "")
    parsed = parse_reply(said, shown, reasoned=bool(spec.reason))
    if parsed.option is None and finish == "length" and spec.reason:
        return None, f"cut off ({parsed.why})"
    return parsed.option, parsed.why


def answer_from(item: Item, replies: Sequence[Reply]) -> Answer:
    """Return the log of each option's share of the parsed replies, smoothed so that none is zero."""
    votes = [sum(reply.parsed == option for reply in replies) for option in range(len(item.options))]
    if not any(votes):
        return Answer(item.id, item.form, (0.0,) * len(votes), flags=(UNPARSED,) * len(votes))
    scores = tuple(log((count + 0.5) / (sum(votes) + 0.5 * len(votes))) for count in votes)
    return Answer(item.id, item.form, scores, flags=("",) * len(votes))


def _in_words(model: Model, spec: ScoringSpec) -> str:
    drawn = f"{spec.samples} samples at temperature {spec.temperature:g}" if spec.temperature else "greedy"
    room = f", {spec.reason} tokens for reasoning" if spec.reason else ""
    return f"{in_words(model, spec)}, {drawn}{room}"


GENERATE = PromptFormat("generate", "text", _spec, _prepare, _answer, _in_words)
