"""A sweep that was interrupted: what is whole is shown, the rest is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.cli import main
from horsesense.records import Card, Probe
from horsesense.watching import Watcher
from tests.support.made_run import made_items, make_run


def test_what_is_not_finished_hides_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sweep of three models that was stopped at the third: the other two are reported and compared."""
    run = make_run(tmp_path / "run", {"good": 0.9, "fair": 0.6, "late": 0.7}, made_items(20))
    (shard,) = (run / "answers").glob("late~*.parquet")
    shard.unlink()
    for command in (["report", "--no-cues", str(run)], ["compare", str(run)]):
        with pytest.raises(SystemExit) as stop:
            main(command)
        assert stop.value.code == 0
        told = capsys.readouterr()
        assert "good" in told.out
        assert "fair" in told.out
        assert "late" not in told.out
        assert "not finished, and left out: late on made" in told.err
        with pytest.raises(SystemExit):
            main([*command, "--json"])
        assert json.loads(capsys.readouterr().out)["unfinished"] == ["late on made"]
    html = (run / "report.html").read_text("utf-8")
    assert "late on made" in html


def test_a_model_that_was_not_reached_is_named(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """Three models are to be asked, and Ctrl-C comes with the second."""

    class Stopping(Watcher):
        def say(self, text: str) -> None:
            if text.startswith("second on"):
                raise KeyboardInterrupt

    folder = str(tiny_folders["gpt2"])
    models = [f"first={folder}", f"second={tiny_folders['bert']}", f"third={tiny_folders['t5']}"]
    probe = Probe.of(made_items(10), Card(name="made"))
    with pytest.raises(KeyboardInterrupt):
        hs.ask(models, {"made": probe}, out=tmp_path / "run", device="cpu", watcher=Stopping())
    told = hs.write_report(tmp_path / "run", cues=False)
    assert [result["model"] for result in told.results()] == ["first"]
    assert told.unfinished == ("second on made", "third on made")


def test_nothing_hints_at_a_difference_of_noise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = made_items(40)
    make_run(tmp_path / "two", {"b": lambda item: 0.0 if item.family in ("f0", "f2") else 1.0}, items)
    make_run(tmp_path / "three", {"c": lambda item: 0.0 if item.family == "f1" else 1.0}, items)
    with pytest.raises(SystemExit):
        main(["compare", str(tmp_path / "two"), str(tmp_path / "three")])
    assert "nothing hints at a difference" in capsys.readouterr().out
