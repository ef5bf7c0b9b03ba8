"""Models behind a server: asked as local ones are, whatever the server does wrong, and nothing is paid for twice."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe, ScoringSpec, write_probe
from horsesense.errors import UserError
from horsesense.models.api.logprobs import choices_among, read_alternatives, read_echo
from horsesense.models.api.request_errors import BudgetError
from horsesense.models.api.served_model import open_served
from horsesense.models.api.settings import ServedSettings
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.protocol import Sampling, Turn
from horsesense.runs.manifest import read_manifest
from horsesense.scoring.texts import score_texts
from tests.support import ROOT
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

TEXTS = ["The kettle is hot.", "Café owners don't open — 東京 is far.", "a"]
PROBE = Probe.of(
    [
        Item(
            probe="small",
            form="choice",
            text=f"What melts {n} times?",
            options=("ice", "a stone", "iron"),
            answer=n % 3,
            family=f"f{n // 2}",
        )
        for n in range(8)
    ],
    Card(name="small"),
)


@pytest.mark.parametrize(
    ("does", "begins"),
    [
        ({}, "<|endoftext|> (written before the text)"),
        ({"adds_bos": True}, "a token (the server adds it)"),
        ({"prompt_logprobs": True, "echo": False}, "<|endoftext|> (written before the text)"),
        ({"prompt_logprobs": True, "echo": False, "adds_bos": True}, "a token (the server adds it)"),
        ({"prompt_logprobs": True}, "<|endoftext|> (written before the text)"),
        ({"tokenises": True}, "<|endoftext|> (sent as a token id before those of the text)"),
        ({"tokenises": True, "takes_ids": False}, "<|endoftext|> (written before the text)"),
    ],
)
def test_likelihoods_are_those_of_the_weights_however_a_text_begins(
    server: ModelServer, local: LanguageModel, does: dict[str, bool], begins: str
) -> None:
    vars(server.behaviour).update(does)
    served = open_served(server.name)
    for one, other in zip(
        score_texts(served, TEXTS, ScoringSpec()), score_texts(local, TEXTS, ScoringSpec()), strict=True
    ):
        assert [t.token for t in one.tokens] == [t.token for t in other.tokens]
        assert [t.logprob for t in one.tokens] == pytest.approx([t.logprob for t in other.tokens], abs=1e-4)
    assert served.describe_frame(ScoringSpec()) == begins


def test_without_a_beginning_the_first_token_is_not_scored(server: ModelServer, local: LanguageModel) -> None:
    server.behaviour.reads_special = False
    served, bare = open_served(server.name), ScoringSpec(bos="none")
    (one,), (other,) = score_texts(served, TEXTS[:1], ScoringSpec()), score_texts(local, TEXTS[:1], bare)
    assert [t.logprob for t in one.tokens] == pytest.approx([t.logprob for t in other.tokens], abs=1e-4)
    assert served.describe_frame(ScoringSpec()) == "none, so the first token is not scored"


def test_every_way_gives_what_the_local_model_gives(server: ModelServer, local: LanguageModel) -> None:
    ways = "loglikelihood,pmi,letters,generate"
    by_way = [{each.format: each for each in hs.ask(who, PROBE, formats=ways).answered} for who in (local, server.name)]
    for way in ways.split(","):
        one, other = (each[way] for each in by_way)
        for a, b in zip(one.answers, other.answers, strict=True):
            if way == "letters" and any("bounded" in flag for flag in b.flags):
                continue  # a random model spreads its letters beyond what a server tells
            assert a.scores == pytest.approx(b.scores, abs=1e-3)
    assert [r.text for r in by_way[0]["generate"].replies] == [r.text for r in by_way[1]["generate"].replies]
    assert all(reply.request for reply in by_way[1]["generate"].replies)


@pytest.mark.parametrize("fault", ["429", "500", "503", "cut", "not-json", "hangs-up"])
def test_one_request_in_five_fails_and_the_answers_are_the_same(server: ModelServer, fault: str) -> None:
    usual = hs.ask(server.name, PROBE, formats="letters").answered[0].answers
    server.behaviour.fault = fault
    faulty = hs.ask(server.name, PROBE, formats="letters").answered[0].answers
    assert [answer.scores for answer in faulty] == [answer.scores for answer in usual]


def test_a_slow_answer_is_asked_for_again(server: ModelServer) -> None:
    usual = hs.ask(server.name, PROBE, limit=2, formats="generate").answered[0].answers
    server.behaviour.fault, server.behaviour.every = "slow", 3
    slow = hs.ask(server.name, PROBE, limit=2, formats="generate", served=ServedSettings(timeout=0.8))
    assert [answer.scores for answer in slow.answered[0].answers] == [answer.scores for answer in usual]


def test_a_server_that_never_answers_is_one_sentence(server: ModelServer) -> None:
    server.behaviour.fault, server.behaviour.every = "503", 1
    with pytest.raises(UserError, match=r"\d tries in \d s .*HTTP 503: not now"):
        hs.ask(server.name, PROBE, served=ServedSettings(patience=0.5))


def test_a_server_that_echoes_other_numbers_is_not_believed(server: ModelServer) -> None:
    server.behaviour.lies = True
    with pytest.raises(UserError, match="its echo differs"):
        hs.ask(server.name, PROBE, formats="loglikelihood")
    run = hs.ask(server.name, PROBE, formats="auto")
    assert run.answered[0].format == "letters"
    assert "not by loglikelihood: its echo differs" in run.answered[0].part.asked


@pytest.mark.parametrize(
    ("does", "way"),
    [
        ({"completions": False}, "letters"),
        ({"echo": False}, "letters"),
        ({"logprobs": False}, "generate"),
        ({"chat": False, "top": 5}, "loglikelihood"),
        ({"splits": True}, "letters"),
        ({"shorts": True}, "letters"),
    ],
)
def test_auto_falls_back_to_what_a_server_allows(server: ModelServer, does: dict[str, bool], way: str) -> None:
    vars(server.behaviour).update(does)
    run = hs.ask(server.name, PROBE, limit=2)
    assert [each.format for each in run.answered] == [way]


@pytest.mark.parametrize("way", ["letters", "generate"])
def test_the_room_for_a_reply_has_two_names(server: ModelServer, way: str) -> None:
    usual = hs.ask(server.name, PROBE, limit=2, formats=way).answered[0].answers
    server.behaviour.room = "max_completion_tokens"
    newer = hs.ask(server.name, PROBE, limit=2, formats=way).answered[0].answers
    assert [answer.scores for answer in newer] == [answer.scores for answer in usual]


def test_it_works_inside_a_running_event_loop(server: ModelServer) -> None:
    async def cell() -> float:
        return float(hs.ask(server.name, PROBE, limit=2).results()["accuracy"][0])

    assert 0.0 <= asyncio.run(cell()) <= 1.0


def test_requests_are_kept_in_flight_and_never_more_than_allowed(server: ModelServer) -> None:
    server.behaviour.stays = 0.02
    hs.ask(server.name, PROBE, served=ServedSettings(concurrency=4))
    assert server.seen.most_in_flight == 4


def test_a_budget_ends_cleanly_and_what_was_answered_is_not_asked_again(server: ModelServer, tmp_path: Path) -> None:
    whole = hs.ask(server.name, PROBE, out=tmp_path / "whole").answered[0].answers
    needed = server.seen.answered
    server.reset()
    little = ServedSettings(max_requests=18, concurrency=3)
    tries, run = 0, None
    while run is None:
        before, tries = server.seen.answered, tries + 1
        try:
            run = hs.ask(server.name, PROBE, out=tmp_path / "bits", served=little)
        except BudgetError as error:
            told = str(error)
            assert server.seen.answered > before, "each call goes on"
    assert told.startswith("the budget of 18 requests is reached; all replies so far are stored")
    assert tries > 1
    assert [a.scores for a in run.answered[0].answers] == [a.scores for a in whole]
    # Only what is found out about the server, before a folder is held, is asked at each call.
    assert server.seen.answered <= needed + (tries - 1) * 22


def test_a_finished_run_does_not_ask_the_server(server: ModelServer, tmp_path: Path) -> None:
    hs.ask(server.name, PROBE, out=tmp_path, formats="letters")
    before = server.seen.requests
    hs.ask(server.name, PROBE, out=tmp_path, formats="letters")
    assert server.seen.requests == before


def test_another_model_behind_the_same_name_is_refused(server: ModelServer, tmp_path: Path) -> None:
    hs.ask(server.name, PROBE, out=tmp_path, formats="letters")
    server.behaviour.owner = "somebody else"
    with pytest.raises(UserError, match="its server reports another model now"):
        hs.ask(server.name, PROBE, out=tmp_path, formats="letters,generate")


def test_exact_scores_are_refused(server: ModelServer) -> None:
    with pytest.raises(UserError, match="exact scores"):
        hs.ask(server.name, PROBE, spec=ScoringSpec(exact=True))


def test_the_manifest_says_who_answered_and_how(server: ModelServer, tmp_path: Path) -> None:
    hs.ask(f"tiny={server.name}", PROBE, out=tmp_path)
    (part,) = read_manifest(tmp_path).parts
    assert (part.model.name, part.model.kind, part.format) == ("tiny", "server", "loglikelihood")
    assert part.model.reported["url"] == server.url
    assert part.model.frame == "<|endoftext|> (written before the text)"


def test_loopback_goes_past_every_proxy(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert open_served(server.name).continuations([Turn("Ice is")], Sampling(3))[0][0].tokens == 3


def _echo(tokens: list[str], values: list[float | None]) -> dict[str, object]:
    return {"choices": [{"logprobs": {"tokens": tokens, "token_logprobs": values}}]}


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ({}, "it has no choices"),
        ({"choices": [{}, {}]}, "it has 2 choices"),
        ({"choices": [{"logprobs": None}]}, "it has no logprobs"),
        (_echo(["Ice", " is"], [None]), "log-probabilities and tokens differ"),
        (_echo(["Ice", " was"], [None, -1.0]), "its tokens do not make up the text"),
        (_echo(["I", "ce", " is"], [None, None, -1.0]), "a token in the middle has no log-probability"),
        (_echo(["Ice", " is"], [None, 2.0]), "the log-probability of ' is' is 2.0"),
        (_echo(["Ice", " is"], [None, float("nan")]), "the log-probability of ' is' is nan"),
    ],
)
def test_odd_answers_are_sentences(reply: dict[str, object], why: str) -> None:
    with pytest.raises(UserError, match="makes no sense") as error:
        read_echo(reply, "Ice is")
    assert why in str(error.value)


def test_letters_are_summed_over_spaces_and_bounded_outside() -> None:
    told = {"A": np.log(0.3), " A": np.log(0.2), " B": np.log(0.4), "x": np.log(0.06)}
    reply = {
        "choices": [
            {"logprobs": {"content": [{"top_logprobs": [{"token": t, "logprob": v} for t, v in told.items()]}]}}
        ]
    }
    choices = choices_among(read_alternatives(json.loads(json.dumps(reply))), "ABC", "", 0)
    assert np.exp(choices.logprobs[:2]) == pytest.approx([0.5, 0.4])
    assert choices.bounded == (False, False, True)
    assert np.exp(choices.logprobs[2]) == pytest.approx(0.04), "no likelier than all that is left"


def test_the_real_model_through_a_server(bundled: LanguageModel) -> None:
    """SmolLM2 by HTTP within 1e-4 of SmolLM2 in this process."""
    with ModelServer(bundled).running() as server:
        (served,), (here,) = (
            score_texts(m, ["Ice is cold."], ScoringSpec()) for m in (open_served(server.name), bundled)
        )
    assert [t.logprob for t in served.tokens] == pytest.approx([t.logprob for t in here.tokens], abs=1e-4)


def test_a_server_is_asked_without_torch(server: ModelServer, tmp_path: Path) -> None:
    """As with the core install: neither torch nor transformers can be imported."""
    write_probe(tmp_path / "probe.jsonl", PROBE)
    program = f"""
import sys
sys.modules |= {{"torch": None, "transformers": None}}
import horsesense as hs
run = hs.ask({server.name!r}, {str(tmp_path / "probe.jsonl")!r}, limit=2, formats="letters")
print(run.results()["format"])
"""
    path = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=path, check=False)
    assert done.stdout.strip() == "['letters']", done.stderr
