"""Winograd schemas of our own in every form that is about, put into sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.cats.joining import case_of, substituted
from horsesense.methods.published import read_files


def schema(before: str, pronoun: str, after: str, first: str, second: str, answer: str) -> str:
    return f"""<schema>
  <text><txt1>{before}</txt1><pron> {pronoun} </pron><txt2>{after}</txt2></text>
  <quote><quote1></quote1><pron>{pronoun}</pron><quote2>{after}</quote2></quote>
  <answers><answer> {first}</answer><answer>{second} </answer></answers>
  <correctAnswer> {answer}. </correctAnswer><source>made up</source>
</schema>"""


def collection(path: Path, *schemas: str, encoding: str = "UTF-8") -> Path:
    head = f'<?xml version="1.0" encoding="{encoding}"?>\n<collection>\n'
    path.write_bytes((head + "\n".join(schemas) + "\n</collection>\n").encode(encoding))
    return path


def test_xml(tmp_path: Path) -> None:
    path = collection(
        tmp_path / "WSCollection.xml",
        schema("The vase cracked the shelf\n  because", "it", "was so heavy.", "The vase", "the shelf", "A"),
        schema("Zoë lent Ines a pen because", "she", "had none.", "Zoë", "Ines", "B"),
        encoding="ISO-8859-1",
    )
    probe = read_files("winograd", [path])
    assert [(item.options, item.answer) for item in probe.items] == [
        (
            (
                "The vase cracked the shelf because the vase was so heavy.",
                "The vase cracked the shelf because the shelf was so heavy.",
            ),
            0,
        ),
        (("Zoë lent Ines a pen because Zoë had none.", "Zoë lent Ines a pen because Ines had none."), 1),
    ]
    assert [item.facets["names"] for item in probe.items] == ["none", "kept"]
    assert [(item.facets["pronoun"], item.facets["case"]) for item in probe.items] == [
        ("it", "subject"),
        ("she", "subject"),
    ]
    assert [item.source.line for item in probe.items] == [3, 10]
    assert (probe.card.name, probe.card.normalise, probe.card.group) == ("cats-wsc", "mean", "source")


@pytest.mark.parametrize(
    ("before", "pronoun", "after", "candidate", "sentence"),
    [
        ("Ida met Ruth when", "she", "left.", "Ida", "Ida met Ruth when Ida left."),
        ("Ida met Ruth.", "She", "left.", "the nurse", "Ida met Ruth. The nurse left."),
        ("The nurse met the cook.", "She", "left.", "The nurse", "The nurse met the cook. The nurse left."),
        ("The nurse met the cook before", "she", "left.", "The cook", "The nurse met the cook before the cook left."),
        ("Ida showed Ruth", "her", "garden.", "Ida", "Ida showed Ruth Ida's garden."),
        ("Ida could hear", "her", "in the hall.", "Ruth", "Ida could hear Ruth in the hall."),
        ("Tom hid", "his", "hat from Ben.", "Tom", "Tom hid Tom's hat from Ben."),
        ("The boys met Ida, and", "their", "aunt knew.", "the boys", "The boys met Ida, and the boys' aunt knew."),
        ("Carl washed the pan because", "it", "'s dirty.", "the pan", "Carl washed the pan because the pan's dirty."),
        ("The dog saw the cat and chased", "it", ".", "the cat", "The dog saw the cat and chased the cat."),
        ("Kate asked Lena, but", "she", "forgot.", "lena", "Kate asked Lena, but Lena forgot."),
        ("The hawk saw larks because", "they", "sing.", "Larks", "The hawk saw larks because larks sing."),
        ("He said \"", "it", "fell\".", "the cup", "He said \"the cup fell\"."),
    ],
)  # fmt: skip
def test_a_candidate_takes_the_pronouns_place(
    before: str, pronoun: str, after: str, candidate: str, sentence: str
) -> None:
    assert substituted(before, pronoun, after, candidate) == sentence


@pytest.mark.parametrize(
    ("pronoun", "after", "case"),
    [
        ("their", " coats", "possessive"),
        ("them", " away", "object"),
        ("her", ".", "object"),
        ("her", " that it rained", "object"),
        ("her", " old bicycle", "possessive"),
        ("He", " ran", "subject"),
    ],
)
def test_case(pronoun: str, after: str, case: str) -> None:
    assert case_of(pronoun, after) == case


TEXT = "The kettle stood by the stove until it was hot."
SENTENCES = ("The kettle stood by the stove until the kettle was hot.", TEXT.replace("it was", "the stove was"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("hub.jsonl", json.dumps({"text": TEXT, "pronoun": "it", "pronoun_loc": TEXT.index("it was"),
                                  "options": ["The kettle", "the stove"], "label": 1})),
        ("list.json", json.dumps([{"text": TEXT, "pronoun": "it", "options": ["the kettle", "the stove"],
                                   "label": "B"}])),
        ("pairs.json", json.dumps([{"question_id": 7, "substitution": sentence, "correctness": right}
                                   for sentence, right in zip(SENTENCES, (False, True), strict=True)])),
        ("spans.jsonl", "\n".join(
            json.dumps({"text": TEXT, "label": right, "target": {"span1_index": 0, "span1_text": text,
                        "span2_index": TEXT.split().index("it"), "span2_text": "it"}})
            for text, right in (("The kettle", False), ("the stove", True)))),
        ("schemas.tsv", "text\tpronoun\tA\tB\tanswer\n"
                        f"{TEXT.replace('it was', '[it] was')}\tit\tThe kettle\tthe stove\tB\n"),
        ("schemas.csv", f"sentence,pron,options,label\r\n{TEXT},it,the kettle / the stove,the stove\r\n"),
    ],
)  # fmt: skip
def test_other_forms_give_the_same_item(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    (item,) = read_files("winograd", [path]).items
    assert (item.options, item.answer) == (SENTENCES, 1)


GOOD = schema("The vase hit the cup because", "it", "fell.", "the vase", "the cup", "A")


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (GOOD.replace("A.", ""), "the right answer is missing"),
        (GOOD.replace("A.", "C."), "the answer 'C.' is not one of the 2 candidates"),
        (GOOD.replace("the cup </answer>", "the vase</answer>"), "two options are the same"),
        (GOOD.replace("<pron> it </pron>", "<pron/>", 1), "the schema has no pronoun"),
        (GOOD.replace("<answer>the cup </answer>", ""), "the schema has 1 candidates"),
    ],
)
def test_a_bad_schema_is_told_with_its_line_or_skipped(tmp_path: Path, bad: str, problem: str) -> None:
    path = collection(tmp_path / "bad.xml", GOOD, bad)
    with pytest.raises(UserError) as error:
        read_files("winograd", [path])
    assert str(error.value).startswith(f"{path}:9: {problem}")
    probe = read_files("winograd", [path], skip_bad=True)
    assert (len(probe.items), probe.card.notes["bad lines skipped"]) == (1, 1)


def test_bad_files(tmp_path: Path) -> None:
    for name, content, problem in (
        ("cut.xml", b"<collection>\n<schema>", "this is not XML"),
        ("empty.tsv", b" \n", "the file is empty"),
        ("latin.tsv", b"text\tpronoun\tA\tB\tanswer\ncaf\xe9\tit\ta\tb\tA\n", "byte 0xe9 is not UTF-8"),
        ("twice.tsv", b"text\tpronoun\tA\tB\tanswer\nit saw it\tit\ta\tb\tA\n", "the pronoun 'it' occurs 2 times"),
        ("stray.tsv", b"text\tpronoun\tA\tB\tanswer\nx it y\tit\ta\tb\tA\tmore\n", "the row has 6 fields"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(UserError, match=problem) as error:
            read_files("winograd", [path])
        assert error.value.file == str(path)
