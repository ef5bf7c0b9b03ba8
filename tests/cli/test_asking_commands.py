"""``run --ways`` and ``score`` from files and pipes, as they are called."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

import horsesense as hs
from horsesense.cli import main
from horsesense.core import Card, Item, Probe, write_probe

TEXTS = ["Ice is cold.", "The kettle, she said, is hot."]


@pytest.fixture
def model(tiny_folders: dict[str, Path]) -> str:
    return str(tiny_folders["gpt2"])


def _call(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0)


def test_texts_of_a_file_are_written_as_tables(model: str, tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("\n".join([TEXTS[0], "", TEXTS[1]]) + "\r\n", encoding="utf-8")
    wanted = hs.score(model, TEXTS)
    for ending in ("csv", "jsonl", "parquet"):
        out = tmp_path / f"scores.{ending}"
        assert _call(["score", "-m", model, "--file", str(tmp_path / "texts.txt"), "-o", str(out)]) == 0
    with (tmp_path / "scores.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [row["text"] for row in rows] == TEXTS
    assert [float(row["sum"]) for row in rows] == pytest.approx([text.sum for text in wanted])
    lines = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    assert lines == parquet.read_table(tmp_path / "scores.parquet").to_pylist()
    tokens = tmp_path / "tokens.parquet"
    assert _call(["score", "-m", model, *TEXTS, "-o", str(tokens), "--tokens"]) == 0
    assert parquet.read_table(tokens)["logprob"].to_pylist() == wanted.tokens()["logprob"]


def test_texts_are_piped_in(model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(TEXTS).encode())))
    assert _call(["score", "-m", model, "--json"]) == 0
    assert [text["text"] for text in json.loads(capsys.readouterr().out)["texts"]] == TEXTS


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["a text", "--file", "texts.txt"], "there are texts in the call and a file"),
        (["a text", "--tokens"], "--tokens is for --out"),
        (
            ["a text", "-o", "scores.xlsx"],
            "a table cannot be written as .xlsx; use one of .csv, .json, .jsonl, .parquet",
        ),
        (["--file", "nowhere.txt"], "no such file"),
    ],
)
def test_what_cannot_be_scored_is_told(
    model: str, arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _call(["score", "-m", model, *arguments]) == 2
    assert why in capsys.readouterr().err


def test_prompt_formats_are_shown_with_their_spread(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [
        Item(probe="short", form="choice", text=f"{n}?", options=("ice", "sun"), answer=n % 2, family=str(n))
        for n in range(6)
    ]
    write_probe(tmp_path / "short.jsonl", Probe.of(items, Card(name="short")))
    call = ["run", "-m", f"tiny={model}", "-p", str(tmp_path / "short.jsonl"), "--out", str(tmp_path / "run")]
    assert _call([*call, "--format", "loglikelihood", "--format", "letters", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [(each["model"], each["format"]) for each in printed["results"]] == [
        ("tiny", "loglikelihood"),
        ("tiny", "letters"),
    ]
    assert printed["results"][1]["replies"]["n"] == 12
    (spread,) = printed["spread"]
    values = [each["accuracy"]["value"] for each in printed["results"]]
    assert spread["spread"] == pytest.approx(max(values) - min(values))
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Prompt formats" in page
    assert "--format loglikelihood --format letters" in page
    assert _call([*call, "--format", "loglikelihood", "--format", "letters"]) == 0
    shown = capsys.readouterr()
    assert "by prompt format" in shown.out + shown.err


def test_one_checkpoint_under_two_paths_is_asked_once(model: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(model)
    probe = Probe.of([Item(probe="p", form="choice", text="?", options=("a", "b"), answer=0)], Card(name="p"))
    run = hs.ask([model, tmp_path / "link"], probe, out=tmp_path / "run")
    assert run.models == (model,)
