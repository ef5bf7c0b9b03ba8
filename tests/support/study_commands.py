"""Calling ``horsesense annotate`` and ``horsesense audit`` in this process."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from horsesense.cli import main
from tests.support.calling import hold_to


def _group(arguments: Sequence[object]) -> list[str]:
    return [] if arguments[0] == "audit" else ["annotate"]


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    out, err, code = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([*_group(arguments), *map(str, arguments)])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()


def document(command: str, *arguments: object) -> dict[str, Any]:
    """The document of a command, checked against its type."""
    code, out, err = run(*command.split(), *arguments, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    hold_to(" ".join((*_group([command.split()[0]]), command)), found)
    return found
