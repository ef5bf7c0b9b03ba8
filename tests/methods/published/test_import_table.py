"""Any table of questions."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import horsesense as hs
from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.exchange.formats import export
from horsesense.methods.published.import_table import parse_map, read_table


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


def test_a_question_with_two_keys_is_counted(tmp_path: Path) -> None:
    rows = [
        "Why?,x,y,x",
        "Why?,x,y,y",
        "Why?,y,x,y",
        "Why?,x,z,z",
        "How?,x,y,x",
        "How?,y,x,x",
        "When?,x,y,",
        "When?,x,y,x",
    ]
    text = "q,a,b,key\n" + "".join(f"{row}\n" for row in rows)
    probe = read(tmp_path / "x.csv", text, "question=q,options=a+b,answer=key")
    assert probe.card.notes == {"items asked elsewhere with another key": 3}
    assert len(probe.items) == 8


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


KNOWN: dict[str, tuple[dict[str, object], tuple[str, int | None]]] = {
    "ARC": (
        {
            "id": "m1",
            "question": "What melts?",
            "choices": {"text": ["iron", "ice"], "label": ["1", "2"]},
            "answerKey": "2",
        },
        ("What melts?", 1),
    ),
    "OpenBookQA": (
        {
            "id": "7",
            "question_stem": "Frogs eat",
            "choices": {"text": ["flies", "cars"], "label": ["A", "B"]},
            "answerKey": "A",
        },
        ("Frogs eat", 0),
    ),
    "CommonsenseQA": (
        {
            "id": "c",
            "question": "Where is a pan?",
            "question_concept": "pan",
            "choices": {"label": ["A", "B"], "text": ["sea", "stove"]},
            "answerKey": "B",
        },
        ("Where is a pan?", 1),
    ),
    "PIQA": ({"goal": "dry a shirt", "sol1": "Hang it up.", "sol2": "Soak it.", "label": 0}, ("dry a shirt", 0)),
    "HellaSwag": (
        {
            "ind": 4,
            "activity_label": "Sailing",
            "ctx": "A man sits.",
            "endings": ["He stands.", "He melts."],
            "label": "1",
            "split_type": "indomain",
            "source_id": "v",
        },
        ("", 1),
    ),
    "SIQA": (
        {
            "context": "Ann fell.",
            "question": "How is she?",
            "answerA": "hurt",
            "answerB": "glad",
            "answerC": "rich",
            "label": "1",
        },
        ("How is she?", 0),
    ),
    "WinoGrande": (
        {"sentence": "The cup fit the box, as the _ was small.", "option1": "cup", "option2": "box", "answer": "1"},
        ("The cup fit the box, as the ___ was small.", 0),
    ),
    "COPA": (
        {
            "premise": "It rained.",
            "choice1": "He got wet.",
            "choice2": "He got dry.",
            "question": "effect",
            "idx": 3,
            "label": 0,
        },
        ("", 0),
    ),
    "BLiMP": (
        {
            "sentence_good": "He runs.",
            "sentence_bad": "He run.",
            "field": "syntax",
            "linguistics_term": "agreement",
            "UID": "agree",
            "pair_id": 9,
        },
        ("", 0),
    ),
    "MMLU": ({"question": "2 + 2?", "subject": "sums", "choices": ["3", "4", "5", "6"], "answer": 1}, ("2 + 2?", 1)),
    "StrategyQA or another yes-or-no set": (
        {"qid": "x", "question": "Is ice cold?", "answer": True, "facts": ["a"]},
        ("Is ice cold?", 1),
    ),
    "BoolQ": ({"question": "is ice cold", "passage": "Ice is frozen.", "answer": False}, ("is ice cold", 0)),
}


ASKED = ("question", "ctx", "goal", "sentence", "premise", "question_stem", "sentence_good")


@pytest.mark.parametrize("name", KNOWN)
def test_a_well_known_layout_is_guessed_and_said(name: str, tmp_path: Path) -> None:
    row, (text, answer) = KNOWN[name]
    other = {key: f"{value} too" if key in ASKED else value for key, value in row.items()}
    pq.write_table(pa.Table.from_pylist([row, other]), tmp_path / "test-00000-of-00001.parquet")
    probe = read_table([tmp_path], False, None)
    item = probe.items[0]
    assert (item.text, item.answer) == (text, answer)
    assert f"The columns are those of {name} (" in probe.card.made
    assert item.facets["split"] == "test"
    assert len(probe.items) == 2


def test_facets_groups_and_constants_of_well_known_layouts(tmp_path: Path) -> None:
    row, _ = KNOWN["BLiMP"]
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    (item,) = read_table([tmp_path / "x.jsonl"], False, None).items
    assert item.facets == {"task": "agree", "field": "syntax", "linguistics_term": "agreement"}
    assert (item.source.id, item.form) == ("9", "sentences")


@pytest.mark.parametrize(
    ("columns", "unit"),
    [
        ("group=country+town", "country"),
        ("family=town,group=country", "country"),
        ("group=bare", "family"),
        ("", "family"),
    ],
)
def test_the_first_group_is_the_unit_that_intervals_are_clustered_by(columns: str, unit: str, tmp_path: Path) -> None:
    path = tmp_path / "quiz.csv"
    lines = (f"Is {n} odd?,yes,no,{n % 2},{'xy'[n % 2]},{n},\n" for n in range(6))
    path.write_text("q,a,b,key,country,town,bare\n" + "".join(lines))
    probe = hs.read_release("table", path, columns=f"question=q,options=a+b,answer=key,{columns}")
    assert probe.card.group == unit
    assert {item.groups.get(unit) for item in probe.items} == ({"x", "y"} if unit == "country" else {None})


def test_ewok_has_two_items_per_row_that_are_a_family(tmp_path: Path) -> None:
    row = {
        "Domain": "physical-dynamics",
        "ConceptA": "roll",
        "ConceptB": "rest",
        "TargetDiff": "concept swap",
        "ContextDiff": "antonym",
        "ContextType": "direct",
        "Context1": "The marble is on a slope.",
        "Context2": "The marble is in a bowl.",
        "Target1": "The marble rolls away.",
        "Target2": "The marble stays where it is.",
    }
    other = row | {"Context1": "The can is on a slope.", "Context2": "The can is in a bowl."}
    (tmp_path / "x.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(other)}\n")
    probe = read_table([tmp_path / "x.jsonl"], False, None)
    first, second, third, _ = probe.items
    assert first.options == (
        "The marble is on a slope. The marble rolls away.",
        "The marble is in a bowl. The marble rolls away.",
    )
    assert second.options == (
        "The marble is in a bowl. The marble stays where it is.",
        "The marble is on a slope. The marble stays where it is.",
    )
    assert (first.form, first.answer, second.answer) == ("sentences", 0, 0)
    assert first.family == second.family != third.family
    assert (first.facets["task"], first.groups) == ("physical-dynamics", {"ConceptA": "roll"})
    assert "those of EWoK" in probe.card.made


def test_comps_pairs_are_prefix_and_property(tmp_path: Path) -> None:
    row = {
        "id": 4,
        "property": "can swim",
        "acceptable_concept": "otter",
        "unacceptable_concept": "wren",
        "prefix_acceptable": "an otter",
        "prefix_unacceptable": "a wren",
        "property_phrase": "can swim.",
        "negative_sample_type": "random",
        "similarity": 0.4,
    }
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    probe = read_table([tmp_path / "x.jsonl"], False, None)
    (item,) = probe.items
    assert item.options == ("an otter can swim.", "a wren can swim.")
    assert (item.answer, item.source.id, item.groups) == (0, "4", {"property": "can swim"})
    assert item.facets == {"negative_sample_type": "random"}
    assert "Columns that nobody mapped: acceptable_concept, similarity, unacceptable_concept." in probe.card.made


def test_a_joined_column_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="b2"):
        read(tmp_path / "x.csv", "a1,a2,key\nIce,melts,0\n", "options=a1&a2+a1&b2,answer=key")


def test_a_layout_that_nobody_knows_wants_a_map(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"question": "Why?", "answer": "Because it rained."}) + "\n")
    with pytest.raises(UserError, match="of no layout that is known here"):
        read_table([tmp_path / "x.jsonl"], False, None)


def test_dotted_columns_and_columns_that_nobody_mapped(tmp_path: Path) -> None:
    rows = [
        {"q": {"stem": f"{n}?", "o": [{"t": "a"}, {"t": "b"}]}, "key": "B", "hint": "x", "note": None} for n in range(2)
    ]
    probe = read(tmp_path / "x.json", json.dumps(rows), "question=q.stem,options=q.o.t,answer=key")
    assert [(item.text, item.options, item.answer) for item in probe.items] == [
        ("0?", ("a", "b"), 1),
        ("1?", ("a", "b"), 1),
    ]
    assert "Columns that nobody mapped: hint, note." in probe.card.made
    assert probe.card.notes["columns that nobody mapped"] == 2


@pytest.mark.parametrize("kind", ["arrow", "stream", "parquet", "csv", "jsonl"])
def test_any_kind_of_file_gives_the_same_items(kind: str, tmp_path: Path) -> None:
    rows = [{"q": f"Is it {n}?", "a": "yes", "b": "no", "key": n % 2} for n in range(5)]
    table, path = pa.Table.from_pylist(rows), tmp_path / "set"
    if kind == "arrow":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    elif kind == "stream":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    elif kind == "parquet":
        pq.write_table(table, path)
    elif kind == "csv":
        path.write_text("q,a,b,key\n" + "".join(f"{r['q']},yes,no,{r['key']}\n" for r in rows))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    items = read_table([path], False, parse_map("question=q,options=a+b,answer=key"), "same").items
    assert [(item.text, item.options, item.answer) for item in items] == [
        (f"Is it {n}?", ("yes", "no"), n % 2) for n in range(5)
    ]
    path.write_bytes(path.read_bytes()[:-9])
    if kind in ("arrow", "parquet"):
        with pytest.raises(UserError, match="damaged"):
            read_table([path], False, parse_map("question=q,options=a+b,answer=key"))


def test_what_was_exported_comes_back_as_it_was(tmp_path: Path) -> None:
    probe = hs.load_probe("starter")
    export(probe, to="hf", out=tmp_path / "set", cues=False)
    back = hs.read_release("table", tmp_path / "set")
    assert back.items == list(probe.items)
    assert back.card == probe.card


def test_a_name_of_the_hub_that_cannot_be_had_is_told() -> None:
    with pytest.raises(UserError, match=r"datasets is not installed|cannot be had"):
        hs.read_release("table", "hf:org/name:config")


@pytest.mark.parametrize(("first", "refused"), [(0, False), (1, True)])
def test_indices_that_count_from_1_are_refused(tmp_path: Path, first: int, refused: bool) -> None:
    """The last option is never right, so that every index from 1 is also one from 0."""
    rows = "".join(f"Is it {n}?,yes,no,maybe,never,{first + n % 3}\n" for n in range(30))
    (tmp_path / "quiz.csv").write_text(f"q,a,b,c,d,key\n{rows}", encoding="utf-8")
    columns = parse_map("question=q,options=a+b+c+d,answer=key")
    if refused:
        with pytest.raises(UserError, match="count from 0") as caught:
            read_table([tmp_path / "quiz.csv"], False, columns, "quiz")
        assert caught.value.file == str(tmp_path / "quiz.csv")
    else:
        assert [item.answer for item in read_table([tmp_path / "quiz.csv"], False, columns, "quiz").items] == [
            0,
            1,
            2,
        ] * 10


def test_a_mapped_column_with_a_dot_in_its_name_is_not_called_unmapped(tmp_path: Path) -> None:
    lines = ['{"q": "Is it?", "Choices (sep. by ;)": ["yes", "no"], "key": 0}'] * 2
    (tmp_path / "quiz.jsonl").write_text("\n".join(lines), encoding="utf-8")
    probe = read_table(
        [tmp_path / "quiz.jsonl"], False, parse_map("question=q,options=Choices (sep. by ;),answer=key"), "quiz"
    )
    assert "nobody mapped" not in probe.card.made
