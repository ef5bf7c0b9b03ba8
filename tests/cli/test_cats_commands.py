"""``horsesense cats``: evidence, who gets what and steps, read from runs that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from horsesense.methods.cats.step_accuracy import steps
from horsesense.runs.probe_answers import read_run
from tests.support.calling import Call, caller, hold_to
from tests.support.small_cats import lay_all


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, tiny_folders: dict[str, Path]) -> Path:
    """A run of two tiny models on a small release, once for all tests."""
    from horsesense.core import parse_spec
    from horsesense.methods.cats.suite import open_suite
    from horsesense.runs.ask_models import ask_models
    from horsesense.runs.tasks import Settings

    folder = tmp_path_factory.mktemp("cats")
    probes = open_suite("cats", lay_all(folder / "data")).probes
    models = [str(tiny_folders[name]) for name in ("gpt2", "bert")]
    ask_models(models, probes, folder / "run", Settings(spec=parse_spec("paper:cats"), cache=False))
    return folder / "run"


def document(call: Call, name: str, *words: object) -> Any:
    called = call("cats", name, *words, "--json")
    assert called.code == 0, called.err
    found = json.loads(called.out)
    hold_to(f"cats {name}", found)
    return found


def test_evidence_decides_as_the_scores_do(kept: Path, call: Call) -> None:
    found = document(call, "evidence", kept)["evidence"]
    accuracies = {
        (one.part.model.name, one.part.probe.name): one.credits(one.primary()).values for one in read_run(kept)[1]
    }
    assert {(each["model"], each["probe"]) for each in found} == set(accuracies)
    for each in found:
        right = int(np.sum(accuracies[each["model"], each["probe"]] == 1))
        assert (each["right"]["n"] if each["right"] else 0) == right
        assert sum(each["all"]["position_thirds"]) == each["all"]["n"]
    assert "decided by the edit" in call("cats", "evidence", kept).out


def test_who_gets_what(kept: Path, call: Call) -> None:
    found = document(call, "who", kept)["pairs"]
    credit = {
        (one.part.probe.name, one.part.model.name): dict(
            zip((item.id for item in one.items), one.credits(one.primary()).values.tolist(), strict=True)
        )
        for one in read_run(kept)[1]
    }
    for pair in found:
        one, other = (credit[pair["probe"], side["model"]] for side in pair["only"])
        assert {each["item"] for each in pair["only"][0]["items"]} == {i for i in one if one[i] == 1 and other[i] == 0}
        assert {each["item"] for each in pair["only"][1]["items"]} == {i for i in one if one[i] == 0 and other[i] == 1}
    shown = call("cats", "who", kept)
    assert "only" in shown.out


def test_steps_by_rule_and_by_people(kept: Path, call: Call, tmp_path: Path) -> None:
    ruled = document(call, "steps", kept)
    assert ruled["counted_by"] == "rule"
    assert [one["probe"] for one in ruled["models"][0]["sets"]] == ["ca", "wsc"]
    ids = [item.id for item in read_run(kept)[1][0].items]
    rows = [f"{identity},{who},steps,{value}" for identity in ids for who, value in (("ann", "1"), ("ben", "2"))]
    path = tmp_path / "steps.csv"
    path.write_text("item,annotator,instrument,value\n" + "\n".join([*rows, f"{ids[0]},cid,steps,2"]) + "\n")
    told = document(call, "steps", kept, "--judgement", path)
    assert told["counted_by"] == "people"
    assert told["people"] == {"agreement": pytest.approx(1 / (len(ids) + 2)), "pairs": len(ids) + 2, "items": len(ids)}
    assert [each["steps"] for each in told["models"][0]["by_steps"]] == [1.5, pytest.approx(5 / 3)]
    first = read_run(kept)[1][0]
    by_rule = {item.id: min(4, steps(item.options[item.answer or 0])) for item in first.items}
    said = [(identity, int(number)) for identity, _, _, number in (row.split(",") for row in rows)] + [(ids[0], 2)]
    same = sum(by_rule[identity] == number for identity, number in said)
    assert told["rule"]["agreement"] == pytest.approx(same / len(said))
    assert (told["rule"]["counts"], ruled.get("rule")) == (len(said), None)
    assert "annotators agree" in call("cats", "steps", kept, "--judgement", path).out


def test_wrong_calls(kept: Path, call: Call, tmp_path: Path) -> None:
    assert call("cats", "evidence", tmp_path / "nowhere").code == 2
    path = tmp_path / "other.csv"
    path.write_text("item,annotator,instrument,value\ni,ann,naturalness,natural\n")
    called = call("cats", "steps", kept, "--judgement", path)
    assert (called.code, "judgements of the instrument naturalness" in called.err) == (2, True)
