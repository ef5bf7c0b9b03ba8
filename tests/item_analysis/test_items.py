"""``items``: from runs to statistics, suspects and the page."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path

import numpy as np
import pytest

import horsesense as hs
from horsesense.errors import UserError
from tests.models.api.test_providers import PROBE
from tests.support.calling import caller, hold_to
from tests.support.model_server import ModelServer


def _table(path: Path, models: int) -> Path:
    """Simulated answers of models of rising ability; item 3 has a wrong key."""
    rng = np.random.default_rng(0)
    items, options = 30, "red|green|blue"
    words = options.split("|")
    rows = ["item,model,text,options,choice,gold,family"]
    hardness = rng.normal(-0.5, 1, items)
    for m in range(models):
        ability = -2 + 4 * m / max(models - 1, 1)
        for i in range(items):
            right = rng.random() < 1 / (1 + np.exp(-(1.5 * ability - hardness[i])))
            key = i % len(words)
            others = [w for w in words if w != words[key]]
            choice = words[key] if right else others[rng.integers(len(others))]
            gold = others[0] if i == 3 else words[key]
            rows.append(f"q{i},m{m:02d},Question {i}?,{options},{choice},{gold},f{i // 2}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def _run(folder: Path, models: int) -> Path:
    table = _table(folder / "answers.csv", models)
    hs.import_log("answers", table, out=folder / "run", columns="reply=choice")
    return folder / "run"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _run(tmp_path_factory.mktemp("many"), 24)


def test_many_models_give_curves_and_the_seeded_wrong_key(many: Path, tmp_path: Path) -> None:
    found = hs.items(many, out=tmp_path / "items.html")
    (probe,) = found.probes
    assert (probe.method, probe.note, len(probe.items), len(probe.responders)) == ("2PL", "", 30, 24)
    suspect = probe.suspects[0]
    assert suspect.text == "Question 3?"
    assert (suspect.kind, suspect.options[suspect.other]) == ("wrong key", "red")
    assert suspect.doubt > 1
    assert suspect.item_rest < -0.2
    assert probe.responders[0].model > "m15"
    assert probe.ability_accuracy is not None
    assert probe.ability_accuracy > 0.95
    item = next(each for each in probe.items if each.item == suspect.item)
    assert item.discrimination is not None
    assert item.discrimination < 0
    page = (tmp_path / "items.html").read_text(encoding="utf-8")
    assert page.count('class="suspect"') == len(probe.suspects)
    assert suspect.show in page
    for rank in range(len(probe.suspects)):
        anchor = page.split('href="#suspect-')[rank + 1].partition('"')[0]
        assert f'id="suspect-{anchor}"' in page


def test_few_models_have_classical_statistics_and_say_so(tmp_path: Path) -> None:
    (probe,) = hs.items(_run(tmp_path, 8), out=tmp_path / "items.html").probes
    assert probe.method == "classical"
    assert "8 models" in probe.note
    assert probe.items[0].discrimination is None
    assert probe.suspects[0].text == "Question 3?"
    assert "8 models" in (tmp_path / "items.html").read_text(encoding="utf-8")


def test_three_models_have_shares_only(tmp_path: Path) -> None:
    (probe,) = hs.items(_run(tmp_path, 3)).probes
    assert all(each.item_rest != each.item_rest for each in probe.items)
    assert not probe.suspects
    assert isnan(probe.alpha), "of two or three models it can be below -1"
    document = probe.to_json()
    assert "discrimination" not in document["items"][0]


def test_the_same_two_options_have_a_response_bias(tmp_path: Path) -> None:
    rows = ["item,model,text,options,choice,gold"]
    rng = np.random.default_rng(1)
    for m in range(20):
        for i in range(60):
            gold = "yes" if i % 3 else "no"
            able = gold if rng.random() < 0.75 else "no" if gold == "yes" else "yes"
            choice = "yes" if m < 5 and rng.random() < 0.9 else able
            rows.append(f"q{i},m{m:02d},Question {i}?,yes|no,{choice},{gold}")
    table = tmp_path / "answers.csv"
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    hs.import_log("answers", table, out=tmp_path / "run")
    (probe,) = hs.items(tmp_path / "run").probes
    bias = {each.model: each.bias for each in probe.responders}
    assert min(bias[f"m{m:02d}"] or 0 for m in range(5)) > max(bias[f"m{m:02d}"] or 0 for m in range(5, 20))
    shares = {each.model: each.first_option for each in probe.responders}
    assert (shares["m00"] or 0) > 0.85
    assert probe.negative_unbiased is not None


def test_a_focal_group_needs_members_and_outsiders(many: Path) -> None:
    (probe,) = hs.items(many, focal="m0*").probes
    assert all(each.p_holm < 0.05 for each in probe.favoured)
    for pattern, number in (("x*", "none"), ("*", "all")):
        with pytest.raises(hs.UserError, match=number):
            hs.items(many, focal=pattern)


def test_the_command_prints_json_and_a_table(many: Path, capfd: pytest.CaptureFixture[str]) -> None:
    call = caller(capfd)
    document = json.loads(call("items", many, "--json", "--suspects", 2).out)
    hold_to("items", document)
    assert document["probes"][0]["method"] == "2PL"
    assert len(document["probes"][0]["suspects"]) <= 2
    printed = call("items", many, "--most", 1).out
    assert "Question 3?" in printed
    assert "24 models" in printed


def test_nothing_to_analyse_is_said_in_a_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    call = caller(capfd)
    assert call("items", tmp_path / "no-run").code == 2
    assert "name a run folder" in call("items").err


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.filterwarnings("error")
def test_items_that_no_model_answers_are_left_out(tmp_path: Path) -> None:
    with ModelServer(None, "fake").running() as server:
        server.behaviour.style = "openai-without-logprobs"
        for name, answered in (("some", 4), ("none", 0)):
            server.says = lambda question, answered=answered: (
                "A" if any(f"number {n:02}" in question for n in range(answered)) else "I would rather not say."
            )
            hs.ask(server.name, PROBE, out=tmp_path / name)
    (probe,) = hs.items(tmp_path / "some").probes
    assert len(probe.items) == 4
    with pytest.raises(UserError, match=r"no item has a gold answer"):
        hs.items(tmp_path / "none")
