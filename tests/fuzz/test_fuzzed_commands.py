"""A few inputs of ``make fuzz`` for the commands, and whether it finds what is wrong."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.calls import GoodCalls
from tests.fuzz.harness import Fuzz
from tests.fuzz.short_run import apart, try_some


def test_nothing_but_results_and_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try_some(tmp_path, monkeypatch, "commands")


def test_a_new_command_is_fuzzed_without_being_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that falls over is found, whatever it is called."""
    import click

    from horsesense.cli import app
    from horsesense.cli.app import CommandGroup

    class Other(CommandGroup):
        def _below(self) -> dict[str, str]:
            return {name: name for name in self.commands}

    @click.command("read-it")
    @click.argument("file", type=click.Path(path_type=Path))
    def read_it(file: Path) -> None:
        len(file.read_bytes()[100000]) if file.is_file() else None  # type: ignore[arg-type]  # falls over on purpose

    @click.command("do-nothing")
    def do_nothing() -> None:
        pass

    other = Other(commands={"read-it": read_it, "do-nothing": do_nothing})
    apart(monkeypatch)
    monkeypatch.setattr("tests.fuzz.harness.plant", _one_seed)
    monkeypatch.setattr(app, "root", lambda: other)
    fuzz = Fuzz(seed=1, place=tmp_path)
    for _ in range(3):
        fuzz.throw("read-it")
    assert any(each.target == "read-it" and "IndexError" in each.kind for each in fuzz.defects.values())


def test_a_good_call_keeps_its_place_and_loses_one_thing(tmp_path: Path) -> None:
    calls = GoodCalls(tmp_path)
    calls._prepared["report"] = ["report", str(tmp_path / "world" / "run"), "--no-cues"]
    for kind in ("new", "done"):
        calls._here("report", kind).mkdir(parents=True)
    (tmp_path / "world" / "run").mkdir(parents=True)
    (tmp_path / "world" / "run" / "a.json").write_text('{"a": 1}')
    seen = set()
    for number in range(40):
        work = tmp_path / str(number)
        work.mkdir()
        words = calls.change("report", work, random.Random(number))
        assert words is not None
        assert words[0] == "report"
        file = work / "run" / "a.json"
        whole = file.is_file() and not file.is_symlink() and file.read_bytes() == b'{"a": 1}'
        seen.add((words[1:] == [str(work / "run"), "--no-cues"], whole))
    assert seen == {(True, False), (False, True), (True, True)}
    assert (tmp_path / "world" / "run" / "a.json").read_text() == '{"a": 1}', "what is copied stays as it was"
    assert calls.change("no such command", tmp_path, random.Random(1)) is None


def _one_seed(folder: Path) -> Path:
    (folder / "a.txt").write_text("a,b\n1,2\n")
    return folder
