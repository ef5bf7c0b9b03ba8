"""Threads: no more than the process may use."""

from __future__ import annotations

import os
from pathlib import Path

from horsesense.models.hf.device import usable_cores


def test_a_quota_counts(tmp_path: Path) -> None:
    most = usable_cores(tmp_path / "none")
    assert most == (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
    quota = tmp_path / "cpu.max"
    for text, wanted in (("max 100000", most), ("50000 100000", 1), ("99900000 100000", most), ("damaged", most)):
        quota.write_text(text)
        assert usable_cores(quota) == wanted
