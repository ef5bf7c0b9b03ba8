"""Sense making, SWAG, HellaSwag and ARCT in their own formats, on rows of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.published import read_files

Files = dict[str, str]


def write(folder: Path, files: Files) -> list[Path]:
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")
    return [folder / name for name in files]


SENSE = {
    "subtaskA_data.csv": "id,sent0,sent1\r\n"
    '12,"she drank a brick, slowly",she drank tea\r\n7,ice is cold,ice is hot\r\n',
    "subtaskA_answers.csv": "7,1\r\n12,0\r\n",
}
REASONS = {
    "subtaskB_data.csv": "id,FalseSent,OptionA,OptionB,OptionC\n"
    "12,she drank a brick.,bricks are red.,bricks are solid,bricks cost money\n",
    "subtaskB_answers.csv": "12,B\n",
}
SWAG = {
    "train.csv": ",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label\n"
    "0,clip_4,99,A man digs. He,A man digs.,He,gold,finds a coin.,eats the spade.,flies off.,sings a door.,0\n"
}
HELLA = {
    "ind": 24, "activity_label": "Baking", "ctx_a": "A bowl stands on a table. [step]", "ctx_b": "a woman",
    "split": "val", "label": 2, "source_id": "activitynet~v_x",
    "endings": ["paints it [substeps] blue.", "throws it.", "fills it with flour.", "sings."],
}  # fmt: skip
ARCT = (
    "#id\twarrant0\twarrant1\tcorrectLabelW0orW1\treason\tclaim\tdebateTitle\tdebateInfo\n"
    '1_2\tbuses are slow\tbuses are "quick"\t1\tBuses save fuel.\tTake the bus\tBuses\tWhich way?\n'
)
NEGATED = ARCT.replace("debateInfo", "debateInfo\tadversarial").replace("way?", "way?\tFalse") + (
    '1_2\tbuses are slow\tbuses are "quick"\t0\tBuses save fuel.\tDo not take the bus\tBuses\tWhich way?\tTrue\n'
)


def test_sense_making_takes_the_statement_that_is_not_against_common_sense(tmp_path: Path) -> None:
    items = read_files("sense-making", write(tmp_path, SENSE)).items
    assert [(item.options, item.answer, item.source.id, item.source.line) for item in items] == [
        (("she drank a brick, slowly", "she drank tea"), 1, "12", 2),
        (("ice is cold", "ice is hot"), 0, "7", 3),
    ]


def test_reasons_are_joined_as_released_and_share_the_statement_of_sense_making(tmp_path: Path) -> None:
    (item,) = read_files("sense-reasons", write(tmp_path, REASONS)).items
    assert item.options[1] == '" she drank a brick " is against common sense because bricks are solid .'
    assert (item.answer, item.facets["task"], item.facets["steps"]) == (1, "smr", 2)
    released = tmp_path / "smr.txt"
    released.write_text("\x01".join(["1", *(f"{option} " for option in item.options)]) + "\n", encoding="utf-8")
    (same,) = read_files("cats", [released]).items
    assert same.id == item.id, "the released line of the same question is the same item"
    statement = read_files("sense-making", write(tmp_path, SENSE | {"subtaskA_answers.csv": "7,1\n12,0\n"})).items[0]
    assert statement.groups["statement"] != item.groups["statement"], "other words"


def test_swag(tmp_path: Path) -> None:
    (item,) = read_files("swag", write(tmp_path, SWAG)).items
    assert item.options[:2] == ("A man digs. He finds a coin.", "A man digs. He eats the spade.")
    assert (item.answer, item.facets["split"], item.groups["statement"]) == (0, "train", "a man digs")


def test_hellaswag_takes_activitynet_and_cleans_brackets(tmp_path: Path) -> None:
    lines = [HELLA, HELLA | {"source_id": "wikihow~7", "label": 0}, HELLA | {"ctx_a": "A tap drips.", "label": "3"}]
    probe = read_files("hellaswag", write(tmp_path, {"val.jsonl": "\n".join(map(json.dumps, lines)) + "\n"}))
    assert [item.options[0] for item in probe.items] == [
        "A bowl stands on a table. A woman paints it blue.",
        "A tap drips. A woman paints it blue.",
    ]
    assert [item.answer for item in probe.items] == [2, 3]
    assert probe.items[0].facets["activity"] == "Baking"
    assert probe.card.notes == {"items of WikiHow left out": 1}


def test_arct_has_two_joins_and_an_augmentation(tmp_path: Path) -> None:
    (path,) = write(tmp_path, {"test.tsv": ARCT})
    (released,), (neutral,) = (read_files(name, [path]).items for name in ("arct", "arct-neutral"))
    assert released.options == (
        "Buses save fuel, and since buses are slow, Take the bus",
        'Buses save fuel, but since buses are "quick", Take the bus',
    )
    assert neutral.options[1] == 'Buses save fuel, and since buses are "quick", Take the bus'
    assert {item.answer for item in (released, neutral)} == {1}
    (path,) = write(tmp_path, {"test-adv-negated.csv": NEGATED})
    items = read_files("arct", [path]).items
    assert [(item.facets["task"], item.facets["negated"], item.answer) for item in items] == [
        ("arct_2", False, 1),
        ("arct_2", True, 0),
    ]
    assert items[0].groups["source"] == items[1].groups["source"]


def changed(files: Files, name: str, old: str, new: str) -> Files:
    assert old in files[name]
    return files | {name: files[name].replace(old, new)}


VAL = {"val.jsonl": json.dumps(HELLA) + "\n"}
DATA = "subtaskA_data.csv"


@pytest.mark.parametrize(
    ("release", "files", "line", "problem"),
    [
        ("sense-making", changed(SENSE, "subtaskA_answers.csv", "7,1\r\n", ""), 3, "the id 7 has no answer in"),
        ("sense-making", changed(SENSE, DATA, "ice is hot", "ice is cold"), 3, "two options are the same"),
        ("sense-making", changed(SENSE, DATA, "ice is hot", "ice, is hot"), 3, "the row has 4 fields"),
        ("sense-making", changed(SENSE, DATA, "ice is hot", ""), 3, "the field 'sent1' is empty"),
        ("sense-making", changed(SENSE, DATA, "sent1", "s1"), 1, "the column 'sent1' is missing"),
        ("swag", changed(SWAG, "train.csv", "door.,0", "door.,4"), 2, "the label 4 is not a number from 0 to 3"),
        ("swag", changed(SWAG, "train.csv", "door.,0", "door.,"), 2, "the field 'label' is empty"),
        ("hellaswag", changed(VAL, "val.jsonl", '"label": 2', '"label": ""'), 1, "the line has no label"),
        ("hellaswag", changed(VAL, "val.jsonl", '"label": 2', '"label": 9'), 1, "the label 9 is not a number"),
        ("hellaswag", changed(VAL, "val.jsonl", '"sings."', '"[title]"'), 1, "an ending is empty"),
        ("arct", {"a.tsv": ARCT.replace("\t1\t", "\t\t")}, 2, "the field 'correctLabelW0orW1' is empty"),
        ("arct", {"a.tsv": ARCT.replace("slow", "slow\textra")}, 2, "the row has 9 fields and the header 8"),
    ],
)  # fmt: skip
def test_bad_rows(tmp_path: Path, release: str, files: Files, line: int, problem: str) -> None:
    paths = write(tmp_path, files)
    with pytest.raises(UserError) as error:
        read_files(release, paths)
    assert str(error.value).startswith(f"{paths[0]}:{line}: {problem}")


@pytest.mark.parametrize(
    ("release", "files", "line", "problem"),
    [
        ("sense-making", changed(SENSE, "subtaskA_answers.csv", "12,0", "12,2"), 2, "'2' to the id 12 is not 0 or 1"),
        ("sense-making", changed(SENSE, "subtaskA_answers.csv", "12,0", "12,"), 2, "'' to the id 12 is not 0 or 1"),
        ("sense-reasons", changed(REASONS, "subtaskB_answers.csv", "B", "D"), 1, "'D' to the id 12 is not A, B or C"),
    ],
)
def test_a_bad_answer_is_told_where_it_stands(
    tmp_path: Path, release: str, files: Files, line: int, problem: str
) -> None:
    paths = write(tmp_path, files)
    with pytest.raises(UserError) as error:
        read_files(release, paths)
    assert str(error.value).startswith(f"{paths[1]}:{line}: the answer {problem}")


def test_brackets_leave_no_blank_before_a_mark(tmp_path: Path) -> None:
    files = changed(SWAG, "train.csv", "finds a coin.", '"sits [down], then [title][step]. [substeps] He [a]eats ."')
    (item,) = read_files("swag", write(tmp_path, files)).items
    assert item.options[0] == "A man digs. He sits, then. He eats ."


def test_separators_of_other_models_become_spaces(tmp_path: Path) -> None:
    files = changed(SWAG, "train.csv", "finds a coin.", "finds [SEP] a coin.")
    probe = read_files("swag", write(tmp_path, files))
    assert probe.items[0].options[0] == "A man digs. He finds a coin."
    lines = tmp_path / "sm.txt"
    lines.write_text("0\x01ice is [SEP] cold\x01ice is hot\n", encoding="utf-8")
    probe = read_files("cats", [lines])
    assert probe.items[0].options == ("ice is cold", "ice is hot")
    assert probe.card.notes == {"[SEP] replaced by a space": 1}


@pytest.mark.parametrize(
    ("name", "line", "problem"),
    [
        ("ca.txt", "0\x01a b\x01a b", "two sentences are the same"),
        ("ca.txt", "0\x01a b\x01a c\x01a d", "the line has 3 sentences, and most lines have 2"),
        ("swag.txt", "0\x01a b\x01a c\x01a d", "the line has 3 sentences, and most lines have 4"),
        ("wsc.txt", "\x01a b\x01a c", "the answer '' is not a number"),
        ("wsc.txt", "2\x01a b\x01a c", "the answer 2 is not a number from 0 to 1"),
        ("wsc.txt", "0\x01a b\x01", "option 1 is empty"),
    ],
)
def test_bad_lines_of_the_release(tmp_path: Path, name: str, line: str, problem: str) -> None:
    path = tmp_path / name
    good = "\x01".join(["0", *(f"a sentence {n}" for n in range(4 if name == "swag.txt" else 2))])
    path.write_text(f"{good}\n{line}\n{good} once more\n", encoding="utf-8")
    with pytest.raises(UserError) as error:
        read_files("cats", [path])
    assert str(error.value).startswith(f"{path}:2: {problem}")
    assert read_files("cats", [path], skip_bad=True).card.notes["bad lines skipped"] == 1
