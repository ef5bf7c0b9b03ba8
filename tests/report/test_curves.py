"""Learning curves: from what a training keeps to the page and to files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horsesense.errors import UserError
from horsesense.report.charts import write_charts
from horsesense.report.collection import collect
from horsesense.report.page import write_report
from horsesense.training.curves import curves, inoculation_curve, read_curves, training_curves
from tests.support.made_run import made_items, make_run


def trial(setting: str, k: int, seed: int, new: float, original: float) -> dict[str, Any]:
    measured = {"n": 200, "chance": 0.25}
    return {
        "model": "<b>m</b>",
        "setting": setting,
        "k": k,
        "seed": seed,
        "test_new": {"accuracy": new, "ci": [new - 0.04, new + 0.02], **measured},
        "test_original": {"accuracy": original, "ci": [original - 0.1, original + 0.1], **measured},
    }


TRIALS = [
    trial("none", 0, 0, 0.30, 0.80),
    trial("plain", 10, 0, 0.40, 0.78),
    trial("plain", 10, 1, 0.50, 0.74),
    trial("plain", 100, 0, 0.70, 0.60),
    trial("add-some x1", 10, 0, 0.38, 0.80),
]


def result(train: int, after: float, points: list[tuple[int, float]]) -> dict[str, Any]:
    return {
        "plan": f"low-resource {train}",
        "train": train,
        "seeds": [
            {"eval_points": [{"step": step, "dev": value, "others": {"t": value - 0.1}} for step, value in points]}
        ],
        "tests": [
            {
                "test": "t",
                "n": 50,
                "chance": 0.5,
                "before": {"value": 0.52, "ci": [0.4, 0.6]},
                "after": {"value": after, "ci": [after - 0.1, after + 0.1]},
            }
        ],
    }


def test_seeds_are_put_together_and_every_line_begins_with_the_model_as_it_was() -> None:
    lines = {(line.task, line.setting): line for line in inoculation_curve(TRIALS).lines}
    assert set(lines) == {(task, s) for task in ("the probe", "the original task") for s in ("plain", "add-some x1")}
    plain = lines["the probe", "plain"]
    assert [point.x for point in plain.points] == [0, 10, 100]
    assert [point.value for point in plain.points] == pytest.approx([0.30, 0.45, 0.70])
    assert (plain.points[1].low, plain.points[1].high) == pytest.approx((0.41, 0.47))
    costs = {(point.setting, point.k): point.cost for point in curves(TRIALS)}
    assert costs["plain", 10] == pytest.approx(0.80 - 0.76)


def test_a_size_curve_begins_at_nothing_trained_and_evaluations_are_by_step() -> None:
    results: dict[str, Any] = {
        "model": "m",
        "setting": "low-resource",
        "points": [result(400, 0.9, [(5, 0.6), (10, 0.8)]), result(100, 0.7, [(5, 0.5)])],
    }
    size, along = training_curves(results)
    assert [(point.x, point.value) for point in size.lines[0].points] == [(0, 0.52), (100, 0.7), (400, 0.9)]
    assert along.title == "m, low-resource 400, during training", "a single evaluation is not a curve"
    assert {line.task: [point.value for point in line.points] for line in along.lines} == {
        "development set": [0.6, 0.8],
        "t": pytest.approx([0.5, 0.7]),
    }


def test_a_study_stands_beside_a_run_on_one_page(tmp_path: Path) -> None:
    study, run = tmp_path / "study", tmp_path / "run"
    study.mkdir()
    (study / "selected.jsonl").write_text("".join(json.dumps(one) + "\n" for one in TRIALS))
    make_run(run, {"a": 0.8}, made_items(30))
    (run / "results.json").write_text("[]")  # of another program; a run is a run
    page = tmp_path / "page.html"
    write_report(collect([study, run], cues=False), page)
    html = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;m&lt;/b&gt;, inoculated" in html
    assert "<b>m</b>" not in html
    assert "accuracy 30.0% at 0 examples of the probe, 70.0% [66.0%, 72.0%] at 100." in html
    paths = write_charts(collect([study], cues=False), tmp_path / "charts")
    assert sorted(path.suffix for path in paths) == [".png", ".svg"]
    assert all(path.stat().st_size > 1_000 for path in paths)


@pytest.mark.parametrize(("name", "text"), [("results.json", "{"), ("results.json", "{}"), ("selected.jsonl", "[1]\n")])
def test_damaged_results_are_a_sentence(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError) as caught:
        read_curves(tmp_path)
    assert caught.value.file == str(tmp_path / name)
