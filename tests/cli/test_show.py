"""``horsesense show`` as people see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import Item, read_probe
from tests.support.calling import Call, caller, item, lay, toy_lines

ODD = ["[bold]not bold[/bold]", "[/]", ":smile: :warning:", "{{ 7 * 7 }}", "back\\slash\\", "100 % sure\u2028?"]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def odd_line() -> dict[str, Any]:
    """An item whose every text means something to somebody: a markup, a template, a terminal."""
    return item(
        form="choice",
        text=" ".join(ODD),
        premise=ODD[0],
        options=ODD,
        concepts=ODD,
        family=ODD[1],
        member=ODD[2],
        groups={ODD[0]: ODD[1]},
        facets={ODD[1]: ODD[2], "[red]": "[/red]"},
        source={"file": ODD[0], "id": ODD[2], "licence": ODD[3]},
    )


def test_texts_are_printed_as_they_are(tmp_path: Path, call: Call) -> None:
    path = lay(tmp_path / "odd.jsonl", odd_line())
    called = call("show", path)
    assert (called.code, called.err) == (0, "")
    for text in (*ODD, "[red]", "[/red] 1"):
        assert text in called.out
    (only,) = read_probe(path).items
    called = call("show", path, only.id)
    assert (called.code, called.err) == (0, "")
    for number, text in enumerate(ODD):
        assert f"  {'✓' if number == 0 else ' '} {number}  {text}\n" in called.out


def test_the_summary(tmp_path: Path, call: Call) -> None:
    path = lay(tmp_path / "toy.jsonl", *toy_lines(), toy_lines()[0])
    (tmp_path / "toy.card.json").write_text(
        json.dumps({"name": "Toy", "made": "by hand", "licence": "CC0-1.0", "notes": {"odd lines": 1200}})
    )
    out = call("show", path, "--samples", 1).out
    lines = [line for line in out.splitlines() if line]
    assert lines[:7] == [
        "Toy  5 items in 4 families",
        "made     by hand",
        "licence  CC0-1.0",
        "forms    cloze 2  choice 1  sentences 1  pair 1",
        "options  2 per item: 4  3 per item: 1",
        "gold     option 0: 3  option 1: 1  none: 1",
        "groups   noun 1",
    ]
    assert lines[7] == "notes    odd lines 1,200  repeated items 1"
    assert [line.split() for line in lines[8:13]] == [
        ["facet", "values", "counts"],
        ["asked", "1", "True", "2"],
        ["hops", "2", "1", "1", "2", "1"],
        ["task", "1", "physical", "2"],
        ["zipf", "1", "4.5", "2"],
    ]
    assert lines[13].startswith("toy-")


def test_a_facet_with_many_values_is_summed_up(tmp_path: Path, call: Call) -> None:
    lines = [item(premise=str(n), facets={"number": n if n % 2 else str(n)}) for n in range(40)]
    lines += [item(premise=f"again {n}", facets={"number": "7"}) for n in range(3)]
    path = lay(tmp_path / "toy.jsonl", *lines)
    found = json.loads(call("show", path, "--json").out)["facets"]["number"]
    assert (found["values"], len(found["counts"])) == (40, 12)
    assert found["counts"]["7"] == 4, "the number 7 and the text '7' look alike, so they are counted together"
    assert "  …\n" in call("show", path).out


def test_samples_are_drawn_by_seed(tmp_path: Path, call: Call) -> None:
    path = lay(tmp_path / "toy.jsonl", *(item(premise=str(n)) for n in range(50)))
    drawn = [call("show", path, "--seed", seed, "--samples", 5).out for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    premises = [sample["premise"] for sample in json.loads(call("show", path, "--json", "--samples", 5).out)["samples"]]
    assert len(set(premises)) == 5
    assert premises == sorted(premises, key=int), "in the order of the file"


def test_an_item_by_any_of_its_names(tmp_path: Path, call: Call) -> None:
    lines = [item(probe="my-probe", premise=str(n), id=f"q{n}") for n in range(1, 12)]
    path = lay(tmp_path / "toy.jsonl", *lines)
    items = read_probe(path).items

    def found(name: str) -> Item:
        called = call("show", path, name, "--json")
        assert called.code == 0, called.err
        return next(i for i in items if i.id == json.loads(called.out)["item"]["id"])

    wanted = items[1]
    digits = wanted.id.rpartition("-")[2]
    assert [found(name) for name in (wanted.id, wanted.id[:-3], digits, digits[:9], "q2")] == [wanted] * 5
    assert found("q1") == items[0], "a whole name goes before the start of q10 and q11"
    called = call("show", path, "q")
    assert (called.code, called.err) == (
        2,
        f"horsesense: {path}: 11 items are called 'q'; use an id, such as {items[0].id}\n",
    )


def test_one_item_in_all_its_forms(tmp_path: Path, call: Call) -> None:
    path = lay(tmp_path / "toy.jsonl", item(family="ice", facets={"hops": 1}, source={"line": 3}))
    (only,) = read_probe(path).items
    assert (
        call("show", path, only.id).out
        == f"""\
{only.id}
  The ice is ___.
  ✓ 0  cold
    1  hot
  family    ice
  facets    hops=1
  source    line=3

as sentences
  ✓ 0  The ice is cold.
    1  The ice is hot.

as choice
  The ice is
  ✓ 0  cold
    1  hot
"""
    )


def shown(path: Path, **streams: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "horsesense", "show", str(path), "--samples", "5000"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **streams)


def test_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    path = lay(tmp_path / "toy.jsonl", *(item(premise=str(n) * 50) for n in range(5000)))
    with shown(path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"toy  5,000 items")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_behind_standard_output(tmp_path: Path) -> None:
    path = lay(tmp_path / "toy.jsonl", item())
    with Path("/dev/full").open("wb") as full, shown(path, stdout=full) as process:
        assert process.stderr is not None
        told = process.stderr.read().decode()
    assert told == (
        "horsesense: standard output: No space left on device; free some space and run the same command again\n"
    )
    assert process.returncode == 2


def test_a_terminal_that_knows_only_ascii(tmp_path: Path) -> None:
    path = lay(tmp_path / "toy.jsonl", item(premise="Zoë"))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with shown(path, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert b"Zo\\xeb" in process.stdout.read()
    assert process.returncode == 0
