"""The ledger of printed figures: held against the papers' texts, and against itself."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from horsesense.data import read_table
from horsesense.methods.ledger import PAPERS, Figure, by_name, discrepancies, printed, read_ledger
from horsesense.methods.published import _figures as human_figures
from horsesense.replication.computing import functions
from horsesense.replication.paper_models import ASKED, hub_name, what_is_missing
from horsesense.replication.replication import reported_twice

ROOT = Path(__file__).parents[2]
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
WORDS = {str(number): word for number, word in enumerate(NUMBERS)}
FIGURES = [figure for paper in PAPERS for figure in read_ledger(paper)]


def _text(shared: Path, paper: str) -> str:
    text = (shared / "papers" / f"{paper}.txt").read_text(encoding="utf-8")
    return re.sub(r"(?<=\d),\s?(?=\d{3}\b)", "", text.replace("−", "-"))  # 2, 176 is a number too


def _is_there(figure: Figure, text: str) -> bool:
    digits = re.escape(figure.value)
    if figure.place.startswith("figure 4"):  # the labels of bars stand one behind the other
        return figure.value in text
    if re.search(rf"(?<![\d.]){digits}(?![\d]|\.\d)", text, re.IGNORECASE):
        return True
    word = WORDS.get(figure.value)
    others = {"1": r"an?|single|first", "2": "pairs?|both|second|double", "3": "third", "4": "fourth", "5": "fifth"}
    words = f"{word}|{others.get(figure.value, word)}" if word else "half"
    return re.search(rf"\b({words})", text, re.IGNORECASE) is not None


@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_stands_in_the_paper(shared: Path, paper: str) -> None:
    text = _text(shared, paper)
    assert [figure.name for figure in read_ledger(paper) if not _is_there(figure, text)] == []


def test_tables_have_as_many_cells_as_the_papers(shared: Path) -> None:
    """Counted in the text: the numbers behind each row's name in three tables that the extraction left whole."""
    cats = _text(shared, "cats")
    rows = [
        line.split() for line in cats.splitlines() if re.match(r"(RANDOM|HUMAN|GPT|BERT|XLNet|RoBERTa)\S* 0\.", line)
    ]
    cells = sum(len(row) - 1 for row in rows)
    assert cells == sum(figure.place in ("table 3", "table 6") for figure in read_ledger("cats")) == 139
    wordnetqa = _text(shared, "wordnetqa")
    pairs = re.findall(r"^\S.*?((?:\d\d\.\d / \d\d\.\d(?: \(-\d\.\d\d\))? ?){5})$", wordnetqa, re.MULTILINE)
    numbers = sum(len(re.findall(r"\d+\.\d+", pair)) for pair in pairs)
    printed_cells = [f for f in read_ledger("wordnetqa") if f.place == "table 7" and f.row not in ("people", "group 1")]
    assert numbers == sum(f.row.startswith("group") and " / " in f.row for f in printed_cells) == 165
    winoventi = _text(shared, "winoventi")
    rows = re.findall(
        r"^(?:BERT|RoBERTa|Distil|Squeeze|Mobile|ALBERT)\S* ((?:\d+(?:\.\d+)? ){6}\d+(?:\.\d+)?)$",
        winoventi,
        re.MULTILINE,
    )
    models = {f.row for f in read_ledger("winoventi") if f.place == "table 6"} - {"Human performance"}
    assert len(rows) == len(models) == 12


def test_names_are_told_once() -> None:
    assert sum(len(by_name(paper)) for paper in PAPERS) == len(FIGURES) == 1161


def test_the_entries_account_for_every_figure() -> None:
    """What both readers have, what they have otherwise, and what was kept of the rest."""
    path = files("horsesense.methods").joinpath("ledger", "entered.toml")
    entered = tomllib.loads(path.read_text(encoding="utf-8"))
    columns = ("paper", "place", "row", "column", "first", "second", "settled", "why")
    settled = [row for _, row in read_table(ROOT / "docs/results/readings/ledger-settled.tsv", columns)]
    for paper in PAPERS:
        counts = entered[paper]
        of_paper = [row for row in settled if row["paper"] == paper]
        assert counts["both"] + sum(bool(row["settled"]) for row in of_paper) == len(read_ledger(paper))
        assert counts["differing"] == sum(bool(row["first"] and row["second"]) for row in of_paper)
        assert counts["first"] == counts["both"] + counts["differing"] + counts["first_only"]
        assert counts["second"] == counts["both"] + counts["differing"] + counts["second_only"]
        assert counts["first_only"] == sum(bool(row["first"] and not row["second"]) for row in of_paper)


def test_every_way_leads_somewhere() -> None:
    known = functions()
    for figure in FIGURES:
        for way in figure.ways:
            if way.name == "printed":
                assert way.key in reported_twice(figure.paper)
            elif way.name == ASKED:
                _, row, _ = way.key.split(" | ")
                assert hub_name(figure.paper, row) or row == "ERNIE"
            else:
                assert (figure.paper, way.name) in known, figure.name
    used = {(figure.paper, way.name) for figure in FIGURES for way in figure.ways}
    assert set(known) <= used, "no function computes what nobody prints"


def test_what_cannot_be_computed_says_why() -> None:
    for figure in FIGURES:
        if not figure.ways and figure.kind not in ("setting", "cited"):
            missing, command = what_is_missing(figure)
            assert missing, figure.name
            assert not command or command.startswith("horsesense ")
    figure = by_name("cats")["table 3 | BERT-large | SM"]
    assert what_is_missing(figure)[1] == "horsesense replicate cats --model bert-large-uncased"
    figure = by_name("rica")["appendix, last tables | RoBERTa-large | 20 % / easy"]
    assert "-m roberta-large --setting low-resource --number 20 " in what_is_missing(figure)[1]


def test_people_of_the_releases_are_those_of_the_ledger() -> None:
    """The cards of imported releases have the same figures, as shares."""
    cats = {f"task={name}": title for name, title in (("ca", "CA"), ("wsc", "WSC"), ("sm", "SM"), ("smr", "SMR"))}
    for human in human_figures("cats"):
        if human.part in cats:
            assert human.value == printed("cats", "table 3", "HUMAN", cats[human.part])
    for human in human_figures("mcqa"):
        column = f"{human.part.partition('=')[2]} / test"
        assert human.value == pytest.approx(printed("wordnetqa", "table 7", "people", column) / 100)
    for human in human_figures("winoventi"):
        column = f"all {human.part.partition('=')[2]}"
        assert human.value == pytest.approx(printed("winoventi", "table 6", "Human performance", column) / 100)
    (human,) = human_figures("partwhole")
    assert human.value == printed("partwhole", "table 3", "Human performance", "Accuracy")


def test_programs_that_do_otherwise_have_a_place() -> None:
    places = [each.place for paper in PAPERS for each in discrepancies(paper)]
    assert len(places) == len(set(zip(places, [e.does for p in PAPERS for e in discrepancies(p)], strict=True))) == 14
    assert all(re.search(r" at [0-9a-f]{7}, .*\.(py|csv)", place) for place in places)
    assert [each.paper for each in discrepancies("rica")] == ["rica"] * 4
