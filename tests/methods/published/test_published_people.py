"""Published human figures beside released sets, held against the papers' own tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from horsesense.core import Item
from horsesense.methods.published import published_people, read_files

CATS = ("ca", "wsc", "sm", "smr", "swag", "hella_swag", "arct_1", "arct_2")


def asked(**facets: str) -> list[Item]:
    return [Item("made", "sentences", options=("a", "b"), answer=0, facets=dict(facets))]


def printed(shared: Path, paper: str, row: str) -> re.Match[str]:
    text = (shared / "papers" / f"{paper}.txt").read_text(encoding="utf-8")
    match = re.search(row, text, re.MULTILINE)
    assert match is not None
    return match


def test_an_import_carries_the_figures_of_its_own_parts(tmp_path: Path) -> None:
    file = tmp_path / "ca.txt"
    file.write_text("0\x01Ice is cold.\x01Ice is hot.\n", encoding="utf-8")
    (figure,) = read_files("cats", [file]).card.human
    assert (figure.part, figure.kind) == ("task=ca", "")
    assert "table 3" in figure.source


def test_cats_as_in_its_table(shared: Path) -> None:
    row = printed(shared, "cats", r"^HUMAN ([\d. ]+)$")
    figures = [published_people("cats", asked(task=task))[0].value for task in CATS]
    assert figures == [float(value) for value in row[1].split()[:8]]


def test_wordnetqa_as_in_its_table(shared: Path) -> None:
    row = printed(shared, "wordnetqa", r"^Human Performance \(estimates\) (.*)$")
    estimates = [(float(value) / 100, bool(mark)) for value, mark in re.findall(r"/ ([\d.]+)%(†?)", row[1])]
    tasks = ("definitions", "synonymy", "hypernymy", "hyponymy", "dictionary")
    figures = [published_people("mcqa", asked(task=task))[0] for task in tasks]
    assert [figure.value for figure in figures] == pytest.approx([value for value, _ in estimates])
    assert [figure.kind.startswith("filtered") for figure in figures] == [filtered for _, filtered in estimates]


def test_winoventi_and_parts_as_in_their_tables(shared: Path) -> None:
    values = [published_people("winoventi", asked(test=test))[0].value for test in ("generic", "exception")]
    row = printed(shared, "winoventi", r"^Human performance ([\d.]+) ([\d.]+)")
    assert [100 * value for value in values] == pytest.approx([float(row[1]), float(row[2])])
    row = printed(shared, "partwhole", r"^Human performance\s+([\d.]+)")
    assert published_people("partwhole", asked(split="test"))[0].value == float(row[1])
    assert published_people("partwhole", asked(split="dev")) == ()
