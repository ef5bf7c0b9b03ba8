"""Hops without confounds: one answer from several distances, else alike; and what the analysis makes of answers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from horsesense.core import Answer, Card, Item, Probe
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph, load_graph
from horsesense.lexicons.sources import add_file, open_graph
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.lexicons.words import words, zipf
from horsesense.methods.wordnetqa.analysis import analyse_run, hops_cells, hops_effects, question_of, same_words_cells
from horsesense.methods.wordnetqa.matched_hops import build_matched_hops
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.runs.ask_models import store_control
from tests.support.graph_walks import hops
from tests.support.made_trees import write_tree


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("hops")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HORSESENSE_CACHE", str(folder / "cache"))
        add_file("deep", write_tree(folder / "deep.tsv", branches=14))
        return load_graph("deep")


@pytest.fixture(scope="module")
def matched(tree: Graph) -> Probe:
    return build_matched_hops(tree, WordNetPlan("hypernymy", options=3, wording="en"))


def test_the_answer_stays_and_the_distance_changes(tree: Graph, matched: Probe) -> None:
    sets: defaultdict[str, list[Item]] = defaultdict(list)
    for item in matched.items:
        sets[item.groups["answer"]].append(item)
        assert item.answer is not None
        assert item.concepts[item.answer] == item.groups["answer"]
        assert hops(tree, tree.up, item.groups["asked"], 9)[item.groups["answer"]] == item.facets["hops"]
    assert len(sets) > 3
    for members in sets.values():
        asked = {item.groups["asked"]: item.facets["hops"] for item in members}
        assert len(set(asked.values())) == len(asked) > 1, "one word a distance, and several distances"
        frequency = [min(map(zipf, words(name))) for name in asked]
        assert max(frequency) - min(frequency) <= 0.5


def test_each_distance_has_the_same_distractors_and_none_is_below_the_answer(tree: Graph, matched: Probe) -> None:
    wrong: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    for item in matched.items:
        answer = item.groups["answer"]
        others = frozenset(concept for concept in item.concepts if concept != answer)
        wrong[answer].add(others)
        above = {tree.ids[concept] for concept in tree.up.reached(tree.number[item.groups["asked"]])}
        below = {tree.ids[concept] for concept in tree.down.reached(tree.number[answer])}
        assert len(others) == len(item.options) - 1
        assert others.isdisjoint(above | below)
    assert all(len(each) == 1 for each in wrong.values())


def test_hops_are_matched_for_hypernymy_only(tree: Graph) -> None:
    with pytest.raises(UserError, match="hops are matched for hypernymy"):
        build_matched_hops(tree, WordNetPlan("hyponymy", wording="en"))


# What the analysis makes of answers whose law is known.


def _world(answers: int, hop: float, seed: int) -> tuple[list[Item], list[float]]:
    """Items whose odds fall by ``hop`` with each link, and what somebody earned on them."""
    chance, items, values = Random(seed), [], []
    for number in range(answers):
        for far in (1, 2, 3):
            for kind, effect in (("random", 0), ("sister", -1)):
                for form in range(2):
                    items.append(_item(f"a{number}", f"c{number}-{far}", far, kind, form))
                    odds = np.exp(0.8 + hop * (far - 1) + effect)
                    values.append(float(chance.random() < odds / (1 + odds)))
    return items, values


def _item(answer: str, asked: str, far: int, kind: str, form: int) -> Item:
    return Item(
        probe="simulated",
        form="choice",
        text=f"what is {asked}, asked in form {form}",
        options=(f"{answer} {kind}", f"other {asked} {kind} {form}"),
        answer=0,
        family=f"hypernymy: {asked}",
        member=f"{kind} {form}",
        groups={"asked": asked, "answer": answer},
        facets={"task": "hypernymy", "hops": far, "distractor_kind": kind},
    )


def test_effects_hold_the_truth() -> None:
    items, values = _world(answers=250, hop=-0.6, seed=3)
    effects = {effect.name: effect.log_odds for effect in hops_effects(items, values)}
    assert effects["one hop more"].low < -0.6 < effects["one hop more"].high < 0
    assert effects["sister distractors"].low < -1 < effects["sister distractors"].high < 0
    level = {effect.name: effect for effect in hops_effects(*_world(answers=250, hop=0.0, seed=4))}
    assert level["one hop more"].log_odds.low < 0 < level["one hop more"].log_odds.high


def test_cells_and_strictness_by_brute_force(tmp_path: Path) -> None:
    items, values = _world(answers=12, hop=-0.4, seed=5)
    probe = Probe.of(items, Card("simulated"))
    answers = [Answer(item.id, item.form, (value, 1 - value)) for item, value in zip(items, values, strict=True)]
    store_control(tmp_path / "run", "somebody", "by a known law", "simulated", probe, answers)
    (found,) = analyse_run(tmp_path / "run").results
    assert found.accuracy.value == pytest.approx(np.mean(values))
    by_cell: defaultdict[tuple[object, object], list[float]] = defaultdict(list)
    for item, value in zip(items, values, strict=True):
        by_cell[item.facets["hops"], item.facets["distractor_kind"]].append(value)
    assert {(cell.hops, cell.kind): cell.accuracy.value for cell in found.cells} == {
        key: pytest.approx(np.mean(earned)) for key, earned in by_cell.items()
    }
    # Four questions of a concept: two forms, each with two kinds of distractors; each pair of them is drawn.
    questions: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for item, value in zip(items, values, strict=True):
        questions[item.unit()][question_of(item)].append(value)
    pairs = [
        np.mean([np.mean(one) * np.mean(other) for one, other in combinations(each.values(), 2)])
        for each in questions.values()
    ]
    two = next(each for each in found.strict if each.level == "concept" and each.size == 2)
    assert two.strict.value == pytest.approx(np.mean(pairs))
    assert two.strict.n == len(questions)


def test_kinship_tells_what_relations_give_away() -> None:
    folder = find_wordnet()
    if folder is None:
        pytest.skip("WordNet is not here")
    dogs = ("poodle", "corgi", "dalmatian", "pug", "basenji")
    far = ("table.n.02", "river.n.01", "opera.n.01")
    near = ("corgi.n.01", "pug.n.01", "basenji.n.01")
    items = [
        replace(
            _item("dog.n.01", f"{dog}.n.01", 1, kind, 0),
            options=("dog", *others),
            concepts=("dog.n.01", *others),
        )
        for dog in dogs
        for kind, others in (("random", far), ("sister", near))
    ]
    cells = hops_cells(items, [1.0] * len(items), list(range(len(items))), open_graph("wordnet"))
    kinship = {cell.kind: cell.kinship for cell in cells}
    assert kinship["sister"] == 1, "the option above the others is the answer, whatever is asked"
    assert kinship["random"] is not None
    assert kinship["random"] <= 0.5, "some other option is nearer to the rest, or as near"


def test_the_same_words_are_compared_at_every_distance() -> None:
    """Words that are asked only nearby are easier here, and are left out."""
    items, values = [], []
    for word in range(20):
        for hops_asked in (1, 2, 3) if word < 8 else (1,):
            items.append(
                Item(
                    "p", "choice", text=f"What is word {word}, {hops_asked} up?", options=("a", "b"), answer=0,
                    groups={"asked": f"w{word}"}, facets={"hops": hops_asked, "distractor_kind": "near"},
                )
            )  # fmt: skip
            values.append(float(word >= 8 or (word % 2 == 0 and hops_asked < 3)))
    cells = same_words_cells(items, values, list(range(len(items))))
    assert [(cell.hops, cell.accuracy.value, cell.accuracy.n) for cell in cells] == [
        (1, 0.5, 8),
        (2, 0.5, 8),
        (3, 0.0, 8),
    ]
    assert same_words_cells(items[24:], values[24:], list(range(12))) == []
