"""What our filters keep of accepted axioms, and whether cited quantities stand where they are said to."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.errors import UserError
from horsesense.knowledge.wordnet_source import find_wordnet
from horsesense.methods.rica.scales import ESTIMATE, Quantity, shipped_scales
from tests.support.calling import Call, caller, hold_to

FORMS = {
    "animal(A, owl) and animal(B, mole), so More(fly(A), fly(B))": (True, True),
    "animal(A, owl) and animal(B, mole), so More(locate at a forge(A), locate at a forge(B))": (True, False),
    "person_a helps person_b with homework(A, B), so More(kind(A), kind(B))": (True, True),
    "person_a meets person_b(A, B), so More(kind(A), kind(B))": (False, True),
    " bakes bread(A) and not  bakes bread(B), so More(zorbly(A), zorbly(B))": (True, False),
    "More( bakes cookies(A),  bakes cookies(B)), so More(kind(A), kind(B))": (True, True),
    "More( wins a car(A),  wins a car(B)), so More(kind(A), kind(B))": (False, True),
    "Grade(A, third) and Grade(B, second), so More(Old(A), Old(B))": None,
}


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture
def axioms(tmp_path: Path) -> Path:
    path = tmp_path / "axioms.jsonl"
    path.write_text("".join(json.dumps({"original": [form, ["…"]]}) + "\n" for form in FORMS))
    return path


def test_an_axiom_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "axioms.jsonl").write_text('{"original": [true, [""]]}\n')
    with pytest.raises(UserError, match=r"axioms\.jsonl:1: this is not an axiom of the release"):
        hs.rica.recall(tmp_path / "axioms.jsonl")


def test_recall_is_counted_by_kind(axioms: Path) -> None:
    found = hs.rica.recall(axioms)
    judged = [each for each in FORMS.values() if each is not None]
    assert (found.axioms, found.unfiltered) == (8, 1)
    assert found.premise.value == pytest.approx(sum(premise for premise, _ in judged) / 7)
    assert found.conclusion.value == pytest.approx(sum(conclusion for _, conclusion in judged) / 7)
    assert found.kept.value == pytest.approx(sum(premise and conclusion for premise, conclusion in judged) / 7)
    kinds = {each.kind: each for each in found.kinds}
    assert {kind: each.kept.n for kind, each in kinds.items()} == {
        "animal": 2,
        "comparison": 2,
        "event-one-person": 1,
        "event-two-persons": 2,
    }
    assert kinds["comparison"].lost == ("More( wins a car(A),  wins a car(B)), so More(kind(A), kind(B))",)


def test_the_command_and_bad_files(axioms: Path, tmp_path: Path, call: Call) -> None:
    document = json.loads(call("rica", "recall", axioms, "--json").out)
    hold_to("rica recall", document)
    assert "event-two-persons" in call("rica", "recall", axioms).out
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    assert "bad.jsonl:1: this is not an axiom of the release" in call("rica", "recall", bad).err
    with pytest.raises(UserError, match="no axiom that a filter is for"):
        hs.rica.recall(_only_grades(tmp_path))


def _only_grades(folder: Path) -> Path:
    path = folder / "grades.jsonl"
    path.write_text(json.dumps({"original": [list(FORMS)[-1], ["…"]]}) + "\n")
    return path


def test_the_release(shared: Path) -> None:
    found = hs.rica.recall(shared / "data" / "rica" / "data" / "RICA_10k_axiom2set.jsonl.gz")
    assert (found.axioms, found.unfiltered) == (1509, 44)
    assert {each.kind: each.kept.n for each in found.kinds}["comparison"] == 382
    assert found.kept.high < found.premise.low


# Quantities.

UNITS = {"meters": 1.0, "feet": 0.3048, "miles": 1609.344, "square miles": 1609.344**2, "C": 1.0}
CITED = re.compile(r"(WordNet 3\.0|GCIDE), ([^:]+): (specific gravity |melting point )?(-?[\d,.]+) ?(.*)")


def cited() -> list[tuple[str, Quantity]]:
    return [(name, q) for name, (_, things) in shipped_scales().items() for q in things if q.source != ESTIMATE]


def test_a_cited_value_is_within_the_margin_of_ours() -> None:
    for name, quantity in cited():
        match = CITED.fullmatch(quantity.source)
        assert match is not None, quantity.source
        stated = float(match[4].replace(",", "")) * UNITS.get(match[5], 1.0) * (1000 if name == "density" else 1)
        if shipped_scales()[name][0].by_ratio:
            assert quantity.value / quantity.margin <= stated <= quantity.value * quantity.margin, quantity
        else:
            assert abs(stated - quantity.value) <= quantity.margin, quantity
    assert Counter(name for name, _ in cited())["density"] == 6


def test_a_cited_value_stands_in_the_gloss() -> None:
    folder = find_wordnet()
    if folder is None:
        pytest.skip("WordNet is not here: horsesense fetch wordnet")
    glosses: dict[str, str] = {}
    for line in (folder / "data.noun").read_text(encoding="latin-1").splitlines():
        if line[:1].isdigit():
            synset, _, gloss = line.partition(" | ")
            fields = synset.split(" ")
            for place in range(int(fields[3], 16)):
                name = fields[4 + 2 * place].lower().replace("_", " ")
                glosses[name] = f"{glosses.get(name, '')} {gloss}"
    sources = [match for _, quantity in cited() if (match := CITED.fullmatch(quantity.source)) and match[1] != "GCIDE"]
    assert len(sources) == 5
    for match in sources:
        assert f"{match[4]} {match[5]}" in glosses[match[2].lower()], match[0]
