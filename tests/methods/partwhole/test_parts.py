"""Parts that are parts, gold items, pictures of pairs, and rows held against votes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horsesense.core import Card, Probe, Source, write_probe
from horsesense.errors import UserError
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.methods import partwhole
from horsesense.methods.partwhole.dataset import LABELS, read_partwhole, read_partwhole_votes, unjudged
from horsesense.methods.partwhole.pairs import adjective_class
from horsesense.methods.partwhole.recasting import gold_triples
from horsesense.methods.partwhole.rules import REASONS, parthood
from horsesense.methods.partwhole.table import of_people, triple_of, votes_of


def test_parts_by_wordnet_and_what_is_none() -> None:
    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine")
    seen = [
        ("shelf", "cat"),
        ("boat", "bench"),
        ("jug", "lid"),
        ("street", "car"),
        ("man", "umbrella"),
        ("finger", "hand"),
    ]
    sources = {"seen": seen, "told": [("boat", "bench")], "genericskb": [("pan", "cork")]}
    known, strict = parthood(sources, wide=True), parthood(sources)
    for pair in (("car", "wheel"), ("woman", "hand"), ("jeep", "tire"), ("horse", "tail"), ("house", "roof")):
        assert known.why_not(*pair) == strict.why_not(*pair) == "", pair
    assert strict.why_not("boat", "bench") == "", "two sources have it"
    for pair in (("submarine", "captain"), ("jug", "lid"), ("table", "edge")):
        assert strict.why_not(*pair), f"{pair}: nothing speaks of the pair itself"
    for pair in (("submarine", "captain"), ("bus", "driver"), ("woman", "nose"), ("jug", "lid"), ("table", "edge")):
        assert known.why_not(*pair) == "", f"{pair}: by its class, as a region, or as a crew"
    assert known.why_not("pan", "cork"), "only inferred by a program"
    for pair in (("street", "car"), ("man", "umbrella"), ("idiot", "section"), ("finger", "hand")):
        assert known.why_not(*pair), f"{pair}: other wholes of the class do not have it, or the other way round"
    wrong = {
        ("animal", "lion"): "kind",
        ("chair", "cat"): "living",
        ("glass", "water"): "filling",
        ("tennis", "advantage"): "untouchable",
        ("dog", "shadow"): "vague",
        ("dog", "good nose"): "phrase",
        ("oregon", "salem"): "name",
        ("man", "laptop"): "unknown",
    }
    assert {pair: known.why_not(*pair) for pair in wrong} == wrong
    assert set(wrong.values()) == set(REASONS)


def test_recall_and_precision_against_the_crowd(shared: Path) -> None:
    """Of the pairs that the crowd judged, those with a triple in the dataset are right; keeping all has 0.909."""
    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine")
    folder = shared / "data/partwhole"
    judged = read_partwhole_votes([folder / "mturk/final_batches/all_just_results.csv"]).probe.items
    triples = read_partwhole([folder / f"data/annotated/{name}.csv" for name in ("train", "dev", "test")]).items
    pairs, right = ({(item.groups["whole"], item.groups["part"]) for item in items} for items in (judged, triples))
    wide, strict = (
        {pair for pair in pairs if not known.why_not(*pair)}
        for known in (parthood({"seen": pairs}, wide=True), parthood({"seen": pairs}))
    )
    assert len(wide & right) / len(right) >= 0.60
    assert len(wide & right) / len(wide) >= 0.93
    assert len(strict & right) / len(right) >= 0.20
    assert strict <= wide


def test_words_of_judgement_are_no_person_words() -> None:
    assert [adjective_class(word) for word in ("beautiful", "nice", "angry", "strong")] == [
        "judgement",
        "judgement",
        "person",
        "feel",
    ]


def votes_file(tmp_path: Path) -> Path:
    rows = ["whole,part,jj,result1,result2,result3,result4,result5"]
    for number, label in enumerate(LABELS * 3):
        rows.append(f"whole{number},part{number},old,{label},{label},{label}")
    rows += ["jeep,tire,old,guaranteed,probably,unrelated", "jeep,door,red,pw-nonsense,probably,probably"]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_gold_items_are_those_on_which_all_agree(tmp_path: Path) -> None:
    path = votes_file(tmp_path)
    gold = partwhole.gold([path], per_label=2, seed=1)
    assert [item.answer for item in gold.items] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    nouns = [item.groups["whole"] for item in gold.items]
    assert "jeep" not in nouns
    assert len(set(nouns)) == 10
    assert partwhole.gold([path], per_label=2, seed=1) == gold
    with pytest.raises(UserError, match="3 triples are called impossible by all"):
        gold_triples(read_partwhole_votes([path]), 4)


def test_votes_leave_out_nonsense_and_say_what_was_dropped(tmp_path: Path) -> None:
    released = read_partwhole_votes([votes_file(tmp_path)])
    votes = votes_of(released, LABELS)
    assert votes["jeep", "tire", "old"] == (4, 3, 2)
    assert ("jeep", "door", "red") not in votes
    agreed = [item for item in released.probe.items if item.groups["whole"] != "jeep"]
    people = of_people(agreed, votes)
    assert (people.triples, people.votes, people.all_different) == (15, 45, 1)
    assert people.ceiling is not None
    assert people.ceiling_with_dropped is not None
    assert people.ceiling.ranked_probability.value == 0
    # The one triple that was dropped: each of 4, 3, 2 against the other two, by hand.
    apart = [(0 + 0 + 0.25 + 1) / 4, (0 + 0 + 0.25 + 0.25) / 4, (0 + 0 + 1 + 0.25) / 4]
    assert people.ceiling_with_dropped.ranked_probability.value == pytest.approx(sum(apart) / 48)
    assert triple_of(agreed[0])[2] == "old"


def test_pictures_of_a_pair_with_their_boxes(tmp_path: Path) -> None:
    items = [unjudged("jeep", "tire", word, Source()) for word in ("old", "red")]
    items.append(unjudged("boat", "sail", "big", Source()))
    write_probe(tmp_path / "p.jsonl", Probe.of(items, Card("p")))
    box = {"x": 1, "y": 2, "w": 30, "h": 40}
    relation = {"predicate": "HAS", "subject": {"name": "Jeeps", **box}, "object": {"names": ["tire"], **box}}
    other = {"predicate": "near", "subject": {"name": "boat", **box}, "object": {"name": "sail", **box}}
    pictures = [{"image_id": number, "relationships": [relation, relation, other]} for number in range(5)]
    (tmp_path / "relationships.json").write_text(json.dumps(pictures))
    (tmp_path / "images.json").write_text(
        json.dumps([{"image_id": number, "width": 640, "height": 480} for number in range(4)])
    )
    out = tmp_path / "pictures.jsonl"
    made = partwhole.pick_pictures(
        tmp_path / "p.jsonl",
        relationships=tmp_path / "relationships.json",
        images=tmp_path / "images.json",
        out=out,
        per_pair=3,
        seed=2,
    )
    assert (made.pairs, made.with_pictures, made.without) == (2, 1, ("boat, sail",))
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len({row["file"] for row in rows}) == len(rows) == 3
    assert {tuple(row["where"].values()) for row in rows} == {("jeep", "tire")}
    assert rows[0]["boxes"][1] == {"name": "tire", "x": 1, "y": 2, "width": 30, "height": 40}
    assert not any(row["file"] == "4.jpg" for row in rows), "nobody knows its size"
