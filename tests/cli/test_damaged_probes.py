"""Damage of every kind to a probe's bytes: it is told, or it did no harm."""

from __future__ import annotations

import json
import random
import tempfile
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.cli import main
from horsesense.core import read_probe, write_probe
from tests.support.calling import Call, caller, lay, toy_lines


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def test_no_damage_to_parquet_fails_unexpectedly(tmp_path: Path, call: Call) -> None:
    whole = tmp_path / "whole.parquet"
    lines = [line | {"premise": f"{n} {'x' * 40}"} for n in range(40) for line in toy_lines()]
    write_probe(whole, read_probe(lay(tmp_path / "toy.jsonl", *lines)))
    content, chance = whole.read_bytes(), random.Random(0)
    path = tmp_path / "damaged.parquet"
    codes = []
    for number in range(60):
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 3, 30])):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged[: chance.randrange(len(content))] if number % 4 == 0 else damaged)
        called = call("show", path)
        assert called.code in (0, 2), called.err
        if called.code:
            assert (called.err.startswith(f"horsesense: {path}:"), called.err.count("\n")) == (True, 1)
        codes.append(called.code)
    assert codes.count(2) > 40


@st.composite
def damaged_lines(draw: st.DrawFn) -> bytes:
    """A good probe with a few bytes cut out, put in or changed; or noise."""
    content = bytearray("".join(json.dumps(line) + "\n" for line in toy_lines()).encode())
    if draw(st.integers(0, 4)) == 0:
        content = bytearray(draw(st.binary(max_size=60)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content)))
        new = st.one_of(
            st.binary(max_size=3), st.sampled_from([b'"', b"{", b"[]", b"null", b"-1", b"1e9", b"\n", b"___"])
        )
        content[place : place + draw(st.integers(0, 6))] = draw(new)
    return bytes(content)


@settings(max_examples=80, deadline=None)
@given(damaged_lines())
def test_no_file_makes_show_fail_unexpectedly(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "toy.jsonl"
        path.write_bytes(content)
        path.with_name("toy.card.json").write_text('{"name": "toy"}')
        told = StringIO()
        patch.setattr("sys.stderr", told)
        patch.setattr("sys.stdout", StringIO())
        with pytest.raises(SystemExit) as stop:
            main(["show", str(path)])
    assert stop.value.code in (0, 2), told.getvalue()
    if stop.value.code == 2:
        assert told.getvalue().startswith(f"horsesense: {path}:")
        assert told.getvalue().count("\n") == 1
    else:
        assert told.getvalue() == ""
