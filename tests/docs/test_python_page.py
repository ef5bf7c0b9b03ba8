"""The page about Python: its code runs as it stands, with a tiny model in place of the bundled one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT

PAGE = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(
    tiny_folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    for block in blocks:
        exec(block.replace('"smollm2"', repr(str(tiny_folders["gpt2"]))), names)
    assert (tmp_path / "page.html").is_file()
    assert names["run"].results()["n"] == [20]
