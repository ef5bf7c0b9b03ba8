"""What predictions on a whole RICA set rest on."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import horsesense as hs
from horsesense.core import Probe, write_probe
from horsesense.methods.rica.clues import ClueSet, clues_by_chance, draw_by_turns, names_in
from horsesense.methods.rica.published_statements import read_rica
from horsesense.methods.rica.suite import FILES
from horsesense.scoring.clue_words import TOP
from tests.support.calling import Call, caller, hold_to
from tests.support.small_rica import lay_rica


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture(scope="module")
def curated(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    below, names = FILES["curated"]
    folder = lay_rica(tmp_path_factory.mktemp("rica")) / "data" / below
    return read_rica([folder / name for name in names])


@pytest.fixture(scope="module")
def found(curated: Probe, tiny_folders: dict[str, Path]) -> ClueSet:
    pytest.importorskip("captum")
    return hs.rica.find_clues(short(curated), model=tiny_folders["bert"], entities="names", limit=20, steps=2)


def short(probe: Probe) -> Probe:
    """What the tiny models can read: 64 tokens."""
    return Probe.of([item for item in probe.items if item.facets["category"] == "social"], probe.card)


def test_statements_are_drawn_by_turns_of_axioms(curated: Probe) -> None:
    drawn = draw_by_turns(curated.items, 160, 0)
    assert set(Counter(item.family for item in drawn).values()) == {2}
    assert draw_by_turns(curated.items, None, 0) != draw_by_turns(curated.items, None, 1)
    assert {item.id for item in draw_by_turns(curated.items, None, 0)} == {item.id for item in curated.items}


def test_names_are_told_from_words(curated: Probe) -> None:
    for item in curated.items:
        first = item.text.split()[0]
        assert names_in(item)[0] == first
        assert len(names_in(item)) == (1 if item.facets["category"] == "temporal" else 2)


def test_clues_of_a_set(found: ClueSet) -> None:
    assert (found.clues.n, found.clues.clusters) == (20, 20)
    assert 0 < found.arguments.value <= found.clues.value <= TOP
    assert found.clues.low <= found.clues.value <= found.clues.high
    assert 0 <= found.stability.value <= 1
    assert all(0 < each.share <= 1 for each in found.words)


def test_what_luck_would_give_is_counted_by_brute_force() -> None:
    """Six words, two draws of three names at random each: the share of words that both draws pick."""
    chosen = [set(pick) for pick in product(range(6), repeat=5) if len(set(pick)) == 5]
    # A word is among five of six with chance 5/6 in each draw; a clue is in three draws of five or more.
    p = np.mean([0 in pick for pick in chosen])
    brute = 6 * sum(
        np.prod([p if hit else 1 - p for hit in hits]) for hits in product((0, 1), repeat=5) if sum(hits) >= 3
    )
    explained = type("E", (), {"words": ("a", "b", "c", "d", "e", "f")})()
    assert clues_by_chance(explained, 5) == pytest.approx(brute)


def test_the_command(found: ClueSet, curated: Probe, tiny_folders: dict[str, Path], tmp_path: Path, call: Call) -> None:
    write_probe(tmp_path / "rica.jsonl", short(curated))
    words = ["rica", "clues", tmp_path / "rica.jsonl", "-m", tiny_folders["bert"], "--limit", 20, "--steps", 2]
    words += ["--entities", "names"]
    called = call(*words, "--json")
    document = json.loads(called.out)
    hold_to("rica clues", document)
    assert document["clues"]["value"] == found.clues.value, "the same seed, the same clues"
    assert call(*words[:5], "--method", "guess").code == 2
