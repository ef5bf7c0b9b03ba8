"""Servers that answer with anything but what was asked: clear errors, bounded replies, and no key given away."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe
from horsesense.errors import UserError
from horsesense.models.api import http, limiter
from horsesense.models.api.request_errors import QuotaError, RefusedError, TemporaryError
from horsesense.models.api.served_model import ServedModel, open_served
from horsesense.models.api.settings import ServedSettings
from horsesense.models.protocol import Sampling, Turn
from horsesense.runs.shards import ranks_of
from tests.models.api.test_providers import ITEMS, KNOWN, PROBE, accuracy
from tests.support.api_styles import knowing
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

KEY = "sk-very-secret-key"
TURNS = [Turn(messages=(("user", f"Is {n} odd? A. yes B. no"),)) for n in range(8)]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer(None, "fake").running() as server:
        server.says, server.behaviour.style = knowing(ITEMS, KNOWN), "openai-without-logprobs"
        yield server


def opened(fake: ModelServer, **settings: float) -> ServedModel:
    served = open_served(fake.name, ServedSettings(**({"patience": 0.3} | settings)))  # type: ignore[arg-type]
    assert served.can("text")
    return served


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((200, {"Content-Type": "text/html"}, b"<html>please log in</html>"), "HTML and not JSON"),
        ((200, {}, b'{"choices": ["\xff\xfe"]}'), "not UTF-8"),
        ((200, {}, b"[" * 100_000), "incomplete JSON"),
        ((200, {}, b"[1, 2]"), "a list and not an object"),
        ((200, {}, b'{"choices": 7}'), "makes no sense"),
        ((302, {"Location": "http://evil.example/steal"}, b""), "redirects to http://evil.example"),
        ((307, {"Location": "//evil.example/steal"}, b""), "redirects to http://evil.example"),
        ((302, {"Location": "http://[evil"}, b""), "redirects to an invalid address"),
        ((200, {"Content-Encoding": "gzip"}, b"not packed at all"), "DecodingError"),
    ],
)
def test_an_odd_answer_is_one_sentence(fake: ModelServer, answer: tuple[int, dict[str, str], bytes], why: str) -> None:
    served = opened(fake)
    fake.behaviour.says_instead = answer
    with pytest.raises(UserError) as error:
        served.continuations(TURNS, Sampling(8))
    assert why in str(error.value)
    assert KEY not in str(error.value)


_REPLY = '{"choices": [{"message": {"content": %s}, "finish_reason": "stop"}], "usage": %s}'


@pytest.mark.parametrize(
    ("content", "usage", "text"),
    [
        ('"B"', '{"prompt_tokens": "many", "completion_tokens": [1]}', "B"),
        ('"B"', '{"prompt_tokens": NaN, "completion_tokens_details": {"reasoning_tokens": "x"}}', "B"),
        ('"B"', '{"prompt_tokens": -5, "completion_tokens": 1e300}', "B"),
        (r'"B \ud800"', "{}", "B ?"),
        (r'"B \ud83d\ude00"', "[]", "B \N{GRINNING FACE}"),
        ('[{"type": "text", "text": {"a": 1}}, {"text": [[1]]}, 5, {"text": "B"}]', "7", "B"),
    ],
)
def test_odd_parts_of_a_reply_are_left_out(
    fake: ModelServer, content: str, usage: str, text: str, tmp_path: Path
) -> None:
    served = opened(fake)
    fake.behaviour.says_instead = (200, {}, (_REPLY % (content, usage)).encode())
    run = hs.ask(served, PROBE, limit=2, formats="generate", out=tmp_path)
    assert {(reply.text, reply.prompt_tokens, reply.tokens) for reply in run.answered[0].replies} == {(text, 0, 0)}


@pytest.mark.parametrize("reset", ["inf", "nan", "99999999"])
def test_a_header_that_asks_to_wait_for_ever_does_not_stop_a_run(
    fake: ModelServer, monkeypatch: pytest.MonkeyPatch, reset: str
) -> None:
    served = opened(fake)
    monkeypatch.setattr(limiter, "_LONGEST_RESET", 0.1)
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset}
    fake.behaviour.says_instead = (200, headers, (_REPLY % ('"B"', "{}")).encode())
    assert len(served.continuations(TURNS, Sampling(8))) == len(TURNS)


def test_a_packed_reply_is_bounded_by_what_it_unpacks_to(fake: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    served = opened(fake)
    monkeypatch.setattr(http, "LARGEST_REPLY", 2**20)
    bomb = gzip.compress(b'{"choices": "' + b"x" * 2**24)
    fake.behaviour.says_instead = (200, {"Content-Encoding": "gzip"}, bomb)
    with pytest.raises(RefusedError, match="more than 1 MB"):
        served.continuations(TURNS[:1], Sampling(8))


def test_an_id_that_makes_no_address_is_refused(fake: ModelServer) -> None:
    transport = opened(fake).client.transport
    assert isinstance(transport, http.HttpTransport)
    with pytest.raises(TemporaryError, match="names an invalid address"):
        asyncio.run(transport.exchange("/files/a\n/content", {}))


def test_a_stream_that_never_ends_is_ended_by_the_timeout(fake: ModelServer) -> None:
    served = opened(fake, timeout=0.5)
    fake.behaviour.trickles = True
    with pytest.raises(UserError, match=r"no answer in 0\.5 s"):
        served.continuations(TURNS[:1], Sampling(8))


def test_a_reply_without_end_is_cut_off(fake: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    served = opened(fake)
    monkeypatch.setattr(http, "LARGEST_REPLY", 2**20)
    fake.behaviour.says_instead = (200, {}, b'{"choices": "' + b"x" * 2**21)
    with pytest.raises(RefusedError, match="more than 1 MB"):
        served.continuations(TURNS[:1], Sampling(8))


@pytest.mark.parametrize("end", ["\r", "\n", " \r\n"])
def test_a_key_with_a_line_break_is_sent_without_it(
    fake: ModelServer, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY + end)
    opened(fake).continuations(TURNS[:1], Sampling(8))
    assert set(fake.seen.headers) == {f"Bearer {KEY}"}


@pytest.mark.parametrize("key", ["sk-very\nsecret", "sk-“secret”"])
def test_a_key_that_cannot_be_one_is_not_shown(fake: ModelServer, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UserError, match="the key in OPENAI_API_KEY") as error:
        opened(fake)
    assert "secret" not in str(error.value)


def test_a_key_that_the_server_repeats_is_stored_nowhere(fake: ModelServer, tmp_path: Path) -> None:
    fake.says = lambda question: f"B, and your key is {KEY}"
    run = hs.ask(fake.name, PROBE, limit=4, out=tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert "***" in run.answered[0].replies[0].text
    fake.behaviour.style, fake.behaviour.owner = "", f"Bearer {KEY}"
    assert open_served(fake.name).who.reported["owned_by"] == "Bearer ***"


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (429, b'{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}'),
        (402, b'{"error": {"message": "more credits are required"}}'),
        (400, b'{"error": {"message": "Your credit balance is too low to access the API"}}'),
    ],
)
def test_a_quota_is_named_and_not_retried(fake: ModelServer, status: int, content: bytes) -> None:
    served = opened(fake, patience=60)
    before = fake.seen.requests
    fake.behaviour.says_instead = (status, {"X-Other": "1"}, content)
    with pytest.raises(QuotaError, match="no quota left"):
        served.continuations(TURNS[:1], Sampling(8))
    assert fake.seen.requests == before + 1


def test_a_rate_limit_slows_a_run_and_does_not_end_it(fake: ModelServer) -> None:
    """Four requests in half a second, and patience for one second only: the server answers others all the time."""
    fake.behaviour.per_window = 4
    run = hs.ask(fake.name, PROBE, served=ServedSettings(patience=1.0))
    assert accuracy(run) == KNOWN / len(ITEMS)
    assert fake.seen.limited < 3 * len(ITEMS), "everybody waits when one is told to"


def test_a_slow_reply_does_not_hold_up_the_others(fake: ModelServer) -> None:
    served = opened(fake, concurrency=4)
    before = len(fake.seen.bodies)
    fake.behaviour.tail, fake.behaviour.tail_after = "Is 0 odd", fake.seen.answered + len(TURNS) - 1
    served.continuations(TURNS, Sampling(8))
    order = ["Is 0 odd" in body for body in fake.seen.bodies[before:]]
    assert order.index(True) == len(TURNS) - 1, "it was asked first and answered last"


def test_a_slow_reply_does_not_hold_up_the_next_shard(fake: ModelServer) -> None:
    """The items of a run are asked in shards of 64 and more; the slow one is in the first."""
    items = [
        Item(probe="many", form="choice", text=f"What is number {n:03}?", options=("fire", "ice"), answer=n % 2)
        for n in range(130)
    ]
    fake.says = knowing(items, 104)
    ranks = ranks_of(items, 0)
    first = min(items, key=lambda item: ranks[item.id])
    fake.behaviour.tail, fake.behaviour.tail_after = first.text, len(items) - 1
    run = hs.ask(fake.name, Probe.of(items, Card(name="many")), formats="generate")
    assert run.answered[0].part.shards > 1
    order = [first.text in body for body in fake.seen.bodies if "number" in body]
    assert order.index(True) >= len(items) - 4, "it was answered when all others had been, but for those of the trial"
