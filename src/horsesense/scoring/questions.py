"""From a prompt and its tokens to the question a model is asked: which tokens count, and as which words. Pure."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from horsesense.errors import UserError
from horsesense.language.words import word_spans
from horsesense.models.rows import Question
from horsesense.models.special import Frame
from horsesense.models.tokens import Tokens
from horsesense.records.spec import Truncation
from horsesense.scoring.prompts import Prompt


@dataclass(frozen=True, slots=True)
class Framed:
    """A question with the characters behind its tokens."""

    question: Question
    starts: tuple[int, ...]
    """For each asked token, where it starts in the prompt."""
    ends: tuple[int, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Framer:
    """What it takes to turn prompts into questions for one model under one spec."""

    frame: Frame
    window: int
    truncation: Truncation
    unknown_token: int | None

    def __call__(self, prompt: Prompt, tokens: Tokens) -> Framed:
        return _framed(prompt, tokens, self)


def _framed(prompt: Prompt, tokens: Tokens, framer: Framer) -> Framed:
    """Put the frame around the tokens, find those that are scored, and say what is odd about them."""
    frame, window = framer.frame, framer.window
    room = window - len(frame.before) - len(frame.after)
    dropped = max(0, len(tokens.ids) - room)
    if dropped and framer.truncation == "error":
        raise UserError(
            f"the text has {len(tokens.ids) + window - room} tokens and the model sees {window}: "
            f"{prompt.text[:60]!r} …",
            fix="add --spec truncation=left to keep its end only",
        )
    flags = ["truncated"] if dropped else []
    places = [place for place in range(dropped, len(tokens.ids)) if _is_scored(prompt, tokens, place)]
    if any(tokens.starts[p] < prompt.start or tokens.ends[p] > prompt.end for p in places):
        flags.append("straddle")
    if not frame.scores_first and places and places[0] == dropped:
        places = places[1:]
        flags.append("first-unscored")
    if not places:
        raise UserError(
            f"no token of {prompt.text[prompt.start : prompt.end]!r} is left to score",
            fix="the tokenizer drops these characters, or the text is a single token without BOS",
        )
    if any(tokens.ids[place] == framer.unknown_token for place in places):
        flags.append("unknown-token")
    shift = len(frame.before) - dropped
    return Framed(
        question=Question(
            ids=(*frame.before, *tokens.ids[dropped:], *frame.after),
            asked=tuple(place + shift for place in places),
            words=_words(prompt, tokens, places),
        ),
        starts=tuple(tokens.starts[place] for place in places),
        ends=tuple(tokens.ends[place] for place in places),
        flags=tuple(flags),
    )


def _is_scored(prompt: Prompt, tokens: Tokens, place: int) -> bool:
    """A token is scored where it begins in the stretch; one that straddles its left border belongs to it."""
    start, end = tokens.starts[place], tokens.ends[place]
    return (prompt.start <= start < prompt.end) or (start < prompt.start < end) or (start == end == prompt.start)


def _words(prompt: Prompt, tokens: Tokens, places: list[int]) -> tuple[int, ...]:
    if prompt.whole:
        return (0,) * len(places)
    beginnings = [start for start, _ in word_spans(prompt.text)]
    return tuple(bisect_right(beginnings, tokens.starts[place]) for place in places)
