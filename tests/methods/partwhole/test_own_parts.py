"""Parts and wholes of our own: every row asks for either part, and nothing but the question tells which."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.cues import measure_cues
from horsesense.errors import UserError
from horsesense.methods.partwhole.own_probe import own_probe, read_rows


def test_each_part_of_a_row_is_right_once() -> None:
    families = defaultdict(list)
    for item in own_probe().items:
        families[item.family].append(item)
    assert len(families) == 264
    for first, second in families.values():
        assert first.options == second.options
        assert {first.answer, second.answer} == {0, 1}


def test_the_place_of_the_right_part_tells_nothing_of_the_member() -> None:
    places = Counter((item.member, item.answer) for item in own_probe().items)
    assert all(100 <= count <= 164 for count in places.values()), places


def test_no_cue_answers_it() -> None:
    found = measure_cues(own_probe().items, "whole", rounds=19, splits=4)
    assert found.searched.low <= 0.5


def test_the_probe_has_its_reading_and_says_that_no_person_has_judged_it() -> None:
    probe = hs.load_probe("partwhole-own")
    quality = probe.card.label_quality
    assert "have not been audited" in probe.card.made if quality is None else quality.auditor.is_model
    assert {item.facets["status"] for item in probe.items} == {"written by a language model, no person"}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("axe\tsharp\tedge\tedge", "two different parts"),
        ("axe\tsharp\t\thandle", "two different parts"),
        ("car\tred\troof\ttyre", "is in line 2"),
    ],
)
def test_a_bad_row_is_told_with_its_line(row: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "parts.tsv"
    path.write_text(f"whole\tadjective\thas\tlacks\ncar\tred\tbonnet\ttyre\n{row}\n", encoding="utf-8")
    with pytest.raises(UserError, match=told) as error:
        read_rows(path)
    assert error.value.line == 3
