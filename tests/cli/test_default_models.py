"""``run`` with the models and labels that the user has set."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.runs.manifest import read_manifest
from tests.support.calling import Call, caller, item, lay


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HORSESENSE_MODELS", raising=False)
    monkeypatch.chdir(tmp_path)
    lay(Path("toy.jsonl"), *(item(text=f"The ice number {n} is ___.") for n in range(3)))


def models_of(called_out: str) -> list[str]:
    return [each["model"] for each in json.loads(called_out)["results"]]


def test_without_any_model_the_sentence_says_how_to_name_one(call: Call) -> None:
    called = call("run", "-p", "toy.jsonl")
    assert called.code == 2
    assert called.err == (
        "horsesense: no model is named; add --model NAME, or set HORSESENSE_MODELS, or models in horsesense.toml\n"
    )


def test_a_label_is_what_all_shows_and_the_weights_are_the_same(
    call: Call, tiny_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_folders["gpt2"]
    Path("horsesense.toml").write_text(f'models = ["small"]\n[labels]\nsmall = "{folder}"\n')
    called = call("run", "-p", "toy.jsonl", "--json")
    assert called.code == 0, called.err
    document = json.loads(called.out)
    assert models_of(called.out) == ["small"]
    assert document["out"] == "runs/small-toy"
    kept = read_manifest(Path("runs/small-toy")).parts[0].model
    assert (kept.name, kept.found_by) == ("small", str(folder))
    plain = hs.ask(str(folder), "toy.jsonl")
    assert kept.weights == plain.answered[0].part.model.weights
    assert plain.results()["accuracy"] == hs.open_run("runs/small-toy").results()["accuracy"]
    assert plain.models == (str(folder),)
    assert hs.ask("small", "toy.jsonl").models == hs.ask(f"small={folder}", "toy.jsonl").models == ("small",)
    page = Path("runs/small-toy/report.html").read_text("utf-8")
    (command,) = re.findall(r"<pre[^>]*>(horsesense run .*?)</pre>", page)
    Path("horsesense.toml").unlink()  # the command on the page needs no file
    again = call(*shlex.split(html.unescape(command))[1:], "--out", "runs/small-toy", "--json")
    assert "all answers are stored already" in again.err
    monkeypatch.setenv("HORSESENSE_MODELS", f"by-variable={folder}")
    assert models_of(call("run", "-p", "toy.jsonl", "--json").out) == ["by-variable"]
    assert models_of(call("run", "-m", f"by-option={folder}", "-p", "toy.jsonl", "--json").out) == ["by-option"]


def test_a_label_with_other_weights_is_refused_by_its_folder(call: Call, tiny_folders: dict[str, Path]) -> None:
    words = ("-p", "toy.jsonl", "--out", "one")
    assert call("run", "-m", f"a={tiny_folders['gpt2']}", *words).code == 0
    called = call("run", "-m", f"a={tiny_folders['bert']}", *words)
    assert called.code == 2
    assert "the folder holds answers of a with other weights" in called.err


def test_labels_that_would_mislead_are_refused(call: Call) -> None:
    words = ("-p", "toy.jsonl")
    assert "two models are called 'a'" in call("run", "-m", "a=x", "-m", "a=y", *words).err
    assert "'smollm2' is the name of a bundled model" in call("run", "-m", "smollm2=x", *words).err
