"""The state of a pipeline's folder: its plan, and the inputs and output of each step.

A step is repeated only if its inputs have changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from horsesense.data import disk_errors, read_text, sha256_of_bytes, sha256_of_file, writing
from horsesense.data.store import Store
from horsesense.errors import UserError, argument

STATE = "state.json"
RUN = "run of "
"""Beginning of a run's record; ``validated`` or ``proposed`` follows."""
_PARTS = "parts"
_VERSION = 3
"""Raised if steps change their results, so that old ones are repeated."""


class Steps:
    """The steps of one folder; a killed process loses at most one part of a step."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self.folder = folder
        self._say = say
        self.plan: dict[str, Any] = {}
        """The plan, as plain data."""
        self._done: dict[str, dict[str, str]] = {}
        path = folder / STATE
        if path.is_file():
            state = read_state(path)
            self.plan, self._done = state["plan"], state["steps"]

    def store_plan(self, plan: dict[str, Any]) -> None:
        """Store the plan, so that the folder alone is enough to resume."""
        if plan != self.plan:
            self.plan = plan
            self._write()

    def do(self, name: str, output: str, inputs: Sequence[Path | str], make: Callable[[Path, str], None]) -> Path:
        """Make ``output`` from ``inputs`` (files count by content), unless it exists already.

        ``make`` gets the path to write and the fingerprint of the inputs; it writes whole files only.
        """
        path = self.folder / output
        made_from = self._fingerprint(inputs)
        record = self._done.get(name, {})
        if record.get("from") == made_from and path.is_file() and record.get("gave") == sha256_of_file(path):
            self._say(f"{name}: already done")
            return path
        self._say(f"{name} …")
        make(path, made_from)
        self._keep(name, {"output": output, "from": made_from, "gave": sha256_of_file(path)})
        return path

    def record_file(self, path: Path) -> None:
        """Record a file that every call writes."""
        self._keep(path.name, {"output": path.name, "gave": sha256_of_file(path)})

    def record_run(self, kind: str, run: Path | None) -> None:
        """Record the run on schemas of a kind; None without schemas."""
        output = "" if run is None else run.relative_to(self.folder).as_posix()
        self._keep(f"{RUN}{kind}", {"output": output})

    def is_unchanged(self, path: Path) -> bool:
        """Return whether a file is as it was written here; a file of somebody else is not."""
        return path.is_file() and self._done.get(path.name, {}).get("gave") == sha256_of_file(path)

    def _keep(self, name: str, record: dict[str, str]) -> None:
        self._done[name] = record
        self._write()
        if "gave" in record:
            Store(self.folder).record(self.folder / record["output"], record["gave"])

    def _write(self) -> None:
        with writing(self.folder / STATE) as temporary:
            state = {"plan": self.plan, "steps": self._done}
            temporary.write_text(json.dumps(state, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    def in_parts(
        self, name: str, made_from: str, number: int, size: int, make: Callable[[int, int], list[Any]]
    ) -> Iterator[Any]:
        """Yield the rows of a long step over ``number`` inputs, ``size`` at a time.

        Each part is stored as JSON, and repeated if it is damaged.
        """
        for start in range(0, number, size):
            path = self.folder / _PARTS / f"{name}-{made_from[:12]}-{start:06d}.json"
            if Store(self.folder).has(path):
                rows = json.loads(read_text(path))
            else:
                rows = make(start, min(number, start + size))
                Store(self.folder).write(path, json.dumps(rows))
            yield from rows

    @staticmethod
    def _fingerprint(inputs: Sequence[Path | str]) -> str:
        contents = [_content(each) if isinstance(each, Path) else each for each in inputs]
        return sha256_of_bytes(json.dumps([_VERSION, *contents]).encode())


def read_state(path: Path) -> dict[str, Any]:
    """Read the state of a folder."""
    try:
        state = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise UserError("the state is damaged", file=path, fix="remove it; the steps are repeated") from error
    if not isinstance(state, dict) or not all(isinstance(state.get(name), dict) for name in ("plan", "steps")):
        raise UserError("this is not the state of a pipeline", file=path, fix=f"choose another {argument('out')}")
    return state


def _content(path: Path) -> str:
    with disk_errors(path):
        return sha256_of_file(path)
