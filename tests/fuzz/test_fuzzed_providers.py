"""A few inputs of ``make fuzz`` for the replies of every kind of API."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.short_run import try_some

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


def test_nothing_but_results_and_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try_some(tmp_path, monkeypatch, "providers")
