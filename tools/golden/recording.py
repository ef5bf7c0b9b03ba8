"""Make the calls in a temporary folder and write down what they printed, wrote and sent."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pyarrow.parquet as pq

from tools.golden.calls import Call, chosen
from tools.golden.inputs import save_models, write_inputs
from tools.golden.server import RecordingServer

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = 12
"""Items of a probe that are recorded whole; all others are in its hash."""
FETCHED = ("models", "wordnet", "gcide")
"""What the user's cache shares with the recording. Stored scores and converted models are not among it."""
SECRET = {"link", "code", "completion", "used", "size", "bytes", "seconds", "created", "started", "finished"}
"""Keys whose values are drawn at random, are times, or depend on the machine."""
_MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"), "<date>"),
    (re.compile(r"127\.0\.0\.1:\d+"), "<server>"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:s|ms|seconds)\b"), "<time>"),
)


def record(folder: Path, models: Path, only: tuple[str, ...]) -> int:
    """Record the chosen pieces or calls (all, where none is chosen); return 1 where one failed."""
    save_models(models)
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as name, RecordingServer().running() as server:
        work = Path(name).resolve()
        recorder = _Recorder(work, _environment(work), server)
        recorder.set_up(models)
        for call in _possible(only):
            started = time.monotonic()
            result = recorder.result_of(call)
            if result["exit"] not in call.exits:
                failed.append(call.name)
            file = folder / f"{call.name}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(result, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
            note = f"exit {result['exit']}: {result['error']}" if result["exit"] else ""
            print(f"{time.monotonic() - started:6.1f} s  {call.name}  {note}", flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} s of CPU time; {len(failed)} calls failed: {', '.join(failed) or '-'}")
    return 1 if failed else 0


def _possible(only: tuple[str, ...]) -> Iterator[Call]:
    has_data = _data() is not None
    for call in chosen(only):
        if not has_data and re.search(r"(?<![\w/])data\b", call.words):
            print(f"skipped: {call.name} needs the released data")
            continue
        yield call


def _data() -> Path | None:
    folder = Path(os.environ.get("HORSESENSE_DATA", ROOT.parent / "shared" / "data"))
    return folder if folder.is_dir() else None


def _environment(work: Path) -> dict[str, str]:
    """Return the environment of the calls: a cache of their own, one thread, and no network."""
    fixed = {"HORSESENSE_CACHE": str(work / "cache"), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "COLUMNS": "120"}
    settings = {"HORSESENSE_DEVICE": "cpu", "PYTHONHASHSEED": "0", "TZ": "UTC"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HORSESENSE_", "OPENAI_"))}
    return kept | fixed | settings


class _Recorder:
    """One work folder, its environment and its server."""

    def __init__(self, work: Path, environment: dict[str, str], server: RecordingServer) -> None:
        self.work, self.environment, self.server = work, environment, server
        self.program = Path(sys.executable).with_name("horsesense")
        self.version = self._run(["--version"]).stdout.split()[-1]

    def set_up(self, models: Path) -> None:
        """Write the inputs, and link models, released data and what was fetched."""
        write_inputs(self.work / "in")
        (self.work / "out").mkdir()
        (self.work / "cache").mkdir()
        (self.work / "models").symlink_to(models.resolve())
        if (data := _data()) is not None:
            (self.work / "data").symlink_to(data.resolve())
        real = Path(os.environ.get("HORSESENSE_CACHE") or platformdirs.user_cache_dir("horsesense"))
        for name in FETCHED:
            if (real / name).is_dir():
                (self.work / "cache" / name).symlink_to((real / name).resolve())

    def result_of(self, call: Call) -> dict[str, Any]:
        """Make a call; return exit code, document, files and requests."""
        self.server.requests.clear()
        if call.prepare is not None:
            call.prepare(self.work)
        done = self._run(call.line(self.server.url))
        result: dict[str, Any] = {"exit": done.returncode, "error": ""}
        if done.returncode:
            result["error"] = self._mask(done.stderr.strip().rpartition("\n")[2])
        try:
            result["document"] = self._plain(json.loads(done.stdout))
        except json.JSONDecodeError:
            result["text"] = self._plain(done.stdout.splitlines())
        for name in call.files:
            for path in _files(self.work / name):
                key = self._mask(path.relative_to(self.work).as_posix())
                result.setdefault("files", {})[key] = self._contents(path)
        if self.server.requests:
            unique = {json.dumps(self._plain(each), sort_keys=True) for each in self.server.requests}
            result["requests"] = [json.loads(text) for text in sorted(unique)]
        return result

    def _run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        command = [str(self.program), *words]
        return subprocess.run(
            command, cwd=self.work, env=self.environment, capture_output=True, text=True, check=False, timeout=600
        )

    def _contents(self, path: Path) -> Any:
        if path.suffix == ".parquet":
            return self._summary(pq.read_table(path).to_pylist())
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        name = path.name.removesuffix(".gz")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            return {"binary": True}
        if name.endswith(".jsonl"):
            return self._summary([json.loads(line) for line in text.splitlines() if line.strip()])
        if name.endswith(".json"):
            return self._plain(json.loads(text))
        if name.endswith((".csv", ".tsv")):
            rows = list(csv.reader(text.splitlines(), delimiter="\t" if name.endswith(".tsv") else ","))
            return self._summary([dict(zip(rows[0], row, strict=False)) for row in rows[1:]] if rows else [])
        return self._plain(text.splitlines())

    def _summary(self, lines: list[Any]) -> dict[str, Any]:
        """Return the number of lines, a hash of all their values and a few lines whole.

        The hash leaves keys out, so that a renamed key does not change it.
        """
        plain = [self._plain(line) for line in lines]
        values = sorted(json.dumps(sorted(json.dumps(value) for value in _leaves(line))) for line in plain)
        digest = hashlib.sha256("\n".join(values).encode()).hexdigest()
        step = max(1, len(plain) // SAMPLE)
        return {"lines": len(plain), "sha256 of values": digest, "sample": plain[::step][:SAMPLE]}

    def _plain(self, value: Any) -> Any:
        """Return a value with rounded numbers and masked strings."""
        if isinstance(value, dict):
            return {self._mask(key): "<drawn>" if key in SECRET else self._plain(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._plain(each) for each in value]
        if isinstance(value, float):
            return round(value, 5) + 0.0
        return self._mask(value) if isinstance(value, str) else value

    def _mask(self, text: str) -> str:
        if text == self.version:
            return "<version>"
        text = text.replace(f"{self.work}/", "").replace(str(self.work), ".")
        for pattern, mask in _MASKS:
            text = pattern.sub(mask, text)
        return text


def _files(path: Path) -> list[Path]:
    """Return a file, or all files below a folder except pages, pictures, locks and databases."""
    if path.is_file():
        return [path]
    left_out = {".html", ".svg", ".png", ".lock", ".sqlite", ".db"}
    found = [each for each in path.rglob("*") if each.is_file() and each.suffix not in left_out]
    return sorted(each for each in found if not each.name.startswith(".") and each.name != "SHA256SUMS")


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value
