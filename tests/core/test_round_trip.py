"""Items written and read again: JSONL, gzipped JSONL and Parquet hold the same."""

from __future__ import annotations

import gzip
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.core import Card, Item, Probe, Source, item_from_dict, read_probe, write_probe
from horsesense.errors import UserError
from tests.support.made_items import items, probes_of_items

ENDINGS = ["jsonl", "jsonl.gz", "parquet"]
ICE = Item(probe="demo", form="choice", text="Is ice cold?", options=("yes", "no"), answer=0)


def kinds(item: Item) -> dict[str, type]:
    """True == 1 == 1.0, so equality alone would not see a facet change its kind."""
    return {name: type(value) for name, value in item.facets.items()}


def through(path: Path, made: list[Item]) -> list[Item]:
    write_probe(path, Probe.of(made, Card(name="demo")))
    return list(read_probe(path).items)


@settings(max_examples=60, deadline=None)
@given(probes_of_items, st.lists(st.sampled_from(ENDINGS), min_size=1, max_size=3))
def test_any_chain_of_formats_gives_the_same_items(made: list[Item], endings: list[str]) -> None:
    found = made
    with tempfile.TemporaryDirectory() as folder:
        for number, ending in enumerate(endings):
            found = through(Path(folder) / f"{number}.{ending}", found)
    assert found == made
    assert [kinds(item) for item in found] == [kinds(item) for item in made]


@given(items())
def test_a_dict_is_plain_json_and_comes_back(item: Item) -> None:
    values = item.to_json()
    assert json.loads(json.dumps(values)) == values
    assert item_from_dict(values) == item


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_items_give_the_same_bytes(ending: str, tmp_path: Path) -> None:
    for name in "ab":
        through(tmp_path / f"{name}.{ending}", [ICE, replace(ICE, text="Is fire cold?")])
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_whole_numbers_among_others_become_numbers_in_parquet(tmp_path: Path) -> None:
    made = [replace(ICE, facets={"hops": 1}), replace(ICE, text="?", facets={"hops": 1.5}), replace(ICE, text="!")]
    assert [item.facets for item in through(tmp_path / "p.parquet", made)] == [{"hops": 1.0}, {"hops": 1.5}, {}]
    assert [kinds(item) for item in through(tmp_path / "p.jsonl", made)] == [{"hops": int}, {"hops": float}, {}]


@pytest.mark.parametrize("mixed", [("one", 1), (True, 1), (True, "yes"), (1.5, False)], ids=str)
def test_parquet_refuses_a_facet_of_several_kinds(mixed: tuple[Any, Any], tmp_path: Path) -> None:
    made = [replace(ICE, text=f"{n}?", facets={"hops": value}) for n, value in enumerate(mixed)]
    assert through(tmp_path / "p.jsonl", made) == made
    with pytest.raises(UserError, match=r"p\.parquet: .* 'hops' .* several kinds"):
        through(tmp_path / "p.parquet", made)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.card.json", "p.jsonl"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "change",
    [
        {"facets": {"hops": float("nan")}},
        {"facets": {"hops": float("inf")}},
        {"facets": {"hops": 2**63}},
        {"facets": {"hops": None}},
        {"groups": {"noun": 3}},
        {"source": Source(line=-1)},
        {"answer": 2},
        {"options": ("yes", " ")},
        {"probe": "no/name"},
    ],
    ids=str,
)
def test_what_could_not_be_read_again_is_not_written(ending: str, change: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"p\.{ending}: item "):
        through(tmp_path / f"p.{ending}", [ICE, replace(ICE, **change)])
    assert list(tmp_path.iterdir()) == []


def test_many_rows_pass_the_batches_of_parquet(tmp_path: Path) -> None:
    made = [replace(ICE, text=f"Is {n} cold?", facets={"hops": n} if n % 3 else {}) for n in range(5001)]
    assert through(tmp_path / "p.parquet", made) == made


def test_a_file_written_by_hand(tmp_path: Path) -> None:
    """A byte-order mark, CRLF, blank lines, no final newline, an id of one's own: all fine."""
    lines = [
        '\ufeff{"id": "q1", "probe": "mine", "form": "cloze", "text": "Ice is ___.", "options": ["cold", "hot"]}',
        "",
        '  {"probe": "mine", "form": "pair", "premise": "p", "text": "h", "options": ["a"], "facets": {}}  ',
        " \t",
        '{"id": "", "probe": "mine", "form": "sentences", "options": ["One\u2028line.", "\\u2028"], "source": {}}',
    ]
    path = tmp_path / "mine.jsonl"
    path.write_bytes("\r\n".join(lines[:4]).encode() + b"\r\n" + lines[4].encode())
    with pytest.raises(UserError, match=r"mine\.jsonl:5: option 1 is empty"):
        read_probe(path)
    path.write_bytes("\r\n".join(lines).replace("\\u2028", "\\u2028x").encode())
    probe = read_probe(path)
    assert [item.source.id for item in probe.items] == ["q1", "", ""]
    assert probe.items[2].options == ("One\u2028line.", "\u2028x")
    assert (probe.card.name, probe.card.items, probe.card.families) == ("mine", 3, 3)


def test_a_packed_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    line = json.dumps(ICE.to_json()).encode()
    (tmp_path / "plain.jsonl.gz").write_bytes(line)
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(line))
    assert read_probe(tmp_path / "plain.jsonl.gz").items == read_probe(tmp_path / "packed.jsonl").items == [ICE]
