"""A control's answers stand beside a model's."""

from __future__ import annotations

from pathlib import Path

import pytest

import horsesense as hs
from horsesense.core import Answer
from horsesense.errors import UserError
from horsesense.report.run_report import write_report
from horsesense.runs.ask_models import ask_models, store_control
from horsesense.runs.probe_answers import read_run, result_of
from tests.runs.test_ask import SETTINGS, make_probe


def test_a_control_can_be_read_and_compared_like_a_model(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probe, model = make_probe(12), str(tiny_folders["gpt2"])
    first = [Answer(item.id, item.form, (1.0, 0.0)) for item in probe.items]
    store_control(tmp_path / "control", "first option", "picks the first option", "probe", probe, first)
    _, (answered,) = read_run(tmp_path / "control")
    assert result_of(answered).accuracy.value == sum(item.answer == 0 for item in probe.items) / len(probe.items)
    ask_models([model], {"probe": probe}, tmp_path / "run", SETTINGS)
    (side,) = hs.compare(tmp_path / "run", tmp_path / "control").probes
    assert set(side.accuracies) == {model, "first option"}


def test_a_folder_in_use_or_half_an_answer_is_refused(tmp_path: Path) -> None:
    probe = make_probe(2)
    answers = [Answer(item.id, item.form, (1.0, 0.0)) for item in probe.items]
    with pytest.raises(UserError, match="no answer to 1 items"):
        store_control(tmp_path / "a", "x", "", "probe", probe, answers[1:])
    store_control(tmp_path / "b", "x", "", "probe", probe, answers)
    with pytest.raises(UserError, match="holds a run"):
        store_control(tmp_path / "b", "x", "", "probe", probe, answers)


def test_a_control_of_several_seeds_opens_like_any_run(tmp_path: Path) -> None:
    """Its folder has a run a seed beneath it: each is a model of its own in a report and a comparison."""
    probe = make_probe(12)
    for seed in (0, 1, 10):
        answers = [Answer(item.id, item.form, (float(seed == 0), 0.5)) for item in probe.items]
        store_control(tmp_path / "mlp" / f"seed-{seed}", "mlp", "fitted", "probe", probe, answers, seed)
    manifest, runs = read_run(tmp_path / "mlp")
    assert [run.part.model.name for run in runs] == ["mlp seed-0", "mlp seed-1", "mlp seed-10"]
    assert len(manifest.parts) == 3
    (side,) = hs.compare(tmp_path / "mlp").probes
    assert set(side.accuracies) == {"mlp seed-0", "mlp seed-1", "mlp seed-10"}
    written = write_report(tmp_path / "mlp", cues=False, out=tmp_path / "page.html")
    assert len(written.results) == 3
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError):
        read_run(tmp_path / "empty")
