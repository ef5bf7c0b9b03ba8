"""Tables for a paper: whole and well-formed always, and compiled for real where there is a LaTeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from horsesense.methods.suites.frame import PaperRow, PaperTable
from horsesense.report.collection import collect
from horsesense.report.tables import latex_tables, results_table
from horsesense.stats import Estimate, accuracy
from tests.support.made_run import made_items, make_run

NASTY = 'a_b 50% & {c} $1 #2 ~x ^y \\z <i> |p| "q" d′ −1 ≥ 2'


def estimate(right: int) -> Estimate:
    return accuracy([1.0] * right + [0.0] * (30 - right), [str(place) for place in range(30)])


@pytest.fixture(scope="module")
def tables() -> tuple[PaperTable, ...]:
    """As wide as the widest paper's, with long names, empty cells and a negative figure."""
    sets = ("CA", "WSC", "SM", "SMR", "SWAG", "HellaSwag", "ARCT1", "ARCT2", "average")
    figures = tuple(estimate(place * 3) for place in range(1, 10))
    kappa = Estimate(-0.05, (-0.2, 0.1), 30, 30, None, 0.95, "made", 0, "")
    rows = (
        PaperRow(NASTY, "ours", (*figures[:8], kappa)),
        PaperRow("majority-per: the commonest label beside the same adjective in training", "control", figures),
        PaperRow("people: one vote against the two others", "people", (*(None,) * 8, figures[0]), "people"),
        PaperRow("BERT", "published", (0.5,) * 9, "bidirectional"),
    )
    return PaperTable("Table 3: 100 % of it", sets, rows, ("A note with 5 % & more_or_less.",)), PaperTable(
        "Nothing measured", ("one",), (PaperRow("theirs", "published", (0.5,)),)
    )


@pytest.fixture(scope="module")
def whole(tables: tuple[PaperTable, ...], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tables of papers, and a report's own."""
    run = make_run(tmp_path_factory.mktemp("runs") / "a", {"org/my_model_50%|&{x}": 0.9}, made_items(20))
    return latex_tables(tables) + "\n" + results_table(collect([run], cues=False).summaries).latex()


def test_every_row_has_its_columns_and_everything_that_opens_closes(whole: str) -> None:
    plain = re.sub(r"(?<!\\)\\[&%$#_]", "", whole)
    depth = 0
    for sign in re.sub(r"\\\\|\\[{}]", "", whole):
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    opened: list[str] = []
    for begins, name in re.findall(r"\\(begin|end)\{(\w+)\}", plain):
        assert begins == "begin" or opened.pop() == name
        opened += [name] * (begins == "begin")
    assert opened == []
    assert whole.isascii(), "what old installations cannot print"
    # A cell with an interval is a small table of its own; without these, rows are one line each.
    flat = re.sub(r"\\begin\{tabular\}\[t\].*?\\end\{tabular\}", "cell", plain)
    for columns, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", flat, re.DOTALL):
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert rows
        assert {row.count("&") + 1 for row in rows} == {len(columns)}


def test_a_negative_figure_has_a_minus(whole: str) -> None:
    assert "$-$0.050" in whole
    assert "[$-$0.20, 0.10]" in whole


def test_it_compiles_and_nothing_is_wider_than_the_page(whole: str, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex on this machine: apt-get install texlive-latex-recommended")
    head = r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
    (tmp_path / "t.tex").write_text(f"{head}\n{whole}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert made.returncode == 0, made.stdout[-800:]
    assert "Overfull" not in made.stdout
    assert (tmp_path / "t.pdf").stat().st_size > 10_000
