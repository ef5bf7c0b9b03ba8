"""The core without its extras: what it can do it does as ever, and what it cannot it says in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from horsesense.errors import UserError, not_installed
from tests.support import ROOT
from tests.support.made_run import made_items

EXTRAS = [
    "torch", "transformers", "peft", "accelerate", "tokenizers", "safetensors", "gguf", "huggingface_hub",
    "altair", "vl_convert", "captum",
]  # fmt: skip

CALLS = """
import contextlib, importlib.abc, io, json, sys

missing, calls = json.loads(sys.argv[1])


class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Missing())
from horsesense.cli import main

done = []
for arguments in calls:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as stop:
            done.append([stop.code])
    for stream in (out, err):
        stream.flush()
        done[-1].append(stream.buffer.getvalue().decode())
print(json.dumps(done))
"""

IN_PYTHON = """
import horsesense as hs

for name in hs.__all__:
    getattr(hs, name)
probe = hs.load_probe("starter")
for work in (
    lambda: hs.ask("model", probe),
    lambda: hs.score("model", "Ice is cold."),
    lambda: hs.load_model("org/name"),
    lambda: probe.cues(splits=1, rounds=19).plot(),
):
    try:
        work()
    except hs.UserError as error:
        print(error)
"""


def called(missing: list[str], *calls: list[Any], cache: Path | None = None) -> list[tuple[int, str, str]]:
    """Exit code, output and remarks of commands, in a process where libraries are missing."""
    environment = os.environ | ({} if cache is None else {"HORSESENSE_CACHE": str(cache)})
    words = json.dumps([missing, [[str(word) for word in call] for call in calls]])
    done = subprocess.run(
        [sys.executable, "-c", CALLS, words], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return [(code, out, err) for code, out, err in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_folders: dict[str, Path]) -> Path:
    """A probe, and a run in which two tiny models were asked."""
    import horsesense as hs
    from horsesense.core import Card, Probe

    folder = tmp_path_factory.mktemp("light")
    Probe.of(made_items(30), Card(name="made", licence="CC0")).save(folder / "made.jsonl")
    hs.ask([tiny_folders["gpt2"], tiny_folders["bert"]], folder / "made.jsonl", out=folder / "run")
    return folder


def test_what_the_core_does_is_the_same_without_extras(folder: Path) -> None:
    probe, run, item = folder / "made.jsonl", folder / "run", made_items(1)[0].id

    def calls(name: str) -> list[list[Any]]:
        out = folder / name
        out.mkdir()
        return [
            ["show", probe, "--json"],
            ["show", run, item],
            ["cues", probe, "--json", "--rounds", 19],
            ["cues", probe, "--json", "--rounds", 19, "--out", out / "cue"],
            ["harden", probe, "-o", out / "hard.jsonl", "--json"],
            ["compare", run, "--json"],
            ["compare", run],
            ["report", run, "-o", out / "page.html", "--no-cues"],
            ["report", run, "--format", "md"],
        ]

    cache = folder / "cache"  # an empty one: sentence vectors, where they are here, need an extra
    whole = called([], *calls("whole"), cache=cache)
    light = called(EXTRAS, *calls("light"), cache=cache)
    assert [code for code, _, _ in light] == [0] * len(light), light
    assert [out.replace("/light/", "/whole/") for _, out, _ in light] == [out for _, out, _ in whole]
    assert (folder / "light" / "hard.jsonl").read_bytes() == (folder / "whole" / "hard.jsonl").read_bytes()


def test_a_page_without_the_extra_has_all_but_charts_and_one_remark_says_so(folder: Path, tmp_path: Path) -> None:
    from horsesense.report.collection import collect
    from horsesense.report.page import write_report

    page = tmp_path / "page.html"
    ((code, _, err),) = called(EXTRAS, ["report", folder / "run", "-o", page, "--no-cues"])
    remark = "the page has no charts: this needs vl_convert, which is not installed; pip install 'horsesense[pictures]'"
    assert (code, err.splitlines()) == (0, [remark, f"report: {page}"])
    collected = collect([folder / "run"], cues=False)
    write_report(collected, tmp_path / "undrawn.html", drawn=False)
    write_report(collected, tmp_path / "drawn.html")
    assert page.read_bytes() == (tmp_path / "undrawn.html").read_bytes()
    assert page.read_bytes() != (tmp_path / "drawn.html").read_bytes()


def test_a_command_that_needs_an_extra_says_which(folder: Path, tmp_path: Path) -> None:
    probe = folder / "made.jsonl"
    charts = tmp_path / "charts"
    wanted = {
        ("run", "-m", "smollm2", "-p", probe, "--out", tmp_path / "run"): ("torch", "hf"),
        ("score", "-m", "org/name", "Ice is cold."): ("torch", "hf"),
        ("report", folder / "run", "-o", tmp_path / "page.html", "--charts", charts): ("vl_convert", "pictures"),
    }
    found = called(EXTRAS, *map(list, wanted))
    for (library, extra), (code, out, err) in zip(wanted.values(), found, strict=True):
        sentence = f"horsesense: this needs {library}, which is not installed; pip install 'horsesense[{extra}]'\n"
        assert (code, out, err) == (2, "", sentence)
    assert not list(tmp_path.iterdir())


def test_from_python_it_is_a_user_error(tmp_path: Path) -> None:
    hook = CALLS.partition("from horsesense.cli")[0]
    command = [sys.executable, "-c", hook + IN_PYTHON, json.dumps([EXTRAS, []])]
    env = os.environ | {"HORSESENSE_CACHE": str(tmp_path)}  # WordNet and word vectors take seconds to load
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    said = done.stdout.splitlines()
    libraries = ["torch", "torch", "torch", "altair"]
    assert [line.split(",")[0] for line in said] == [f"this needs {library}" for library in libraries]


def test_only_a_missing_library_of_an_extra_is_told_so() -> None:
    assert not_installed(ModuleNotFoundError("No module named 'torch'", name="torch")) is not None
    assert not_installed(ImportError("cannot import name 'New' from 'torch'", name="torch")) is None
    assert not_installed(ModuleNotFoundError("No module named 'numpy'", name="numpy")) is None


def test_every_library_of_an_extra_is_known_to_bring_it() -> None:
    """The sentence names the extra that `pyproject.toml` gives the library to; `all` and `dev` have every extra.

    What builds the docs is no library of the program.
    """
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    modules = {"vl-convert-python": "vl_convert", "pyjwt": "jwt", "huggingface-hub": "huggingface_hub"}
    users = {name: extras[name] for name in extras if name not in ("all", "dev", "docs")}
    for extra, requirements in users.items():
        for requirement in requirements:
            name = requirement.split(">")[0].split("[")[0]
            if name == "horsesense":
                continue
            module = modules.get(name, name.replace("-", "_"))
            told = not_installed(ModuleNotFoundError(name=module))
            assert isinstance(told, UserError), module
            assert told.fix == f"pip install 'horsesense[{extra}]'"
    assert extras["all"] == [f"horsesense[{','.join(sorted(users))}]"]
    assert "horsesense[all,docs]" in extras["dev"]
