"""Thresholds of models whose limit is known: two stages, resuming, replies, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe
from horsesense.errors import UserError
from horsesense.methods.ladders.steps import LEVELS
from horsesense.methods.ladders.thresholds import (
    FIRST,
    LadderResults,
    build_ladder,
    compare_thresholds,
    levels_to_ask,
    split_stages,
)
from horsesense.models.hf.load import load_model
from tests.methods.ladders.test_steps import POLES, comparisons
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]
SENTENCES = re.compile(
    r"\w+ and \w+ are \w+s\.|Every \w+ is a \w+\.|If one \w+ is \w+ than another, it is also \w+\."
    r"|Of any two \w+s, the \w+ one is the \w+ one\.|[A-Z]\w+ is \w+ than \w+\."
)


def solver(most: int) -> Callable[[str], str]:
    """Replies by logic where that needs so many rules at most; otherwise always with the first name."""

    def says(asked: str) -> str:
        question = re.search(r"Of (\w+) and (\w+), the (\w+) one is", asked)
        if question is None:
            return "cold"
        one, other, pole = question.groups()
        facts, rounds = comparisons(" ".join(SENTENCES.findall(asked)))
        if rounds > most:
            return one
        return one if {(pole, one, other), (POLES[pole], other, one)} & facts else other

    return says


@pytest.fixture(scope="module")
def server(tiny_folders: dict[str, Path]) -> Iterator[ModelServer]:
    with ModelServer(load_model(str(tiny_folders["gpt2"]), device="cpu"), "solver").running() as running:
        yield running


def climb(server: ModelServer, most: int, out: Path, **options: Any) -> LadderResults:
    server.says = solver(most)
    few: dict[str, Any] = {"families": 12, "formats": "generate"} | options
    return hs.ladder(f"solves-{most}={server.name}", ladders=["steps"], out=out, **few)


def test_a_model_of_known_limit_is_placed_there_with_part_of_the_questions(server: ModelServer, tmp_path: Path) -> None:
    """Rules are half of the steps or one more: two rules are enough for level 2 to level 4."""
    (found,) = climb(server, 2, tmp_path / "run").thresholds
    assert found.format == "generate"
    assert found.fit.threshold is not None
    assert 2 < found.fit.threshold < 4.5
    assert found.questions == 2 * (len(LEVELS) * FIRST + 3 * (12 - FIRST))
    assert found.all_questions == 2 * len(LEVELS) * 12
    asked = server.seen.answered
    (again,) = climb(server, 2, tmp_path / "run").thresholds
    assert again == found
    assert server.seen.answered - asked <= 2, "only the trial of the server is asked again"
    page = (tmp_path / "run" / "ladder.html").read_text("utf-8")
    assert found.verdict in page
    assert json.loads((tmp_path / "run" / "ladder.json").read_text("utf-8"))["thresholds"][0]["model"] == found.model


def test_standings_beyond_the_ladder_and_a_comparison(server: ModelServer, tmp_path: Path) -> None:
    (above,) = climb(server, 99, tmp_path / "above", full=True).thresholds
    (below,) = climb(server, -1, tmp_path / "below").thresholds
    assert (above.fit.standing, below.fit.standing) == ("above the ladder", "below the ladder")
    assert above.questions == above.all_questions
    assert {at.correct.value for at in above.levels} == {1.0}
    assert {at.correct.value for at in below.levels} == {0.0}, "one answer to everything has no family right"
    (gap,) = compare_thresholds([above, below])
    assert gap.difference is None
    assert gap.verdict.startswith("solves-99 is above the ladder")


def test_models_on_the_ladder_are_compared_with_an_interval(server: ModelServer, tmp_path: Path) -> None:
    low = climb(server, 1, tmp_path / "low", families=FIRST, full=True).thresholds
    high = climb(server, 3, tmp_path / "high", families=FIRST, full=True).thresholds
    (gap,) = compare_thresholds([*high, *low])
    assert gap.difference is not None
    assert gap.ci is not None
    assert 0 < gap.ci[0] < gap.difference < gap.ci[1]
    assert gap.p is not None
    assert gap.p < 0.01


def test_the_first_stage_and_the_others_are_the_whole_ladder() -> None:
    whole = build_ladder("polarity", levels=[0, 1, 2], families=10)
    first, rest = split_stages(whole, 3)
    parts = [*first.items, *(item for probe in rest.values() for item in probe.items)]
    assert sorted(item.id for item in parts) == sorted(item.id for item in whole.items)
    assert len(first) == 3 * 3 * 2
    assert [len(probe) for probe in rest.values()] == [14, 14, 14]


def test_the_second_stage_asks_at_the_ends_for_models_beyond_the_ladder() -> None:
    flat = {level: [True] * 8 for level in range(8)}
    assert levels_to_ask(flat, 0.25) == (5, 6, 7)
    assert levels_to_ask({level: [False] * 8 for level in flat}, 0.25) == (0, 1, 2)


def test_what_is_no_ladder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'steps'"):
        hs.ladder("smollm2", ladders=["step"], out=tmp_path / "x")
    plain = Probe.of([Item("p", "choice", text="?", options=("a", "b"), answer=0)], Card("p"))
    with pytest.raises(UserError, match="level"):
        hs.ladder("smollm2", ladders=[plain], out=tmp_path / "x")
    with pytest.raises(UserError, match="steps"):
        build_ladder("stepz")  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()
