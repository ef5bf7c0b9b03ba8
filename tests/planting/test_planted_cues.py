"""Planted cues: targets are drawn at random, and the placebo differs from the cue in nothing but where it points."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from horsesense.core import Card, Item, Probe, check_item
from horsesense.data import cache_folder
from horsesense.errors import UserError
from horsesense.lexicons.vectors import Vectors
from horsesense.planting.planted_cues import CUES, PlantedCue, draw_target, planted_probe, topic_word
from horsesense.scoring.prompts import option_orders


def questions(count: int, options: int = 4) -> Probe:
    items = [
        Item(
            probe="demo",
            form="choice",
            text=f"Which of these is sold by the gardener of number {number}?",
            options=tuple(f"thing {number}-{letter}" for letter in "abcdefgh"[:options]),
            answer=number % options,
            family=f"f{number // 2}",
        )
        for number in range(count)
    ]
    return Probe.of(items, Card("demo"))


WITHOUT_GLOVE = not any(cache_folder("glove").glob("*.npy"))
EACH_CUE = [
    pytest.param(
        cue,
        id=cue.name,
        marks=pytest.mark.skipif(cue.vectors and WITHOUT_GLOVE, reason="GloVe is not here (horsesense fetch glove)"),
    )
    for cue in CUES
]


@pytest.mark.parametrize("cue", EACH_CUE)
def test_both_arms_of_every_item(cue: PlantedCue) -> None:
    probe = questions(60)
    planted = planted_probe(probe, cue, seed=3)
    assert len({item.id for item in planted.items}) == len(planted.items)
    assert len(planted.items) == 120 or cue.name in ("first", "last")
    for item in planted.items:
        check_item(item)
    arms = {(item.facets["planted_in"], item.facets["arm"]): item for item in planted.items}
    for original in probe.items:
        if (original.id, "cue") not in arms:
            continue
        placebo, with_cue = arms[original.id, "placebo"], arms[original.id, "cue"]
        assert placebo.family == with_cue.family == original.family
        if cue.name in ("first", "last"):
            continue
        assert placebo.answer == with_cue.answer == original.answer
        target = int(with_cue.facets["target"])
        # Whatever the cue changes, it changes for the target alone, and the placebo for no option or for all alike.
        changed = [a != b for a, b in zip(original.options, with_cue.options, strict=True)]
        assert changed in ([False] * 4, [place == target for place in range(4)])
        assert len({a != b for a, b in zip(original.options, placebo.options, strict=True)}) == 1
        named = [option in placebo.premise for option in original.options]
        assert len(set(named)) == 1


@pytest.mark.parametrize("cue", EACH_CUE)
def test_the_placebo_does_not_know_the_target(cue: PlantedCue) -> None:
    probe = questions(20)
    of = {seed: planted_probe(probe, cue, seed) for seed in (0, 1)}
    placebos = [
        {item.facets["planted_in"]: item.id for item in each.items if item.facets["arm"] == "placebo"}
        for each in of.values()
    ]
    both = placebos[0].keys() & placebos[1].keys()
    assert len(both) > 8
    assert all(placebos[0][each] == placebos[1][each] for each in both)
    drawn = [{item.facets["planted_in"]: item.facets["target"] for item in each.items} for each in of.values()]
    assert drawn[0] != drawn[1]


def test_half_of_the_targets_are_right_and_the_wrong_ones_alike() -> None:
    (item,) = questions(1).items
    drawn = Counter(draw_target(item, "professor", seed) for seed in range(6000))
    assert drawn[0] / 6000 == pytest.approx(1 / 2, abs=0.03)
    for wrong in (1, 2, 3):
        assert drawn[wrong] / 6000 == pytest.approx(1 / 6, abs=0.02)


def test_items_that_cannot_take_the_cue_are_counted() -> None:
    asterisk = next(cue for cue in CUES if cue.name == "asterisk")
    cloze = Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot"), answer=0)
    unjudged = Item(probe="demo", form="choice", text="Is ice cold?", options=("yes", "no"))
    mixed = Probe.of([*questions(3).items, cloze, unjudged], Card("demo"))
    planted = planted_probe(mixed, asterisk)
    assert (len(planted.items), list(planted.card.notes.values())) == (6, [2])
    with pytest.raises(UserError, match="asterisk"):
        planted_probe(Probe.of([cloze, unjudged], Card("demo")), asterisk)


def test_the_letters_of_the_pattern() -> None:
    pattern = next(cue for cue in CUES if cue.name == "pattern")
    probe = questions(40)
    key = {item.text: item.options[item.answer or 0] for item in probe.items}
    for item in planted_probe(probe, pattern, seed=1).items:
        assert option_orders(item, 0, 0) == ((0, 1, 2, 3),)
        letters = re.findall(r"Answer: (\w)", item.premise)
        if item.facets["arm"] == "cue":
            assert letters == ["ABCD"[int(item.facets["target"])]] * 4
        else:
            assert sorted(letters) == list("ABCD")
        for question, letter in re.findall(r"Question: (.+?)\n(?:.+\n)+?Answer: (\w)", item.premise):
            assert question != item.text
            shown = re.search(rf"{re.escape(question)}\n(?:.+\n)*?{letter}\. (.+)", item.premise)
            assert shown
            assert shown[1] == key[question]
    with pytest.raises(UserError, match="pattern"):
        planted_probe(questions(4), pattern)  # too few examples


@pytest.mark.parametrize(("name", "place"), [("first", 0), ("last", 3)])
def test_the_target_is_shown_at_its_place(name: str, place: int) -> None:
    cue = next(each for each in CUES if each.name == name)
    probe = questions(400)
    key = {item.id: item.options[item.answer or 0] for item in probe.items}
    planted = planted_probe(probe, cue, seed=1)
    rows: dict[str, dict[str, Item]] = {}
    for item in planted.items:
        rows.setdefault(str(item.facets["planted_in"]), {})[str(item.facets["arm"])] = item
        assert option_orders(item, 0, 0) == ((0, 1, 2, 3),)
        assert item.options[item.answer or 0] == key[str(item.facets["planted_in"])]
    targets, places = [], Counter[object]()
    for arms in rows.values():
        one, other = arms["cue"], arms["placebo"]
        assert one.facets["target"] == place != other.facets["target"]
        target = one.options[place]
        assert other.options[int(other.facets["target"])] == target
        assert [each for each in one.options if each != target] == [each for each in other.options if each != target]
        targets.append(target == one.options[one.answer or 0])
        places[other.facets["target"]] += 1
    # The orders of the placebo are random, so a quarter has the target in its place already and is left out.
    assert len(rows) == pytest.approx(300, abs=35)
    assert np.mean(targets) == pytest.approx(1 / 2, abs=0.09)
    assert [places[k] / len(rows) for k in range(4) if k != place] == pytest.approx([1 / 3] * 3, abs=0.09)
    scale = Item("demo", "choice", text="How likely?", options=("never", "maybe", "always"), answer=0, ordered=True)
    with pytest.raises(UserError, match=name):
        planted_probe(Probe.of([scale], Card("demo")), cue)


def test_the_topic_word_is_near_the_question_and_not_in_it() -> None:
    names = ["water", "boat", "boats", "sailing", "harbour", "kitchen"]
    table = np.array([[1, 1], [0, 1], [0, 1.01], [0.1, 1], [0.3, 1], [1, 0]], dtype=np.float32)
    vectors = Vectors({name: row for row, name in enumerate(names)}, table)
    item = Item(probe="p", form="choice", text="Where is the boat kept?", options=("at sea", "harbour"), answer=1)
    assert topic_word(item, vectors) == "sailing"  # not boats (its beginning is in the question), not harbour
    unknown = Item(probe="p", form="choice", text="Who is it?", options=("he", "she"), answer=1)
    assert topic_word(unknown, vectors) == ""
