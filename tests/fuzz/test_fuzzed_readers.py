"""Half a minute of ``make fuzz`` for the readers of files and of releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.short_run import half_a_minute


def test_nothing_but_results_and_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    half_a_minute(tmp_path, monkeypatch, "releases", "readers")
