"""A gate: not worse, worse, inconclusive; its exit codes, its summary and its XML."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import horsesense as hs
from tests.support.calling import caller, hold_to
from tests.support.made_run import made_items, make_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder, items = tmp_path_factory.mktemp("gate"), made_items(150)
    shares = {"good": 0.95, "same": 0.95, "bad": 0.5}
    made = {name: make_run(folder / name, {name: share}, items) for name, share in shares.items()}
    made["few"] = make_run(folder / "few", {"few": 0.9}, items[:20])
    return made


@pytest.mark.parametrize(
    ("new", "against", "margin", "verdict", "code"),
    [
        ("good", "bad", 0.02, "not worse", 0),
        ("bad", "good", 0.02, "worse", 3),
        ("same", "good", 0.2, "not worse", 0),
        ("few", "good", 0.02, "inconclusive", 4),
    ],
)
def test_verdicts_and_exit_codes(
    runs: dict[str, Path],
    new: str,
    against: str,
    margin: float,
    verdict: str,
    code: int,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    words = [
        "check-regression",
        runs[new],
        "--against",
        runs[against],
        "--margin",
        margin,
        "--junit",
        tmp_path / "j.xml",
        "--json",
    ]
    called = caller(capfd)(*words, "--summary", tmp_path / "s.md")
    assert called.code == code
    document = json.loads(called.out)
    hold_to("check-regression", document)
    (check,) = document["checks"]
    low, high = check["difference"]["ci"]
    assert document["verdict"] == check["verdict"] == verdict
    assert (low >= -margin, high < -margin) == (verdict == "not worse", verdict == "worse"), "read off the interval"
    suite = ElementTree.fromstring((tmp_path / "j.xml").read_text())
    kinds = [child.tag for case in suite for child in case]
    assert kinds == {"not worse": [], "worse": ["failure"], "inconclusive": ["skipped"]}[verdict]
    assert f"check-regression: {verdict}" in (tmp_path / "s.md").read_text()


def test_an_inconclusive_gate_says_how_many_items_would_settle_it(runs: dict[str, Path], tmp_path: Path) -> None:
    gate = hs.check_regression(runs["few"], against=runs["good"])
    assert gate.exit_code == 4
    assert f"{gate.checks[0].items_missing:,} more items" in gate.sentences()[0]
    items = made_items(150)[:20]
    one, other = (make_run(tmp_path / name, {name: 1.0}, items) for name in ("one", "other"))
    same = hs.check_regression(one, against=other)
    assert (same.verdict, same.checks[0].difference.value) == ("inconclusive", 0)
    assert same.checks[0].items_missing, "the same answers of two models on twenty items prove little"
    nothing = hs.check_regression(one, against=one)
    assert nothing.verdict == "not worse", "a model is not worse than itself, however few the items are"
    assert "nothing has changed" in nothing.checks[0].notes[-1]


def test_models_are_paired_by_name_where_there_are_several(tmp_path: Path) -> None:
    items = made_items(40)
    two = make_run(tmp_path / "two", {"a": 0.9, "b": 0.4}, items)
    other = make_run(tmp_path / "other", {"b": 0.9, "c": 0.9}, items, seed=1)
    gate = hs.check_regression(two, against=other)
    (check,) = gate.checks
    assert (check.new, check.old, check.verdict) == ("b", "b", "worse")
    first, left_out = gate.sentences()
    assert first.startswith("b, made: worse")
    assert left_out == "a on made: not in the old run, so not compared"
    with pytest.raises(hs.UserError, match="no probe in common"):
        hs.check_regression(two, against=make_run(tmp_path / "else", {"a": 0.9}, made_items(5, "else"), probe="else"))
    with pytest.raises(hs.UserError, match="is not a share"):
        hs.check_regression(two, against=other, margin=1.5)


@pytest.mark.parametrize("format", ["csv", "parquet", "json"])
def test_rows_of_a_run_are_those_of_its_frames(
    format: str, runs: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import csv

    import pyarrow.parquet

    run = hs.open_run(runs["few"])
    for what, frame in (("items", run.items()), ("tokens", run.tokens())):
        out = tmp_path / f"{what}.{format}"
        called = caller(capfd)("export-run", runs["few"], "--rows", what, "-o", out, "--json")
        assert called.code == 0, called.err
        hold_to("export-run", json.loads(called.out))
        wanted = frame.to_json()
        if format == "json":
            assert json.loads(out.read_text()) == wanted
        elif format == "parquet":
            assert pyarrow.parquet.read_table(out).to_pylist() == wanted
        else:
            read = list(csv.DictReader(out.open(encoding="utf-8", newline="")))
            assert len(read) == len(wanted)
            if what == "items":
                assert [json.loads(row["scores"]) for row in read] == [row["scores"] for row in wanted]
                assert [row["credit"] for row in read] == [str(row["credit"]) for row in wanted]
            else:
                assert [row["token"] for row in read] == [row["token"] for row in wanted]
