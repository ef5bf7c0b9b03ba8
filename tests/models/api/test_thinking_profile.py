"""A thinking model behind a server that gives log-probabilities of its thoughts: profiled by its replies."""

from __future__ import annotations

from random import Random

import pytest

import horsesense as hs
from horsesense.profiling.abilities import chosen
from horsesense.profiling.material import material
from tests.support.model_server import ModelServer
from tests.support.reply_model import SHOWN, key_of

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]
KNOWN = 0.8


@pytest.mark.parametrize("style", ["sglang-thinking", "gpt-5"])
def test_a_thinking_server_that_knows_four_of_five_gets_a_profile_that_says_so(
    style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ability,) = chosen(["parts"])
    key = key_of(material(ability, "quick").frozen.items)

    def says(question: str) -> str:
        shown = dict(SHOWN.findall(question))
        right = key(question, shown)
        known = right and Random(f"{shown[right]} {sorted(shown.values())}").random() < KNOWN
        return right if known else Random(question).choice(sorted(shown) or ["B"])

    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-key")
    with ModelServer(None, "fake").running() as server:
        server.says, server.behaviour.style = says, style
        found = hs.profile(f"thinker=openai:{server.address}/v1#fake", abilities=["parts"]).models[0]
    assert found.asked.startswith("by replies")
    (finding,) = found.verdicts.findings
    assert finding.verdict in ("knows", "partly")
    assert finding.chance_corrected.low < KNOWN < finding.chance_corrected.high
