"""Replies with any part replaced by something else: each is parsed, or refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from horsesense.errors import UserError
from horsesense.models.api.address import Address
from horsesense.models.api.batches import AnthropicBatches, OpenAIBatches
from horsesense.models.api.http import HttpTransport, message_of
from horsesense.models.api.logprobs import read_alternatives, read_echo, read_generated
from horsesense.models.api.providers import Ask, provider_of, read_reply
from horsesense.models.api.request_errors import TemporaryError
from horsesense.models.api.settings import ServedSettings
from horsesense.models.protocol import Sampling, Turn
from tests.models.api.test_providers import VERSIONS
from tests.support.api_styles import STYLES, answer

ODD: tuple[Any, ...] = (
    *(None, 0, -1, 1.5, True, 10**30, float("nan"), "", "x", [], {}, [1], [[1]], ["x"], [None], {"a": 1}),
    *({"text": 5}, [{"text": {"a": 1}}], [{"type": "text", "text": 7}]),
)
PROVIDERS = {
    "openai": "openai",
    "gpt-5": "openai",
    "gpt-5-pro": "openai",
    "vllm-thinking": "vllm",
    "sglang-thinking": "",
    "azure": "azure",
    "anthropic": "anthropic",
    "anthropic-2023": "anthropic",
    "google": "google",
    "google-1": "google",
}
TEXT = "Ice is cold"
ECHO = {"tokens": ["Ice", " is", " cold"], "token_logprobs": [None, -1.0, -2.0], "top_logprobs": [None, {}, {}]}
VLLM = [None, {"7": {"logprob": -1.0, "decoded_token": " is"}}, {"8": {"logprob": -2.0, "decoded_token": " cold"}}]
LISTED = [{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": -3.0}]
NEXT = {"content": [{**LISTED[0], "top_logprobs": LISTED}]}
REPLIES: dict[str, tuple[Callable[[dict[str, Any]], object], dict[str, Any]]] = {
    "echo": (lambda reply: read_echo(reply, TEXT), {"choices": [{"text": "", "logprobs": ECHO}]}),
    "prompt_logprobs": (lambda reply: read_echo(reply, TEXT), {"choices": [{"text": "", "prompt_logprobs": VLLM}]}),
    "generated": (
        read_generated,
        {"choices": [{"logprobs": {"tokens": ["a", "b"], "token_logprobs": [-1.0, -2.0]}}]},
    ),
    "next in a chat": (read_alternatives, {"choices": [{"logprobs": NEXT}]}),
    "next in a text": (read_alternatives, {"choices": [{"logprobs": {"top_logprobs": [{"A": -0.1, "B": -3.0}]}}]}),
}


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield above
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from places(each, (*above, name))


def changed(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the reply with each of its parts replaced by each odd value, or left out."""
    for place in places(reply):
        if not place:
            continue
        for odd in (*ODD, ...):
            copy = json.loads(json.dumps(reply))
            at = copy
            for name in place[:-1]:
                at = at[name]
            if odd is ...:
                del at[place[-1]]
            else:
                at[place[-1]] = odd
            yield copy


def check(parse: Callable[[dict[str, Any]], object], reply: dict[str, Any]) -> None:
    """Any other error than these two would be a traceback for the user."""
    parse(reply)  # a good one
    for each in changed(reply):
        with suppress(UserError, TemporaryError):
            parse(each)


@pytest.mark.parametrize("style", PROVIDERS)
def test_a_reply_with_an_odd_part(style: str) -> None:
    settings = ServedSettings(api_version=VERSIONS.get(style, ""), effort="low" if style != "anthropic-2023" else "")
    provider = provider_of(Address("http://127.0.0.1:1", "fake", PROVIDERS[style]), settings)
    provider.switch("use v1/responses" if style == "gpt-5-pro" else "")
    _, body = provider.chat(Ask("fake", Turn(messages=(("user", "Is ice A. hot or B. cold?"),)), Sampling(2000)))
    for name in ("temperature", *(["max_tokens"] if style.startswith("gpt-5") else ())):
        body.pop(name, None)
    body.get("generationConfig", {}).pop("temperature" if style != "google" else "seed", None)
    status, reply = answer(STYLES[style], STYLES[style].path, STYLES[style].headers, body, lambda _: "B", "")
    assert status == 200, reply
    check(lambda changed: read_reply(provider.as_openai(changed), "key", {}, ("A", "B")), reply)


@pytest.mark.parametrize("kind", REPLIES)
def test_log_probabilities_with_an_odd_part(kind: str) -> None:
    check(*REPLIES[kind])


@pytest.mark.parametrize("provider", ["", "anthropic", "google"])
def test_a_list_of_models_with_an_odd_part(provider: str) -> None:
    listed = {"data": [{"id": "fake", "object": "model"}], "name": "models/fake"}
    check(provider_of(Address("http://127.0.0.1:1", "fake", provider), ServedSettings()).entries, listed)


def test_a_row_of_a_batch_with_an_odd_part(tmp_path: Path) -> None:
    address = Address("http://127.0.0.1:1", "fake")
    http = HttpTransport(address, provider_of(address, ServedSettings()))
    response = {"status_code": 200, "body": {"choices": []}}
    check(OpenAIBatches(http).read, {"custom_id": "a", "response": response, "error": None})
    errored = {"type": "errored", "error": {"type": "error", "error": {"type": "not_found_error", "message": "no"}}}
    check(AnthropicBatches(http).read, {"custom_id": "a", "result": errored})


def test_an_error_with_an_odd_part() -> None:
    detail = {"detail": [{"loc": ["body", "seed"], "msg": "extra inputs are not permitted"}]}
    for error in ({"error": {"message": "no", "param": "seed"}}, detail):
        check(lambda changed: message_of(json.dumps(changed)), error)
