"""What a command loads before it works: the heavy libraries only where they are used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.calling import item, lay

HEAVY = {
    "torch", "transformers", "tokenizers", "safetensors", "huggingface_hub", "accelerate", "gguf",
    "pyarrow", "pandas", "numpy", "scipy", "sklearn", "pydantic", "jinja2", "rich", "wordfreq", "sqlite3", "asyncio",
}  # fmt: skip

LOADED = """
import json, sys
from horsesense.cli import main
try:
    main(sys.argv[1:])
except SystemExit as stop:
    code = stop.code
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


def loaded(*arguments: object) -> set[str]:
    """The top-level names that a command has loaded when it ends."""
    command = [sys.executable, "-c", LOADED, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return set(modules)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"], ["fetch", "--help"]], ids=" ".join)
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    assert loaded(*words) & HEAVY == set()


@pytest.mark.parametrize("words", [[], ["--json"], ["toy-"], ["toy-", "--json"]], ids=" ".join)
def test_show_of_jsonl_loads_nothing_heavy(words: list[str], tmp_path: Path) -> None:
    assert loaded("show", lay(tmp_path / "toy.jsonl", item()), *words) & HEAVY == set()


def test_show_of_parquet_loads_only_what_reads_it(tmp_path: Path) -> None:
    from horsesense.core import read_probe, write_probe

    write_probe(tmp_path / "toy.parquet", read_probe(lay(tmp_path / "toy.jsonl", item())))
    found = loaded("show", tmp_path / "toy.parquet") & HEAVY
    assert "pyarrow" in found
    assert not found & {"torch", "transformers", "sklearn", "scipy"}
