"""Batch APIs: the accuracy of single requests, one batch for all shards, and a killed run pays nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe, write_probe
from horsesense.errors import UserError
from horsesense.models.api import batches
from horsesense.models.api.request_errors import BudgetError
from horsesense.models.api.settings import ServedSettings
from tests.models.api.test_providers import ITEMS, KEY, KNOWN, PROBE, accuracy, named
from tests.support import ROOT
from tests.support.api_styles import knowing
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]
BATCH = ServedSettings(batch=True)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    for variable in ("OPENAI", "ANTHROPIC", "GEMINI"):
        monkeypatch.setenv(f"{variable}_API_KEY", KEY)
    monkeypatch.setattr(batches, "GATHER", 0.2)
    monkeypatch.setattr(batches, "POLLS", (0.05, 0.1))
    with ModelServer(None, "fake").running() as server:
        server.says, server.behaviour.batches = knowing(ITEMS, KNOWN), True
        yield server


@pytest.mark.parametrize("style", ["gpt-5", "gpt-5-pro", "anthropic"])
def test_a_batch_gives_the_share_that_a_model_knows(fake: ModelServer, style: str) -> None:
    run = hs.ask(named(fake, style), PROBE, formats="generate", served=BATCH)
    assert accuracy(run) == KNOWN / len(ITEMS)
    assert fake.batches.sizes == [len(ITEMS)]
    assert not [body for body in fake.seen.bodies if "number 03" in body], "nothing but the trial is sent singly"


@pytest.mark.parametrize("style", ["gpt-5", "anthropic"])
def test_what_expires_is_submitted_again_and_a_filter_concerns_one_item(fake: ModelServer, style: str) -> None:
    fake.batches.expires, fake.behaviour.filters = 4, "number 07"
    run = hs.ask(named(fake, style), PROBE, formats="generate", served=BATCH)
    assert fake.batches.sizes == [len(ITEMS), 4]
    outcomes = {ITEMS.index(next(i for i in ITEMS if i.id == r.item)): r.outcome for r in run.answered[0].replies}
    assert outcomes.pop(7) == ("filtered" if style == "gpt-5" else "refused")
    assert set(outcomes.values()) == {"answered"}


def test_all_shards_and_probes_go_into_one_batch(fake: ModelServer) -> None:
    items = [
        Item(probe="many", form="choice", text=f"What is number {n:03}?", options=("fire", "ice"), answer=n % 2)
        for n in range(200)
    ]
    fake.says = knowing(items, 160)
    probes = {"many": Probe.of(items, Card(name="many")), "made": PROBE}
    run = hs.ask(named(fake, "gpt-5"), probes, formats="generate", served=BATCH)
    assert run.results()["accuracy"][0] == 0.8
    assert fake.batches.sizes == [220]


def test_a_budget_counts_what_a_batch_may_take(fake: ModelServer, tmp_path: Path) -> None:
    settings = ServedSettings(batch=True, max_requests=12)
    with pytest.raises(BudgetError, match="12 requests"):
        hs.ask(named(fake, "gpt-5"), PROBE, formats="generate", served=settings, out=tmp_path)
    assert sum(fake.batches.sizes) < 12
    dear = ServedSettings(batch=True, price=(0.0, 1e6), max_cost=10_000.0)  # a reply may cost 8,240
    with pytest.raises(BudgetError, match="budget of 10,000"):
        hs.ask(named(fake, "gpt-5"), PROBE, formats="generate", served=dear, out=tmp_path)
    assert accuracy(hs.ask(named(fake, "gpt-5"), PROBE, formats="generate", served=BATCH, out=tmp_path)) == 0.8
    assert sum(fake.batches.sizes) == len(ITEMS), "nothing is asked twice"


def test_a_provider_without_batches_says_so(fake: ModelServer) -> None:
    with pytest.raises(UserError, match="no batch API"):
        hs.ask(named(fake, "google"), PROBE, served=BATCH)
    fake.behaviour.batches = False
    with pytest.raises(UserError, match="404"):
        hs.ask(named(fake, "gpt-5"), PROBE, formats="generate", served=BATCH)


@pytest.mark.parametrize("style", ["gpt-5", "anthropic"])
def test_a_killed_run_waits_for_its_batch(fake: ModelServer, style: str, tmp_path: Path) -> None:
    fake.batches.polls = 10**6
    write_probe(tmp_path / "made.jsonl", PROBE)
    out = tmp_path / "run"
    program = f"""
import horsesense as hs
from horsesense.models.api import batches
batches.GATHER, batches.POLLS = 0.2, (0.05, 0.1)
settings = dict(formats="generate", served=hs.ServedSettings(batch=True), out={str(out)!r})
run = hs.ask({named(fake, style)!r}, {str(tmp_path / "made.jsonl")!r}, **settings)
print(run.results()["accuracy"])
"""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    first = subprocess.Popen([sys.executable, "-c", program], env=environment)
    while not fake.batches.made or next(iter(fake.batches.made.values()))["polls"] < 2:
        assert first.poll() is None
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.wait()
    fake.batches.polls = 0
    again = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert again.stdout.strip() == "[0.8]", again.stderr
    assert fake.batches.sizes == [len(ITEMS)], "the batch was submitted once"


@pytest.mark.parametrize("name", ["NaN", "{}", '"../x"'])
def test_what_is_no_id_of_a_file_is_one_sentence(fake: ModelServer, name: str) -> None:
    """Found by ``make fuzz``: a number that JSON does not have was sent back, which failed unexpectedly."""
    fake.behaviour.spoils = lambda content: content.replace(b'"file-0"', name.encode())
    with pytest.raises(UserError, match="the id of a file is"):
        hs.ask(named(fake, "gpt-5"), PROBE, formats="generate", served=ServedSettings(batch=True, patience=0.2))
