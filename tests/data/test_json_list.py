"""A long JSON list, element by element: what the json module reads, in little memory, and where it is damaged."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.data import json_elements
from horsesense.errors import UserError

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(elements=st.lists(VALUES, max_size=6), chunk=st.sampled_from([1, 7, 64, 1 << 20]), plain=st.booleans())
def test_it_is_what_json_reads(
    tmp_path_factory: pytest.TempPathFactory, elements: list[object], chunk: int, plain: bool
) -> None:
    text = json.dumps(elements, ensure_ascii=plain, indent=1 if plain else None)
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(text, encoding="utf-8")
    read = list(json_elements(path, chunk))
    assert read == json.loads(text)
    assert json.dumps(read) == json.dumps(json.loads(text)), "1 and 1.0 are equal, and not the same"


@pytest.mark.parametrize("damage", ['[{"a": 1}, {"b"', '{"a": 1}', "", '[{"a": 1} x]', '[{"a": 1},]', "[1] x"])
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_a_damaged_list_is_refused(tmp_path: Path, damage: str, chunk: int) -> None:
    (tmp_path / "r.json").write_text(damage)
    with pytest.raises(UserError, match=r"JSON list"):
        list(json_elements(tmp_path / "r.json", chunk))


def test_what_is_whole_comes_before_the_error(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("[1, 2, 3, {")
    elements = json_elements(tmp_path / "r.json")
    assert [next(elements) for _ in range(3)] == [1, 2, 3]
    with pytest.raises(UserError, match=r"r\.json: .* after 3 elements"):
        next(elements)


def test_bytes_that_are_no_text_are_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(b'["a", "\xff"]')
    with pytest.raises(UserError, match="not UTF-8"):
        list(json_elements(tmp_path / "r.json"))


@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_marks_and_packing_change_nothing(tmp_path: Path, chunk: int) -> None:
    path = tmp_path / "r.json"
    for content in (b"\xef\xbb\xbf[1]", gzip.compress(b"  \n [1]\n")):
        path.write_bytes(content)
        assert list(json_elements(path, chunk)) == [1]


def test_memory_stays_flat(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps([{"text": "x" * 1000, "number": number} for number in range(20_000)]))
    tracemalloc.start()
    assert sum(1 for _ in json_elements(path, 1 << 16)) == 20_000
    assert tracemalloc.get_traced_memory()[1] < path.stat().st_size / 20
    tracemalloc.stop()
