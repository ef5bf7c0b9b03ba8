"""What a terminal shows of names and texts that look like rich's own markup; and Ctrl-C."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from horsesense.data import cache_folder
from horsesense.terminal import print_table
from tests.support.calling import Call, caller, item, lay, toy_lines


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    return caller(capfd)


def plain(text: str) -> str:
    """Without the colours and movements of a terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_run_on_a_terminal(
    tiny_folders: dict[str, Path], tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, name = "m[/b]", "p[bold]:smile:"
    shutil.copytree(tiny_folders["gpt2"], tmp_path / model)
    lay(tmp_path / f"{name}.jsonl", *toy_lines())
    monkeypatch.chdir(tmp_path)
    called = call("run", "-m", model, "-p", f"{name}.jsonl", "--out", "out[/out]")
    assert called.code == 0, called.err
    assert f"{model} on {name}" in plain(called.err)
    assert "answers in out[/out]" in plain(called.err)
    assert model in plain(called.out)
    assert name in plain(called.out)


def test_scores_on_a_terminal(tiny_folders: dict[str, Path], call: Call) -> None:
    texts = ["[/b] :smile: [bold]", "back\\", "a\\[b]"]
    for words in (texts, [*texts, "--against", "[/red]\\"]):
        called = call("score", "-m", tiny_folders["gpt2"], *words)
        assert called.code == 0, called.err
        for text in texts:
            assert text in plain(called.out)


def _heeds_interrupts() -> None:
    """Tests that run in the background were told to ignore interrupts, and their children with them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_stopped_by_the_user(tmp_path: Path) -> None:
    """A pipe that nobody writes to keeps ``show`` waiting until it is interrupted."""
    pipe = tmp_path / "toy.jsonl"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "horsesense", "show", str(pipe)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_heeds_interrupts
    ) as process:
        writer = os.open(pipe, os.O_WRONLY)  # returns when the command has opened its end
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
            os.close(writer)
    assert (process.returncode, out, err) == (130, "", "horsesense: stopped; what was finished is kept\n")


EARLY = """
import runpy, signal, sys, time, weakref

class Thing:
    pass

def interrupt(*_):
    signal.raise_signal(signal.SIGINT)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[-1]:
            interrupt()
        if sys.argv[-1] == "a finaliser" and name == "horsesense.core.catalogue":
            thing = Thing()
            kept = weakref.ref(thing, interrupt)
            del thing
            time.sleep(600)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
sys.argv[0] = "horsesense"
runpy.run_module("horsesense", run_name="__main__")
"""


@pytest.mark.parametrize(
    "place",
    [
        "horsesense.cli",
        "click",
        "horsesense.cli.app",
        "horsesense.cli.generate",
        "horsesense.core.catalogue",
        "a finaliser",
    ],
)
def test_stopped_before_it_has_begun(place: str, tmp_path: Path) -> None:
    """Ctrl-C while modules are loaded: no traceback, and the process ends."""
    path = lay(tmp_path / "toy.jsonl", *toy_lines())
    words = [sys.executable, "-c", EARLY, "show", str(path), place]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (130, -signal.SIGINT), "as a shell tells it: 130"
    assert done.stdout == ""
    assert done.stderr in ("", "horsesense: stopped; what was finished is kept\n")


@pytest.mark.parametrize("words", [["cues", "--all"], ["cues", "--json"], ["show"], ["show", "--json"]], ids=" ".join)
def test_a_reader_who_has_seen_enough_is_no_failure(words: list[str], tmp_path: Path) -> None:
    """As ``| head`` does: the pipe is closed before anything is written, by rich or by print."""
    probe = lay(tmp_path / "toy.jsonl", *(item(text=f"The ice number {n} is ___.", family=f"f{n}") for n in range(40)))
    for name in ("wordnet", "knowledge"):  # and no sentence vectors, which would load torch
        (tmp_path / "cache" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "cache" / name).symlink_to(cache_folder(name))
    environment = os.environ | {"HORSESENSE_CACHE": str(tmp_path / "cache")}
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "horsesense", words[0], str(probe), *words[1:]]
    try:
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120, env=environment)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_table_never_breaks_its_numbers_and_drawings(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    from horsesense.terminal import table

    frame = table("model", "accuracy", "┃ chance", drawn=1, title="[b] as it is")
    frame.add_row("a/very/long/name/of/a/folder", "0.123456", "███ ")
    Console(width=34, highlight=False).print(frame)
    out = capsys.readouterr().out
    assert "[b] as it is" in out
    assert re.search(r"0\.123456 +███", out)
    assert "".join(re.findall(r"^ ([a-z/]+)", out.partition("─")[2], re.MULTILINE)) == "a/very/long/name/of/a/folder"


def test_cells_and_headings_of_a_table_are_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("model [b]", "n"), [("[red]cup", "0.5 [0.1, 0.9]"), ("back\\", "[/]")], title="[i]")
    shown = plain(capsys.readouterr().out)
    for text in ("model [b]", "[red]cup", "0.5 [0.1, 0.9]", "back\\", "[/]", "[i]"):
        assert text in shown
    print_table(("model", "n"), [])
    assert not capsys.readouterr().out
