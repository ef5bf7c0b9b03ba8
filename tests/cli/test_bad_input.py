"""Probes that are wrong, and calls that are: one sentence that says where, exit code 2, nothing written.

Bad models and bad run folders have files of their own.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from horsesense.cli import main
from tests.support.calling import Call, caller, item, lay, names, toy_lines

GOOD = item(text="The fire is ___.")


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return lay(tmp_path / "toy.jsonl", *toy_lines())


LINES: list[tuple[dict[str, Any] | str | bytes, str]] = [
    # not an object of JSON
    ("{", "2: the line is not JSON"),
    ('{"probe": "toy",}', "2: the line is not JSON"),
    ("not json at all", "2: the line is not JSON"),
    (json.dumps(item()) + json.dumps(item()), "2: the line is not JSON"),
    ('{"probe": "a\\ud800"}', "2: the line is not JSON"),
    ("[" * 3000, "2: the line is not JSON"),
    (json.dumps(item(facets={"hops": 1})).replace("1}", "NaN}"), "2: the line is not JSON"),
    (json.dumps(item(facets={"hops": 1})).replace("1}", "1e999}"), "2: the line is not JSON"),
    ("[]", "2: the line is not a JSON object"),
    ("3", "2: the line is not a JSON object"),
    ("null", "2: the line is not a JSON object"),
    (b'{"probe": "caf\xe9"}', "2: byte 0xe9 is not UTF-8"),
    # fields
    ({}, "2: the field 'probe' is missing"),
    (item(form=...), "2: the field 'form' is missing"),
    (item(options=...), "2: the field 'options' is missing"),
    (item(option=["a"]), "2: the field 'option' is unknown"),
    (item(probe=7), "2: the field 'probe' is not text"),
    (item(text=None), "2: the field 'text' is not text"),
    (item(premise=["It is winter."]), "2: the field 'premise' is not text"),
    (item(family=3), "2: the field 'family' is not text"),
    (item(id=3), "2: the field 'id' is not text"),
    (item(id=None), "2: the field 'id' is not text"),
    (item(options="cold"), "2: the field 'options' is not a list of texts"),
    (item(options=["cold", 0]), "2: the field 'options' is not a list of texts"),
    (item(options={"a": "cold"}), "2: the field 'options' is not a list of texts"),
    (item(concepts=[["a"], "b"]), "2: the field 'concepts' is not a list of texts"),
    (item(ordered="yes"), "2: the field 'ordered' is neither true nor false"),
    (item(groups=["ice"]), "2: the field 'groups' is not an object"),
    (item(groups={"noun": 3}), "2: groups.noun has the value 3"),
    (item(groups={"a\nb": 3}), "2: groups.a\\nb has the value 3"),
    (item(facets="hops"), "2: the field 'facets' is not an object"),
    (item(facets={"hops": None}), "2: facets.hops has the value None"),
    (item(facets={"hops": [1]}), "2: facets.hops has the value [1]"),
    (item(facets={"hops": 2**63}), "2: facets.hops has the value 9223372036854775808"),
    (item(source="here"), "2: the field 'source' is not an object"),
    (item(source={"page": 3}), "2: source.page is unknown"),
    (item(source={"line": "3"}), "2: source.line has the wrong type"),
    (item(source={"line": True}), "2: source.line has the wrong type"),
    (item(source={"line": -3}), "2: source.line is -3"),
    (item(source={"triples": [["isa", "ice"]]}), "2: source.triples has an entry that is not three texts"),
    # the question itself
    (item(probe="my probe"), "2: the probe name 'my probe' is not usable"),
    (item(probe="../toy"), "2: the probe name '../toy' is not usable"),
    (item(probe=""), "2: the probe name '' is not usable"),
    (item(form="clozed"), "2: the form 'clozed' is unknown; use one of cloze, sentences, choice, pair"),
    (item(form=""), "2: the form '' is unknown"),
    (item(text="Ice is cold."), "2: a cloze needs exactly one blank '___' and this one has 0"),
    (item(text="___ is ___."), "2: a cloze needs exactly one blank '___' and this one has 2"),
    (item(text="Ice is _____."), "2: a blank is written '___', not '_____'"),
    (item(text=...), "2: a cloze needs exactly one blank '___' and this one has 0"),
    (item(form="sentences"), "2: an item of the form 'sentences' has no text of its own"),
    (item(form="choice", text=" "), "2: an item of the form 'choice' needs a text"),
    (item(form="pair"), "2: an item of the form 'pair' needs a premise"),
    (item(options=[]), "2: the item has no options"),
    (item(options=["cold", "\u2003"]), "2: option 1 is empty"),
    (item(concepts=["ice.n.01"]), "2: there are 1 concepts for 2 options"),
    (item(answer=2), "2: the answer 2 is out of range; there are 2 options, so use 0 to 1"),
    (item(answer=-1), "2: the answer -1 is out of range"),
    (item(answer="0"), "2: the answer '0' is not a whole number"),
    (item(answer=0.0), "2: the answer 0.0 is not a whole number"),
    (item(answer=True), "2: the answer True is not a whole number"),
    (item(answer=10**30), "2: the answer 1e+30 is not a whole number"),
    # against another line
    (GOOD | {"facets": {"hops": 2}}, "is already in line 1, with other facets or groups"),
    (item(id="q1"), "2: the id 'q1' is already in line 1, with other content"),
    (item(id="toy-0123456789abcdef"), "2: the id toy-0123456789abcdef was made from other content"),
]


@pytest.mark.parametrize(("line", "told"), LINES, ids=[f"{n}-{told[:40]}" for n, (_, told) in enumerate(LINES)])
def test_a_bad_line(line: dict[str, Any] | str | bytes, told: str, tmp_path: Path, call: Call) -> None:
    path = lay(tmp_path / "toy.jsonl", GOOD | {"id": "q1"}, line, item(text="Snow is ___."))
    called = call("show", path, "--json")
    assert (called.code, called.out) == (2, "")
    assert called.err.startswith(f"horsesense: {path}:2: ")
    assert told in called.err
    assert called.err.count("\n") == 1
    assert set(names(tmp_path)) <= {"toy.jsonl", "toy.card.json"}, "nothing was written"


@pytest.mark.parametrize("command", ["show", "run"])
def test_bad_files(command: str, tmp_path: Path, call: Call) -> None:
    good = json.dumps(GOOD).encode()
    contents = {
        "empty.jsonl": b"",
        "blank.jsonl": b"\n \n\t\r\n",
        "list.json": b"[" + good + b",\n" + good + b"]",
        "wide.jsonl": good.decode().encode("utf-16"),
        "cut.jsonl.gz": gzip.compress(good * 99)[:-20],
        "flipped.jsonl.gz": gzip.compress(good)[:-8] + b"\0" * 8,
        "zip.jsonl": b"PK\x03\x04" + good,
        "empty.parquet": b"",
        "text.parquet": good,
        "toy.csv": b"text,option\n",
        "noending": good,
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "folder.parquet").mkdir()
    before = names(tmp_path)
    told = {
        "empty.jsonl": ": the probe is empty; give a file with at least one item",
        "blank.jsonl": ": the probe is empty",
        "list.json": ":1: the line is not JSON",
        "wide.jsonl": ":1: byte 0xff is not UTF-8",
        "cut.jsonl.gz": ": the gzipped file is damaged",
        "flipped.jsonl.gz": ": the gzipped file is damaged",
        "zip.jsonl": ":1: the line is not JSON",
        "empty.parquet": ": this is not a Parquet file, or it is damaged",
        "text.parquet": ": this is not a Parquet file, or it is damaged",
        "toy.csv": ": the ending of the name is unknown; use .jsonl, .jsonl.gz or .parquet, or import the table first: "
        f"horsesense import table {tmp_path / 'toy.csv'}",
        "noending": ": the ending of the name is unknown",
        "folder.jsonl": ": this is a folder, not a file",
        "folder.parquet": ": this is a folder, not a file",
        "none.jsonl": ": no such file or folder",
        "none.parquet": ": no such file or folder",
        "none.csv": ": no such file or folder",
        "noending/toy.jsonl": ": a part of the path is a file, not a folder",
    }
    if command == "show":  # which takes run folders too
        told |= dict.fromkeys(("folder.jsonl", "folder.parquet"), ": this is not a run folder (it has no manifest")
    for name, problem in told.items():
        path = tmp_path / name
        words = [path] if command == "show" else ["-m", "any", "-p", path, "--out", tmp_path / "out"]
        called = call(command, *words)
        assert (called.code, called.out) == (2, "")
        assert called.err.startswith(f"horsesense: {path}{problem}")
        assert called.err.count("\n") == 1
    assert names(tmp_path) == before


CALLS: list[tuple[list[str], str]] = [
    (["shw"], "no such command 'shw'. Did you mean 'show'?; see: horsesense --help"),
    (["--colour", "show"], "no such option '--colour'; see: horsesense --help"),
    (["show"], "missing argument 'WHAT'; see: horsesense show --help"),
    (
        ["show", "nothere"],
        "there is no file and no probe called 'nothere'; give a file (.jsonl, .jsonl.gz or .parquet), or",
    ),
    (
        ["run", "-m", "any", "-p", "nothere", "--out", "out"],
        "there is no file and no probe called 'nothere'; give a file",
    ),
    (["show", "toy.jsonl", "a", "b"], "got unexpected extra argument (b); see: horsesense show --help"),
    (["show", "toy.jsonl", "--samples", "-1"], "invalid value for '--samples'"),
    (["show", "toy.jsonl", "--seed", "one"], "invalid value for '--seed'"),
    (["show", "toy.jsonl", "toy-zz"], "toy.jsonl: there is no item 'toy-zz'"),
    (["show", "toy.jsonl", "toy-"], "toy.jsonl: 5 items are called 'toy-'; use an id, such as toy-"),
    (["show", "toy.jsonl", ""], "toy.jsonl: 5 items are called ''"),
    (["run"], "no model is named; add --model NAME"),
    (["run", "-m"], "option '-m' requires an argument"),
    (["run", "-m", "any", "-p", "toy.jsonl", "--limit", "ten"], "invalid value for '--limit'"),
    (["run", "-m", "any", "-p", "toy.jsonl", "--batch-tokens", "0"], "invalid value for '--batch-tokens'"),
    (["run", "-m", "any", "-p", "toy.jsonl", "--limit", "0"], "invalid value for '--limit'"),
    (["run", "-m", "any", "-p", "toy.jsonl", "--limit", "-3"], "invalid value for '--limit'"),
    (["run", "-m", "any", "-p", "toy.jsonl", "-p", "./toy.jsonl"], "toy.jsonl: two probes are called 'toy'"),
    (["run", "-m", "any", "-p", "toy.jsonl", "--spec", "paper:cat"], "did you mean 'paper:cats'?"),
    (
        ["run", "-m", "any", "-p", "toy.jsonl", "--spec", "pll=words"],
        "pll=words is unknown; use one of word-l2r, token",
    ),
    (["run", "-m", "any", "-p", "toy.jsonl", "--spec", "read_offset=--1"], "read_offset=--1 is not a whole number"),
    (["run", "-m", "any", "-p", "toy.jsonl", "--dtype", "int7"], "invalid value for '--dtype'"),
    (["run", "-m", "any", "-p", "toy.jsonl", "--normalise", "perplexity"], "invalid value for '--normalise'"),
    (["run", "-m", "any", "-p", "toy.jsonl", "--out", "toy.jsonl"], "toy.jsonl: a file of that name is in the way"),
    (["run", "-m", "any", "-p", "toy.jsonl", "--out", "toy.jsonl/out"], "toy.jsonl/out: a part of the path is a file"),
    (["run", "-m", "./none", "-p", "toy.jsonl", "--out", "/proc/none"], "/proc/none: "),
    (["score", "It rained."], "missing option '-m' / '--model'"),
    (["score", "-m", "any", " "], "a text is empty"),
    (["score", "-m", "any", "a", "--against", ""], "a text is empty"),
    (["score", "-m", "any", "caf\udce9"], "the text 'caf\\udce9' is not UTF-8"),
    (["score", "-m", "any", "a", "--pll", "words"], "invalid value for '--pll'"),
    (
        ["score", "-m", "any", "a", "--pll", "token", "--spec", "case=lower,pll=word-l2r"],
        "--pll is token, and --spec has pll=word-l2r; choose one of the two",
    ),
    *(
        ([*words.split(), "9" * 12], f"invalid value for '{words.split()[-1]}'")
        for words in (
            "cues toy.jsonl --rounds",
            "cues toy.jsonl --splits",
            "saliency [a] -m any --steps",
            "saliency [a] -m any --draws",
            "baseline toy.jsonl --seeds",
            "train -m any --train toy.jsonl --out x --seeds",
        )
    ),
    *(
        (words.split(), f"invalid value for '{words.split()[-2]}'")
        for words in (
            "train -m any --train toy.jsonl --out x --lr 0",
            "train -m any --train toy.jsonl --out x --epochs 0",
            "annotate export toy.jsonl -o x --round 0",
            "annotate export toy.jsonl -o x --min-votes 0",
            "partwhole check toy.jsonl --most 0",
            "compare toy.jsonl --items -1",
        )
    ),
    (["report"], "no run is given"),
    (["report", "none"], "none: this is not a run folder"),
    (["report", "toy.jsonl"], "toy.jsonl: this is not a run folder"),
    (["partwhole", "recast", "toy.jsonl", "-o", "p.jsonl"], "missing option '--labels'; choose from five, three, "),
    (["import", "cats"], "missing option '-o' / '--out'"),
    (["import", "catz", "toy.jsonl", "-o", "p.jsonl"], "there is no release 'catz'; did you mean 'cats'?"),
    (["fetch", "smolm2"], "did you mean 'smollm2'?"),
]


@pytest.mark.parametrize(("arguments", "told"), CALLS, ids=[ascii(" ".join(words)) for words, _ in CALLS])
def test_a_bad_call(arguments: list[str], told: str, toy: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(toy.parent)
    called = call(*arguments)
    assert called.err.startswith("horsesense: ")
    assert told in called.err
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert names(toy.parent) == ["toy.card.json", "toy.jsonl"]


def test_a_command_alone_shows_help(call: Call) -> None:
    called = call()
    assert (called.code, called.out) == (2, "")
    assert "horsesense [OPTIONS] COMMAND" in called.err
    assert "\n  show " in called.err


def test_a_bad_card_is_told_before_asking(toy: Path, call: Call) -> None:
    card = toy.parent / "toy.card.json"
    card.write_text('{"name": "toy", "normalise": "perplexity"}')
    called = call("run", "-m", "any", "-p", toy, "--out", toy.parent / "out")
    assert called.err.startswith(f"horsesense: {card}: the normalisation 'perplexity' is unknown")
    assert (called.code, called.err.count("\n")) == (2, 1)
    card.write_text('{"name": "toy", "seed": [1]}')
    assert call("show", toy).err == (
        f"horsesense: {card}: the card's field 'seed' has the wrong type; repair or remove it\n"
    )
    assert names(toy.parent) == ["toy.card.json", "toy.jsonl"]


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    from horsesense.errors import UserError

    with pytest.raises(UserError, match="no such file"):
        main(["show", str(tmp_path / "none.jsonl"), "--debug"])
