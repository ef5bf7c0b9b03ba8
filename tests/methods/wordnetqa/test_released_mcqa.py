"""WordNetQA and DictionaryQA, on questions of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from horsesense.methods.published import read_files


def question(**changes: Any) -> dict[str, Any]:
    """A question about a made-up taxonomy; ``notes`` are added to, the rest is replaced."""
    notes = {
        "surface_form": "wren",
        "gold_synset": "wren.n.01",
        "chain": "wren.n.01=>song_bird.n.01",
        "hops": 1,
        "pos": "n",
        "distractor_type": "sister",
        "distractor_hops": 2,
        "other_distractors": ["pine.n.01"],
        "random_distractors": ["brass_band.n.02"],
    } | changes.pop("notes", {})
    texts = [
        "brass band, defined as 'players'",
        "song bird (or singer), defined as 'a bird'",
        "pine event, defined as 'a tree'",
    ]
    choices = [{"text": text, "label": str(number)} for number, text in enumerate(texts)]
    stem = "In 'a wren sang', 'wren' is best described as a type of"
    return {"id": "7-x", "question": {"stem": stem, "choices": choices}, "answerKey": "1", "notes": notes} | changes


def write(path: Path, *questions: dict[str, Any]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(json.dumps(entry) for entry in questions), encoding="utf-8")
    return path


def test_facets_family_and_concepts(tmp_path: Path) -> None:
    (item,) = read_files("mcqa", [write(tmp_path / "train.jsonl", question())]).items
    assert (item.form, item.answer, item.source.id) == ("choice", 1, "7-x")
    assert item.facets == {
        "task": "hypernymy",
        "asked": "wren.n.01",
        "hops": 1,
        "distractor_hops": 2,
        "distractor_kind": "sister",
        "pos": "n",
        "split": "train",
    }
    assert item.family == "hypernymy: wren.n.01"
    assert item.groups == {"asked": "wren.n.01", "answer": "song_bird.n.01"}
    assert item.concepts == ("brass_band.n.02", "song_bird.n.01", "pine.n.01")


def test_concepts_are_left_out_where_they_cannot_be_told(tmp_path: Path) -> None:
    doubtful = [
        question(notes={"other_distractors": ["song_bird.n.02"]}),  # two concepts of one name
        question(notes={"random_distractors": ["drum.n.01"]}),  # a name that no option has
        question(notes={"random_distractors": []}),
        question(answerKey="0"),  # the chain says otherwise
        question(notes={"other_distractors": None}),
    ]
    for entry in doubtful:
        assert read_files("mcqa", [write(tmp_path / "x.jsonl", entry)]).items[0].concepts == ()


def test_the_task_is_told_by_the_question(tmp_path: Path) -> None:
    same = {"chain": "wren.n.01<=wren.n.01", "hops": 0}
    stem = {"question": question()["question"] | {"stem": "Which set of words best fits 'a bird'"}}
    path = write(
        tmp_path / "dev.jsonl",
        question(notes={"chain": "wren.n.01<=house_wren.n.01"}),
        question(
            notes=same, question=question()["question"] | {"stem": "In 'a wren sang words', 'wren' is best defined as"}
        ),
        question(notes=same, **stem),
    )
    items = read_files("mcqa", [path]).items
    assert [item.facets["task"] for item in items] == ["hyponymy", "definitions", "synonymy"]


def test_integers_and_aligned_concepts_of_the_dictionary(tmp_path: Path) -> None:
    choices = [{"label": 0, "text": "a lamp "}, {"label": 1, "text": "not heavy"}]
    notes = {
        "gold_synset": "light.u.2",
        "distractor_synsets": ["light.u.1", "light.u.2"],
        "hops": 0,
        "distractor_hops": 0,
    }
    entry = {"id": 31, "question": {"stem": "In 'a light bag', 'light' means", "choices": choices}, "answerKey": 1}
    entry |= {"notes": notes | {"chain": "", "turk_vote": "0", "total_votes": ["0"]}}
    probe = read_files("mcqa", [write(tmp_path / "test.jsonl", entry)])
    (item,) = probe.items
    assert (item.answer, item.source.id, item.family) == (1, "31", "")
    assert item.concepts == ("light.u.1", "light.u.2")
    assert (item.facets["task"], item.facets["people_right"]) == ("dictionary", False)
    assert probe.card.notes == {"no final newline": 1, "texts with outer spaces": 1}
    assert probe.card.method == "dictionaryqa"


def test_repeated_ids_are_kept_and_counted(tmp_path: Path) -> None:
    other = question(question=question()["question"] | {"stem": "In 'one wren', 'wren' is a kind of"})
    probe = read_files("mcqa", [write(tmp_path / "train.jsonl", question(), other, question())])
    assert [item.source.id for item in probe.items] == ["7-x", "7-x"]
    assert probe.card.notes == {
        "no final newline": 1,
        "repeated ids in the published files": 2,
        "repeated items dropped": 1,
    }
    assert probe.card.families == 1
