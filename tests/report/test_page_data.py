"""What is inside the page: all items, what each model chose, tokens and evidence that add up."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from horsesense.report.collection import collect
from horsesense.report.item_browser import chosen_items
from horsesense.report.page import write_report
from horsesense.report.run_text import cue_control
from horsesense.runs.probe_answers import read_run
from tests.support.made_run import EVIL, made_items, make_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    items = made_items(30)
    return [
        make_run(folder / "a", {"good": 0.9, "fair": 0.6}, items),
        make_run(folder / "b", {"late": 0.5}, items[:40]),
    ]


def data_of(page: Path, name: str = "data") -> Any:
    found = re.search(rf'<script type="application/octet-stream" id="{name}">([^<]*)</script>', page.read_text("utf-8"))
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


@pytest.fixture(scope="module")
def page(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(collect(runs, cues=False), path, drawn=False)
    return path


def test_every_item_is_there_with_what_each_model_chose(page: Path, runs: list[Path]) -> None:
    (probe,) = data_of(page)["probes"]
    assert [model["label"] for model in probe["models"]] == ["good", "fair", "late"]
    answered = {one.part.model.name: one for run in runs for one in read_run(run)[1]}
    for model in probe["models"]:
        one = answered[model["label"]]
        kept = {answer.item: answer for answer in one.answers}
        for place, identity in enumerate(probe["ids"]):
            answer = kept.get(probe["prefix"] + identity)
            if answer is None:
                assert model["chosen"][place] == -1
                continue
            means = [sum(values) / len(values) for values in answer.logprobs]
            assert model["chosen"][place] == means.index(max(means))
            gold = probe["answers"][place]
            assert model["margins"][place] == pytest.approx((means[gold] - means[1 - gold]) * 1000, abs=0.51)


def test_tokens_cut_the_text_and_evidence_adds_up(page: Path) -> None:
    (probe,), (kept,) = data_of(page)["probes"], data_of(page, "tokens")
    for place, identity in enumerate(probe["ids"]):
        for entry in filter(None, kept[probe["prefix"] + identity]):
            sums = []
            for option, whole in zip(entry["options"], probe["options"][place], strict=True):
                words = [option["text"][s:e] for s, e in zip(option["starts"], option["ends"], strict=True)]
                assert " ".join(words) == whole
                sums.append(sum(option["logprobs"]))
            gold, other = probe["answers"][place], entry["evidence"]["other"]
            assert sum(q for *_, q in entry["evidence"]["places"]) == pytest.approx(sums[gold] - sums[other], abs=0.2)


def test_no_text_of_a_probe_becomes_markup(page: Path) -> None:
    html = page.read_text("utf-8")
    assert EVIL not in html
    assert "made up &lt;b&gt;for tests&lt;/b&gt;" in html
    (probe,) = data_of(page)["probes"]
    assert any(EVIL in option for options in probe["options"] for option in options)


def test_the_page_names_nothing_outside_itself(page: Path) -> None:
    html = page.read_text("utf-8")
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!#)|url\(|@import|https?://(?!www\.w3\.org)""", html)


def test_what_was_excluded_from_the_comparison_is_said(page: Path) -> None:
    html = page.read_text("utf-8")
    assert "40 items that all models answered" in html
    assert "20 items of good left out" in html


def test_the_same_run_gives_the_same_bytes(runs: list[Path], tmp_path: Path) -> None:
    for number in range(2):
        write_report(collect(runs[:1]), tmp_path / f"{number}.html", drawn=False)
    pages = [(tmp_path / f"{number}.html").read_bytes() for number in range(2)]
    assert pages[0] == pages[1]


def test_chosen_items_are_few_and_hold_errors_and_disagreements(runs: list[Path]) -> None:
    summaries = collect(runs[:1], cues=False).probes["made"]
    ids = [item.id for item in summaries[0].answered.items]
    few = chosen_items(summaries, ids, most=20)
    assert len(few) == len(set(few)) == 20
    right = [dict(zip(ids, s.earned.values.tolist(), strict=True)) for s in summaries]
    everything = chosen_items(summaries, ids, most=2_000)
    assert set(everything) == {identity for identity in ids if identity in right[0]}


def test_the_artefact_control_stands_beside_the_score(runs: list[Path], tmp_path: Path) -> None:
    """The right option of half the items is the longer one, of the others the shorter: no cue can know."""
    collected = collect(runs[:1], cues=True)
    for summary in collected.summaries:
        assert summary.control is not None
        sides = [e.n for e in (summary.control.where.answered, summary.control.where.missed) if e]
        assert sum(sides) == 60
        assert not summary.control.cue_works
        known = summary.control.cue.high < summary.result.accuracy.low
        assert known == (summary.label == "good"), (
            "a model that is right in 6 of 10 may follow a cue, for all 60 items say"
        )
        assert ("do not explain the score" in cue_control(summary.control)) == known


def test_one_family_only_is_explained(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {"m": 0.9}, made_items(3)[:2])
    path = tmp_path / "page.html"
    write_report(collect([run]), path, drawn=False)
    assert "one family or group" in path.read_text("utf-8")


def test_runs_without_common_items_are_explained(tmp_path: Path) -> None:
    items = made_items(12)
    runs = [make_run(tmp_path / "a", {"m": 0.9}, items[:12]), make_run(tmp_path / "b", {"n": 0.9}, items[12:])]
    path = tmp_path / "page.html"
    write_report(collect(runs, cues=False), path, drawn=False)
    assert "have no item in common" in path.read_text("utf-8")
