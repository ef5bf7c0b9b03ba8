"""A search over sets of distractors keeps cues at the limit, and offers every answer about as often as it should be."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.methods.wordnetqa.set_search import choose

_QUESTIONS, _SETS, _OTHERS = 300, 12, 4


def test_cues_are_at_the_limit_and_answers_are_offered_evenly() -> None:
    rng = np.random.default_rng(0)
    answers = np.arange(_QUESTIONS)
    sets = np.array(
        [
            np.sort(rng.choice(np.delete(answers, question), _OTHERS, replace=False))
            for question in range(_QUESTIONS)
            for _ in range(_SETS)
        ]
    )
    credit = (rng.random((len(sets), 8)) < [0.5, 0.45, 0.4, 0.3, 0.2, 0.2, 0.2, 0.1]).astype(np.float64)
    starts = np.arange(_QUESTIONS + 1) * _SETS
    rows = choose(credit, starts, answers, sets, np.zeros(len(sets)), np.random.default_rng(1))
    assert [row // _SETS for row in rows] == list(range(_QUESTIONS)), "one set per question"
    first = credit[starts[:-1]].mean(axis=0)
    assert first.max() > 0.4
    assert credit[rows].mean(axis=0).max() < 0.235
    spread = np.bincount(sets[rows].ravel(), minlength=_QUESTIONS).std()
    assert spread < 0.75 * np.bincount(sets[starts[:-1]].ravel(), minlength=_QUESTIONS).std()


def test_of_equal_sets_the_nearest_is_chosen() -> None:
    sets = np.array([[1], [1], [0], [0]])
    distance = np.array([5.0, 2.0, 3.0, 4.0])
    rows = choose(np.zeros((4, 1)), np.array([0, 2, 4]), np.array([0, 1]), sets, distance, np.random.default_rng(0))
    assert rows == [1, 2]


def test_most_distractors_are_never_right_where_an_answer_is_right_once() -> None:
    rng = np.random.default_rng(0)
    answers = np.arange(_QUESTIONS)
    never = np.arange(_QUESTIONS, _QUESTIONS * 5 // 2)
    concepts = np.concatenate([answers, never])
    sets = np.array(
        [
            np.sort(rng.choice(np.delete(concepts, question), _OTHERS, replace=False))
            for question in range(_QUESTIONS)
            for _ in range(_SETS)
        ]
    )
    starts = np.arange(_QUESTIONS + 1) * _SETS
    free = np.zeros((len(sets), 1))
    even, few = (
        sets[choose(free, starts, answers, sets, np.zeros(len(sets)), np.random.default_rng(1), keys=keys)]
        for keys in (1.0, 0.25)
    )
    right_elsewhere = [(chosen < _QUESTIONS).mean() for chosen in (even, few)]
    assert right_elsewhere[0] > 0.5
    assert abs(right_elsewhere[1] - 0.25) < 0.05
    offered = np.bincount(few.ravel(), minlength=len(concepts))
    assert abs(offered[never].mean() - 2) < 0.1
    assert (offered[answers] + 1).mean() == pytest.approx(offered[never].mean(), abs=0.25), "a key is offered as often"
