"""The general and the robust tests of CATs, on lines of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.methods.published import read_files

SEP = "\x01"


def write(path: Path, *lines: tuple[str, ...], end: str = "\n", final: bool = True) -> Path:
    text = end.join(SEP.join(fields) for fields in lines) + (end if final else "")
    path.write_bytes(text.encode())
    return path


def by_text(items: list[Item], text: str) -> Item:
    (match,) = [item for item in items if any(text in option for option in item.options)]
    return match


def test_a_line_becomes_sentences_with_its_task(tmp_path: Path) -> None:
    path = write(tmp_path / "sm.txt", ("1", "she drank a stone", "she drank a juice"))
    probe = read_files("cats", [path])
    (item,) = probe.items
    assert (item.form, item.options, item.answer) == ("sentences", ("she drank a stone", "she drank a juice"), 1)
    assert item.facets == {"task": "sm", "steps": 1}
    assert (item.source.file, item.source.line, item.source.licence) == ("sm.txt", 1, "GPL-3.0")
    assert (probe.card.normalise, probe.card.group, probe.card.items) == ("mean", "source", 1)


def test_listed_oddities_are_repaired_and_counted(tmp_path: Path) -> None:
    path = write(
        tmp_path / "smr.txt",
        ("0", '" cats bark " is against common sense because cats meow . ', "b\u00a0c\uff0cd "),
        ("1", "we don\u00a1\u00aft swim", "we don\u2019t  fly"),
        end="\r\n",
        final=False,
    )
    probe = read_files("cats", [path])
    assert probe.items[0].options == ('" cats bark " is against common sense because cats meow .', "b c, d")
    assert probe.items[1].options == ("we don\u2019t swim", "we don\u2019t  fly"), "what is not listed is left alone"
    assert probe.card.notes == {
        "CRLF line ends": 1,
        "full-width commas": 1,
        "garbled quotation marks": 1,
        "no final newline": 1,
        "non-breaking spaces": 1,
        "texts with outer spaces": 2,
    }
    assert probe.card.notes == probe.card.notes


def test_twins_conjunctions_and_reasons_share_their_source(tmp_path: Path) -> None:
    wsc = write(
        tmp_path / "wsc.txt",
        (
            "0",
            "The jar did not fit the bag because the jar was too wide.",
            "The jar did not fit the bag because the bag was too wide.",
        ),
        (
            "1",
            "The jar did not fit the bag because the jar was too narrow.",
            "The jar did not fit the bag because the bag was too narrow.",
        ),
        ("0", "Ida thanked Ruth since ida got a gift.", "Ida thanked Ruth since ruth got a gift."),
    )
    ca = write(
        tmp_path / "ca.txt",
        ("1", "Ida thanked Ruth although ida got a gift.", "Ida thanked Ruth since ida got a gift."),
    )
    sm = write(tmp_path / "sm.txt", ("0", "he ate soup", "he ate bricks"))
    smr = write(
        tmp_path / "smr.txt",
        (
            "0",
            '" he ate bricks " is against common sense because bricks are hard . ',
            '" he ate bricks " is against common sense because bricks are red . ',
        ),
    )
    items = list(read_files("cats", [wsc, ca, sm, smr]).items)
    source = {text: by_text(items, text).groups["source"] for text in ("too wide", "too narrow", "although")}
    assert source["too wide"] == source["too narrow"] != source["although"]
    assert by_text(items, "although").groups["source"] == by_text(items, "since ruth").groups["source"]
    assert by_text(items, "soup").groups["source"] == by_text(items, "hard").groups["source"]
    # The names of statements agree even when the files are imported one by one.
    alone = read_files("cats", [smr]).items[0]
    assert alone.groups["statement"] == by_text(items, "soup").groups["statement"]
    assert alone.id == by_text(items, "hard").id


def test_a_robust_line_is_a_family_of_two(tmp_path: Path) -> None:
    add = write(
        tmp_path / "add.txt",
        (
            "1",
            "a pan is for sleeping",
            "a pan is for frying",
            "0",
            "a pan is not for sleeping",
            "a pan is not for frying",
        ),
        ("0", "ice is cold", "ice is warm", "0", "blue ice is cold", "blue ice is warm"),
        final=False,
    )
    general = write(tmp_path / "sm.txt", ("0", "ice is cold", "ice is warm"))
    probe = read_files("cats-robust", [add])
    assert [(item.member, item.answer) for item in probe.items] == [("a", 1), ("b", 0), ("a", 0), ("b", 0)]
    assert probe.card.families == 2
    assert probe.items[0].family == probe.items[1].family != probe.items[2].family
    assert probe.items[0].facets == {"task": "robust", "perturbation": "add", "flips": True}
    assert probe.card.notes == {"no final newline": 1, "lines whose answer does not flip": 1}
    original = read_files("cats", [general]).items[0]
    assert {item.groups["candidates"] for item in probe.items[2:]} == {original.groups["candidates"]}


def test_a_line_that_stands_twice(tmp_path: Path) -> None:
    line = ("1", "a", "b")
    general = read_files("cats", [write(tmp_path / "sm.txt", line, line)])
    assert len(general.items) == 1
    assert general.card.notes["repeated items dropped"] == 1
    robust = read_files("cats-robust", [write(tmp_path / "sub.txt", (*line, *line), (*line, *line))])
    assert (len(robust.items), robust.card.families) == (4, 2), "a robust line is a pair of its own each time"


def test_identical_candidates_are_kept_and_counted(tmp_path: Path) -> None:
    probe = read_files("cats", [write(tmp_path / "sm.txt", ("1", "same", "same"))])
    assert probe.card.notes == {"items with identical options": 1}


def test_skip_bad_keeps_the_good_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "sm.txt", ("1", "a", "b"), ("7", "c\u00a0", "d"), ("0", "e", "f"))
    with pytest.raises(UserError, match=r"sm\.txt:2: the answer 7 .*from 0 to 1"):
        read_files("cats", [path])
    probe = read_files("cats", [path], skip_bad=True)
    assert [item.options for item in probe.items] == [("a", "b"), ("e", "f")]
    assert probe.card.notes == {"bad lines skipped": 1}, "repairs of a skipped line do not count"
