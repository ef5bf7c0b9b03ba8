"""The same call gives the same bytes under other hash seeds, locales, time zones and orders of files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from horsesense.core import write_probe
from tests.faults.harness import tree_of
from tests.support.made_tasks import clozes, questions
from tests.support.small_cats import lay_all

CALLS = """
import json, sys
from horsesense.cli import main
for words in json.loads(sys.argv[1]):
    try:
        main(words)
    except SystemExit as stop:
        assert stop.code == 0, words
"""
USUAL = {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
OTHER = {"PYTHONHASHSEED": "2", "LC_ALL": "POSIX", "TZ": "Pacific/Kiritimati"}
OTHER |= {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}  # so that text without a stated encoding would be ASCII


def test_nothing_around_a_call_changes_its_bytes(tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    made = []
    for number, around in enumerate((USUAL, OTHER)):
        folder = tmp_path / str(number)
        sets = lay_all(tmp_path / f"first-{number}")
        for file in sorted((path for path in sets.rglob("*.txt")), reverse=bool(number)):  # as the disk lists them
            copy = folder / "sets" / file.relative_to(sets)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
        write_probe(folder / "clozes.jsonl", clozes(12, 1))
        write_probe(folder / "plain.jsonl", questions(40, 7, False))
        calls = [
            ["build", "duals", "clozes.jsonl", "-o", "duals.jsonl"],
            ["harden", "plain.jsonl", "-o", "hard.jsonl"],
            ["import", "cats", "sets/general/wsc.txt", "sets/general/ca.txt", "-o", "cats.jsonl"],
            ["export", "clozes.jsonl", "--to", "lm-eval", "-o", "exported"],
            [
                "suite",
                "cats",
                "-m",
                str(tiny_folders["gpt2"]),
                "--data",
                "sets",
                "--out",
                "run",
                "--device",
                "cpu",
            ],
            ["report", "run", "--format", "md", "-o", "table.md", "--no-cues"],
        ]
        env = {**os.environ, **around, "HORSESENSE_CACHE": str(tmp_path / f"cache-{number}")}
        words = [sys.executable, "-c", CALLS, json.dumps(calls)]
        done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        made.append(tree_of(folder))
    assert [name for name in made[0] if made[0][name] != made[1].get(name)] == []
    assert sorted(made[0]) == sorted(made[1])
    assert sum(name.endswith(".parquet") for name in made[0]) >= 2, "answers are among them"
