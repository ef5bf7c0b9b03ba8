"""Controls find what a probe gives away, and nothing where it gives nothing away."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.methods.published import read_files
from horsesense.training.baselines import FittedControl, fit_baseline, measure
from horsesense.training.controls import ControlTask
from tests.support.made_tasks import COLOURS, questions, triples, vectors

NONE = ControlTask((), (), (), vectors="none")


def fitted(name: str, train: Probe | None, test: Probe, **more: Any) -> FittedControl:
    return measure(fit_baseline(name, train, test, **more))


def test_choice_only_finds_a_word_that_gives_the_answer_away() -> None:
    found = fitted("choice-only-linear", questions(120, 1, True), questions(60, 2, True), task=NONE)
    assert found.estimate.value > 0.95
    assert found.estimate.chance == pytest.approx(1 / 3)
    assert "above chance" in found.verdict
    blank = fitted("choice-only-linear", questions(200, 1, False), questions(150, 2, False), task=NONE)
    assert blank.estimate.low < 1 / 3
    assert "not above chance" in blank.verdict


def test_hypothesis_only_sees_the_part_and_majority_does_not() -> None:
    train, test = triples(300, 1), triples(200, 2)
    assert fitted("hypothesis-only", train, test, task=NONE).estimate.value > 0.95
    commonest = Counter(item.answer for item in train.items).most_common(1)[0][0]
    expected = sum(item.answer == commonest for item in test.items) / len(test.items)
    assert fitted("majority", train, test).estimate.value == pytest.approx(expected)


def test_majority_per_slot_by_brute_force() -> None:
    train, test = triples(150, 1), triples(200, 2)
    train = Probe.of(
        [replace(item, answer=(item.answer or 0) if n % 3 else 1) for n, item in enumerate(train.items)], train.card
    )
    for slot in ("part", "whole", "adjective", "part+adjective"):
        found = fitted("majority-per", train, test, task=replace(NONE, slots=tuple(slot.split("+"))))
        assert found.estimate.value == pytest.approx(by_hand(train, test, slot.split("+")))


def by_hand(train: Probe, test: Probe, slots: list[str]) -> float:
    """A tie goes to the label commoner in training; an unseen value gets the commonest label."""
    overall = Counter(item.answer for item in train.items)
    right = 0.0
    for item in test.items:
        same = [one.answer for one in train.items if all(one.facets[s] == item.facets[s] for s in slots)]
        counts = Counter(same) if same else overall
        best = max(range(3), key=lambda label: (counts[label], overall[label]))
        right += best == item.answer
    return right / len(test.items)


def test_a_slot_is_chosen_on_the_development_part() -> None:
    found = fitted("majority-per", triples(300, 1), triples(100, 2))
    assert "same part " in found.method
    assert found.estimate.value == 1.0


def test_the_mlp_learns_parts_and_counts_what_it_lacks(tmp_path: Path) -> None:
    known = [*COLOURS, *(f"w{n}" for n in range(40)), *(f"p{n}" for n in range(20))]
    task = ControlTask((), (), (), vectors=str(vectors(tmp_path, known)), options={"epochs": 12})
    test = triples(100, 2)
    found = fitted("mlp", triples(240, 1), test, seeds=(0, 1), task=task)
    assert found.estimate.value > 0.9
    assert len(found.by_seed) == 2
    assert found.notes["slots without any vector"] == sum(
        int(str(item.facets["whole"])[1:]) >= 40 for item in test.items
    )
    again = fitted("mlp", triples(240, 1), test, seeds=(0,), task=task)
    assert again.by_seed == found.by_seed[:1], "a seed gives the same answers again"
    scale = fitted("mlp", triples(240, 1), test, task=replace(task, options={"ordinal": 1.0, "epochs": 12}))
    assert scale.estimate.value > 0.8
    assert "ordinal" in scale.method


def test_similarity_picks_the_nearest_answer(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("frost 1 0\nice 0.9 0.1\nfire -1 0.2\n", encoding="utf-8")
    probe = questions(2, 1, False)
    items = [replace(item, text="frost?", options=("fire", "ice", "unknownword"), answer=1) for item in probe.items]
    found = fitted(
        "vector-similarity", None, Probe.of(items, probe.card), task=ControlTask((), (), (), vectors=str(path))
    )
    assert found.estimate.value == 1.0
    assert found.notes["words without a vector"] == 2


def test_what_cannot_be_fitted() -> None:
    train, test = triples(60, 1), triples(30, 2)
    with pytest.raises(UserError, match="needs a training set"):
        fitted("majority", None, test)
    with pytest.raises(UserError, match="did you mean 'majority'"):
        fitted("majorty", train, test)
    with pytest.raises(UserError, match="leak into training"):
        fitted("majority", train, train)
    assert fitted("majority", train, train, allow_overlap=True).leaks.allowed == "--allow-overlap"
    other = Probe.of([replace(item, options=("no", "yes", "always")) for item in test.items], test.card)
    with pytest.raises(UserError, match="the label 'no' never occurs in training"):
        fitted("hypothesis-only", train, other, task=NONE)
    with pytest.raises(UserError, match="has nothing under the name 'colour'"):
        fitted("majority-per", train, test, task=replace(NONE, slots=("colour",)))
    with pytest.raises(UserError, match="the options are not labels"):
        fitted("mlp", questions(60, 1, False), test)


def test_released_part_whole_majorities(shared: Path) -> None:
    folder = shared / "data" / "partwhole" / "data" / "annotated"
    train, dev = (read_files("partwhole", [folder / f"{name}.csv"]) for name in ("train", "dev"))
    for slot, figure in (("part", 0.529), ("whole", 0.475), ("adjective", 0.530)):
        found = fitted("majority-per", train, dev, task=replace(NONE, slots=(slot,)))
        assert found.estimate.value == pytest.approx(figure, abs=0.0005)
        assert found.estimate.n == 1360
