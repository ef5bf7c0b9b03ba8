"""Readers of released judgements, on rows of our own in the released formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.published import read_files
from horsesense.methods.published.reading import read_votes
from horsesense.methods.winoventi.published_dataset import CRITERIA

RESULTS = """whole,part,jj,result1,result2,result3,result4,result5
box,lid,red,guaranteed,probably,guaranteed
box,lid,loud,pjj-nonsense,unrelated,wjj-nonsense,unrelated
tea pot,spout,hot,probably,probably
"""
INHOUSE = "title,url,HITId,whole,part,jj,result1,worker1,result2,worker2\n,,,box,lid,red,guaranteed,,unrelated\n"
GOLD = "box,lid,red,guaranteed,guaranteed\nbox,lid,loud,impossible,impossible\n"


def lay(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    return path


def test_partwhole_results(tmp_path: Path) -> None:
    votes = read_votes("partwhole", [lay(tmp_path, "results.csv", RESULTS)])
    assert [item.facets["adjective"] for item in votes.probe.items] == ["red", "loud", "hot"]
    assert {item.answer for item in votes.probe.items} == {None}
    first, second, third = (item.id for item in votes.probe.items)
    judged = [(j.item, j.annotator, j.value, j.reason) for j in votes.judgements]
    assert judged[:3] == [
        (first, "#1", "guaranteed", ""),
        (first, "#2", "probably", ""),
        (first, "#3", "guaranteed", ""),
    ]
    assert judged[3] == (second, "#1", "nonsense", "part-adjective")
    assert judged[5] == (second, "#3", "nonsense", "whole-adjective")
    assert len([entry for entry in judged if entry[0] == third]) == 2
    assert all(judgement.anonymous for judgement in votes.judgements)


def test_partwhole_items_are_those_of_the_labels(tmp_path: Path) -> None:
    """The question about a triple is the one that the reader of labels asks, so that labels fit."""
    votes = read_votes("partwhole", [lay(tmp_path, "results.csv", RESULTS)])
    labelled = read_files("partwhole", [lay(tmp_path, "dev.csv", "whole,part,jj,label,bin_label\nbox,lid,red,4,1\n")])
    assert replace(labelled.items[0], answer=None).id == votes.probe.items[0].id


@pytest.mark.parametrize(("content", "values"), [(INHOUSE, ["guaranteed", "unrelated"]), (GOLD, ["guaranteed"] * 2)])
def test_partwhole_other_layouts(content: str, values: list[str], tmp_path: Path) -> None:
    votes = read_votes("partwhole", [lay(tmp_path, "a.csv", content)])
    assert votes.probe.items[0].groups == {"whole": "box", "part": "lid", "adjective": "red"}
    assert [j.value for j in votes.judgements if j.item == votes.probe.items[0].id] == values


def test_partwhole_votes_in_two_columns(tmp_path: Path) -> None:
    content = INHOUSE + ",,,box,lid,slow,probably,word-,nonsense\n,,,box,lid,shy,unlikely,,nonsense\n"
    votes = read_votes("partwhole", [lay(tmp_path, "a.csv", content)])
    judged = [(j.value, j.reason) for j in votes.judgements[2:]]
    assert judged == [("probably", ""), ("nonsense", "word"), ("unlikely", ""), ("nonsense", "")]
    assert votes.probe.card.notes["votes in two columns"] == 1


PAIR = ["kettle", "hot", "cold", "stove", "fridge"]
PROMPTS = [
    "I took the kettle off the stove. The kettle is ____.",
    "I took the kettle out of the fridge. The kettle is ____.",
]


def schemas(*rows: tuple[str, str]) -> str:
    """Rows of an evaluation file: a worker and four letters, y or n."""
    columns = ["User ID", "Word", "Associative Bias", "Alternative", "biased_word_context", "adversarial_word_context"]
    columns += ["biased_context_prompt", "adversarial_context_prompt", *CRITERIA]
    lines = [",".join(columns)]
    for who, answers in rows:
        lines.append(",".join([who, *PAIR, *PROMPTS, *({"y": "Yes", "n": "No"}.get(a, a) for a in answers)]))
    return "\n".join(lines) + "\n"


def test_winoventi_schemas(tmp_path: Path) -> None:
    votes = read_votes("winoventi-schemas", [lay(tmp_path, "raw.csv", schemas(("p1", "nnnn"), ("p2", "ynny")))])
    assert [item.member for item in votes.probe.items] == ["generic", "exception"]
    assert [item.options[item.answer or 0] for item in votes.probe.items] == ["hot", "cold"]
    assert [(j.annotator, j.value) for j in votes.judgements] == [
        ("p1", "pass"),
        ("p2", "synonym-generic+ambiguous-exception"),
    ]
    assert {j.item for j in votes.judgements} == {" | ".join(PAIR)} == {item.family for item in votes.probe.items}


def answers(rows: list[tuple[str, str, str]], cleaned: bool) -> str:
    """Rows of a human evaluation: a worker, the test type and the choice."""
    columns = ["User ID", "Word", "Associative Bias", "Alternative", "biased_word_context", "adversarial_word_context"]
    columns += ["masked_prompt", "target", "incorrect", "test_type", "choiceA", "choiceB", "target_col"]
    columns.append("human_input" if cleaned else "Please select the best answer to fill in the blank.")
    lines = [columns]
    for who, test, choice in rows:
        target, other = ("hot", "cold") if test == "1" else ("cold", "hot")
        written = choice if cleaned else "{{" + choice + "}}"
        lines.append([who, *PAIR, PROMPTS[int(test) - 1], target, other, test, "cold", "hot", "choiceB", written])
    return "\n".join(("\t" if cleaned else ",").join(line) for line in lines) + "\n"


@pytest.mark.parametrize("cleaned", [False, True])
def test_winoventi_answers(cleaned: bool, tmp_path: Path) -> None:
    content = answers([("p1", "1", "choiceB"), ("p2", "2", "choiceB")], cleaned)
    votes = read_votes("winoventi-answers", [lay(tmp_path, "human.csv", content)])
    gold = {item.id: item.options[item.answer or 0] for item in votes.probe.items}
    assert [(j.value, j.value == gold[j.item]) for j in votes.judgements] == [("hot", True), ("hot", False)]


def test_winoventi_items_are_those_of_the_benchmark(tmp_path: Path) -> None:
    columns = ["Word", "Associative Bias", "Alternative", "biased_word_context", "adversarial_word_context"]
    columns += ["masked_prompt", "target", "incorrect", "test_type"]
    rows = [columns] + [
        [*PAIR, prompt.replace("____", "[MASK]"), *(("hot", "cold") if test == 1 else ("cold", "hot")), str(test)]
        for test, prompt in enumerate(PROMPTS, start=1)
    ]
    bench = read_files("winoventi", [lay(tmp_path, "w.tsv", "\n".join("\t".join(row) for row in rows) + "\n")])
    votes = read_votes("winoventi-schemas", [lay(tmp_path, "raw.csv", schemas(("p1", "nnnn")))])
    assert [item.id for item in votes.probe.items] == [item.id for item in bench.items]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("partwhole", RESULTS + "box,lid,wet,maybe,maybe\n", "f.csv:5: the judgement 'maybe' is unknown"),
        ("partwhole", RESULTS + "box,,wet,unlikely,unlikely\n", "f.csv:5: the line is not a triple and its judgements"),
        ("partwhole", "part,whole,jj,result1\na,b,c,unlikely\n", "f.csv:1: the columns are not those of part-whole"),
        ("winoventi-schemas", schemas(("p1", ["n", "n", "n", "Perhaps"])), "neither Yes nor No"),  # type: ignore[arg-type]
        ("winoventi-schemas", schemas(("", "nnnn")), "f.csv:2: the column 'User ID' is empty"),
        ("winoventi-schemas", "Word\tx\na\tb\n", "f.csv:1: the column 'User ID' is missing"),
        ("winoventi-answers", answers([("p1", "1", "choiceC")], True), "neither choiceA nor choiceB"),
        ("winoventi-votes", "", "there is no release of judgements 'winoventi-votes'"),
    ],
)
def test_bad_votes(name: str, content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_votes(name, [lay(tmp_path, "f.csv", content)])
    assert message in str(caught.value)


def test_bad_lines_can_be_skipped(tmp_path: Path) -> None:
    path = lay(tmp_path, "f.csv", RESULTS + "box,lid,wet,maybe,maybe\n")
    votes = read_votes("partwhole", [path], skip_bad=True)
    assert (len(votes.probe.items), votes.probe.card.notes["bad lines skipped"]) == (3, 1)
    assert len(votes.judgements) == 9
