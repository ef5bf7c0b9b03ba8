"""Files of judgements and labels: round trips, and every way to get a row wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.core import Judgement, Label, iter_judgements, read_labels, write_judgements, write_labels
from horsesense.data.tables import iter_rows
from horsesense.errors import UserError

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1, max_size=12).filter(
    lambda text: text == text.strip() and bool(text)
)


@settings(max_examples=60, deadline=None)
@given(
    given=st.lists(
        st.builds(
            Judgement,
            item=TEXT,
            annotator=TEXT,
            instrument=TEXT,
            value=TEXT,
            reason=st.one_of(st.just(""), TEXT),
            round=st.integers(1, 9),
            order=st.integers(0, 99),
            at=st.sampled_from(["", "2026-01-31T12:00:00Z"]),
        ),
        min_size=1,
        max_size=5,
    ),
    ending=st.sampled_from([".jsonl", ".csv", ".tsv"]),
)
def test_round_trip(given: list[Judgement], ending: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("judgements") / f"j{ending}"
    write_judgements(path, given)
    assert [placed.judgement for placed in iter_judgements(path)] == given


HEAD = "item,annotator,instrument,value,reason,round,order,at\n"
BAD = [
    (
        "j.csv",
        "item,anotator,instrument,value\ni,ann,choice,a\n",
        "j.csv:2: the column 'annotator' is missing (there are: ",
    ),
    ("j.csv", HEAD + "i,ann,choice,a,,1,0,\ni,,choice,a,,1,0,\n", "j.csv:3: the annotator is empty"),
    ("j.csv", HEAD + "i,ann,choice,,,1,0,\n", "j.csv:2: the value is empty"),
    ("j.csv", HEAD + "i,ann,choice,a,,zero,0,\n", "j.csv:2: the round 'zero' is not a whole number from 1"),
    ("j.csv", HEAD + "i,ann,choice,a,,0,0,\n", "j.csv:2: the round 0 is not a whole number from 1"),
    ("j.csv", HEAD + "i,ann,choice,a,,1,-1,\n", "j.csv:2: the order '-1' is not a whole number from 0"),
    ("j.csv", HEAD + "i,ann,choice,a,,1,0,yesterday\n", "j.csv:2: the time 'yesterday' is not ISO 8601"),
    ("j.csv", HEAD + "i,ann,choice,a,b,1,0,,more\n", "j.csv:2: the row has 9 fields and the header 8"),
    ("j.csv", HEAD + 'i,ann,choice,"a\n', "j.csv:2: the row cannot be split into fields"),
    ("j.csv", "item,item\n", "j.csv:1: the column 'item' is twice in the header"),
    ("j.csv", "", "j.csv: the file is empty"),
    ("j.jsonl", '{"item": "i"\n', "j.jsonl:1: the line is not JSON"),
    ("j.jsonl", "[1]\n", "j.jsonl:1: the line is not a JSON object"),
    (
        "j.jsonl",
        '{"item": 3, "annotator": "a", "instrument": "x", "value": "v"}\n',
        "j.jsonl:1: the item 3 is not text",
    ),
    ("j.jsonl", '{"item": "i", "annotator": "a", "instrument": "x", "value": 4}\n', "the value 4 is not text"),
    ("j.xlsx", "", "j.xlsx: the ending of the name is unknown; use one of .csv, .tsv, .jsonl"),
    ("j.csv", b"item,value\n\xff\n", "j.csv:2: byte 0xff is not UTF-8"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_bad_rows(name: str, content: str | bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as caught:
        list(iter_judgements(path))
    assert message in str(caught.value)


def test_line_of_a_row_after_a_broken_line(tmp_path: Path) -> None:
    """A quoted field may hold line ends; a row's line is where it begins."""
    path = tmp_path / "j.csv"
    path.write_text('item,note\ni,"two\nlines"\n\nj,x\n')
    assert [(line, row["item"]) for line, row in iter_rows(path)] == [(2, "i"), (5, "j")]


def test_semicolons_and_short_rows(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_bytes("\ufeffitem;annotator;instrument;value;reason\r\ni;ann;choice;a, b\r\n".encode())
    assert [p.judgement for p in iter_judgements(path)] == [Judgement("i", "ann", "choice", "a, b")]


LABEL = Label("i", "choice", "majority", "hot", "", {"cold": 1, "hot": 2}, 0.666666667, False)


def test_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    dropped = Label("j", "choice", "majority", None, "tie", {"cold": 1, "hot": 1}, 0.0, True)
    write_labels(path, [LABEL, dropped])
    assert read_labels(path) == [(1, LABEL), (2, dropped)]
    assert LABEL.people == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"item": "i"}', "l.jsonl:1: the field 'instrument' of a label is missing"),
        (
            '{"item": "i", "instrument": "x", "rule": "r", "value": "v", "vote": 3}',
            "the field 'vote' of a label is unknown",
        ),
        (
            '{"item": "i", "instrument": "x", "rule": "r", "value": 3}',
            "the field 'value' of a label is not text or null",
        ),
        (
            '{"item": "i", "instrument": "x", "rule": "r", "value": "v", "votes": {"v": "2"}}',
            "votes of a label are not whole",
        ),
        ("", "l.jsonl: there is no label"),
    ],
)
def test_bad_labels(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    path.write_text(f"{line}\n")
    with pytest.raises(UserError) as caught:
        read_labels(path)
    assert message in str(caught.value)


def test_a_label_stands_once(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    write_labels(path, [LABEL, LABEL])
    with pytest.raises(UserError, match=r"l\.jsonl:2: .* in line 1"):
        read_labels(path)
