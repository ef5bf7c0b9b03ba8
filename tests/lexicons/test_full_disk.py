"""``knowledge add`` where the disk is full: the store is as it was, and the next one is whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.small_disk import python_on_a_disk

PROGRAM = """
import os, sys
os.environ["HORSESENSE_CACHE"] = os.path.join(os.getcwd(), "cache")
from horsesense.errors import UserError
from horsesense.lexicons.graph import add_source, build_graph, list_sources, load_graph, source_path
from horsesense.lexicons.triples import Origin, Triple
facts = [Triple("isa", f"thing {n}", f"thing {n + 1}") for n in range(60)] + [Triple("definition", "thing 60", "x")]
try:
    add_source(build_graph(Origin("toy", "1", "none", "f"), facts))
    print("added")
except UserError as error:
    print("told:", error)
print([(each.name, len(load_graph(each.name))) for each in list_sources()])
print(sorted(path.name for path in source_path("toy").parent.iterdir() if path.name != ".lock"))
"""


@pytest.mark.parametrize("size", [64, 300, 400, 600, 800, 1000, 1200, 1500, 2000, 8000])
def test_a_disk_that_is_full(size: int, tmp_path: Path) -> None:
    done = python_on_a_disk(PROGRAM, tmp_path, f"size={size}k")
    assert done.returncode == 0, done.stderr
    first, held, lying = done.stdout.splitlines()
    if first == "added":
        assert (held, lying) == ("[('toy', 61)]", "['SHA256SUMS', 'toy.arrow']")
    else:
        assert first.startswith("told: ")
        assert "full" in first
        assert held == "[]"
        assert "arrow" not in lying
