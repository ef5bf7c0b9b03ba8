"""Models that an object or a library in this process asks: the contract of plug-ins, without torch."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import horsesense as hs
from horsesense.core import write_probe
from horsesense.errors import UserError
from horsesense.models.api.adapters import wrap_plugin
from horsesense.models.api.request_errors import QuotaError
from horsesense.models.api.served_model import open_served
from horsesense.models.protocol import Continuation, Sampling, Turn
from tests.models.api.test_providers import ITEMS, KNOWN, PROBE, accuracy
from tests.support import ROOT
from tests.support.api_styles import knowing

ASK = [Turn(messages=(("user", "Is ice A. hot or B. cold?"),))]


class Knows:
    """Replies to what it knows, and thinks before."""

    name, version = "knows", "1"

    def __init__(self) -> None:
        self.says, self.asked = knowing(ITEMS, KNOWN), 0

    def generate(self, messages: list[dict[str, str]], *, max_tokens: int, temperature: float, seed: int) -> Any:
        self.asked += 1
        said = str(self.says(messages[-1]["content"]))
        return Continuation(said, "stop", 9, 30, reasoning="Let me see.") if max_tokens > 60 else said


def test_an_object_that_replies_is_a_model_and_resumes(tmp_path: Path) -> None:
    model: Any = Knows()
    run = hs.ask(model, PROBE, formats="generate", out=tmp_path)
    assert accuracy(run) == KNOWN / len(ITEMS)
    before = model.asked
    for folder in ("answers", "replies"):
        for path in (tmp_path / folder).iterdir():
            path.unlink()
    assert accuracy(hs.ask(model, PROBE, formats="generate", out=tmp_path)) == KNOWN / len(ITEMS)
    assert model.asked <= before + 2, "replies are stored, except for those of the trial"


def test_an_object_that_scores_text_is_asked_by_likelihood() -> None:
    right = {item.text: item.options[item.answer or 0] for item in ITEMS}

    class Scores:
        def loglikelihood(self, context: str, continuation: str) -> float:
            assert continuation.startswith(" ")
            known = ITEMS.index(next(item for item in ITEMS if item.text in context)) < KNOWN
            return math.log(0.9 if (right[context.strip()] in continuation) is known else 0.1)

    model: Any = Scores()
    run = hs.ask(model, PROBE)
    assert run.answered[0].format == "loglikelihood"
    assert accuracy(run) == KNOWN / len(ITEMS)
    with pytest.raises(UserError, match="it has no method generate"):
        hs.ask(model, PROBE, formats="generate")


def test_what_is_not_a_model_is_refused() -> None:
    with pytest.raises(UserError, match="generate or loglikelihood"):
        wrap_plugin(object())


def test_an_error_of_a_plug_in_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horsesense.models.api.limiter._FIRST_PAUSE", 0.01)  # it is tried six times

    class Fails:
        def generate(self, messages: object, **settings: object) -> str:
            raise RuntimeError("out of luck")

    with pytest.raises(UserError, match="out of luck"):
        wrap_plugin(Fails()).continuations(ASK, Sampling(8))


def test_a_plug_in_needs_no_torch(tmp_path: Path) -> None:
    write_probe(tmp_path / "probe.jsonl", PROBE)
    program = f"""
import sys
sys.modules |= {{"torch": None, "transformers": None}}
import horsesense as hs
class Always:
    def generate(self, messages, *, max_tokens, temperature, seed):
        return "A"
print(hs.ask(Always(), {str(tmp_path / "probe.jsonl")!r}).results()["format"])
print(hs.profile(Always(), abilities=["parts"], limit=2).models[0].verdicts.findings[0].verdict)
"""
    path = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=path, check=False)
    assert done.stdout.split("\n", 1)[0] == "['generate']", done.stderr
    assert done.stdout.endswith("\ninconclusive\n"), done.stderr


def _library(monkeypatch: pytest.MonkeyPatch, name: str, **attributes: Any) -> None:
    module = ModuleType(name)
    vars(module).update(attributes)
    monkeypatch.setitem(sys.modules, name, module)


class _StatusError(Exception):
    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status_code = status
        self.body: dict[str, str] | None = None


def test_litellm_is_asked_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def completion(**asked: Any) -> Any:
        if "temperature" in asked:
            raise _StatusError(400, "UnsupportedParamsError: it does not support parameters: ['temperature']")
        assert (asked["model"], asked["num_retries"]) == ("groq/llama", 0)
        reply = {"choices": [{"message": {"content": "B", "reasoning_content": "hm"}, "finish_reason": "stop"}]}
        return SimpleNamespace(model_dump_json=lambda: json.dumps(reply))

    _library(monkeypatch, "litellm", completion=completion)
    served = open_served("litellm/groq/llama")
    ((reply,),) = served.continuations(ASK, Sampling(8))
    assert (reply.text, reply.reasoning) == ("B", "hm")
    assert "temperature could not be set" in served.notes

    def poor(**asked: Any) -> Any:
        raise _StatusError(429, "insufficient_quota: You exceeded your current quota")

    _library(monkeypatch, "litellm", completion=poor)
    with pytest.raises(QuotaError, match="no quota left"):
        open_served("litellm/groq/llama").continuations(ASK, Sampling(8))


def test_an_error_of_a_library_is_read_from_what_the_server_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library may repeat the request, with every parameter in it, in front of the server's sentence."""

    def completion(**asked: Any) -> Any:
        if "seed" not in asked:
            return SimpleNamespace(model_dump_json=lambda: '{"choices": [{"message": {"content": "B"}}]}')
        refused = _StatusError(400, "bad request")
        refused.body = {"message": "'seed' is not supported", "param": "seed"}
        raise _StatusError(400, f"Request: {asked}") from refused

    _library(monkeypatch, "litellm", completion=completion)
    served = open_served("litellm/groq/llama")
    assert served.continuations(ASK, Sampling(8))[0][0].text == "B"
    assert "seed could not be set" in served.notes
    assert "temperature could not be set" not in served.notes
    assert list(served.client.dropped["/chat/completions"].values()) == ["'seed' is not supported"]


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(UserError, match="pip install litellm"):
        open_served("litellm/groq/llama")
