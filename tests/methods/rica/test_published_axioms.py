"""What our filters keep of accepted axioms, and whether cited quantities stand where they are said to."""

from __future__ import annotations

import json
import re
from itertools import groupby
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.errors import UserError
from horsesense.lexicons.gcide import find_gcide
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.methods.rica.knowledge_tables import ESTIMATE, Quantity, shipped_scales
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
    with pytest.raises(UserError, match=r"axioms\.jsonl:1: this is not a published axiom"):
        hs.rica.filter_recall(tmp_path / "axioms.jsonl")


def test_recall_is_counted_by_kind(axioms: Path) -> None:
    found = hs.rica.filter_recall(axioms)
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
    assert "bad.jsonl:1: this is not a published axiom" in call("rica", "recall", bad).err
    with pytest.raises(UserError, match="no axiom has a filter"):
        hs.rica.filter_recall(_only_grades(tmp_path))


def _only_grades(folder: Path) -> Path:
    path = folder / "grades.jsonl"
    path.write_text(json.dumps({"original": [list(FORMS)[-1], ["…"]]}) + "\n")
    return path


def test_the_release(shared: Path) -> None:
    found = hs.rica.filter_recall(shared / "data" / "rica" / "data" / "RICA_10k_axiom2set.jsonl.gz")
    assert (found.axioms, found.unfiltered) == (1509, 44)
    assert {each.kind: each.kept.n for each in found.kinds}["comparison"] == 382
    assert found.kept.high < found.premise.low


# Quantities.

WORDS = {"two": "2", "eight": "8", "ten": "10", "twenty": "20", "one hundred": "100"}
CITED = re.compile(
    rf"([^,]+), ([^:]+): (specific gravity |melting point )?(-?[\d,.]+|{'|'.join(WORDS)})(?: to ([\d,.]+))?(?: (\D.*))?"
)
"""Source, entry, what is measured, a number or two, and their unit."""
UNITS: dict[str, dict[str | None, float]] = {
    "mass": {"kg": 1.0},
    "height": {"m": 1.0, "meters": 1.0, "feet": 0.3048},
    "length": {"m": 1.0, "miles": 1609.344, "feet": 0.3048},
    "depth": {"m": 1.0},
    "area": {"m2": 1.0, "acres": 4046.856, "square miles": 1609.344**2, "square feet": 0.3048**2},
    "country": {"km2": 1.0, "acres": 0.004046856},
    "capacity": {"gallons": 3.785},
    "speed": {"mph": 1.609344, "kilometers": 1.0, "meters per second": 3.6, "feet per second": 0.3048 * 3.6},
    "density": {None: 1000.0, "g/cm3": 1000.0, "kg/m3": 1.0},
    "lifespan": {"years": 1.0, "days": 1 / 365.25},
    "duration": {"days": 86400.0},
    "power": {"watts": 1.0, "watt": 1.0},
    "food": {"kcal/100g": 4.184, "kJ/100g": 1.0},
    "light": {"lumens": 1.0},
    "scratch": {"Mohs": 1.0, None: 1.0},
    "city": {"people": 1.0, None: 1.0},
    "loudness": {"dB": 1.0},
}
"""How many of the scale's unit each unit is; degrees are told below."""
KELVIN = 273.15


def cited() -> list[tuple[str, Quantity]]:
    return [(name, q) for name, (_, things) in shipped_scales().items() for q in things if q.source != ESTIMATE]


def stated(scale: str, source: str) -> tuple[float, float]:
    """The least and the most that a source states, in the unit of the scale."""
    match = CITED.fullmatch(source)
    assert match is not None, source
    numbers = [float(WORDS.get(text, text).replace(",", "")) for text in match.group(4, 5) if text]
    if scale in ("temperature", "melting"):
        assert match[6] in (None, "C", "K", "degrees", "degrees centigrade"), source
        return min(numbers) - KELVIN * (match[6] == "K"), max(numbers) - KELVIN * (match[6] == "K")
    return min(numbers) * UNITS[scale][match[6]], max(numbers) * UNITS[scale][match[6]]


def test_a_cited_value_is_within_the_margin_of_ours() -> None:
    for name, quantity in cited():
        least, most = stated(name, quantity.source)
        if shipped_scales()[name][0].by_ratio:
            low, high = quantity.value / quantity.margin, quantity.value * quantity.margin
        else:
            low, high = quantity.value - quantity.margin, quantity.value + quantity.margin
        assert least <= high * (1 + 1e-9), quantity
        assert most >= low * (1 - 1e-9) - 1e-9, quantity
    assert len(cited()) >= 200, "a third of all"


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
    ours = [match for match in citations() if match[1] == "WordNet 3.0"]
    assert len(ours) >= 18
    for match in ours:
        assert f"{match[4]} {match[6] or ''}".strip() in glosses[match[2].lower()], match[0]


def test_a_cited_value_stands_in_the_dictionary() -> None:
    folder = find_gcide()
    if folder is None or not any(folder.glob("words_*.json")):
        pytest.skip("GCIDE as JSON is not here: horsesense fetch gcide")
    ours = [match for match in citations() if match[1] == "GCIDE"]
    assert len(ours) >= 15
    for letter, matches in groupby(sorted(ours, key=lambda match: match[2].lower()), lambda match: match[2][0].upper()):
        words = json.loads((folder / f"words_{letter}.json").read_text(encoding="utf-8"))
        for match in matches:
            assert match[4] in json.dumps(words[match[2].lower()]), match[0]


def citations() -> list[re.Match[str]]:
    return [match for _, quantity in cited() if (match := CITED.fullmatch(quantity.source))]
