"""What a server was paid for: forecast, held to a budget, kept at once, checked, and never asked for twice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.core import write_probe
from horsesense.errors import UserError
from horsesense.models.api.request_errors import BudgetError
from horsesense.models.api.served_model import open_served
from horsesense.models.api.settings import ServedSettings
from horsesense.models.protocol import Sampling, Turn
from horsesense.progress import Progress
from horsesense.runs.verify import verify
from horsesense.scoring import generate
from horsesense.scoring.reply_parsing import ParsedReply
from tests.support import ROOT
from tests.support.made_tasks import short_questions
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

PROBE = short_questions(12, 1)


class Listener(Progress):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def log(self, text: str) -> None:
        self.heard.append(text)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "at most 6 requests, about 30 tokens to send and up to 60 back"),
        ({"price": (0.5, 2_000.0)}, "up to 60 back, about 0.12 at the given price"),
        ({"max_requests": 5}, "up to 60 back; the budget of 5 requests may end it earlier"),
        ({"max_requests": 1}, "up to 60 back; the budget of 1 request may end it earlier"),
        ({"max_tokens": 80}, "up to 60 back; the budget of 80 tokens may end it earlier"),
        ({"max_tokens": 90}, "up to 60 back"),
    ],
)
def test_what_it_takes_is_told_before_it_starts(
    server: ModelServer, settings: dict[str, tuple[float, float] | int], told: str
) -> None:
    """Two turns of 40 letters, three samples of ten tokens each: six requests, 240 letters, 60 tokens back."""
    served = open_served(server.name, ServedSettings(**settings))  # type: ignore[arg-type]  # of several kinds
    heard = Listener()
    try:
        served.continuations([Turn("x" * 20), Turn("y" * 20)], Sampling(10, 0.7, 3), heard)
    except BudgetError:
        assert "may end it earlier" in told
    assert heard.heard[0].endswith(told)


def test_a_budget_of_tokens_ends_cleanly_and_the_same_again_goes_on(server: ModelServer, tmp_path: Path) -> None:
    few = short_questions(12, 1)
    whole = hs.ask(server.name, few, formats="generate").answered[0].answers
    server.reset()
    little = ServedSettings(max_tokens=400, concurrency=2)
    told = "the budget of 400 tokens is reached"
    with pytest.raises(BudgetError, match=told):
        hs.ask(server.name, few, formats="generate", out=tmp_path, served=little)
    first = server.seen.answered
    with pytest.raises(BudgetError, match=told):
        hs.ask(server.name, few, formats="generate", out=tmp_path, served=little)
    assert server.seen.answered > first, "the same again goes on"
    run = hs.ask(server.name, few, formats="generate", out=tmp_path)
    assert [each.scores for each in run.answered[0].answers] == [each.scores for each in whole]
    assert len(server.seen.bodies) == len(set(server.seen.bodies)), "nothing is paid for twice, not even the trials"


def test_a_killed_run_asks_nothing_again(server: ModelServer, tmp_path: Path) -> None:
    write_probe(tmp_path / "probe.jsonl", PROBE)
    server.behaviour.stays = 0.05
    program = f"""
import horsesense as hs
from horsesense.models.api.settings import ServedSettings
how = ServedSettings(concurrency=2)
hs.ask({server.name!r}, {str(tmp_path / "probe.jsonl")!r}, formats="letters", out={str(tmp_path / "run")!r}, served=how)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, start_new_session=True
    )
    try:
        while server.seen.answered < 15 and child.poll() is None:
            time.sleep(0.005)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    answered = set(server.seen.bodies)
    assert 15 <= len(answered) < 24, "it was killed in the middle"
    time.sleep(0.2)  # what was in flight is answered to nobody
    server.reset()
    run = hs.ask(server.name, tmp_path / "probe.jsonl", formats="letters", out=tmp_path / "run")
    again = [body for body in server.seen.bodies if body in answered]
    assert len(again) <= 2, "but for the two that were in flight"
    assert server.seen.bodies, "the rest was asked for"
    fresh = hs.ask(server.name, PROBE, formats="letters")
    assert [each.scores for each in run.answered[0].answers] == [each.scores for each in fresh.answered[0].answers]


def test_other_rules_of_parsing_ask_nothing_again(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = hs.ask(server.name, PROBE, formats="generate", out=tmp_path).answered[0].replies
    asked = len(server.seen.bodies)
    monkeypatch.setattr(generate, "parse_reply", lambda *_, **__: ParsedReply(1, "always the second"))
    for folder in ("answers", "replies"):
        shutil.rmtree(tmp_path / folder)
    after = hs.ask(server.name, PROBE, formats="generate", out=tmp_path).answered[0].replies
    assert {reply.why for reply in after} == {"always the second"} != {reply.why for reply in before}
    assert [(reply.request, reply.text) for reply in after] == [(reply.request, reply.text) for reply in before]
    assert len(server.seen.bodies) == asked
    assert not verify(tmp_path).damaged


@contextmanager
def _one_bit_off(path: Path) -> Iterator[None]:
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    yield
    path.write_bytes(whole)


def test_what_a_server_said_is_under_the_checksums_of_its_folder(server: ModelServer, tmp_path: Path) -> None:
    hs.ask(server.name, PROBE, formats="letters", out=tmp_path)
    names = {line.split("  ")[1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines() if line[0] != "#"}
    replies = next((tmp_path / "replies").glob("*.parquet"))
    assert {"requests.sqlite", f"replies/{replies.name}"} <= names
    assert not verify(tmp_path).damaged
    log = tmp_path / "requests.sqlite"
    with _one_bit_off(replies):
        assert [Path(each).name for each in verify(tmp_path).damaged] == [replies.name]
        with pytest.raises(UserError, match=r"the file is damaged: .*run it again in another folder"):
            hs.open_run(tmp_path).results()
    with _one_bit_off(log):
        assert [Path(each).name for each in verify(tmp_path).damaged] == [log.name]
        with pytest.raises(UserError, match=r"the file is damaged: .*sent again"):
            hs.ask(server.name, PROBE, formats="letters,generate", out=tmp_path)
    hs.ask(server.name, PROBE, formats="letters,pmi", out=tmp_path)
    assert not verify(tmp_path).damaged
    assert not list(tmp_path.glob("requests.sqlite-*")), "nothing of it lies in another file"
