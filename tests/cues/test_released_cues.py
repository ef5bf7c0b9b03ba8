"""Known figures of the released sets, recomputed. They skip where the released data are not at hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from horsesense.cues.battery import battery
from horsesense.cues.search import Prepared, position_mark, prepare, search
from horsesense.cues.table import table_of
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import open_graph
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.methods.published import read_files


@cache
def wordnet() -> Graph:
    folder = find_wordnet()
    if folder is None:
        pytest.skip("WordNet is not on this machine (horsesense fetch wordnet)")
    return open_graph("wordnet")


def prepared(shared: Path, release: str, files: Sequence[str], taxonomy: Graph | None = None) -> Prepared:
    paths = [shared / "data" / file for file in files]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        pytest.skip(f"the released data lack {', '.join(missing)}")
    probe = read_files(release, paths)
    return prepare(table_of(probe.items, probe.card.group, taxonomy), battery())


def accuracies(found: Prepared) -> dict[str, float]:
    means = search(found, splits=3).credit.mean(axis=0, dtype=np.float64)
    return dict(zip([cue.name for cue in found.cues], means.tolist(), strict=True))


MCQA = "mcqa/data_mcqa/"
CATS = "cats/commonsense_ability_test/"
RICA = "rica/data/10k/"


@pytest.mark.parametrize(
    ("file", "cue", "figure"),
    [
        ("hypernymy/test.jsonl.gz", "hyponyms", 0.861),
        ("hypernymy/test.jsonl.gz", "offered", 0.616),
        ("hypernymy/train.jsonl.gz", "hyponyms", 0.784),
        ("synonymy/train.jsonl.gz", "lemmas", 0.31),
        ("definitions/train.jsonl.gz", "example", 0.42),
    ],
)
def test_wordnetqa(file: str, cue: str, figure: float, shared: Path) -> None:
    assert _mcqa(shared, file)[cue] == pytest.approx(figure, abs=0.015)


@cache
def _mcqa(shared: Path, file: str) -> dict[str, float]:
    return accuracies(prepared(shared, "mcqa", [MCQA + file], wordnet()))


@pytest.mark.parametrize(("split", "figure"), [("train", 0.948), ("test", 0.868)])
def test_rica(split: str, figure: float, shared: Path) -> None:
    files = [f"{RICA}{split}_sentences.txt", f"{RICA}{split}_sentences_m.txt"]
    found = accuracies(prepared(shared, "rica", files))
    # On test our cue learns what goes with hotter and colder too, and gets a little more.
    assert found["entity order xor negation"] == pytest.approx(figure, abs=0.02)
    assert max(found, key=found.__getitem__) == "entity order xor negation"


def test_reasons_deny(shared: Path) -> None:
    assert accuracies(prepared(shared, "cats", [CATS + "smr.txt"]))["negations"] == pytest.approx(0.463, abs=0.005)


def test_conjunctions_of_ca_in_sample(shared: Path) -> None:
    found = prepared(shared, "cats", [CATS + "ca.txt"])
    place = [cue.name for cue in found.cues].index("conjunction contest") - found.numbers
    learner, table = found.learners[place], found.table
    scores = learner.scores(np.ones(len(table), dtype=bool), table.gold)
    picked = [
        scores[start : start + 2].argmax() == gold - start
        for start, gold in zip(table.starts.tolist(), table.gold.tolist(), strict=False)
    ]
    assert np.mean(picked) == pytest.approx(0.74, abs=0.02)


def test_and_against_but_gives_away_the_position(shared: Path) -> None:
    found = prepared(shared, "cats", [CATS + "arct_1.txt"])
    mark = position_mark(found)
    assert len(found.table) == 444
    assert mark is not None
    assert mark.share == 1


def test_winoventi_is_balanced(shared: Path) -> None:
    found = accuracies(prepared(shared, "winoventi", ["winoventi/data/winoventi_bert_large_final.tsv"]))
    assert max(found.values()) == pytest.approx(0.5, abs=0.015)


def test_parts_tell_their_label(shared: Path) -> None:
    found = accuracies(prepared(shared, "partwhole", ["partwhole/data/annotated/train.csv"]))
    assert found["part"] > found["answer prior"] + 0.01
