"""Any table of questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.releases.table import parse_map, read_table
from horsesense.records import Probe


def read(path: Path, text: str, columns: str, name: str = "") -> Probe:
    path.write_text(text, encoding="utf-8")
    return read_table([path], False, parse_map(columns), name)


def test_csv_with_columns_of_options_and_a_letter(tmp_path: Path) -> None:
    text = 'q,a,b,key\n"Is ice\ncold?",yes,no,A\nIs fire cold?,yes,no,b\n'
    probe = read(tmp_path / "my questions.csv", text, "question=q,options=a+b,answer=key")
    assert [(item.form, item.text, item.answer) for item in probe.items] == [
        ("choice", "Is ice\ncold?", 0),
        ("choice", "Is fire cold?", 1),
    ]
    assert probe.card.name == "my-questions"
    assert probe.items[1].source.line == 4


def test_tsv_with_a_json_list_and_an_index(tmp_path: Path) -> None:
    text = 'stem\topts\tgold\tgroup\nIce is ___.\t["cold","hot"]\t0\tice\nSnow is ___.\t["red","white"]\t1\tice\n'
    probe = read(tmp_path / "dev.tsv", text, "question=stem,options=opts,answer=gold,family=group", "weather")
    assert [(item.form, item.answer, item.family, item.probe) for item in probe.items] == [
        ("cloze", 0, "ice", "weather"),
        ("cloze", 1, "ice", "weather"),
    ]
    assert probe.items[0].facets == {"split": "dev"}


def test_jsonl_without_a_question_is_sentences(tmp_path: Path) -> None:
    rows = [{"c": ["Ice is cold.", "Ice is hot."], "right": "Ice is cold."}, {"c": ["a", "b"], "right": "b"}]
    probe = read(tmp_path / "x.jsonl", "\n".join(map(json.dumps, rows)), "options=c,answer=right")
    assert [(item.form, item.answer) for item in probe.items] == [("sentences", 0), ("sentences", 1)]


def test_a_json_list_whose_answer_column_is_an_option(tmp_path: Path) -> None:
    rows = [{"q": f"{n}?", "good": f"g{n}", "bad": f"b{n}", "about": "p"} for n in range(3)]
    columns = "question=q,options=good+bad,answer=good,premise=about"
    probe = read(tmp_path / "x.json", json.dumps(rows), columns)
    assert [item.answer for item in probe.items] == [0, 0, 0]
    assert probe.items[0].premise == "p"
    assert probe.card.notes == {"items whose answer is always the same place": 3}


def test_how_answers_are_written_is_settled_for_the_whole_file(tmp_path: Path) -> None:
    rows = [{"q": "1 + 1", "o": ["1", "2"], "a": 1}, {"q": "dry", "o": ["sand", "sea"], "a": 0}]
    probe = read(tmp_path / "x.jsonl", "\n".join(map(json.dumps, rows)), "question=q,options=o,answer=a")
    assert [item.answer for item in probe.items] == [1, 0], "1 is an index, although one option reads 1"


def test_an_answer_that_stands_twice_is_the_first(tmp_path: Path) -> None:
    probe = read(tmp_path / "x.csv", "q,a,b,c,key\nWhy?,x,y,y,y\n", "question=q,options=a+b+c,answer=key")
    assert probe.items[0].answer == 1
    assert probe.card.notes == {"items with identical options": 1}


def test_no_answer_column_means_nobody_has_judged(tmp_path: Path) -> None:
    probe = read(tmp_path / "x.csv", "q,a,b\nWhy?,x,y\n", "question=q,options=a+b")
    assert probe.items[0].answer is None


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ("", "does not say where the options are"),
        ("question=q", "does not say where the options are"),
        ("optoins=a", "did you mean 'options'"),
        ("options", "not of the form role=column"),
        ("options=a,options=b", "twice"),
    ],
)
def test_a_map_that_cannot_be_understood(columns: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        parse_map(columns)
