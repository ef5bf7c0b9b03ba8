"""Tables for a README and for a paper: the numbers of the run, and nothing that breaks the format."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from horsesense.cli import main
from horsesense.core import HumanFigure
from horsesense.report.collection import collect
from horsesense.report.page import write_report
from horsesense.report.tables import results_table
from horsesense.runs.probe_answers import read_run
from tests.support.made_run import made_items, make_run

NASTY = "org/my_model_50%|&{x}"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    items = made_items(20)
    return [make_run(folder / "a", {NASTY: 0.9}, items), make_run(folder / "b", {"plain": 0.5}, items[:30])]


def status(arguments: list[str]) -> object:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    return stopped.value.code


def counted(folder: Path) -> float:
    """Accuracy from the kept tokens alone."""
    _, (one,) = read_run(folder)
    right = 0
    for item, answer in zip(one.items, one.answers, strict=True):
        means = [sum(values) / len(values) for values in answer.logprobs]
        right += means.index(max(means)) == item.answer
    return right / len(one.items)


def test_markdown_has_one_row_a_model_with_all_columns(runs: list[Path]) -> None:
    lines = results_table(collect(runs, cues=False).summaries).markdown().splitlines()
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[:4]]
    assert len({len(row) for row in cells}) == 1, "a bar in a name must not make a column"
    names = cells[0]
    assert names[2] == "accuracy [95% CI]"
    for row, folder, n in ((cells[2], runs[0], "40"), (cells[3], runs[1], "30")):
        found = dict(zip(names, row, strict=True))
        value, low, high = map(float, re.findall(r"[\d.]+", found["accuracy [95% CI]"]))
        assert value == pytest.approx(counted(folder), abs=5e-4)
        assert low < value < high
        assert (found["chance"], found["n"]) == ("0.500", n)


def test_latex_is_booktabs_and_escaped(runs: list[Path]) -> None:
    text = results_table(collect(runs, cues=False).summaries).latex()
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    (row,) = [line for line in text.splitlines() if line.startswith("org/")]
    assert row.startswith(r"org/my\_model\_50\%\textbar{}\&\{x\} & made & ")
    # Every sign that LaTeX would act on is either escaped or one of the column separators.
    columns = len(re.findall(r"(?<!\\)&", row))
    (header,) = [line for line in text.splitlines() if line.startswith("model &")]
    assert columns == header.count("&")


def test_the_command_prints_tables_and_keeps_its_json(
    runs: list[Path], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    folders = [str(run) for run in runs]
    assert status(["report", *folders, "--format", "md", "--no-cues"]) == 0
    assert capfdbinary.readouterr().out.decode().startswith("| model | probe |")
    assert status(["report", *folders, "--format", "latex", "--no-cues", "-o", str(tmp_path / "t.tex"), "--json"]) == 0
    told = json.loads(capfdbinary.readouterr().out)
    assert told["out"] == str(tmp_path / "t.tex")
    assert [result["accuracy"]["n"] for result in told["results"]] == [40, 30]
    assert r"\begin{tabular}" in (tmp_path / "t.tex").read_text()


def test_with_json_a_table_is_part_of_the_document(runs: list[Path], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert status(["report", str(runs[0]), "--format", "md", "--no-cues", "--json"]) == 0
    told = json.loads(capfdbinary.readouterr().out)
    assert "out" not in told
    assert told["text"].startswith("| model |")


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert status(["report", str(tmp_path), "--format", "md"]) == 2
    assert b"not a run folder" in capfdbinary.readouterr().err


def test_what_people_get_stands_beside_the_score_with_its_kind(tmp_path: Path) -> None:
    items = made_items(10)
    figures = (HumanFigure(0.9, "single person", "a paper", people=7), HumanFigure(0.7, "", "another", "hops=1"))
    run = make_run(tmp_path / "run", {"plain": 0.5}, items, human=figures)
    collected = collect([run], cues=False)
    names, _, row = (line.split(" | ") for line in results_table(collected.summaries).markdown().splitlines()[:3])
    assert row[names.index("people")] == "0.900", "the other figure is about a part of the probe"
    assert "single person, 7 people" in results_table(collected.summaries).markdown()
    write_report(collected, tmp_path / "page.html", drawn=False)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "90.0% (single person, 7 people; a paper); 70.0% on hops 1 (kind not stated; another)." in page


def test_without_a_human_figure_there_is_no_column(runs: list[Path]) -> None:
    assert "people" not in results_table(collect(runs, cues=False).summaries).markdown().casefold()
