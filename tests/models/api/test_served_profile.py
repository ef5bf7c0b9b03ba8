"""A profile of a served model: the same answers as of its weights, a forecast with its cost; by letters otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.models.hf.language_model import LanguageModel
from horsesense.progress import Progress
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


class Told(Progress):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def log(self, text: str) -> None:
        self.said.append(text)


def test_a_served_model_gets_the_profile_of_its_weights(
    server: ModelServer, local: LanguageModel, tmp_path: Path
) -> None:
    told = Told()
    few: dict[str, Any] = {"abilities": ["parts"], "limit": 4}
    priced = hs.ServedSettings(price=(10.0, 10.0))
    served = hs.profile(f"far={server.name}", out=tmp_path / "p", served=priced, progress=told, **few)
    near = hs.profile(local, **few)
    one, other = (each.models[0].verdicts.findings[0] for each in (served, near))
    assert one.accuracy == other.accuracy
    assert [each.accuracy for each in one.explanations] == [each.accuracy for each in other.explanations]
    ahead = served.models[0].forecast
    assert ahead is not None
    assert ahead.requests is not None
    assert ahead.cost == pytest.approx((ahead.tokens + ahead.requests) * 1e-5)
    assert sum("at most" in text for text in told.said) == 1, "the cost of the whole, not of each part"
    assert any("at the given price" in text for text in told.said)


def test_a_server_without_likelihoods_is_asked_by_letters(server: ModelServer) -> None:
    server.behaviour.echo = False
    found = hs.profile(f"far={server.name}", abilities=["parts"], limit=4).models[0]
    assert found.asked.startswith("by letters")
    kinds = [each.kind for each in found.verdicts.findings[0].explanations]
    assert kinds.count("blind") == 1, "the question withheld takes the place of PMI"
    assert found.mistakes == ()
