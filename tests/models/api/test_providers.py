"""Providers as strict as their documentation: each knows a share of the answers, and that share is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.api.address import is_served
from horsesense.models.api.request_errors import BudgetError
from horsesense.models.api.served_model import open_served
from horsesense.models.api.settings import ServedSettings
from horsesense.models.protocol import Sampling, Turn
from horsesense.scoring.prompt_formats import first_supported
from tests.support.api_styles import knowing
from tests.support.model_server import ModelServer, Seen

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

ITEMS = [
    Item(
        probe="made",
        form="choice",
        text=f"What is number {n:02}?",
        options=("fire", "ice"),
        answer=n % 2,
        family=str(n),
    )
    for n in range(20)
]
PROBE = Probe.of(ITEMS, Card(name="made"))
KNOWN = 16
KEY = "sk-test-key"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    for variable in ("OPENAI", "ANTHROPIC", "GEMINI", "AZURE_OPENAI", "OPENROUTER"):
        monkeypatch.setenv(f"{variable}_API_KEY", KEY)
    with ModelServer(None, "fake").running() as server:
        server.says = knowing(ITEMS, KNOWN)
        yield server


NAMES = {
    "openai": "openai/fake@{}/v1",
    "openai-without-logprobs": "openai/fake@{}/v1",
    "gpt-5": "openai/fake@{}/v1",
    "azure": "azure/fake@{}",
    "gpt-5-pro": "openai/fake@{}/v1",
    "vllm-thinking": "vllm/fake@{}/v1",
    "sglang-thinking": "openai:{}/v1#fake",
    "anthropic": "anthropic/fake@{}",
    "google": "google/fake@{}",
    "anthropic-2023": "anthropic/fake@{}",
    "google-1": "google/fake@{}",
}
VERSIONS = {"azure": "2024-10-21", "anthropic-2023": "2023-06-01"}


def named(server: ModelServer, style: str) -> str:
    server.behaviour.style = style
    return NAMES[style].format(server.address)


def accuracy(run: hs.Run) -> float:
    (answered,) = run.answered
    answers = {answer.item: answer for answer in answered.answers}
    right = [answers[item.id].scores.index(max(answers[item.id].scores)) == item.answer for item in ITEMS]
    return sum(right) / len(right)


@pytest.mark.parametrize("style", NAMES)
def test_the_share_that_a_model_knows_is_its_accuracy(fake: ModelServer, style: str, tmp_path: Path) -> None:
    settings = ServedSettings(api_version=VERSIONS.get(style, ""))
    run = hs.ask(named(fake, style), PROBE, out=tmp_path, served=settings)
    assert accuracy(run) == KNOWN / len(ITEMS)
    assert run.answered[0].format == ("letters" if style in ("openai", "azure") else "generate")
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written


@pytest.mark.parametrize("style", ["gpt-5", "vllm-thinking", "sglang-thinking", "google"])
def test_a_model_that_thinks_has_room_and_is_asked_for_nothing_else(fake: ModelServer, style: str) -> None:
    served = open_served(named(fake, style))
    assert served.thinks
    for ability in ("likelihood", "next"):
        assert not served.can(ability)
        assert "thinks before it answers" in served.why_not(ability)
    ((reply,),) = served.continuations([Turn(messages=(("user", "Is ice A. hot or B. cold?"),))], Sampling(8))
    assert (reply.text, reply.outcome) == ("B", "answered")
    assert "The question asks" in reply.reasoning or reply.reasoning_tokens > 50
    ((short,),) = served.continuations([Turn(messages=(("user", "Is ice B. cold?"),))], Sampling(8, room=20))
    assert short.outcome == "cut off"


def test_what_a_server_refuses_is_left_out_and_remembered(fake: ModelServer, tmp_path: Path) -> None:
    hs.ask(named(fake, "gpt-5"), PROBE, out=tmp_path, limit=4)
    bodies = [json.loads(body)[1] for body in fake.seen.bodies]
    assert all("max_completion_tokens" in body and "temperature" not in body for body in bodies)
    notes = open_served(named(fake, "gpt-5"))
    assert notes.can("text")
    assert "temperature could not be set" in notes.notes
    assert all("seed" in body for body in bodies), "what it takes is still sent"


def test_a_filter_refuses_one_item_and_not_the_run(fake: ModelServer, tmp_path: Path) -> None:
    for style, outcome in (("gpt-5", "filtered"), ("google", "filtered"), ("anthropic", "refused")):
        served = open_served(named(fake, style))
        fake.behaviour.filters = "number 07"
        turns = [Turn(messages=(("user", f"{item.text}\nA. fire\nB. ice"),)) for item in ITEMS]
        replies = [reply for (reply,) in served.continuations(turns, Sampling(8))]
        assert [n for n, reply in enumerate(replies) if reply.outcome != "answered"] == [7]
        assert replies[7].outcome == outcome
        assert "number 07" in replies[7].sent
        fake.behaviour.filters = ""
    fake.behaviour.filters = "number 07"
    fake.seen = Seen()
    hs.ask(named(fake, "gpt-5"), PROBE, out=tmp_path)
    asked = fake.seen.requests
    for folder in ("answers", "replies"):
        for path in (tmp_path / folder).iterdir():
            path.unlink()
    hs.ask(named(fake, "gpt-5"), PROBE, out=tmp_path)
    assert not [body for body in fake.seen.bodies if "number 07" in body], "it was never answered"
    assert fake.seen.requests <= asked + 4, "what the filter said is stored"


def test_a_filter_refuses_one_item_of_letters_too(fake: ModelServer, tmp_path: Path) -> None:
    fake.behaviour.filters = "number 07"
    for _ in range(2):  # the second time from the folder
        run = hs.ask(named(fake, "openai"), PROBE, out=tmp_path)
        (result,) = run.results().documents
        assert (result.format, result.accuracy.n) == ("letters", 19)
        assert result.outcomes == {"right": 15, "wrong": 4, "filtered": 1}
        assert result.replies is not None
        assert result.replies.letters == pytest.approx(0.92, abs=0.01), "those that were listed"
    lost = [reply for reply in run.answered[0].replies if reply.outcome == "filtered"]
    assert len(lost) == 2, "in both orders"
    assert all("content management policy" in reply.why and "number 07" in reply.sent for reply in lost)


def test_letters_are_asked_with_the_settings_of_reasoning(fake: ModelServer) -> None:
    settings = ServedSettings(thinking_tokens=0, extra_body='{"top_k": 1}')
    run = hs.ask(named(fake, "sglang-thinking"), PROBE, served=settings)
    assert (run.answered[0].format, accuracy(run)) == ("letters", KNOWN / len(ITEMS))
    asked = json.loads(fake.seen.bodies[-1])[1]
    assert (asked["chat_template_kwargs"], asked["top_k"]) == ({"enable_thinking": False}, 1)


def test_a_server_that_refuses_every_prompt_is_an_error(fake: ModelServer) -> None:
    served = open_served(named(fake, "openai"))
    assert served.can("text")
    fake.behaviour.says_instead = (400, {}, b'{"error": {"message": "the engine is broken"}}')
    turns = [Turn(messages=(("user", f"Is {n} odd?"),)) for n in range(20)]
    with pytest.raises(UserError, match="the engine is broken"):
        served.continuations(turns, Sampling(8))


def test_an_address_without_its_v1_is_recognised_and_a_reason_is_stated_once(fake: ModelServer) -> None:
    name = named(fake, "vllm-thinking")
    assert "did you mean" not in open_served(name).why_not("chat")
    (_, skipped) = first_supported(open_served(name), ScoringSpec())
    assert skipped.startswith("not by loglikelihood or letters: it thinks")
    assert skipped.count("it thinks") == 1
    with pytest.raises(UserError, match=rf"did you mean {fake.address}/v1\?"):
        hs.ask(name.removesuffix("/v1"), PROBE, formats="generate")


def test_a_budget_that_is_reached_names_no_second_figure_of_the_spending(fake: ModelServer) -> None:
    budget = ServedSettings(price=(1.0, 1.0), max_cost=1e-6, concurrency=1)
    with pytest.raises(BudgetError) as reached:
        hs.ask(named(fake, "vllm-thinking"), PROBE, formats="generate", served=budget)
    assert "spent" not in reached.value.problem


def test_a_refusal_is_kept_apart_from_a_reply(fake: ModelServer) -> None:
    fake.says = lambda question: None if "number" in question else "B"
    served = open_served(named(fake, "openai"))
    ((reply,),) = served.continuations([Turn(messages=(("user", "number 3?"),))], Sampling(20))
    assert reply.outcome == "refused"
    assert "can't help" in reply.reported


STRUCTURED = {
    "openai": "response_format",
    "gpt-5": "response_format",
    "gpt-5-pro": "response_format",
    "vllm-thinking": "structured_outputs",
    "anthropic": "output_config",
    "anthropic-2023": "tool",
    "google": "responseJsonSchema",
    "google-1": "responseSchema",
}


@pytest.mark.parametrize("style", STRUCTURED)
def test_structured_output_is_a_format_of_its_own(fake: ModelServer, style: str, tmp_path: Path) -> None:
    """These servers talk at length, and give a bare letter only where they are held to it."""
    fake.says = knowing(ITEMS, KNOWN, "{letter} could be right, but what do I know about A or B?")
    settings = ServedSettings(api_version=VERSIONS.get(style, ""))
    run = hs.ask(named(fake, style), PROBE, formats="structured", out=tmp_path, served=settings)
    assert accuracy(run) == KNOWN / len(ITEMS)
    (answered,) = run.answered
    assert (answered.format, answered.replies[0].format, answered.replies[0].why) == ("structured",) * 3
    assert f"held to the letters by {STRUCTURED[style]}" in answered.part.asked
    assert run.results()["unanswered"] == [0]


def test_a_server_that_ignores_the_schema_gives_no_structured_output(fake: ModelServer) -> None:
    name = named(fake, "sglang-thinking")
    assert "does not keep to the schema" in open_served(name).why_not("structured")
    with pytest.raises(UserError, match="does not keep to the schema"):
        hs.ask(name, PROBE, formats="structured")


def test_a_structured_reply_outside_the_schema_is_unparsed(fake: ModelServer) -> None:
    served = open_served(named(fake, "vllm-thinking"))
    assert served.can("structured")
    fake.says = knowing(ITEMS, KNOWN, "Surely {letter}")
    fake.behaviour.style = "sglang-thinking"
    run = hs.ask(served, PROBE, formats="structured")
    assert {(reply.outcome, reply.why) for reply in run.answered[0].replies} == {("unparsed", "breaks the schema")}


def test_a_model_without_chat_completions_is_asked_by_the_responses_api(fake: ModelServer) -> None:
    served = open_served(named(fake, "gpt-5-pro"), ServedSettings(effort="high"))
    ((reply,),) = served.continuations([Turn(messages=(("user", "Is ice A. hot or B. cold?"),))], Sampling(8))
    assert (reply.text, reply.outcome) == ("B", "answered")
    assert "The question asks" in reply.reasoning
    ((short,),) = served.continuations([Turn(messages=(("user", "Is ice B. cold?"),))], Sampling(8, room=20))
    assert short.outcome == "cut off"
    asked = json.loads(fake.seen.bodies[-1])[1]
    assert asked["reasoning"] == {"effort": "high", "summary": "auto"}
    assert asked["store"] is False
    fake.says = lambda question: None
    ((refused,),) = served.continuations([Turn(messages=(("user", "Is it?"),))], Sampling(8))
    assert refused.outcome == "refused"
    forced = open_served(named(fake, "gpt-5-pro"), ServedSettings(api="responses"))
    fake.seen = Seen()
    assert forced.can("text")
    assert set(fake.seen.paths) == {"/v1/responses"}


def test_letters_are_not_believed_where_the_next_token_is_something_else(fake: ModelServer) -> None:
    fake.says = knowing(ITEMS, KNOWN, "**{letter}**")
    run = hs.ask(named(fake, "openai"), PROBE)
    assert run.answered[0].format == "generate"
    assert accuracy(run) == KNOWN / len(ITEMS)
    with pytest.raises(UserError, match=r"letters have \d+% of the probability"):
        hs.ask(named(fake, "openai"), PROBE, formats="letters")


def test_a_server_that_lists_no_models_or_not_this_one_is_asked_all_the_same(fake: ModelServer) -> None:
    fake.behaviour.forbids_list = True
    assert "it does not list its models (HTTP 403)" in open_served(named(fake, "openai")).notes
    fake.behaviour.forbids_list = False
    other = named(fake, "openai").replace("fake", "hidden")
    assert any("does not list hidden" in note for note in open_served(other).notes)


def test_reasoning_is_set_as_each_provider_wants_it(fake: ModelServer) -> None:
    def last(style: str, settings: ServedSettings) -> dict[str, object]:
        served = open_served(named(fake, style), settings)
        served.continuations([Turn(messages=(("user", "Is ice A. hot or B. cold?"),))], Sampling(8))
        body: dict[str, object] = json.loads(fake.seen.bodies[-1])[1]
        return body

    assert last("gpt-5", ServedSettings(effort="low"))["reasoning_effort"] == "low"
    budget = last("anthropic", ServedSettings(thinking_tokens=2048))
    assert budget["thinking"] == {"type": "enabled", "budget_tokens": 2048}
    assert budget["max_tokens"] == 2056
    config = last("google", ServedSettings(thinking_tokens=512))["generationConfig"]
    assert config["thinkingConfig"] == {"includeThoughts": True, "thinkingBudget": 512}  # type: ignore[index]
    off = last("vllm-thinking", ServedSettings(thinking_tokens=0))
    assert off["chat_template_kwargs"] == {"enable_thinking": False}
    extra = ServedSettings(extra_body='{"stop": ["\\n"]}', headers=["X-Title: a test"])
    assert last("openai", extra)["stop"] == ["\n"]


def test_settings_that_change_replies_are_part_of_the_identity(fake: ModelServer) -> None:
    name = named(fake, "gpt-5")
    plain, low = open_served(name), open_served(name, ServedSettings(effort="low"))
    assert plain.who.content != low.who.content
    assert low.who.reported["effort"] == "low"


def test_names_of_the_hub_are_not_taken_for_providers() -> None:
    served = [
        "openai/gpt-5",
        "anthropic/claude-opus-5",
        "google/gemini-3-flash",
        "azure/my-gpt",
        "vllm/a/b@http://x/v1",
    ]
    local = ["openai/gpt-oss-20b", "google/gemma-3-270m", "openai-community/gpt2", "smollm2", "./openai/gpt-5"]
    assert all(map(is_served, served))
    assert not any(map(is_served, local))
