"""Guides and concept pages stay short enough to be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.docs.blocks import DOCS
from tools.docs.words import LIMITS, prose

PAGES = [path for folder in LIMITS for path in sorted((DOCS / folder).glob("*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_short_enough_to_be_read(path: Path) -> None:
    words = prose(path.read_text(encoding="utf-8"), tables=True)
    assert words <= LIMITS[path.parent.name], f"{path.name} has {words} words: split it, or move details elsewhere"
