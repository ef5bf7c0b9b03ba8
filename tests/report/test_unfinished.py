"""A sweep that was interrupted: what is whole is shown, the rest is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.cli import main
from horsesense.core import Card, Probe
from horsesense.progress import Progress
from horsesense.report.collection import collect
from horsesense.report.grid import grid_of
from horsesense.report.run_report import write_report
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
        assert "left out: late on made" in told.err
        with pytest.raises(SystemExit):
            main([*command, "--json"])
        assert json.loads(capsys.readouterr().out)["unfinished"] == ["late on made"]
    html = (run / "report.html").read_text("utf-8")
    assert "late on made" in html


def test_a_folder_without_a_whole_answer_hides_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each model has a folder of its own, and one was stopped before its first answers; models are given by paths."""
    runs = [make_run(tmp_path / name, {f"/data/{name}/tuned": 0.8}, made_items(20)) for name in ("a", "b", "c")]
    for shard in (runs[2] / "answers").iterdir():
        shard.unlink()
    page = tmp_path / "page.html"
    for command in (["report", "--no-cues", *map(str, runs), "-o", str(page)], ["compare", *map(str, runs)]):
        with pytest.raises(SystemExit) as stop:
            main(command)
        told = capsys.readouterr()
        assert stop.value.code == 0, told.err
        assert "left out: c/tuned on made" in told.err
        assert " a/tuned " in told.out
        assert "/data" not in told.out
    with pytest.raises(SystemExit) as stop:
        main(["report", "--no-cues", str(runs[2])])
    assert stop.value.code == 2


def test_the_grid_tells_not_finished_from_not_asked(tmp_path: Path) -> None:
    runs = [
        make_run(tmp_path / "one", {"/data/good": 0.9, "/data/late": 0.7}, made_items(20)),
        make_run(tmp_path / "two", {"/data/late": 0.7}, made_items(20, "second"), probe="second"),
    ]
    (shard,) = (tmp_path / "one" / "answers").glob("*late*.parquet")
    shard.unlink()
    grid = grid_of(collect(runs, cues=False))
    cells = {row.head.label: [cell if isinstance(cell, str) else "" for cell in row.cells] for row in grid.rows}
    assert cells == {"good": ["", "not run"], "late": ["incomplete", ""]}


def test_a_model_that_was_not_reached_is_named(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """Three models are to be asked, and Ctrl-C comes with the second."""

    class Stopping(Progress):
        def log(self, text: str) -> None:
            if text.startswith("second on"):
                raise KeyboardInterrupt

    folder = str(tiny_folders["gpt2"])
    models = [f"first={folder}", f"second={tiny_folders['bert']}", f"third={tiny_folders['t5']}"]
    probe = Probe.of(made_items(10), Card(name="made"))
    with pytest.raises(KeyboardInterrupt):
        hs.ask(
            models, {"made": probe}, out=tmp_path / "run", compute=hs.ComputeSettings(device="cpu"), progress=Stopping()
        )
    told = write_report(tmp_path / "run", cues=False)
    assert [result.model for result in told.results] == ["first"]
    assert told.unfinished == ("second on made", "third on made")


def test_of_a_probe_asked_in_two_ways_the_unfinished_way_is_named(
    tiny_folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    probe = Probe.of(made_items(10), Card(name="made"))
    model, run = f"tiny={tiny_folders['gpt2']}", tmp_path / "run"
    hs.ask(model, {"made": probe}, out=run, compute=hs.ComputeSettings(device="cpu"), formats="loglikelihood,pmi")
    (shard,) = (run / "answers").glob("*~pmi.*")
    shard.unlink()
    for command in (["report", "--no-cues", str(run)], ["compare", str(run)]):
        with pytest.raises(SystemExit):
            main(command)
        assert "tiny on made by pmi" in capsys.readouterr().err
    assert "tiny on made by pmi" in (run / "report.html").read_text("utf-8")


def test_nothing_hints_at_a_difference_of_noise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = made_items(40)
    make_run(tmp_path / "two", {"b": lambda item: 0.0 if item.family in ("f0", "f2") else 1.0}, items)
    make_run(tmp_path / "three", {"c": lambda item: 0.0 if item.family == "f1" else 1.0}, items)
    with pytest.raises(SystemExit):
        main(["compare", str(tmp_path / "two"), str(tmp_path / "three")])
    printed = capsys.readouterr().out
    assert "not significant; the difference is between −0.14 and +0.08" in printed
    assert "more items" not in printed
