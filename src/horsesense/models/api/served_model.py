"""A served model: the model protocol over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from horsesense.core import BLANK, Fill, ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.models.api.bos import BosPlacement, find_bos, prepend_bos
from horsesense.models.api.client import Client
from horsesense.models.api.encoded_prompts import CHARACTERS_A_TOKEN, ServedPrompt, scored_stretch
from horsesense.models.api.protocol import (
    ROOMS,
    choices_among,
    echo_body,
    next_body,
    read_alternatives,
    read_continuation,
    read_echo,
    reply_body,
    tokens_sent,
)
from horsesense.models.api.request_log import RequestLog
from horsesense.models.api.requests import RefusedError, Request
from horsesense.models.api.trial import CHAT, PLAIN, NextTrial, ServerFindings, Trial, try_likelihood, try_next
from horsesense.models.protocol import (
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
from horsesense.progress import NO_PROGRESS, Progress


@dataclass(frozen=True)
class ServedModel:
    """A model behind a server."""

    name: str
    model: str
    """Its name at the server."""
    client: Client[Any]
    who: Identity
    found: ServerFindings = field(default_factory=ServerFindings)

    @property
    def notes(self) -> tuple[str, ...]:
        notes = [f"served by {self.client.address.url} as {self.model}"]
        if self.found.trial is not None:
            notes.append(self.found.trial.in_words)
        return tuple(notes)

    @property
    def direction(self) -> str:
        return "left to right"

    @property
    def scores_to_end(self) -> bool:
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
        return "the server does not offer it"

    @contextmanager
    def _logged(self, folder: Path | None) -> Iterator[None]:
        if self.client.log is not None:  # a nested call
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

    def describe_frame(self, spec: ScoringSpec) -> str:
        if self.found.trial is None or not self.found.trial.believed:
            return "chosen by the server"
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

    def encode(self, prompts: Sequence[Prompt], spec: ScoringSpec) -> list[ServedPrompt]:
        return [ServedPrompt(prompt) for prompt in prompts]

    def likelihoods(
        self,
        encoded: Sequence[ServedPrompt],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        progress: Progress = NO_PROGRESS,
    ) -> list[Likelihood]:
        if not self._trial.believed:
            raise UserError(
                f"{self.name} gives no likelihoods that can be trusted: {self._trial.in_words}",
                fix=f"use {argument('formats', 'letters')} or {argument('formats', 'generate')}",
            )
        beginning = self._beginning(spec)
        prompts: dict[str, list[Prompt]] = {}
        for encoded_prompt in encoded:
            prompts.setdefault(encoded_prompt.prompt.text, []).append(encoded_prompt.prompt)
        self._forecast(len(prompts), sum(map(len, prompts)), len(prompts), progress)

        def read(request: Request, _: bytes, reply: dict[str, Any]) -> list[Likelihood]:
            # Reduced to the scored stretch at once: a reply contains much more.
            text = str(request.about)
            echoed = read_echo(reply, text)
            return [scored_stretch(echoed, prompt, beginning) for prompt in prompts[text]]

        wholes, style = prepend_bos(self.client, self.model, list(prompts), beginning, progress), self._trial.style
        requests = (
            Request("/completions", echo_body(self.model, whole, style), about=text)
            for text, whole in zip(prompts, wholes, strict=True)
        )
        scored = self.client.ask_each(requests, read, progress, len(prompts))
        by_text = {text: iter(each) for text, each in zip(prompts, scored, strict=True)}
        return [next(by_text[encoded_prompt.prompt.text]) for encoded_prompt in encoded]

    def token_texts(self, encoded_prompt: ServedPrompt, likelihood: Likelihood) -> Sequence[str]:
        return likelihood.texts

    @property
    def max_candidates(self) -> int:
        return self._next(False).most

    def vocabulary_forms(self, fills: Sequence[Fill]) -> list[str]:
        return [f"Ġ{each.word[1:]}" if each.word.startswith(" ") else each.word for each in fills]

    def knows(self, words: Sequence[str], spec: ScoringSpec) -> list[bool]:
        return [True] * len(words)  # a server does not say

    def best_words(self, prompts: Sequence[str], k: int, spec: ScoringSpec) -> list[list[Fill]]:
        trial = self._next(False)
        if k > trial.most:
            raise UserError(
                f"{self.name} lists at most {trial.most} next tokens, and {k} are requested",
                fix="ask for fewer, or a local model",
            )
        fills = []
        with self.asking():
            for prompt in prompts:
                before, blank, after = prompt.partition(BLANK)
                if not blank or BLANK in after or after.strip(" .,;:!?"):
                    raise UserError(f"{self.name} reads from left to right, so the blank must end {prompt!r}")
                path, body = next_body(self.model, Turn(before.rstrip()), trial.most)
                if self._trial.believed:  # else its BOS token is not known
                    beginning = self._beginning(spec)
                    (body["prompt"],) = prepend_bos(self.client, self.model, [before.rstrip()], beginning)
                best = sorted(
                    self.client.ask(Request(path, body), read_alternatives).items(), key=lambda pair: -pair[1]
                )
                fills.append([Fill(prompt, rank, word, (), value) for rank, (word, value) in enumerate(best[:k], 1)])
        return fills

    def choices(
        self, turns: Sequence[Turn], words: Sequence[Sequence[str]], spec: ScoringSpec, progress: Progress = NO_PROGRESS
    ) -> list[Choices]:
        self._forecast(len(turns), sum(_size(turn) for turn in turns), len(turns), progress)
        self._know_room(turns)
        most: dict[bool, int] = {}
        for chat in {bool(turn.messages) for turn in turns}:
            trial = self._next(chat)
            if not trial.most:
                generate = f"use {argument('formats', 'generate')}"
                fix = f"use chat=off, or {generate}" if chat else generate
                raise UserError(f"{self.name} does not list its next tokens: {trial.in_words}", fix=fix)
            most[chat] = trial.most
        requests = (
            Request(*next_body(self.model, turn, most[bool(turn.messages)], self.found.room), about=tuple(wanted))
            for turn, wanted in zip(turns, words, strict=True)
        )
        return self.client.ask_each(requests, _read_choices, progress, len(turns))

    def apply_chat_template(self, turn: Turn) -> str:
        raise UserError(
            f"{self.name} applies its chat template itself, so no option can be scored inside it",
            fix=f"use chat=off, or {argument('formats', 'letters')}",
        )

    def continuations(
        self, turns: Sequence[Turn], sampling: Sampling, progress: Progress = NO_PROGRESS
    ) -> list[list[Continuation]]:
        many = len(turns) * sampling.samples
        self._forecast(many, sum(_size(turn) for turn in turns) * sampling.samples, many * sampling.tokens, progress)
        self._know_room(turns)
        requests = (
            Request(*reply_body(self.model, turn, sampling, sample, self.found.room), sample)
            for turn in turns
            for sample in range(sampling.samples)
        )
        read = self.client.ask_each(requests, lambda _, key, reply: read_continuation(reply, key.hex()), progress, many)
        return [read[start : start + sampling.samples] for start in range(0, many, sampling.samples)]

    def _forecast(self, requests: int, characters: int, received: int, progress: Progress) -> None:
        """Log the maximum cost before sending; stored replies are not requested again."""
        forecast = self.client.settings.forecast(requests, characters // CHARACTERS_A_TOKEN, received)
        progress.log(f"{self.name}: {forecast}")

    # Found out by trial requests, once.

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
        """Find out the server's name for the length of a reply, where it matters."""
        if any(turn.messages for turn in turns) and not self._chat:
            raise UserError(f"{self.name} has no chat completions", fix="use chat=off")

    def _answers(self, turn: Turn) -> bool:
        """Whether the server answers such a turn at all."""
        with self.asking():
            for room in ROOMS:
                path, body = reply_body(self.model, turn, Sampling(1), 0, room)
                try:
                    self.client.ask(Request(path, body, trial=True), lambda reply: read_continuation(reply, ""))
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

    def _beginning(self, spec: ScoringSpec) -> BosPlacement:
        if spec.bos not in self.found.beginnings:
            with self.asking():
                self.found.beginnings[spec.bos] = find_bos(self.client, self.model, self._trial.style, spec.bos)
        return self.found.beginnings[spec.bos]


def _read_choices(request: Request, key: bytes, reply: dict[str, Any]) -> Choices:
    assert isinstance(request.about, tuple)
    return choices_among(read_alternatives(reply), request.about, key.hex(), tokens_sent(reply))


def _size(turn: Turn) -> int:
    return len(turn.text) + sum(len(content) for _, content in turn.messages)
