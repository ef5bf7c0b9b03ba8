"""Answers that people write: words, and pairs of texts that differ in one word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from horsesense.annotate.answer_checks import check_value, differing_word, join_pair
from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.instrument import built_in, find_instrument
from horsesense.annotate.study import read_pictures
from horsesense.annotate.task import Task, assign, tasks_of
from horsesense.annotate.task_files import instructions_of, write_tasks
from horsesense.annotation_server.annotator_pages import answer_from
from horsesense.errors import UserError
from tests.support.judged_probes import triples
from tests.support.study_server import annotator, study_of
from tests.support.study_walks import nouns, write_picture

TASK = Task("i", "?")


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("Regina screamed at the pan.", "Regina shivered at the pan.", ("screamed", "shivered")),
        ("She saw a dog.", "She saw an owl.", ("dog", "owl")),
        ("An old man sat.", "A young man sat.", ("old", "young")),
        ("He left (early).", "He left (late).", ("early", "late")),
        ("It was 5 o'clock.", "It was 9 o'clock.", ("5", "9")),
    ],
)
def test_pairs(one: str, other: str, words: tuple[str, str]) -> None:
    assert differing_word(one, other) == words
    assert check_value(find_instrument("premises"), join_pair(one, other)) == f"{one} || {other}"


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("", "A dog ran.", "a text is empty"),
        ("A dog ran.", "A dog ran.", "are the same"),
        ("A dog ran.", "A big dog ran.", "3 words and the other 4"),
        ("A dog ran.", "A cat sat.", r"2 words differ \(dog/cat, ran/sat\)"),
        ("A dog ran.", "A dog ran!", "more than words"),
        ("A dog ran.", "A Dog ran.", "more than words"),
        ("A dog saw a cat.", "An owl saw a hen.", "3 words differ"),
        ("It is a apple.", "It is an apple.", "only a and an differ"),
        ("A dog saw an owl.", "An owl saw an owl.", ""),
        ("a || b", "a || c", r"contains '\|\|'"),
        ("=SUM(1) runs", "=SUM(1) walks", "does not begin with a word"),
        ("word " * 100, "word " * 99 + "other", "longer than 400"),
    ],
)
def test_no_pairs(one: str, other: str, why: str) -> None:
    if not why:
        assert join_pair(one, other)
        return
    with pytest.raises(UserError, match=why):
        join_pair(one, other)


def test_words() -> None:
    instrument = find_instrument("exceptions")
    assert answer_from({"word-0": " rotten ", "word-2": "made of  plastic"}, TASK, instrument) == (
        "rotten, made of plastic",
        "",
    )
    assert answer_from({"objection": "0", "word-0": ""}, TASK, instrument) == ("nonsense", "")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "nothing is written"),
        ({"word-0": "   "}, "nothing is written"),
        ({"word-3": "fourth"}, "nothing is written"),
        ({"word-0": "red", "word-1": "Red"}, "given twice"),
        ({"word-0": "red, blue"}, "is not a word"),
        ({"word-0": "=1+1"}, "is not a word"),
        ({"word-0": "nonsense"}, "an answer of its own"),
        ({"word-0": "red", "word-1": "Nonsense"}, "an answer of its own"),
        ({"word-0": "it is not a word at all"}, "has 7 words"),
        ({"word-0": "x" * 61}, "longer than 60"),
        ({"word-0": "re\x00d"}, "unreadable"),
        ({"word-0": "re\u202ed"}, "unreadable"),
        ({"objection": "1"}, "no such answer"),
    ],
)
def test_no_words(fields: dict[str, str], why: str) -> None:
    with pytest.raises(UserError, match=why):
        answer_from(fields, TASK, find_instrument("exceptions"))


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ('{"file": "none.png", "width": 1, "height": 1, "where": {}}', "there is no picture 'none.png'"),
        ('{"file": "../box.png", "width": 1, "height": 1, "where": {}}', "not the name of a picture"),
        ('{"file": "box.svg", "width": 1, "height": 1, "where": {}}', "not the name of a picture"),
        ('{"file": "box.png", "where": {}}', "this is not a picture"),
        ('{"file": "box.png", "width": 1, "height": 1}', "this is not a picture"),
    ],
)
def test_pictures_that_are_none(row: str, why: str, tmp_path: Path) -> None:
    write_picture(tmp_path / "pictures" / "box.png")
    (tmp_path / "pictures.jsonl").write_text(row + "\n")
    with pytest.raises(UserError, match=why):
        read_pictures(tmp_path, {"item": triples(1)})


@pytest.mark.parametrize("instrument", ["exceptions", "premises"])
@pytest.mark.parametrize("value", ["nonsense", "Nonsense", " NONSENSE "])
def test_an_objection_in_any_case(instrument: str, value: str) -> None:
    assert check_value(find_instrument(instrument), value) == "nonsense"


QUOTED = re.compile(r'"([^"]+)"')


@pytest.mark.parametrize("name", built_in())
def test_instructions_are_right_in_a_file_and_on_a_page(name: str, tmp_path: Path) -> None:
    """A file asks for the name of an answer, a page shows it in words: where the instructions quote one, it is both."""
    instrument = find_instrument(name)
    for quoted in QUOTED.findall(instrument.instructions):
        shown = instrument.wording.get(quoted, quoted)
        assert shown.casefold().startswith(quoted), f"{name} speaks of {quoted}, and the page says: {shown}"
    told = instructions_of(instrument)
    for answer in (*instrument.objections, *instrument.abstentions):
        assert f"| {answer} ({instrument.wording[answer]})" in told, "a file says what to write, and when"


def test_what_the_page_of_exceptions_says_is_what_it_takes(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", nouns(3), "exceptions")
    ann = annotator(served, "ann")
    assert "commas" not in ann.page.text
    assert "nonsense" not in ann.page.text
    assert "<span>The sentence makes no sense</span>" in ann.page.text
    ann.answer(word_0="Rotten", word_2="made of wax")
    ann.answer(objection="0")
    assert [each.value for each in standing_judgements(served)] == ["Rotten, made of wax", "nonsense"]


@pytest.mark.parametrize(
    ("form", "name", "page"),
    [
        ("table", "t.csv", "t.instructions.md"),
        ("label-studio", "t.json", "t.page.xml"),
        ("mturk", "t.csv", "t.hit.html"),
        ("potato", "t.jsonl", "t.config.yaml"),
    ],
)
def test_where_words_are_typed_it_says_how(form: str, name: str, page: str, tmp_path: Path) -> None:
    instrument = find_instrument("exceptions")
    write_tasks(tmp_path / name, instrument, assign(tasks_of(nouns(), instrument), [], 1), form=form)
    told = "up to 3 words, joined by commas | nonsense (The sentence makes no sense)"
    assert told in (tmp_path / page).read_text()
    assert check_value(instrument, "rotten, plastic, made of wax") == "rotten, plastic, made of wax"
