"""Half a minute of ``make fuzz``: no command and no reader ends otherwise than in a result or one sentence."""

from __future__ import annotations

import logging
import os
import warnings
from pathlib import Path

import pytest

from tests.fuzz.harness import Fuzz

SECONDS = float(os.environ.get("FUZZ", "30"))


def test_nothing_but_results_and_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HORSESENSE_CACHE", "WNHOME", "HF_HUB_OFFLINE", "HORSESENSE_DEVICE"):
        monkeypatch.setenv(name, "")  # so that what the fuzzer sets is put back afterwards
    import uvicorn

    monkeypatch.setattr(uvicorn, "run", uvicorn.run)
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fuzz = Fuzz(seed=20, place=tmp_path)
            fuzz.run(SECONDS)
    finally:
        logging.disable(logging.NOTSET)
    told = [f"{each.kind}: {each.target} {each.call}" for each in fuzz.defects.values()]
    assert not told, "\n".join(told)
    assert sum(tally.ends["0"] for tally in fuzz.tallies.values()) > 0, "some of it is good"
    thrown = [name for name in fuzz.targets if fuzz.tallies[name].inputs]
    assert len(thrown) > len(fuzz.targets) / 2, "every target gets its turn"


def test_a_new_command_is_fuzzed_without_being_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that falls over is found, whatever it is called."""
    import typer

    from horsesense.cli import app as commands

    other = typer.Typer()

    @other.command("read-it")
    def read_it(file: Path) -> None:
        len(file.read_bytes()[100000]) if file.is_file() else None  # type: ignore[arg-type]  # falls over on purpose

    @other.command("do-nothing")
    def do_nothing() -> None:
        pass

    for name in ("HORSESENSE_CACHE", "WNHOME", "HF_HUB_OFFLINE", "HORSESENSE_DEVICE"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr("tests.fuzz.harness.plant", _one_seed)
    monkeypatch.setattr(commands, "app", other)
    fuzz = Fuzz(seed=1, place=tmp_path)
    for _ in range(3):
        fuzz.throw("read-it")
    assert any(each.target == "read-it" and "IndexError" in each.kind for each in fuzz.defects.values())


def _one_seed(folder: Path) -> Path:
    (folder / "a.txt").write_text("a,b\n1,2\n")
    return folder
