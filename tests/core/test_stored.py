"""Many items and texts, held outside of Python's objects: the same as lists of them."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.core import Card, Item, Probe, read_probe, write_probe
from horsesense.core import probe as probe_module
from horsesense.core.arrow import Texts, places_in
from horsesense.core.item_file import StoredItems, Subset, ids_of, units_of
from horsesense.errors import UserError
from tests.support import ROOT

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def made(count: int) -> list[Item]:
    return [
        Item(
            probe="made",
            form="choice",
            text=f"What is {n}? \u00e9\u2028\n{'long ' * (n % 7)}",
            options=("this", "that"),
            answer=n % 2,
            family="" if n % 3 else f"f{n // 6}",
            facets={"hops": n, "true": n % 2 == 0},
        )
        for n in range(count)
    ]


@given(st.lists(TEXT), st.integers(1, 4))
def test_texts_are_a_list_of_them(texts: list[str], chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("horsesense.core.arrow._CHUNK", chunk)
        stored = Texts()
        for text in texts:
            stored.append(text)
        assert list(stored) == texts
        assert stored == texts
        assert stored != [*texts, "more"]
        assert [stored[place] for place in range(-len(texts), len(texts))] == texts + texts
        assert [stored[1:], stored[::-2]] == [texts[1:], texts[::-2]]
        assert stored.column.to_pylist() == texts
        with pytest.raises(IndexError):
            stored[len(texts)]


@given(st.lists(TEXT, unique=True), st.lists(TEXT))
def test_places_are_those_of_index(names: list[str], wanted: list[str]) -> None:
    stored = Texts()
    for name in names:
        stored.append(name)
    import pyarrow as pa

    columns = [pa.chunked_array([wanted, names], pa.string())]
    places = [names.index(text) if text in names else -1 for text in wanted] + list(range(len(names)))
    assert places_in(stored, columns).tolist() == places_in(names, columns).tolist() == places


def test_stored_items_are_the_items() -> None:
    items = made(60)
    stored = StoredItems(items[:50])
    assert [stored[49], stored[3]] == [items[49], items[3]], "looked at while it grows"
    for item in items[50:]:
        stored.append(item)
    assert list(stored) == items
    assert [stored[place] for place in range(-60, 60)] == items + items
    assert stored[5:40:7] == items[5:40:7]
    assert (ids_of(stored), units_of(stored)) == ([item.id for item in items], [item.unit() for item in items])
    some = Subset(stored, [7, 0, 59])
    assert (list(some), ids_of(some)) == ([items[7], items[0], items[59]], [items[n].id for n in (7, 0, 59)])
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(stored.__getitem__, [*range(60)] * 5)) == items * 5


def test_they_are_pickled_as_a_list_of_items_is() -> None:
    items = made(5)
    assert list(pickle.loads(pickle.dumps(StoredItems(items)))) == items


def test_nothing_is_left_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    stored = StoredItems(made(5))
    assert len(stored) == 5
    assert not list(tmp_path.iterdir()), "it has no name, so that a process that is killed leaves none"


def test_no_room_for_the_file_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(UserError, match="/nowhere/at/all"):
        StoredItems()


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet"])
@pytest.mark.parametrize("many", [500, 2_000])
def test_a_large_file_is_known_before_it_is_read(
    ending: str, many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a thousand items, where 500 are many, none is held as an object; where 2,000 are, all are."""
    items, path = made(1_000), tmp_path / f"probe.{ending}"
    write_probe(path, Probe.of(items, Card(name="made")))
    for name, value in {"MANY": many, "_LEAST": 1, "_LEAST_PACKED": 1, "_LOOKED_AT": 200}.items():
        monkeypatch.setattr(f"horsesense.core.probe.{name}", value)
    assert (probe_module._expected(path) >= many) == (many == 500)
    found = read_probe(path)
    assert isinstance(found.items, StoredItems) == (many == 500)
    assert list(found.items) == items


def test_a_damaged_parquet_file_is_told_by_who_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "probe.parquet"
    path.write_bytes(b"PAR1 and no more" * 10)
    monkeypatch.setattr("horsesense.core.probe._LEAST_PACKED", 1)
    with pytest.raises(UserError, match="not a Parquet file"):
        read_probe(path)


FULL = """
import resource
from horsesense.errors import UserError
from horsesense.core.item_file import StoredItems
from tests.core.test_stored import made

resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))  # as a disk that is full: a file takes no more
try:
    StoredItems(made(2_000))
except UserError as error:
    print(error)
"""


def test_a_disk_that_is_full_is_one_sentence_to_the_end() -> None:
    """Also when the process ends and closes the file, of which a part was never written."""
    done = subprocess.run([sys.executable, "-c", FULL], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 1
    assert tempfile.gettempdir() in done.stdout
    assert done.stderr == ""
