"""Comparisons, cues and parts of a run, as tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import horsesense as hs
from horsesense.cues.findings import find_cues
from tests.support.calling import lay, toy_lines


def test_a_part_of_a_run_and_a_comparison_as_a_table(tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    toy = lay(tmp_path / "toy.jsonl", *toy_lines())
    one, other = (hs.ask(str(tiny_folders[name]), toy) for name in ("gpt2", "bert"))
    rows = [row for row in one.items() if row["gold"] is not None]
    part = one.only([row["item"] for row in rows[:2]])
    assert part.results()["n"] == [2]
    assert part.results()["accuracy"][0] == pytest.approx(sum(row["credit"] for row in rows[:2]) / 2)
    assert next(iter(part.items()))["scores"] == rows[0]["scores"]
    with pytest.raises(hs.UserError, match="none of these items"):
        one.only(["nobody"])
    compared = one.compare(other)
    (row,) = compared.frame()
    assert row["difference"] == compared.probes[0].differences[0].difference.value
    assert row["low"] <= row["difference"] <= row["high"]
    assert "<table" in compared._repr_html_()


def test_cues_as_a_table_and_a_chart() -> None:
    cues = find_cues("starter", splits=2, rounds=9)
    frame = cues.frame()
    assert len(frame) == len(cues.cues)
    assert frame["accuracy"] == sorted(frame["accuracy"], reverse=True)
    assert repr(cues) == cues.verdict
    assert len(cues.plot(3).to_dict()["layer"]) == 3


def test_an_overview_counts_what_is_there() -> None:
    seen = hs.load_probe("starter").overview(samples=2)
    assert (seen.items, seen.families, len(seen.samples)) == (240, 120, 2)
