"""Pairs of form and text, and how writers word forms, against a release of our own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.core import fill_blank
from horsesense.errors import UserError
from horsesense.methods.rica.notation import parse_form
from horsesense.methods.rica.published_axioms import MEMBERS
from horsesense.methods.rica.trained_realiser import FRAME, statement_of
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.protocol import Continuation, Sampling, Turn
from tests.support.calling import Call, caller, hold_to

AXIOMS = (
    "Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))",
    "Material(A, glass) and Material(B, wool), so More(fragile(A), fragile(B))",
    "animal(A, owl) and animal(B, mole), so More(fly(A), fly(B))",
    "animal(A, dog) and animal(B, fish), so More(bark(A), bark(B))",
    "boss(A, B), so More(strict(A), strict(B))",
    "judge(A, B), so More(fair(A), fair(B))",
)
BOSS = "boss(A, B), so More(strict(A), strict(B))"
PAL = "pal(A, B), so More(knows * about art(A), knows * about art(B))"
DAMAGED = "Material(A, mud) and Material(B, tin), so Aetter(soft(A), soft(B))"


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    lines = []
    for axiom in AXIOMS:
        derived = hs.rica.derive(axiom)
        lines.append({name: [derived.forms[name], [derived.statements[name] + "."]] for name in MEMBERS})
    damaged = {
        name: [DAMAGED, [f"A is made of mud and B of tin, so A is {name} more soft than B."]] for name in MEMBERS
    }
    path = tmp_path / "axioms.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (*lines, damaged)))
    return path


def test_pairs_take_kinds_in_turn_and_share_no_axiom(release: Path, tmp_path: Path, call: Call) -> None:
    called = call("rica", "pairs", release, "--number", 3, "-o", tmp_path / "pairs", "--json")
    assert called.code == 0, called.err
    document = json.loads(called.out)
    hold_to("rica pairs", document)
    assert (document["trained"], document["tested"], document["cells"]) == (3, 3, 3)
    train, test = (hs.load_probe(document[name]).items for name in ("train", "test"))
    axioms = [{item.groups["axiom"] for item in items} for items in (train, test)]
    assert [len(each) for each in axioms] == [3, 3]
    assert not axioms[0] & axioms[1]
    statements = {form: text for axiom in AXIOMS for form, text in _derived(axiom)}
    for item in (*train, *test):
        form, (right, wrong) = (
            item.source.id,
            sorted(item.options, key=lambda option: option != item.options[item.answer or 0]),
        )
        assert fill_blank(item.text, right) == f"{FRAME.format(form=form)} {statements[form]}."
        assert wrong != right
        assert wrong.rstrip(".") in statements.values()
    assert "3 pairs to test on" in call("rica", "pairs", release, "--number", 3, "-o", tmp_path / "again").out
    assert (tmp_path / "again" / "train.jsonl").read_bytes() == (tmp_path / "pairs" / "train.jsonl").read_bytes()


def _derived(axiom: str) -> list[tuple[str, str]]:
    derived = hs.rica.derive(axiom)
    return [(derived.forms[name], derived.statements[name]) for name in MEMBERS]


def test_an_axiom_has_to_be_left(release: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no axiom is left to test on"):
        hs.rica.write_pairs(release, out=tmp_path / "pairs", number=6)


def test_wording_of_grammar_and_of_a_model_that_learnt_nothing(
    release: Path, tmp_path: Path, wide_gpt2: str, call: Call
) -> None:
    hs.read_release("rica-axioms", release).save(tmp_path / "probe.jsonl")
    words = ["rica", "wording", tmp_path / "probe.jsonl", "--realiser", wide_gpt2, "--limit", 37]
    called = call(*words, "--json")
    assert called.code == 0, called.err
    document = json.loads(called.out)
    hold_to("rica wording", document)
    assert (document["forms"], document["damaged"]) == (36, 1)
    shares = [(each["same"]["value"], each["fits"]["value"]) for each in document["writers"]]
    assert shares == [(1.0, 1.0), (1.0, 1.0), (0.0, 0.0)]
    assert "does not fit" in call(*words).out


def test_a_realiser_writes_on_after_its_sentence(
    release: Path, tmp_path: Path, tiny_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = {FRAME.format(form=form): text for axiom in AXIOMS for form, text in _derived(axiom)}

    def continuations(_: Any, turns: Sequence[Turn], sampling: Sampling) -> list[list[Continuation]]:
        assert sampling.temperature == 0
        return [[Continuation.of_text(f" {statements[turn.text]}. And more.", "length", 9, 9)] for turn in turns]

    monkeypatch.setattr(LanguageModel, "continuations", continuations)
    pairs = hs.rica.write_pairs(release, out=tmp_path / "pairs", number=3)
    found = hs.rica.compare_wording(pairs.test, realisers=[str(tiny_folders["gpt2"])], device="cpu")
    assert [(each.same.value, each.fits.value) for each in found.writers] == [(1.0, 1.0)] * 3


@pytest.mark.parametrize(
    ("form", "text", "fits"),
    [
        (BOSS, "A is B's boss, so A is more strict than B.", True),
        (BOSS, "A bosses B, so A is more strict than B.", True),
        (BOSS, "A is a B, so A is more strict than B.", False),
        (BOSS, "A is B's boss, so A is more fair than B.", False),
        (BOSS, "A is not more strict than B, so A is more strict than B.", False),
        (PAL, "A is B's pal, so A knows more about art than B.", True),
        (PAL, "A is B's pal, so A knows * more about art than B.", False),
    ],
)
def test_a_text_has_the_words_of_its_form(form: str, text: str, fits: bool) -> None:
    assert (statement_of(text, parse_form(form)) is not None) == fits


def test_forms_are_needed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no item has a logical form"):
        hs.rica.compare_wording("starter")


def test_the_release(shared: Path, tmp_path: Path) -> None:
    """200 pairs of 46 kinds, as many to test; the grammar's counts of the whole file."""
    file = shared / "data" / "rica" / "data" / "RICA_10k_axiom2set.jsonl.gz"
    pairs = hs.rica.write_pairs(file, out=tmp_path / "pairs")
    assert (pairs.trained, pairs.tested, pairs.cells) == (200, 200, 46)
    kinds = Counter(str(item.facets["template"]) for item in hs.load_probe(pairs.train).items)
    assert len(kinds) >= 7
    found = hs.rica.compare_wording(hs.read_release("rica-axioms", file))
    published, grammar = found.writers
    assert (found.forms, found.damaged) == (9038, 4)
    assert published.same.value == grammar.fits.value == 1
    assert 0.56 < grammar.same.value < 0.57
    assert 0.94 < published.fits.value < 0.95
