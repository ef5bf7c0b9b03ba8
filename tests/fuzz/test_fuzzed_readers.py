"""A few inputs of ``make fuzz`` for the readers of files and of releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.short_run import try_some


def test_nothing_but_results_and_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try_some(tmp_path, monkeypatch, "releases", "readers")
