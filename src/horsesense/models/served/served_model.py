"""A served model: the contract kept by asking a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from horsesense.errors import UserError, argument
from horsesense.models.contract import (
    DEFAULT_BUDGET,
    Ability,
    Choices,
    Continuation,
    Identity,
    Likelihood,
    Prompt,
    Sampling,
    Turn,
)
from horsesense.models.served.beginnings import Beginning, find_beginning, tokenised
from horsesense.models.served.client import Client
from horsesense.models.served.protocol import (
    ROOMS,
    Echoed,
    choices_among,
    echo_body,
    next_body,
    odd,
    read_alternatives,
    read_continuation,
    read_echo,
    reply_body,
    tokens_sent,
)
from horsesense.models.served.readings import CHARACTERS_A_TOKEN, ServedReading, stretch_of
from horsesense.models.served.request_log import RequestLog
from horsesense.models.served.requests import RefusedError, Request
from horsesense.models.served.trial import CHAT, PLAIN, Found, NextTrial, Trial, try_likelihood, try_next
from horsesense.records import BLANK, Fill, ScoringSpec
from horsesense.watching import UNWATCHED, Watcher


@dataclass(frozen=True)
class ServedModel:
    """A model behind a server."""

    name: str
    model: str
    """Its name at the server."""
    client: Client[Any]
    who: Identity
    found: Found = field(default_factory=Found)

    @property
    def notes(self) -> tuple[str, ...]:
        told = [f"served by {self.client.address.url} as {self.model}"]
        if self.found.trial is not None:
            told.append(self.found.trial.in_words)
        return tuple(told)

    @property
    def direction(self) -> str:
        return "left to right"

    @property
    def asks_what_follows(self) -> bool:
        return True

    def can(self, ability: Ability) -> bool:
        if ability == "likelihood":
            return self._trial.believed
        if ability == "next":
            return bool(self._next(self._chat).most or self._next(False).most)
        return self._chat or (ability == "text" and self._completions)

    def why_not(self, ability: Ability) -> str:
        if ability == "likelihood":
            return self._trial.in_words
        if ability == "next":
            return self._next(self._chat).in_words
        return "the server has no such thing"

    @contextmanager
    def _logged(self, folder: Path | None) -> Iterator[None]:
        if self.client.log is not None:  # asked inside of being asked
            yield
            return
        with RequestLog(folder) as log:
            self.client.log = log
            try:
                yield
            finally:
                self.client.log = None

    def asking(self, folder: Path | None = None) -> AbstractContextManager[None]:
        return self._logged(folder)

    def frame_in_words(self, spec: ScoringSpec) -> str:
        if self.found.trial is None or not self.found.trial.believed:
            return "what the server puts there"
        return self._beginning(spec).in_words

    def describe(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "family": "served",
            "architecture": "",
            "direction": self.direction,
            "parameters": 0,
            "window": int(self.who.reported.get("max_model_len") or 0),
            "weights": self.who.content,
            "revision": "",
            "dtype": "unknown",
            "dtype_reason": "the server does not say",
        }

    def read(self, prompts: Sequence[Prompt], spec: ScoringSpec) -> list[ServedReading]:
        return [ServedReading(prompt) for prompt in prompts]

    def likelihoods(
        self,
        readings: Sequence[ServedReading],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        watcher: Watcher = UNWATCHED,
    ) -> list[Likelihood]:
        if not self._trial.believed:
            raise UserError(
                f"{self.name} gives no likelihoods that can be believed: {self._trial.in_words}",
                fix=f"ask by {argument('ways', 'letters')} or {argument('ways', 'words')}",
            )
        beginning = self._beginning(spec)
        texts = list(dict.fromkeys(reading.prompt.text for reading in readings))
        self._forecast(len(texts), sum(len(text) for text in texts), len(texts), watcher)
        requests = [self._echo(text, beginning) for text in texts]
        # What comes back is read against its text, so requests are told apart by it.
        by_text = dict(zip(texts, self._echoed(requests, texts, watcher), strict=True))
        return [stretch_of(by_text[each.prompt.text], each.prompt, beginning) for each in readings]

    def _echo(self, text: str, beginning: Beginning) -> Request:
        return Request("/completions", echo_body(self.model, self._begun(text, beginning), self._trial.style))

    def _begun(self, text: str, beginning: Beginning) -> str | list[int]:
        """A text with the token before it that the spec asks for, where the server does not put it there itself."""
        if beginning.how != "ids":
            return (beginning.token if beginning.how == "text" else "") + text
        ids = tokenised(self.client, self.model, text)
        if ids is None:
            raise odd("it tokenises one text and not another")
        return [*beginning.ids, *ids]

    def _echoed(self, requests: list[Request], texts: list[str], watcher: Watcher) -> list[Echoed]:
        text_of = {request.key(self.client.identity): text for request, text in zip(requests, texts, strict=True)}
        return self.client.ask_each(requests, lambda key, reply: read_echo(reply, text_of[key]), watcher)

    def token_texts(self, reading: ServedReading, likelihood: Likelihood) -> Sequence[str]:
        return likelihood.texts

    @property
    def most_words(self) -> int:
        return self._next(False).most

    def vocabulary_forms(self, fills: Sequence[Fill]) -> list[str]:
        return [f"Ġ{each.word[1:]}" if each.word.startswith(" ") else each.word for each in fills]

    def knows(self, words: Sequence[str], spec: ScoringSpec) -> list[bool]:
        return [True] * len(words)  # a server does not say

    def best_words(self, prompts: Sequence[str], k: int, spec: ScoringSpec) -> list[list[Fill]]:
        told = self._next(False)
        if k > told.most:
            raise UserError(
                f"{self.name} tells {told.most} next tokens at most, and {k} are asked for",
                fix="ask for fewer, or a local model",
            )
        fills = []
        with self.asking():
            for prompt in prompts:
                before, blank, after = prompt.partition(BLANK)
                if not blank or BLANK in after or after.strip(" .,;:!?"):
                    raise UserError(f"{self.name} reads from left to right, so the blank must end {prompt!r}")
                path, body = next_body(self.model, Turn(before.rstrip()), told.most)
                if self._trial.believed:  # else nobody can say how it begins a text
                    body["prompt"] = self._begun(before.rstrip(), self._beginning(spec))
                best = sorted(
                    self.client.ask(Request(path, body), read_alternatives).items(), key=lambda pair: -pair[1]
                )
                fills.append([Fill(prompt, rank, word, (), value) for rank, (word, value) in enumerate(best[:k], 1)])
        return fills

    def choices(
        self, turns: Sequence[Turn], words: Sequence[Sequence[str]], spec: ScoringSpec, watcher: Watcher = UNWATCHED
    ) -> list[Choices]:
        self._forecast(len(turns), sum(_size(turn) for turn in turns), len(turns), watcher)
        self._know_room(turns)
        requests = []
        for turn in turns:
            trial = self._next(bool(turn.messages))
            if not trial.most:
                fix = "use chat=off, or ask by words" if turn.messages else "ask by words"
                raise UserError(f"{self.name} does not tell its next tokens: {trial.in_words}", fix=fix)
            path, body = next_body(self.model, turn, trial.most, self.found.room)
            requests.append(Request(path, body))
        told = self.client.ask_all(requests, lambda reply: (read_alternatives(reply), tokens_sent(reply)), watcher)
        return [
            choices_among(each, wanted, request.key(self.client.identity).hex(), tokens)
            for (each, tokens), wanted, request in zip(told, words, requests, strict=True)
        ]

    def in_template(self, turn: Turn) -> str:
        raise UserError(
            f"{self.name} puts its chat template around a conversation itself, so no option can be scored inside it",
            fix="use chat=off, or ask by letters",
        )

    def continuations(
        self, turns: Sequence[Turn], sampling: Sampling, watcher: Watcher = UNWATCHED
    ) -> list[list[Continuation]]:
        many = len(turns) * sampling.samples
        self._forecast(many, sum(_size(turn) for turn in turns) * sampling.samples, many * sampling.tokens, watcher)
        self._know_room(turns)
        requests = []
        for turn in turns:
            for sample in range(sampling.samples):
                path, body = reply_body(self.model, turn, sampling, sample, self.found.room)
                requests.append(Request(path, body, sample))
        read = self.client.ask_each(requests, lambda key, reply: read_continuation(reply, key.hex()), watcher)
        return [read[start : start + sampling.samples] for start in range(0, many, sampling.samples)]

    def _forecast(self, requests: int, characters: int, received: int, watcher: Watcher) -> None:
        """What it will take at most, before it starts; what is kept already is not asked again."""
        settings = self.client.settings
        sent = characters // CHARACTERS_A_TOKEN
        told = f"{self.name}: at most {requests:,} requests, about {sent:,} tokens to send and up to {received:,} back"
        if settings.price is not None:
            told += f", about {(sent * settings.price[0] + received * settings.price[1]) / 1e6:.2f} by the price given"
        if settings.max_requests is not None and requests > settings.max_requests:
            told += f"; the budget of {settings.max_requests:,} requests ends it before"
        elif settings.max_tokens is not None and sent + received > settings.max_tokens:
            told += f"; the budget of {settings.max_tokens:,} tokens ends it before"
        watcher.say(told)

    # What has to be found out by asking, once.

    @property
    def _trial(self) -> Trial:
        if self.found.trial is None:
            with self.asking():
                self.found.trial = (
                    try_likelihood(self.client, self.model)
                    if self._completions
                    else Trial(False, "the server has no completions")
                )
        return self.found.trial

    @property
    def _chat(self) -> bool:
        if self.found.chat is None:
            self.found.chat = self._answers(CHAT)
        return self.found.chat

    @property
    def _completions(self) -> bool:
        if self.found.completions is None:
            self.found.completions = self._answers(PLAIN)
        return self.found.completions

    def _know_room(self, turns: Sequence[Turn]) -> None:
        """Find out what the server calls the room for a reply, where it matters."""
        if any(turn.messages for turn in turns) and not self._chat:
            raise UserError(f"{self.name} holds no conversations", fix="use chat=off")

    def _answers(self, turn: Turn) -> bool:
        """Whether the server answers such a turn at all."""
        with self.asking():
            for room in ROOMS:
                path, body = reply_body(self.model, turn, Sampling(1), 0, room)
                try:
                    self.client.ask(Request(path, body), lambda reply: read_continuation(reply, ""))
                except RefusedError as error:
                    if error.status in (401, 403):
                        raise
                    continue
                if turn.messages:
                    self.found.room = room
                return True
        return False

    def _next(self, chat: bool) -> NextTrial:
        if chat not in self.found.next:
            with self.asking():
                self.found.next[chat] = try_next(self.client, self.model, CHAT if chat else PLAIN, self.found.room)
        return self.found.next[chat]

    def _beginning(self, spec: ScoringSpec) -> Beginning:
        if spec.bos not in self.found.beginnings:
            with self.asking():
                self.found.beginnings[spec.bos] = find_beginning(self.client, self.model, self._trial.style, spec.bos)
        return self.found.beginnings[spec.bos]


def _size(turn: Turn) -> int:
    return len(turn.text) + sum(len(content) for _, content in turn.messages)
