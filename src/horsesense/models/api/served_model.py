"""A served model: the model protocol over a server's API. What the server reports is the model's identity."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from horsesense.core import BLANK, Fill, ScoringSpec
from horsesense.errors import UserError, argument, unknown
from horsesense.formatting import count
from horsesense.models.api.address import parse_address
from horsesense.models.api.batches import AnthropicBatches, BatchTransport, OpenAIBatches
from horsesense.models.api.bos import prepend_bos
from horsesense.models.api.capabilities import ServerFindings
from horsesense.models.api.client import Client
from horsesense.models.api.http import HttpTransport
from horsesense.models.api.logprobs import (
    CHARACTERS_A_TOKEN,
    ServedPrompt,
    echo_body,
    read_alternatives,
    read_echo,
    scored_stretch,
)
from horsesense.models.api.providers import Ask, as_sent, no_choices, provider_of, read_choices, read_reply
from horsesense.models.api.request_errors import KeyRefusedError, RefusedError, Request
from horsesense.models.api.request_log import RequestLog
from horsesense.models.api.settings import ServedSettings, money
from horsesense.models.protocol import (
    DEFAULT_BUDGET,
    Ability,
    Choices,
    Continuation,
    Identity,
    Likelihood,
    Outcome,
    Prompt,
    Sampling,
    Turn,
)
from horsesense.progress import NO_PROGRESS, Progress

THINKING_ROOM = 8192
"""Tokens for the thoughts of a model that thinks, unless the user sets a budget or the token limit of a reply."""
_THINKS = "it thinks before it answers, so the next token is a thought and not an answer"
_THREADS_OF_BATCHES = 256
"""Shards whose requests go into the same batches."""
_VOLATILE = {"created", "created_at", "permission", "object", "type"}
"""Reported fields that change when a server restarts, or say nothing."""


def open_served(name: str, settings: ServedSettings | None = None, progress: Progress = NO_PROGRESS) -> ServedModel:
    """Open the model that a name means; the progress callback reports waits.

    A server may refuse to list its models, or not list one that answers: both are notes, not errors.
    """
    how = settings or ServedSettings()
    how.check()
    location = parse_address(name)
    provider = provider_of(location, how)
    address = provider.address(location, name)
    client: Client[Any] = Client(address, provider, provider.transport(address), progress=progress)
    if how.batch:
        client.transport = batch_transport(client, name)
    notes: list[str] = []
    entries: dict[str, dict[str, Any]] = {}
    try:
        entries = provider.entries(client.get(provider.reported_path(address.model)))
    except KeyRefusedError:
        raise
    except RefusedError as error:
        if error.status not in (404, 405):
            notes.append(f"it does not list its models (HTTP {error.status})")
    model = address.model
    if not model:
        if len(entries) != 1:
            known = f"it has {', '.join(sorted(entries))}" if entries else "it does not list any"
            raise UserError(f"{address.url} has more than one model or none", fix=f"add #name to the address; {known}")
        model = next(iter(entries))
    entry = {key: value for key, value in entries.get(model, {}).items() if key not in _VOLATILE}
    reported = {"url": address.url, "model": model, **how.asked, **entry}
    content = hashlib.sha256(json.dumps(reported, sort_keys=True, default=str).encode()).hexdigest()
    client.identity = content
    findings = ServerFindings(client, model)
    served = ServedModel(name, model, client, Identity("server", content, reported), findings, tuple(notes))
    if entries and model not in entries:
        if not served.can("text"):
            raise unknown(f"model at {address.url}", model, entries)
        return served.with_note(f"{address.url} does not list {model}, but it answers")
    return served


def batch_transport(client: Client[Any], name: str) -> BatchTransport:
    """Return what sends the requests of a model in batches."""
    if not client.provider.batches or not isinstance(client.transport, HttpTransport):
        raise UserError(f"{name} has no batch API that is known here", fix=f"leave {argument('batch')} out")
    api = (AnthropicBatches if client.provider.batches == "anthropic" else OpenAIBatches)(client.transport)
    return BatchTransport(client.transport, api, lambda: client.log, client.progress)


@dataclass(frozen=True)
class ServedModel:
    """A model behind a server."""

    name: str
    model: str
    """Its name at the server."""
    client: Client[Any]
    who: Identity
    found: ServerFindings
    """What trial requests find out."""
    remarks: tuple[str, ...] = ()
    """What was odd when it was opened."""

    def with_note(self, note: str) -> ServedModel:
        return replace(self, remarks=(*self.remarks, note))

    @property
    def notes(self) -> tuple[str, ...]:
        notes = [f"served by {self.client.address.url or self.client.address.provider} as {self.model}", *self.remarks]
        tried = vars(self.found)
        if "chat" in tried and self.thinks:
            notes.append("it thinks before it answers")
        if "likelihood" in tried:
            notes.append(self.found.likelihood.in_words)
        return (*notes, *(f"{name} could not be set" for name in self.client.unset))

    @property
    def direction(self) -> str:
        return "left to right"

    @property
    def scores_to_end(self) -> bool:
        return True

    def can(self, ability: Ability) -> bool:
        findings = self.found
        if ability in ("likelihood", "next") and self.thinks:
            return False
        if ability == "likelihood":
            return findings.likelihood.believed
        if ability == "next":
            return any(findings.next(chat).letters for chat in {findings.chat.replies, False})
        if ability == "structured":
            return bool(findings.structured.style)
        return findings.chat.replies or (ability == "text" and findings.completions.replies)

    def why_not(self, ability: Ability) -> str:
        if ability in ("likelihood", "next") and self.thinks:
            return _THINKS
        if ability == "likelihood":
            return self.found.likelihood.in_words
        if ability == "next":
            return self.found.next(self.found.chat.replies).in_words
        if ability == "structured":
            return self.found.structured.why_not
        reason, url = self.found.chat.why_not or "the server does not offer it", self.client.address.url
        if "HTTP 404" in reason and url and not urlsplit(url).path.strip("/"):
            return f"{reason}; did you mean {url.rstrip('/')}/v1?"
        return reason

    @property
    def thinks(self) -> bool:
        """Whether the model thinks before it answers."""
        return self.found.chat.thinks

    @property
    def at_once(self) -> int:
        """Threads that may ask at once: with one per request in flight, no slow reply holds up the others."""
        return _THREADS_OF_BATCHES if self.client.settings.batch else self.client.settings.concurrency

    @contextmanager
    def _logged(self, folder: Path | None) -> Iterator[None]:
        if self.client.log is not None:  # a nested call
            yield
            return
        with RequestLog(folder) as log:
            self.client.log, self.client.failure = log, None
            before = self.client.spending.requests
            try:
                yield
            finally:
                self.client.log = None
                if folder is not None and self.client.spending.requests > before:
                    self.client.progress.log(f"{self.name}: {self.spent}")

    @property
    def spent(self) -> str:
        """What was sent and received so far, in words."""
        usage, price = self.client.spending, self.client.settings.price
        thoughts = f" ({usage.reasoning:,} of them for thoughts)" if usage.reasoning else ""
        cost = "" if price is None else f", {money(usage.cost(price))} at the given price"
        requests = count(usage.requests, "request")
        return f"{requests}, {usage.sent:,} tokens sent, {usage.received:,} received{thoughts}{cost}"

    def asking(self, folder: Path | None = None) -> AbstractContextManager[None]:
        return self._logged(folder)

    def describe_frame(self, spec: ScoringSpec) -> str:
        if "likelihood" not in vars(self.found) or not self.found.likelihood.believed:
            return "chosen by the server"
        return self.found.beginning(spec.bos).in_words

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
        if not self.found.likelihood.believed:
            raise UserError(
                f"{self.name} gives no likelihoods that can be trusted: {self.found.likelihood.in_words}",
                fix=f"use {argument('formats', 'letters')} or {argument('formats', 'generate')}",
            )
        beginning = self.found.beginning(spec.bos)
        prompts: dict[str, list[Prompt]] = {}
        for encoded_prompt in encoded:
            prompts.setdefault(encoded_prompt.prompt.text, []).append(encoded_prompt.prompt)
        self._forecast(len(prompts), sum(map(len, prompts)), len(prompts), progress)

        def read(request: Request, _: bytes, reply: dict[str, Any]) -> list[Likelihood]:
            # Reduced to the scored stretch at once: a reply contains much more.
            text = str(request.about)
            echoed = read_echo(reply, text)
            return [scored_stretch(echoed, prompt, beginning.how != "none") for prompt in prompts[text]]

        wholes = prepend_bos(self.client, self.model, list(prompts), beginning, progress)
        style = self.found.likelihood.style
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
        return self.found.next(False).most

    def vocabulary_forms(self, fills: Sequence[Fill]) -> list[str]:
        return [f"Ġ{each.word[1:]}" if each.word.startswith(" ") else each.word for each in fills]

    def knows(self, words: Sequence[str], spec: ScoringSpec) -> list[bool]:
        return [True] * len(words)  # a server does not say

    def best_words(self, prompts: Sequence[str], k: int, spec: ScoringSpec) -> list[list[Fill]]:
        trial = self.found.next(False)
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
                path, body = self.client.provider.next_tokens(self.model, Turn(before.rstrip()), trial.most)
                if self.found.likelihood.believed:  # else its BOS token is not known
                    beginning = self.found.beginning(spec.bos)
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
        self._check_chat(turns)
        most: dict[bool, int] = {}
        for chat in {bool(turn.messages) for turn in turns}:
            trial = self.found.next(chat)
            if self.thinks or not trial.most:
                generate = f"use {argument('formats', 'generate')}"
                fix = f"use chat=off, or {generate}" if chat else generate
                why = _THINKS if self.thinks else trial.in_words
                raise UserError(f"{self.name} does not list its next tokens: {why}", fix=fix)
            most[chat] = trial.most
        provider = self.client.provider
        requests = (
            Request(*provider.next_tokens(self.model, turn, most[bool(turn.messages)]), about=tuple(wanted))
            for turn, wanted in zip(turns, words, strict=True)
        )
        return self.client.ask_each(requests, _read_choices, progress, len(turns), _refused_choices)

    def apply_chat_template(self, turn: Turn) -> str:
        raise UserError(
            f"{self.name} applies its chat template itself, so no option can be scored inside it",
            fix=f"use chat=off, or {argument('formats', 'letters')}",
        )

    def continuations(
        self, turns: Sequence[Turn], sampling: Sampling, progress: Progress = NO_PROGRESS
    ) -> list[list[Continuation]]:
        self._check_chat(turns)
        many = len(turns) * sampling.samples
        room = self.room(sampling) if any(turn.messages for turn in turns) else sampling.room or sampling.tokens
        self._forecast(many, sum(_size(turn) for turn in turns) * sampling.samples, many * room, progress)
        provider = self.client.provider
        style = self.found.structured.style if any(turn.allowed for turn in turns) else ""

        def request(turn: Turn, sample: int) -> Request:
            ask = Ask(self.model, turn, sampling, sample, room, style)
            path, body = provider.chat(ask) if turn.messages else provider.completion(ask)
            return Request(path, body, sample, about=turn.allowed)

        replies = self.client.ask_each(
            (request(turn, sample) for turn in turns for sample in range(sampling.samples)),
            _read_continuation,
            progress,
            many,
            _refused_continuation,
        )
        return [replies[start : start + sampling.samples] for start in range(0, many, sampling.samples)]

    def room(self, sampling: Sampling) -> int:
        """Return the maximum number of tokens of a reply: a model that thinks gets more."""
        if sampling.room:
            return sampling.room
        budget = self.client.settings.thinking_tokens
        thoughts = budget if budget is not None else THINKING_ROOM if self.thinks else 0
        return sampling.tokens + thoughts

    def _forecast(self, requests: int, characters: int, received: int, progress: Progress) -> None:
        """Log the maximum cost before sending; stored replies are not requested again."""
        if self.client.forecast_logged:
            return
        forecast = self.client.settings.forecast(requests, characters // CHARACTERS_A_TOKEN, received)
        progress.log(f"{self.name}: {forecast}")

    def _check_chat(self, turns: Sequence[Turn]) -> None:
        """Refuse conversations with a server that has none, and learn which parameters it takes."""
        if any(turn.messages for turn in turns) and not self.found.chat.replies:
            raise UserError(f"{self.name} has no chat completions: {self.found.chat.why_not}", fix="use chat=off")


def _read_choices(request: Request, key: bytes, reply: dict[str, Any]) -> Choices:
    assert isinstance(request.about, tuple)
    return read_choices(reply, request.about, key.hex(), request.body)


def _refused_choices(request: Request, key: bytes, error: RefusedError) -> Choices:
    return no_choices(key.hex(), request.body, _outcome(error), error.detail)


def _read_continuation(request: Request, key: bytes, reply: dict[str, Any]) -> Continuation:
    assert isinstance(request.about, tuple)
    return read_reply(reply, key.hex(), request.body, request.about)


def _refused_continuation(request: Request, key: bytes, error: RefusedError) -> Continuation:
    sent = as_sent(request.body)
    return Continuation("", "error", 0, 0, key.hex(), outcome=_outcome(error), sent=sent, reported=error.detail)


def _outcome(error: RefusedError) -> Outcome:
    return "filtered" if error.filtered else "failed"


def _size(turn: Turn) -> int:
    return len(turn.text) + sum(len(content) for _, content in turn.messages)
