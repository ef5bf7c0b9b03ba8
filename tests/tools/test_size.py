"""The size of a tree, counted by hand."""

from __future__ import annotations

from pathlib import Path

from tools.size import Size, size_of

FIRST = '''"""A title

of three lines."""

import os
from pathlib import (
    Path,
)
'''
SECOND = '''from dataclasses import dataclass


@dataclass
class One:
    """A class."""

    x: int = 1  # one
    """A field."""


# The second has the same name.
class One:
    pass
'''


def test_a_small_tree(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FIRST)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.py").write_text(SECOND)
    assert size_of(tmp_path) == Size(
        files=2, lines=22, code_lines=10, imports=5, median_file=11, classes=2, dataclasses=1, repeated_class_names=1
    )
