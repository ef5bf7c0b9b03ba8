"""``FILE:SPLIT`` is one split of a probe, wherever a probe is named."""

from __future__ import annotations

from pathlib import Path

import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe, probe_name, read_probe, write_probe
from horsesense.cues.findings import find_cues
from horsesense.errors import UserError


def item(number: int, split: str) -> Item:
    facets = {"split": split} if split else {}
    return Item(
        probe="made",
        form="cloze",
        text=f"{number} is ___.",
        options=("odd", "even"),
        answer=1 - number % 2,
        facets=facets,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    items = [item(number, ("train", "dev", "test")[number % 3]) for number in range(9)]
    write_probe(tmp_path / "made.jsonl", Probe.of(items, Card(name="made", normalise="sum")))
    return tmp_path / "made.jsonl"


def test_a_split_is_a_probe_of_its_own(file: Path) -> None:
    probe = read_probe(f"{file}:test")
    assert [each.text for each in probe.items] == ["2 is ___.", "5 is ___.", "8 is ___."]
    assert (probe.card.items, probe.card.normalise) == (3, "sum")
    assert len(read_probe(file).items) == 9


def test_it_is_taken_wherever_a_probe_is_named(file: Path) -> None:
    assert find_cues(f"{file}:dev").n == 3
    assert hs.load_probe(f"{file}:train").card.items == 3
    assert probe_name(Path(f"{file}:train")) == "made-train"


def test_a_split_that_is_not_there(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"made.jsonl: .* 'tets'; did you mean 'test'"):
        read_probe(f"{file}:tets")
    write_probe(tmp_path / "bare.jsonl", Probe.of([item(1, "")], Card(name="made")))
    with pytest.raises(UserError, match="no item says which split"):
        read_probe(f"{tmp_path / 'bare.jsonl'}:test")
    with pytest.raises(UserError, match=r"none\.jsonl"):
        read_probe(tmp_path / "none.jsonl:test")


def test_a_file_that_is_called_so_is_a_file(file: Path) -> None:
    odd = file.with_name("made.jsonl:test.jsonl")
    odd.write_bytes(file.read_bytes())
    assert len(read_probe(odd).items) == 9
    assert probe_name(odd) == "made.jsonl:test"
