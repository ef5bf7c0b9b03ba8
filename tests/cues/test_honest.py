"""The honest estimate: what is planted is found, what is noise is not, and nothing leaks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from horsesense.core import Item
from horsesense.cues import Findings, chosen_cue, cues_right, measure_cues
from horsesense.cues.battery import battery
from horsesense.cues.search import estimates, permutation_test, prepare, search
from horsesense.cues.table import table_of
from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from tests.support.made_up_probes import longest, noise, planted, with_word


def quick(items: list[Item], **options: object) -> Findings:
    return measure_cues(items, splits=3, rounds=99, **options)  # type: ignore[arg-type]  # options of several types


def test_a_planted_cue_is_found_and_named() -> None:
    items = planted(noise(400, 4, 1), 0.6, longest)
    found = quick(items)
    expected = np.mean([item.answer == longest(item) for item in items])
    assert found.best is not None
    assert found.best.name == "characters"
    assert found.best.accuracy.value == pytest.approx(expected, abs=0.03)
    assert "of this test can be answered by picking the option with the most characters" in found.verdict
    assert found.best.p <= 0.05


def test_the_direction_is_learnt() -> None:
    def shortest(item: Item) -> int:
        return min(range(len(item.options)), key=lambda place: len(item.options[place]))

    found = quick(planted(noise(400, 4, 2), 0.6, shortest))
    assert found.best is not None
    assert found.best.pick in ("the option with the fewest characters", "the option with the fewest words")


def test_a_planted_word_is_found() -> None:
    found = quick(with_word(noise(400, 3, 3), "indeed", 0.6, 0.1))
    assert found.best is not None
    assert found.best.name in ("first word", "bag of words", "words", "characters")
    assert found.searched.value > 0.5


def test_noise_has_no_verdict() -> None:
    claims = [quick(noise(150, 3, seed, in_family=2), seed=seed).verdict for seed in range(8)]
    assert sum("can be answered" in claim for claim in claims) <= 2


def test_the_test_keeps_its_level_where_items_of_a_family_depend() -> None:
    """Ten copies of each question with one key: for a test that takes them as independent, anything is a cue."""
    p_values = []
    for seed in range(14):
        once = noise(30, 2, seed)
        items = [replace(item, text=f"{item.text} {copy}", family=item.text) for item in once for copy in range(10)]
        p_values.append(permutation_test(prepare(table_of(items), battery()), 59, seed).min())
    assert sum(p <= 0.05 for p in p_values) <= 3


def test_what_a_cue_learns_by_heart_does_not_count() -> None:
    items = noise(200, 4, 5)
    prior = next(cue for cue in quick(items).cues if cue.name == "bag of words")
    assert prior.in_sample > 0.4
    assert prior.accuracy.value < 0.33


def test_families_are_never_on_both_sides() -> None:
    """Pairs of items that differ in nothing but a mark: a leak would make the prior right every time."""
    items = []
    for number, item in enumerate(noise(150, 4, 6)):
        items += [replace(item, text=f"{item.text} {mark}", family=f"f{number}") for mark in ("once", "again")]
    found = {cue.name: cue for cue in quick(items).cues}
    assert found["answer prior"].accuracy.value < 0.35
    leaking = {cue.name: cue for cue in quick(items, group="item").cues}
    assert leaking["answer prior"].accuracy.value > 0.55


def test_intervals_are_those_of_the_cluster_bootstrap() -> None:
    rng = np.random.default_rng(0)
    units = np.unique(rng.integers(0, 60, 500), return_inverse=True)[1]
    credit = (rng.random((500, 2)) < [0.3, 0.8]).astype(float)
    for ours, column in zip(estimates(credit, units, 0.5), credit.T, strict=True):
        theirs = accuracy(column, [str(unit) for unit in units], 0.5)
        assert (ours.n, ours.clusters) == (theirs.n, theirs.clusters)
        assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.value, theirs.low, theirs.high), abs=0.006)


def test_the_same_seed_gives_the_same_findings() -> None:
    items = noise(120, 3, 8)
    assert quick(items, seed=4) == quick(items, seed=4)


def test_a_score_of_the_caller_is_a_cue() -> None:
    items = noise(300, 4, 9)
    rng = np.random.default_rng(0)
    scores = [[float(rng.random() + (place == item.answer)) for place in range(4)] for item in items]
    found = quick(items, extra={"score without the question": scores})
    assert found.best is not None
    assert found.best.name == "score without the question"
    assert found.best.accuracy.value > 0.8


def test_cue_answers_do_not_see_the_gold_of_their_item() -> None:
    items = planted(noise(200, 4, 10), 0.7, longest)
    answers = chosen_cue(items).answers
    assert cues_right(answers, items).mean() > 0.6
    wrong = [replace(item, answer=(item.answer + 1) % 4) if n < 3 else item for n, item in enumerate(items)]  # type: ignore[operator]
    changed = chosen_cue(wrong).answers
    assert [a.scores for a in answers[:3]] == [a.scores for a in changed[:3]]


def test_an_item_without_gold_gets_an_answer_that_ties() -> None:
    items = [*noise(60, 4, 11), Item(probe="p", form="choice", text="?", options=("a", "b"))]
    assert chosen_cue(items).answers[-1].scores == (0.5, 0.5)


def test_a_mark_of_position_is_told() -> None:
    def marked(item: Item) -> Item:
        first, *others = item.options
        return replace(item, options=(f"and {first}", *(f"but {other}" for other in others)))

    found = quick([marked(item) for item in noise(150, 2, 12)])
    assert found.position_mark is not None
    assert found.position_mark.share == 1
    assert quick(noise(150, 2, 12)).position_mark is None


def with_answers(items: list[Item], answer: int) -> list[Item]:
    return [replace(item, answer=answer) for item in items]


def test_all_golds_in_one_place_is_a_verdict_not_a_crash() -> None:
    found = quick(with_answers(noise(80, 3, 13), 1))
    assert found.best is not None
    assert found.best.name == "position"
    assert found.best.accuracy.value == 1


def test_options_shared_by_all_items() -> None:
    items = [replace(item, options=("yes", "no"), answer=n % 2) for n, item in enumerate(noise(80, 3, 14))]
    assert quick(items).verdict.startswith("No cue ")


def test_options_that_are_all_alike() -> None:
    items = [replace(item, options=("same", "same"), answer=n % 2) for n, item in enumerate(noise(40, 3, 15))]
    found = quick(items)
    assert 0 <= found.searched.low <= found.searched.high <= 1


def test_one_family_is_a_sentence() -> None:
    with pytest.raises(UserError, match="belong to one family or group"):
        quick([replace(item, family="one") for item in noise(30, 3, 16)])


def test_two_items_are_enough_to_answer_something() -> None:
    assert quick(noise(2, 3, 17)).verdict


def test_search_measures_every_item_once_a_split() -> None:
    table = table_of(noise(50, 3, 18))
    searched = search(prepare(table, battery()), splits=4)
    assert searched.credit.shape[0] == 50
    assert ((searched.credit >= 0) & (searched.credit <= 1)).all()
    assert ((searched.coverage >= 0) & (searched.coverage <= 1)).all()


def test_intervals_hold_chance_where_there_is_nothing_else() -> None:
    """Directions flip from split to split on noise; a mean over splits must not pass for a sure thing."""
    missed: list[bool] = []
    for seed in range(12):
        prepared = prepare(table_of(noise(150, 2, seed)), battery())
        found = search(prepared, 6, seed)
        told = estimates(found.credit, prepared.table.unit, 0.5, variance=found.variance[:-1])
        often = found.coverage > 0.2
        missed += [not e.low <= 0.5 <= e.high for e, enough in zip(told, often, strict=True) if enough]
    assert np.mean(missed) <= 0.06
