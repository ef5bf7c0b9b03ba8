"""A server that goes away and comes back: runs wait for it by the clock, say so once, and lose nothing."""

from __future__ import annotations

import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.errors import UserError
from horsesense.models.api import limiter
from horsesense.models.api.limiter import Limiter, RetryState, retry_after, until_reset
from horsesense.models.api.request_errors import BudgetError, TemporaryError
from horsesense.models.api.served_model import open_served
from horsesense.models.api.settings import ServedSettings, warn_unused
from horsesense.models.hf.language_model import LanguageModel
from horsesense.progress import NO_PROGRESS, HorsesenseWarning, Progress
from tests.models.api.test_served import PROBE
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


class Listener(Progress):
    """Remembers what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def log(self, text: str) -> None:
        self.said.append(text)


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def test_a_server_that_is_killed_and_loads_again_is_waited_for(local: LanguageModel, tmp_path: Path) -> None:
    """Refused connections, then 503 while it loads, then answers: the run goes on, and asks nothing twice."""
    port, listener = free_port(), Listener()
    later: list[ModelServer] = []
    with ModelServer(local).running() as steady:
        usual = hs.ask(steady.name, PROBE, formats="letters").answered[0].answers

    first = ModelServer(local, port=port)
    first.behaviour.stays = 0.05
    going = first.running()
    going.__enter__()

    def restarted() -> None:
        while sum("melts" in each for each in first.seen.bodies) < 4 and not done.is_set():
            time.sleep(0.01)
        first.behaviour.fault, first.behaviour.every = "hangs-up", 1  # as connections of a dead process do
        going.__exit__(None, None, None)
        time.sleep(0.8)
        second = ModelServer(local, port=port)
        later.append(second)
        second.behaviour.fault, second.behaviour.every = "503", 1
        with second.running():
            time.sleep(0.8)
            second.behaviour.fault = ""
            done.wait(20)

    done = threading.Event()
    thread = threading.Thread(target=restarted)
    thread.start()
    try:
        settings = ServedSettings(patience=20, concurrency=2)
        run = hs.ask(first.name, PROBE, formats="letters", out=tmp_path, served=settings, progress=listener)
    finally:
        done.set()
        thread.join()
    assert [answer.scores for answer in run.answered[0].answers] == [answer.scores for answer in usual]
    (second,) = later
    assert second.seen.answered, "it was restarted in the middle"
    asked = first.seen.bodies + second.seen.bodies
    assert len(set(asked)) == len(asked), "what the first had answered was not asked again"
    away = [each for each in listener.said if "does not answer" in each]
    assert len(away) == 1, "said once, not by each request and each try"
    assert "trying again until" in away[0]
    assert sum(each.endswith("answers again") for each in listener.said) == 1


def test_what_was_answered_is_kept_when_patience_ends(server: ModelServer, tmp_path: Path) -> None:
    settings = ServedSettings(patience=0, concurrency=1)
    server.behaviour.fault, server.behaviour.every = "503", 10
    with pytest.raises(UserError, match=r"HTTP 503.*replies so far are stored"):
        hs.ask(server.name, PROBE, formats="letters", out=tmp_path, served=settings)
    server.behaviour.fault = ""
    hs.ask(server.name, PROBE, formats="letters", out=tmp_path, served=settings)
    about_items = [each for each in server.seen.bodies if "melts" in each]
    assert len(about_items) == len(set(about_items)) >= len(PROBE.items)


def test_an_address_at_which_nobody_ever_answered_is_told_in_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "_STRANGER", 0.4)
    with pytest.raises(UserError, match=r"after \d tries in 0 s .*the address is right"):
        open_served(f"openai:http://127.0.0.1:{free_port()}/v1#m", ServedSettings(patience=300))


def test_a_server_that_cannot_do_a_thing_is_not_waited_for(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some say 500 to what they cannot do: the trial goes on to the next way after a few tries, not after minutes."""
    monkeypatch.setattr(limiter, "_FIRST_PAUSE", 0.01)
    plain = server._reply
    monkeypatch.setattr(
        server, "_reply", lambda *told: (500, {"error": {}}) if told[2].get("echo") else plain(*told), raising=True
    )
    run = hs.ask(server.name, PROBE, limit=2, served=ServedSettings(patience=300))
    assert [each.format for each in run.answered] == ["letters"]
    assert "echo" in run.answered[0].part.asked


@pytest.mark.parametrize("how", ["away", "spent"])
def test_a_trial_that_was_cut_short_says_nothing_about_the_server(server: ModelServer, how: str) -> None:
    """Neither silence nor a budget in the middle of the trial makes it a server without log-probabilities."""
    model = open_served(server.name, ServedSettings(patience=0.1, max_requests=3 if how == "spent" else None))
    if how == "away":
        assert model.can("text")
        server.behaviour.fault, server.behaviour.every = "503", 1
    with pytest.raises(UserError, match="budget of 3 requests" if how == "spent" else "HTTP 503"):
        model.can("likelihood")


def test_pauses_grow_to_half_a_minute_unless_the_server_says_how_long() -> None:
    limit, state = Limiter("http://127.0.0.1/v1"), RetryState()
    pauses = [limit.pause(state, TemporaryError("HTTP 503"), 300, NO_PROGRESS) for _ in range(12)]
    assert all(later > earlier for earlier, later in zip(pauses[:6:2], pauses[2:7:2], strict=True))
    assert all(15 <= each <= 30 for each in pauses[8:])
    assert limit.pause(state, TemporaryError("HTTP 429", 7.0, limited=True), 300, NO_PROGRESS) == 7.0
    assert Limiter("http://127.0.0.1/v1").pause(RetryState(), TemporaryError("HTTP 503", 7.0), 4, NO_PROGRESS) <= 4


def test_a_wait_that_is_longer_than_the_patience_is_an_error_at_once() -> None:
    day = TemporaryError("HTTP 429: daily limit", 86_400.0, limited=True)
    with pytest.raises(UserError, match=r"asks to wait 86,400 s .*daily limit"):
        Limiter("http://127.0.0.1/v1").pause(RetryState(), day, 300, NO_PROGRESS)


def test_a_long_wait_for_a_rate_limit_is_reported_once() -> None:
    listener, limit = Listener(), Limiter("http://127.0.0.1/v1")
    for wait in (0.5, 30.0, 30.0):
        limit.pause(RetryState(), TemporaryError("HTTP 429", wait, limited=True), 300, listener)
    (reported,) = listener.said
    assert "limits the rate" in reported
    assert "30 s" in reported


def test_waits_are_read_from_the_headers() -> None:
    assert retry_after({"retry-after": "7"}) == 7.0
    assert retry_after({"retry-after-ms": "250"}) == 0.25
    assert retry_after({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}) is None
    soon = (datetime.now(UTC) + timedelta(seconds=9)).isoformat()
    wait = until_reset({"anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": soon})
    assert wait == pytest.approx(9, abs=1)
    assert (
        until_reset({"anthropic-ratelimit-requests-remaining": "3", "anthropic-ratelimit-requests-reset": soon}) is None
    )


def test_a_budget_is_still_a_budget(server: ModelServer) -> None:
    with pytest.raises(BudgetError):
        hs.ask(server.name, PROBE, served=ServedSettings(max_requests=2))


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_no_time_is_refused(server: ModelServer, seconds: float) -> None:
    with pytest.raises(UserError, match=r"patience .* is not a duration"):
        open_served(server.name, ServedSettings(patience=seconds))


def test_server_settings_without_a_served_model_are_warned_about(recwarn: pytest.WarningsRecorder) -> None:
    settings = ServedSettings(patience=60.0, max_requests=3)
    warn_unused(settings, ["smollm2", "big=openai:http://127.0.0.1:8000/v1"])
    warn_unused(ServedSettings(), ["smollm2"])
    assert not recwarn
    with pytest.warns(HorsesenseWarning, match="patience, max_requests"):
        warn_unused(settings, ["smollm2"])
