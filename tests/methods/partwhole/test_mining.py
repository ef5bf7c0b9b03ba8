"""Candidates: each source in its own format, each rule on its own switch."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.methods.partwhole.builder import build_partwhole, overlap, read_candidates
from horsesense.methods.partwhole.pairs import (
    Modifiers,
    conceptnet_pairs,
    genericskb_pairs,
    is_colour,
    not_attributive,
    not_descriptive,
    read_attributes,
    read_relation_counts,
    read_relationships,
    read_syntactic_ngrams,
    read_text_modifiers,
    wordnet_pairs,
)
from horsesense.methods.partwhole.rules import RULES, CandidateRules
from tests.support import ROOT
from tests.support.made_corpora import attributes, ngrams, relationships, text


def test_pairs_are_counted_by_image(tmp_path: Path) -> None:
    pairs = read_relationships(relationships(tmp_path / "relationships.json"))
    assert pairs.unit == "images"
    assert dict(pairs.counts) == {
        ("jeep", "tire"): 3,
        ("lamp", "shade"): 1,
        ("jeep", "jeep"): 1,
        ("lamp", "big round shade"): 1,
    }
    turned = read_relationships(tmp_path / "relationships.json", ["have", "of"])
    assert turned.counts["jeep", "tire"] == 4, "after 'of' the whole stands last"


def test_a_table_of_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    path.write_text("subject\tpredicate\tobject\tcount\ncat\thave\tear\t12\ncat\thave a\tear\t3\near\tof\tcat\t7\n")
    pairs = read_relation_counts(path)
    assert (pairs.unit, dict(pairs.counts)) == ("relations", {("cat", "ear"): 15})
    assert pairs.left_out["relations with another predicate"] == 1
    path.write_text("subject\tpredicate\tobject\tcount\ncat\thave\tear\tmany\n")
    with pytest.raises(UserError, match="not a number") as error:
        read_relation_counts(path)
    assert error.value.line == 2


def test_facts(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("HasA\tcar\tfour wheels\t2.0\nPartOf\troof\thouse\t1.0\nIsA\tcat\tanimal\t1\n")
    assert dict(conceptnet_pairs([tmp_path / "c.txt"]).counts) == {("car", "wheel"): 1, ("house", "roof"): 1}
    lines = ["owl\tOwls have (part) beaks.\t1.0", "owl\tOwls hunt at night.\t0.9"]
    (tmp_path / "g.txt").write_text("\n".join(lines) + "\n")
    pairs = genericskb_pairs([tmp_path / "g.txt"])
    assert dict(pairs.counts) == {("owl", "beak"): 1}
    assert pairs.left_out["statements about something else"] == 1


def test_adjectives_of_ngrams_and_text(tmp_path: Path) -> None:
    arcs = read_syntactic_ngrams([ngrams(tmp_path / "arcs.txt")], {"jeep", "tire"})
    assert {noun: dict(adjectives_of_noun) for noun, adjectives_of_noun in arcs.counts.items()} == {
        "jeep": {"old": 70, "rusty": 5},
        "tire": {"old": 4},
    }
    described = read_text_modifiers([text(tmp_path / "t.txt")], {"jeep", "tire", "dealer", "door"})
    assert dict(described.counts["jeep"]) == {"old": 3, "muddy": 1, "rusty": 1, "red": 1}, "a jeep door is no jeep"
    assert dict(described.counts["tire"]) == {"muddy": 1}
    (tmp_path / "bad.txt").write_text("jeep\told jeep\t70\n")
    with pytest.raises(UserError, match="syntactic n-grams"):
        read_syntactic_ngrams([tmp_path / "bad.txt"], {"jeep"})


def test_the_order_of_nouns_with_a_common_form_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    file.write_text("The old axes broke.\n", encoding="utf-8")
    nouns = ["axe", "axis"]
    assert read_text_modifiers([file], nouns) == read_text_modifiers([file], nouns[::-1])


NO_PARTS = CandidateRules(["parts"])
"""Without WordNet; what it says of parts is tested elsewhere."""


def made(folder: Path, *off: str, **numbers: Any) -> Probe:
    pairs = read_relationships(relationships(folder / "relationships.json"))
    seen = read_attributes(attributes(folder / "attributes.json"))
    return build_partwhole([pairs], [seen], CandidateRules((*off, "parts"), **numbers))


def adjectives(probe: Probe) -> list[str]:
    return [item.groups["adjective"] for item in probe.items if item.groups["whole"] == "jeep"]


def test_every_rule_has_a_switch_and_a_count(tmp_path: Path) -> None:
    full = made(tmp_path)
    assert "one in three" in full.card.made, "the share of bad pairs without the rule parts stands on the card"
    assert adjectives(full) == ["old", "red"]
    assert {item.answer for item in full.items} == {None}
    kinds = {"same": "pairs", "nouns": "pairs", "repeated": "pairs", "part": "triples", "colours": "triples"}
    for name in ("same", "nouns", "repeated", "adjectives", "attributive", "descriptive", "part", "colours"):
        note = f"{kinds.get(name, 'adjectives of a whole')} rejected by {name}"
        assert full.card.notes[note] >= 1, name
        assert note not in made(tmp_path, name).card.notes, name
    assert "green" in adjectives(made(tmp_path, "colours"))
    assert "muddy" in adjectives(made(tmp_path, "part"))
    assert "first" in adjectives(made(tmp_path, "part", "descriptive"))
    assert adjectives(made(tmp_path, commonest=1)) == ["old"]
    assert len(made(tmp_path, "repeated", "part").items) > len(made(tmp_path, "part").items)
    assert set(RULES) >= set(kinds)


def test_facets_say_where_an_adjective_is_from(tmp_path: Path) -> None:
    pairs = read_relationships(relationships(tmp_path / "relationships.json"))
    seen = read_attributes(attributes(tmp_path / "attributes.json"))
    arcs = read_syntactic_ngrams([ngrams(tmp_path / "arcs.txt")], {"jeep", "tire"})
    probe = build_partwhole(
        [pairs],
        [seen, arcs],
        CandidateRules(["parts"]),
        published={("jeep", "tire", "old"), ("jeep", "tire", "big")},
    )
    facets = {item.groups["adjective"]: item.facets for item in probe.items}
    assert facets["old"]["adjective_source"] == "visual-genome+ngrams"
    assert facets["red"]["adjective_source"] == "visual-genome"
    assert (facets["old"]["released"], facets["red"]["released"]) == ("yes", "no")
    assert overlap(probe.items, {("jeep", "tire", "old")})["triples among the released"] == 1


def test_my_brother_is_no_noun(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("HasA\tmy jeep\ttire\t2.0\nHasA\tjeep\ttire\t2.0\n")
    seen = read_attributes(attributes(tmp_path / "attributes.json"))
    probe = build_partwhole([conceptnet_pairs([tmp_path / "c.txt"])], [seen], CandidateRules(["parts"]))
    assert {item.groups["whole"] for item in probe.items} == {"jeep"}
    assert probe.card.notes["pairs rejected by nouns"] == 1


def test_lexicons() -> None:
    assert {"awake", "asleep"} <= not_attributive()
    assert {"first", "other"} <= not_descriptive()
    assert not {"old", "wooden", "red", "young", "tall"} & (not_attributive() | not_descriptive())
    assert is_colour("light blue")
    assert not is_colour("wooden")


def test_nothing_to_build_from(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no source of pairs"):
        build_partwhole([], [])
    pairs = read_relationships(relationships(tmp_path / "relationships.json"))
    with pytest.raises(UserError, match="no pair"):
        build_partwhole([pairs], [read_attributes(attributes(tmp_path / "a.json"))], CandidateRules(fewest=9))


def test_meronyms_of_wordnet() -> None:
    from horsesense.lexicons.wordnet import find_wordnet

    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine")
    counts = wordnet_pairs().counts
    assert ("car", "accelerator") in counts or ("car", "bumper") in counts
    assert len(counts) > 3000


def test_pairs_of_the_counts_are_mostly_released_ones(shared: Path) -> None:
    known = read_candidates(shared / "data/partwhole/data/candidates/vis_uniq_less_colors.csv")
    assert len(known) == 20_284
    counts = read_relation_counts(shared / "data/kb/visual_genome/triple_counts.tsv").counts
    pairs = {pair for pair, count in counts.items() if count >= 100}
    released = {triple[:2] for triple in known}
    assert len(pairs & released) / len(pairs) > 0.8


def test_the_card_gives_the_share_of_bad_pairs_that_the_kept_reading_has(tmp_path: Path) -> None:
    if find_wordnet() is None:
        pytest.skip("WordNet is not fetched")
    (tmp_path / "counts.tsv").write_text("subject\tpredicate\tobject\tcount\njeep\thave\twheel\t12\n")
    pairs = read_relation_counts(tmp_path / "counts.tsv")
    words = Modifiers("made", {"jeep": Counter({"old": 9}), "wheel": Counter({"old": 9})}, "")
    for evidence, ending in (("strict", "-strict"), ("wide", "")):
        path = ROOT / "docs" / "results" / "readings" / f"partwhole-mined-pairs{ending}.tsv"
        with path.open(encoding="utf-8") as file:
            said = [row["judged"] for row in csv.DictReader(file, delimiter="\t") if row["kind"] == "sample"]
        made = build_partwhole([pairs], [words], CandidateRules(evidence=evidence)).card.made  # type: ignore[arg-type]
        assert f"audited {len(said)} pairs" in made
        assert f"{said.count('N')} were not parts, {said.count('N') / len(said):.1%}" in made
        assert f"and {said.count('U')} were unclear" in made
