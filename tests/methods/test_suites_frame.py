"""Suites in one frame: what is asked, what stands beside what, and the same tables again from a run's folder."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.suites import find_paper_suite
from horsesense.methods.suites.ask import AskedSuite, ask_suite
from horsesense.methods.suites.charts import direction_chart
from horsesense.methods.suites.frame import FILE, PaperRow, stored_tables, with_published
from horsesense.progress import NO_PROGRESS
from horsesense.registry import provided
from horsesense.report.run_report import write_report
from horsesense.report.stored_run import with_report
from horsesense.stats import Estimate
from tests.support.small_cats import lay_all

WHOLES = ("jeep", "boat", "desk", "lamp", "coat", "drum", "kite", "oven")
PARTS, WORDS = ("tire", "sail", "leg", "cord", "hood", "skin", "tail", "door"), ("old", "red")


@pytest.fixture(scope="module")
def triples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of our own: three splits and their votes, below one folder."""
    folder = tmp_path_factory.mktemp("release")
    labels = ("impossible", "unlikely", "unrelated", "probably", "guaranteed")
    rows = [(whole, part, word) for whole in WHOLES for part in PARTS for word in WORDS]
    (folder / "data" / "annotated").mkdir(parents=True)
    votes = ["whole,part,jj,result1,result2,result3,result4,result5"]
    for place, name in enumerate(("train", "dev", "test")):
        lines = ["whole,part,jj,label,bin_label"]
        for number, triple in enumerate(rows):
            if number % 3 == place:
                label = (number * 2) % 5
                lines.append(f"{','.join(triple)},{label},{int(label > 2)}")
                votes.append(f"{','.join(triple)},{labels[label]},{labels[label]},{labels[max(0, label - 1)]}")
        (folder / "data" / "annotated" / f"{name}.csv").write_text("\r\n".join(lines) + "\r\n")
    (folder / "mturk").mkdir()
    (folder / "mturk" / "all_just_results.csv").write_text("\n".join(votes) + "\n")
    return folder


@pytest.fixture(scope="module")
def asked(
    triples: Path, tiny_folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[AskedSuite, Path]:
    out = tmp_path_factory.mktemp("out") / "run"
    return ask_suite(str(tiny_folders["gpt2"]), "partwhole", data=triples, out=out), out


def test_partwhole_asks_two_splits_and_fits_the_papers_controls(asked: tuple[AskedSuite, Path]) -> None:
    suite, out = asked
    assert suite.results is None
    ours, published, nouns = suite.tables
    assert published.title == f"{ours.title}, as published", "our triples are not the paper's"
    assert {row.kind for row in published.rows} == {"published"}
    assert [row.cells[0] for row in published.rows][-2:] == [0.667, 0.785]
    assert [row.kind for row in ours.rows] == ["ours", "control", "control", "control", "people", "people", "people"]
    for table in (ours, nouns):
        ceiling = table.rows[-1]
        assert ceiling.cells[0] is None
        assert isinstance(ceiling.cells[4], Estimate)
    model = ours.rows[0]
    assert all(isinstance(cell, Estimate) for cell in model.cells)
    assert {run.part.probe.name for run in suite.run.answered} == {"test", "dev", "new-nouns"}
    assert sorted(path.name for path in (out / "controls").iterdir())[0] == "new-nouns-majority"


def test_no_noun_of_the_second_split_is_in_its_training(triples: Path) -> None:
    opened = find_paper_suite("partwhole").open_data(triples, False)
    nouns = [
        {item.groups[role] for item in probe.items for role in ("whole", "part")}
        for probe in (opened.probes["new-nouns"], opened.training["new-nouns"])
    ]
    assert nouns[0].isdisjoint(nouns[1])


def test_a_runs_folder_gives_the_same_tables_again(asked: tuple[AskedSuite, Path]) -> None:
    suite, out = asked
    assert repr(stored_tables(out)) == repr(suite.tables), "no interval is not equal to itself"
    (out / FILE).rename(out / "away.json")
    assert stored_tables(out) == ()
    (out / FILE).write_text("[]")
    with pytest.raises(UserError, match=r"suite\.json"):
        stored_tables(out)
    (out / "away.json").replace(out / FILE)


def test_the_report_prints_the_papers_tables(asked: tuple[AskedSuite, Path], tmp_path: Path) -> None:
    _, out = asked
    page = write_report(out, out=tmp_path / "page.html", cues=False)
    assert page.out is not None
    html = page.out.read_text(encoding="utf-8")
    assert "Paper tables" in html
    assert html.count("(published)") == 6
    text = str(write_report(out, format="md", cues=False).text)
    assert "| BERT (published) | 0.667 |" in text
    assert "nan" not in text
    latex = str(write_report(out, format="latex", cues=False).text)
    assert latex.count(r"\begin{table}") == 4


def test_the_report_of_a_run_has_the_tables_that_were_made(
    asked: tuple[AskedSuite, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_again(*_: object) -> None:
        raise AssertionError("the tables are there")

    monkeypatch.setattr("horsesense.report.collection.run_tables", made_again)
    stored = with_report(asked[0].run, NO_PROGRESS)
    assert stored.tables == asked[0].tables
    assert "Paper tables" in stored.report.read_text(encoding="utf-8")


def test_pairs_are_told_by_both_halves_right_first(tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    suite = ask_suite(str(tiny_folders["gpt2"]), "cats-robust", data=lay_all(tmp_path / "data"), out=tmp_path / "out")
    ours, published = suite.tables
    assert [row.name.partition(": ")[2] for row in ours.rows][:2] == [
        "both halves right",
        "consistent (both right or both wrong)",
    ]
    assert all(row.name.endswith(": consistent") for row in published.rows)
    assert repr(stored_tables(tmp_path / "out")) == repr(suite.tables)


def test_published_rows_stand_beside_ours_only_where_both_are_about_the_same() -> None:
    ours, printed = [PaperRow("mine", "ours", (0.5,))], [PaperRow("theirs", "published", (0.6,))]
    (together,) = with_published("t", ["a"], ours, printed, True, "somebody")
    assert [row.kind for row in together.rows] == ["ours", "published"]
    mine, theirs = with_published("t", ["a"], ours, printed, False, "somebody")
    assert {row.kind for row in mine.rows} == {"ours"}
    assert {row.kind for row in theirs.rows} == {"published"}


def test_figure_1_has_ours_beside_the_published_by_direction(tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    """A whole set of ours in one table with the paper's rows: every mark that the figure should have."""
    data = lay_all(tmp_path / "data")
    (ours, published) = ask_suite(str(tiny_folders["bert"]), "cats", data=data, out=tmp_path / "out").tables
    together = replace(published, rows=(*ours.rows, *published.rows))
    drawn = direction_chart(together)
    assert drawn is not None
    rings, filled = (drawn["datasets"][layer["data"]["name"]] for layer in drawn["layer"])
    assert {(mark["set"], mark["direction"]) for mark in filled} == {
        (name, "bidirectional") for name in ("CA", "WSC", "average")
    }
    assert {mark["model"] for mark in rings} == {row.name for row in published.rows if row.name != "HUMAN"}
    assert {mark["direction"] for mark in rings if mark["model"].startswith("GPT")} == {"unidirectional"}


def everything(folder: Path, triples: Path) -> Path:
    """Both releases as they are published, folders in folders."""
    shutil.copytree(triples, folder / "partwhole")
    lay_all(folder / "cats")
    return folder


@pytest.mark.parametrize("suite", ["cats", "cats-robust", "partwhole"])
@pytest.mark.parametrize("laid", ["release", "flat", "fetched"])
def test_a_suite_takes_a_release_a_flat_folder_or_what_was_fetched(
    triples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: str, laid: str
) -> None:
    """The same items however the files lie."""
    release = everything(tmp_path / "release", triples) / suite.partition("-")[0]
    wanted = find_paper_suite(suite).open_data(release, False)
    folder: Path | None = release
    if laid == "flat":
        folder = tmp_path / "flat"
        folder.mkdir()
        for path in (path for path in release.rglob("*") if path.is_file()):
            shutil.copy(path, folder / path.name)
    elif laid == "fetched":
        monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
        for name in (suite, suite.partition("-")[0]):
            shutil.copytree(release, tmp_path / "cache" / "releases" / name, dirs_exist_ok=True)
        folder = None
    found = find_paper_suite(suite).open_data(folder, False)
    assert found.probes.keys() == wanted.probes.keys()
    for name, probe in wanted.probes.items():
        assert [item.id for item in found.probes[name].items] == [item.id for item in probe.items]
        assert probe.items


def test_every_suite_can_be_found_and_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path))
    for name in provided("suites"):
        suite = find_paper_suite(name)
        assert suite.name == name
        with pytest.raises(UserError, match="needs its"):
            suite.open_data(None, False)
    with pytest.raises(UserError, match="there is no suite 'dogs'"):
        find_paper_suite("dogs")
    with pytest.raises(UserError, match=r"train, dev, test .*not here"):
        find_paper_suite("partwhole").open_data(tmp_path, False)
