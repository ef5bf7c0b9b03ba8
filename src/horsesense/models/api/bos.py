"""The BOS token at a server: it moves accuracy by points, and a server may add one or not.

Trial requests find out what is possible, in this order: the server adds one itself; it takes token ids, so that one can
be put before them; it recognises one that is written into the text; else the first token of a text is not scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from horsesense.errors import UserError
from horsesense.models.api.client import Client
from horsesense.models.api.logprobs import Echoed, bad_reply, echo_body, read_echo
from horsesense.models.api.request_errors import ENDS, RefusedError, Request
from horsesense.progress import NO_PROGRESS, Progress

TEXT = "Ice is cold and the sun is warm."
CANDIDATES = ("<|endoftext|>", "<s>", "<|begin_of_text|>", "<bos>")
"""Tokens that separate or begin documents in common vocabularies."""


@dataclass(frozen=True, slots=True)
class BosPlacement:
    """How the BOS token gets before a text."""

    how: Literal["server", "ids", "text", "none"]
    token: str = ""
    ids: tuple[int, ...] = ()

    @property
    def in_words(self) -> str:
        if self.how == "server":
            return f"{self.token or 'a token'} (the server adds it)"
        if self.how == "ids":
            return f"{self.token} (sent as a token id before those of the text)"
        if self.how == "text":
            return f"{self.token} (written before the text)"
        return "none, so the first token is not scored"


def find_bos(client: Client[Any], model: str, style: str, policy: str) -> BosPlacement:
    """Find out how to put a BOS token before a text, under the spec's policy: ``auto``, ``none`` or a token."""
    plain = client.ask(
        Request("/completions", echo_body(model, TEXT, style), trial=True), lambda reply: read_echo(reply, TEXT)
    )
    if plain.lead:
        return BosPlacement("server")
    if policy == "none":
        return BosPlacement("none")
    wanted = CANDIDATES if policy == "auto" else (policy,)
    for token in wanted:
        ids = _tokenised(client, model, token)
        if ids is not None and len(ids) == 1 and _takes_ids(client, model, style, ids):
            return BosPlacement("ids", token, tuple(ids))
    for token in wanted:
        echoed = _asked(client, model, token + TEXT, style)
        # One token, however it is written; a server that does not know it splits it.
        if echoed is not None and echoed.lead == 1 and len(echoed.tokens) == len(plain.tokens):
            return BosPlacement("text", token)
    if policy != "auto":
        raise UserError(f"the server does not know the BOS token {policy!r}", fix="use bos=auto or bos=none")
    return BosPlacement("none")


def _asked(client: Client[Any], model: str, prompt: str | Sequence[int], style: str) -> Echoed | None:
    body = echo_body(model, prompt if isinstance(prompt, str) else list(prompt), style)
    request = Request("/completions", body, trial=True)
    try:
        echoed: Echoed = client.ask(request, lambda reply: read_echo(reply, TEXT))
    except ENDS:
        raise
    except UserError:
        return None
    return echoed


def _takes_ids(client: Client[Any], model: str, style: str, before: Sequence[int]) -> bool:
    ids = _tokenised(client, model, TEXT)
    echoed = _asked(client, model, [*before, *ids], style) if ids else None
    return echoed is not None and ids is not None and echoed.lead == 1 and len(echoed.tokens) == len(ids)


def prepend_bos(
    client: Client[Any], model: str, texts: Sequence[str], beginning: BosPlacement, progress: Progress = NO_PROGRESS
) -> Iterable[str | list[int]]:
    """Prepend the BOS token to texts, unless the server does so itself."""
    if beginning.how != "ids":
        before = beginning.token if beginning.how == "text" else ""
        return (before + text for text in texts)
    requests = (_tokenising(client, model, text) for text in texts)
    answers = client.ask_each(requests, lambda *arguments: _read_ids(arguments[2]), progress, len(texts))
    if None in answers:
        raise bad_reply("it tokenises some texts and not others")
    return ([*beginning.ids, *ids] for ids in answers)


def _tokenised(client: Client[Any], model: str, text: str) -> list[int] | None:
    """Return the ids of a text if the server tokenises, as vLLM and llama.cpp do; else None."""
    try:
        ids: list[int] | None = client.ask(replace(_tokenising(client, model, text), trial=True), _read_ids)
    except RefusedError:
        return None
    return ids


def _tokenising(client: Client[Any], model: str, text: str) -> Request:
    """Return the request for the ids of a text."""
    body = {"model": model, "prompt": text, "content": text, "add_special_tokens": False, "add_special": False}
    return Request(f"{client.address.root}/tokenize", body)


def _read_ids(reply: dict[str, Any]) -> list[int] | None:
    tokens = reply.get("tokens")
    return tokens if isinstance(tokens, list) and all(isinstance(each, int) for each in tokens) else None
