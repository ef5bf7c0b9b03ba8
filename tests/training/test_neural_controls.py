"""The partial-input networks: each sees what it should see, and no more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.runs.ask import open_run
from horsesense.runs.probe_answers import read_run
from horsesense.training.baselines import ControlSettings, fit_baseline, fit_control, measure
from horsesense.training.controls import ControlTask
from horsesense.training.inoculation import inoculate
from horsesense.training.inoculation_trials import InoculationGrid
from tests.support.made_tasks import COLOURS, questions, vectors

SCRATCH = ControlTask((), (), (), vectors="none", options={"epochs": 6})


@pytest.mark.parametrize("name", ["choice-only", "choice-to-choice", "question-to-choice", "esim"])
def test_a_word_that_gives_the_answer_away_is_found(name: str) -> None:
    found = measure(fit_baseline(name, questions(120, 1, True), questions(40, 2, True), task=SCRATCH))
    assert found.estimate.value > 0.9


@pytest.mark.parametrize(
    ("name", "sees"),
    [("choice-only", False), ("choice-to-choice", False), ("question-to-choice", True), ("esim", True)],
)
def test_who_sees_the_question(name: str, sees: bool, tmp_path: Path) -> None:
    task = ControlTask(
        (), (), (), vectors=str(vectors(tmp_path, [*COLOURS, "thing", "what"], 6)), options={"epochs": 1}
    )
    test = questions(12, 2, False)
    other = Probe.of([replace(item, text="Red what?") for item in test.items], test.card)
    one, two = (fit_baseline(name, questions(40, 1, False), probe, task=task).answers[0] for probe in (test, other))
    same = [a.scores == pytest.approx(b.scores) for a, b in zip(one, two, strict=True)]
    assert not any(same) if sees else all(same)


@pytest.mark.parametrize("name", ["choice-only-linear", "choice-to-choice", "esim"])
@pytest.mark.parametrize("scratch", [True, False])
def test_a_kept_control_answers_other_items_as_if_fitted_for_them(name: str, scratch: bool, tmp_path: Path) -> None:
    known = "none" if scratch else str(vectors(tmp_path, [*COLOURS, "thing", "what"], 6))
    train, first, other = questions(60, 1, True), questions(8, 2, True), questions(10, 3, True)
    settings = ControlSettings(vectors=known, epochs=1)
    fit_control(name, test=first, train=train, settings=settings, seeds=1, out=tmp_path / "kept")
    asked = fit_control(str(tmp_path / "kept"), test=other, out=tmp_path / "again")
    fitted = fit_control(name, test=other, train=train, settings=settings, seeds=1, out=tmp_path / "fitted")
    assert asked.name == name
    assert asked.train == fitted.train
    runs = [read_run(tmp_path / folder)[1][0].answers for folder in ("again", "fitted")]
    for one, two in zip(*runs, strict=True):
        assert one.scores == pytest.approx(two.scores, abs=1e-5)
    assert open_run(tmp_path / "again").results()["n"] == [10], "its answers are a run like any other"


def test_a_broken_control_is_told(tmp_path: Path) -> None:
    (tmp_path / "control.json").write_text("{}")
    with pytest.raises(UserError, match=r"control\.json"):
        fit_control(str(tmp_path), test=questions(8, 2, True))


def test_an_encoder_that_sees_the_options_alone(tmp_path: Path) -> None:
    from tests.support.tiny import save_tiny

    task = ControlTask((), (), (), encoder=str(save_tiny("choice", tmp_path / "m")), options={"epochs": 1})
    found = fit_baseline("choice-only-encoder", questions(60, 1, True), questions(20, 2, True), task=task)
    items = questions(20, 2, True)
    other = Probe.of([replace(item, text=f"Quite another {item.text}") for item in items.items], items.card)
    again = fit_baseline("choice-only-encoder", questions(60, 1, True), other, task=task)
    assert [answer.scores for answer in again.answers[0]] == [answer.scores for answer in found.answers[0]]


@pytest.mark.parametrize("scratch", [True, False])
def test_a_fitted_control_is_inoculated_like_a_model(scratch: bool, tmp_path: Path) -> None:
    """The base row is the stored control's own accuracy; a cue of the probe is learnt from a few examples."""
    known = "none" if scratch else str(vectors(tmp_path, [*COLOURS, "thing", "what", "indeed"], 6))
    settings = ControlSettings(vectors=known, epochs=1)
    plain = questions(40, 1, False)
    fit_control("esim", test=questions(8, 2, False), train=plain, settings=settings, seeds=1, out=tmp_path / "esim")
    train, dev, test = (questions(number, seed, True) for number, seed in ((60, 3), (20, 4), (30, 5)))
    original = questions(20, 6, False)
    study = inoculate(
        str(tmp_path / "esim"),
        train=train,
        dev=dev,
        test=test,
        original_dev=[original],
        original_test=[questions(20, 7, False)],
        out=tmp_path / "study",
        grid=InoculationGrid(sizes=(60,), learning_rates=(1e-2,), steps=(10, 60), seeds=(0,)),
    )
    base, learnt = study.curves
    stored = fit_control(str(tmp_path / "esim"), test=test)
    assert base.new == pytest.approx(stored.estimate.value)
    assert learnt.new > base.new + 0.3 or scratch, "without vectors the word of the cue is unknown to the control"


def test_only_a_control_with_a_network_is_inoculated(tmp_path: Path) -> None:
    train, test = questions(60, 1, True), questions(8, 2, True)
    settings = ControlSettings(vectors="none")
    fit_control("choice-only-linear", test=test, train=train, settings=settings, seeds=1, out=tmp_path / "linear")
    sets = {"train": questions(20, 3, True), "dev": questions(8, 4, True), "test": questions(8, 5, True)}
    more = {"original_dev": [test], "original_test": [test], "grid": InoculationGrid(sizes=(4,))}
    with pytest.raises(UserError, match="no network"):
        inoculate(str(tmp_path / "linear"), out=tmp_path / "study", **sets, **more)  # type: ignore[arg-type]
