"""Learning curves: from what a training keeps to the page and to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horsesense.core.document import plain
from horsesense.errors import UserError
from horsesense.report.charts import write_charts
from horsesense.report.collection import collect
from horsesense.report.page import write_report
from horsesense.stats import Estimate
from horsesense.training.leaks import Leaks
from horsesense.training.training_record import EvalPoint
from horsesense.training.training_results import (
    HeldOutResult,
    SeedResult,
    SelectedTrial,
    SettingResult,
    Training,
    curves,
    inoculation_curve,
    read_curves,
    training_curves,
    write_results,
)
from tests.support.made_run import made_items, make_run


def measured(value: float, below: float, above: float, n: int = 200, chance: float = 0.25) -> Estimate:
    return Estimate(value, (value - below, value + above), n, n, chance, 0.95, "", 0)


def trial(setting: str, k: int, seed: int, new: float, original: float) -> SelectedTrial:
    tests = measured(new, 0.04, 0.02), measured(original, 0.1, 0.1)
    return SelectedTrial("<b>m</b>", setting, k, 1e-5, 10, seed, new, original, 0.0, *tests, None, None, {})


TRIALS = [
    trial("none", 0, 0, 0.30, 0.80),
    trial("plain", 10, 0, 0.40, 0.78),
    trial("plain", 10, 1, 0.50, 0.74),
    trial("plain", 100, 0, 0.70, 0.60),
    trial("add-some x1", 10, 0, 0.38, 0.80),
]


def result(train: int, after: float, points: list[tuple[int, float]]) -> SettingResult:
    eval_points = tuple(EvalPoint(step, 1.0, value, {"t": value - 0.1}) for step, value in points)
    ends = measured(0.52, 0.12, 0.08, 50, 0.5), measured(after, 0.1, 0.1, 50, 0.5)
    test = HeldOutResult(50, 0.5, *ends, "t", (after,), None, {})
    seed = SeedResult("there", 5, 0.6, "all steps are done", (), eval_points)
    return SettingResult(f"low-resource {train}", train, {}, Leaks(), (seed,), (test,))


def test_seeds_are_put_together_and_every_line_begins_with_the_model_as_it_was() -> None:
    lines = {(line.task, line.setting): line for line in inoculation_curve(TRIALS).lines}
    assert set(lines) == {(task, s) for task in ("the probe", "the original task") for s in ("plain", "add-some x1")}
    plain = lines["the probe", "plain"]
    assert [point.x for point in plain.points] == [0, 10, 100]
    assert [point.value for point in plain.points] == pytest.approx([0.30, 0.45, 0.70])
    assert (plain.points[1].low, plain.points[1].high) == pytest.approx((0.41, 0.47))
    costs = {(point.setting, point.k): point.cost for point in curves(TRIALS)}
    assert costs["plain", 10] == pytest.approx(0.80 - 0.76)


def test_a_size_curve_begins_at_nothing_trained_and_evaluations_are_by_step(tmp_path: Path) -> None:
    points = result(400, 0.9, [(5, 0.6), (10, 0.8)]), result(100, 0.7, [(5, 0.5)])
    trained = Training("m", "low-resource", "causal", False, 1e-5, tmp_path, points)
    write_results(trained)
    assert read_curves(tmp_path) == training_curves(trained), "what is stored is what is read"
    size, along = training_curves(trained)
    assert [(point.x, point.value) for point in size.lines[0].points] == [(0, 0.52), (100, 0.7), (400, 0.9)]
    assert along.title == "m, low-resource 400, during training", "a single evaluation is not a curve"
    assert {line.task: [point.value for point in line.points] for line in along.lines} == {
        "development set": [0.6, 0.8],
        "t": pytest.approx([0.5, 0.7]),
    }


def test_a_study_stands_beside_a_run_on_one_page(tmp_path: Path) -> None:
    study, run = tmp_path / "study", tmp_path / "run"
    study.mkdir()
    (study / "selected.jsonl").write_text("".join(json.dumps(plain(one)) + "\n" for one in TRIALS))
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
