"""What reading a probe checks beyond a single item: ids, repeats, cards."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import Card, Item, Probe, card_path, read_probe, write_probe
from horsesense.core.card import read_card
from horsesense.core.spec import ScoringSpec, parse_spec, spec_from_dict
from horsesense.errors import UserError
from horsesense.progress import HorsesenseWarning, capture_warnings
from tests.support import ROOT

ICE = Item(probe="demo", form="choice", text="Is ice cold?", options=("yes", "no"), answer=0, facets={"task": "x"})


def lay(folder: Path, *values: dict[str, Any]) -> Path:
    path = folder / "p.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def test_an_item_edited_after_it_got_its_id(tmp_path: Path) -> None:
    values = ICE.to_json()
    path = lay(tmp_path, values, values | {"text": "Is fire cold?"})
    edited = replace(ICE, text="Is fire cold?")
    with pytest.raises(UserError) as caught:
        read_probe(path)
    told = f"{path}:2: the id {ICE.id} was made from other content; remove it, or write {edited.id}"
    assert str(caught.value) == told


def test_an_id_of_another_probe_is_a_name_like_any_other(tmp_path: Path) -> None:
    path = lay(tmp_path, ICE.to_json() | {"probe": "renamed"})
    (item,) = read_probe(path).items
    assert item.id.startswith("renamed-")
    assert item.source.id == ICE.id


def test_repeats_are_counted_and_left_out(tmp_path: Path) -> None:
    values = ICE.to_json()
    probe = read_probe(lay(tmp_path, values, values | {"source": {"line": 7}}, values))
    assert (list(probe.items), probe.card.notes) == ([ICE], {"repeated items": 2})


@pytest.mark.parametrize("change", [{"facets": {"task": "y"}}, {"groups": {"noun": "ice"}}, {"ordered": True}], ids=str)
def test_the_same_question_told_otherwise_is_an_error(change: dict[str, Any], tmp_path: Path) -> None:
    path = lay(tmp_path, ICE.to_json(), ICE.to_json() | change)
    with pytest.raises(UserError, match=rf"p\.jsonl:2: .* {ICE.id} .* line 1"):
        read_probe(path)


def test_an_id_written_by_hand_names_one_item(tmp_path: Path) -> None:
    values = {k: v for k, v in ICE.to_json().items() if k != "id"}
    other = values | {"text": "Is fire cold?"}
    with pytest.raises(UserError, match=r"p\.jsonl:2: .* 'q1' .* line 1, .* other content"):
        read_probe(lay(tmp_path, values | {"id": "q1"}, other | {"id": "q1"}))
    released = {"source": {"file": "train.jsonl", "id": "q1"}}
    assert len(read_probe(lay(tmp_path, values | released, other | released)).items) == 2


def test_the_card_comes_back_and_counts_anew(tmp_path: Path) -> None:
    card = Card(
        name="demo", method="cats", licence="MIT", made="by hand: “so”", seed=3, normalise="sum", notes={"odd": 1}
    )
    items = [replace(ICE, family="a"), replace(ICE, family="a", text="Is fire cold?"), replace(ICE, text="?")]
    write_probe(tmp_path / "p.parquet", Probe.of(items, card, {"repaired": 2}))
    probe = read_probe(tmp_path / "p.parquet")
    assert probe.card == replace(card, items=3, families=2, notes={"odd": 1, "repaired": 2})
    assert card_path(tmp_path / "p.jsonl.gz") == card_path(tmp_path / "p.parquet") == tmp_path / "p.card.json"


CARDS = [
    ("{", r"p\.card\.json:1: this is not JSON"),
    ('{"name": "demo",\n "seed": }', r"p\.card\.json:2: this is not JSON"),
    ("[]", "this is not a card"),
    ('"demo"', "this is not a card"),
    ("{}", "this is not a card"),
    ('{"name": "demo", "colour": "red"}', "this is not a card"),
    ('{"name": 3}', "the card's field 'name' has the wrong type"),
    ('{"name": "demo", "items": "many"}', "the card's field 'items' has the wrong type"),
    ('{"name": "demo", "seed": 1.5}', "the card's field 'seed' has the wrong type"),
    ('{"name": "demo", "notes": ["odd"]}', "the card's field 'notes' has the wrong type"),
    ('{"name": "demo", "notes": {"odd": "two"}}', "the card's field 'notes' has the wrong type"),
    ('{"name": "demo", "made": null}', "the card's field 'made' has the wrong type"),
    ('{"name": "demo", "metric": "f1"}', "there is no metric 'f1'; known: accuracy"),
    ('{"name": "demo", "group": "nuon"}', r"there is no group 'nuon'; did you mean 'noun'\? \(known: family, noun\)"),
]


@pytest.mark.parametrize(("content", "told"), CARDS, ids=[content for content, _ in CARDS])
def test_a_bad_card_is_named(content: str, told: str, tmp_path: Path) -> None:
    path = lay(tmp_path, replace(ICE, groups={"noun": "ice"}).to_json())
    (tmp_path / "p.card.json").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=told) as caught:
        read_probe(path)
    assert str(tmp_path / "p.card.json") in str(caught.value)


def test_a_card_needs_only_a_name(tmp_path: Path) -> None:
    (tmp_path / "p.card.json").write_text('{"name": "mine", "seed": null}', encoding="utf-8")
    assert read_card(tmp_path / "p.card.json") == Card(name="mine")


def test_a_flipped_bit_in_a_written_card_is_noticed(tmp_path: Path) -> None:
    probe = Probe.of([ICE], Card(name="demo", licence="MIT", made="by hand: “so”", seed=3, notes={"odd": 1}))
    write_probe(tmp_path / "p.jsonl", probe)
    path = tmp_path / "p.card.json"
    whole = path.read_bytes()
    card = read_card(path)
    noticed = {"warning": 0, "error": 0}
    for bit in range(len(whole) * 8):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        heard: list[str] = []
        with capture_warnings(heard.append):
            try:
                assert read_card(path) == card or heard, f"bit {bit}"
            except UserError:
                noticed["error"] += 1
        noticed["warning"] += bool(heard)
    assert sum(noticed.values()) > 0.99 * len(whole) * 8, "only white space may be other white space"
    assert noticed["warning"] > len("demo") * 6


def test_an_edited_card_counts_and_is_written_anew_without_a_warning(tmp_path: Path) -> None:
    write_probe(tmp_path / "p.jsonl", Probe.of([ICE], Card(name="demo", licence="MIT")))
    path = tmp_path / "p.card.json"
    path.write_text(path.read_text().replace("MIT", "CC0-1.0"))
    with pytest.warns(HorsesenseWarning, match=r"p\.card\.json: .*changed after it was written.*'sha256'"):
        probe = read_probe(tmp_path / "p.jsonl")
    assert probe.card.licence == "CC0-1.0"
    values = json.loads(path.read_text())
    del values["sha256"]
    path.write_text(json.dumps(values))
    write_probe(tmp_path / "q.jsonl", probe)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_card(path) == read_card(tmp_path / "q.card.json") == probe.card


SPECS = [
    ("paper:cat", "there is no spec 'paper:cat'; did you mean 'paper:cats'?"),
    ("pll=word", "pll=word is unknown; use one of word-l2r, token"),
    ("plll=token", "there is no spec field 'plll'; did you mean 'pll'?"),
    ("exact=yes", "exact=yes is neither true nor false"),
    ("read_offset=--3", "read_offset=--3 is not a whole number"),
    ("read_offset=²", "read_offset=² is not a whole number"),
    ("case=lower,paper:cats", "the preset 'paper:cats' comes after other settings; name it first"),
    ("dtype=int7", "dtype=int7 is unknown"),
    ("choice_prompt={question}, {option},plll=token", "there is no spec field 'plll'"),
    (
        "choice_prompt={quest} {option}",
        "the choice_prompt '{quest} {option}' has the unknown placeholder {quest}; known: {premise}, ",
    ),
    (
        "pair_prompt={premise} {option} {question}",
        "the pair_prompt '{premise} {option} {question}' has the unknown placeholder {question}; known: {premise}, ",
    ),
    ("pair_prompt={premise} {}{option}", "the pair_prompt '{premise} {}{option}' has the unknown placeholder {}"),
    ("choice_prompt={question}", "the choice_prompt '{question}' must have {option} once"),
    ("choice_prompt={option} {option}", "the choice_prompt '{option} {option}' must have {option} once"),
]


@pytest.mark.parametrize(("text", "told"), SPECS, ids=[text for text, _ in SPECS])
def test_a_bad_spec_is_one_sentence(text: str, told: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_spec(text)
    assert str(caught.value).startswith(told)


def test_a_spec_comes_back_from_a_manifest() -> None:
    spec = parse_spec("paper:cats,case=lower, read_offset=-1,,leading_space=true")
    assert spec == ScoringSpec(pll="token", bos="none", case="lower", read_offset=-1, leading_space=True)
    assert spec_from_dict(json.loads(json.dumps(spec.to_dict()))) == spec


def test_a_prompt_may_hold_commas() -> None:
    spec = parse_spec("pair_prompt={premise}, so {hypothesis}, {option}!, case=lower,choice_prompt=a, {option}")
    assert (spec.pair_prompt, spec.case) == ("{premise}, so {hypothesis}, {option}!", "lower")
    assert spec.choice_prompt == "a, {option}"


@pytest.mark.parametrize(
    "bad", [{"pll": "word"}, {"exact": 1}, {"read_offset": True}, {"bos": None}, {"new": 1}], ids=str
)
def test_a_damaged_spec_of_a_manifest(bad: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="the spec has"):
        spec_from_dict(ScoringSpec().to_dict() | bad)


def fenced(title: str) -> str:
    """The block of that title on the page about probes."""
    page = (ROOT / "docs" / "guides" / "own-probe.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf'^```\w+ title="{title}"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    return str(block)


def test_the_probe_on_the_page_is_one(tmp_path: Path) -> None:
    for name in ("kitchen.jsonl", "kitchen.card.json"):
        (tmp_path / name).write_text(fenced(name), encoding="utf-8")
    probe = read_probe(tmp_path / "kitchen.jsonl")
    assert (probe.card.items, probe.card.families, probe.card.normalise) == (4, 3, "mean")
    assert [item.answer for item in probe.items] == [0, 1, 0, None]
