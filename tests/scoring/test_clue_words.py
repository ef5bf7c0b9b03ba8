"""Clue words by vote, against a count by hand and against draws whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.errors import UserError
from horsesense.scoring.clue_words import clue_words

WORDS = ["A", "is", "a", "lawyer", "and", "B", "is", "not", "so", "A", "knows", "more", "law"]


def drawn(seed: int, strong: dict[int, float]) -> list[tuple[str, float]]:
    noise = np.random.default_rng(seed).uniform(-0.5, 0.5, len(WORDS))
    return [(word, strong.get(place, float(noise[place]))) for place, word in enumerate(WORDS)]


def test_what_is_strong_in_every_draw_is_a_clue_and_noise_is_not() -> None:
    draws = [drawn(seed, {3: 2.0, 7: -3.0, 12: 1.5}) for seed in range(5)]
    found = clue_words(draws, arguments=["Lawyer", "law"])
    assert [(clue.word, clue.votes, clue.argument) for clue in found.clues[:3]] == [
        ("not", 5, False),
        ("lawyer", 5, True),
        ("law", 5, True),
    ]
    assert found.clues[0].value == -3.0
    named = [clue for clue in found.clues if clue.argument]
    assert found.arguments == len(named) / len(found.clues)


def test_three_of_five_draws_are_enough_and_two_are_not() -> None:
    quiet = dict.fromkeys(range(len(WORDS)), 0.0)
    often = [{**quiet, 3: 1.0}] * 3 + [quiet] * 2
    assert [clue.votes for clue in clue_words([drawn(0, each) for each in often]).clues] == [3]
    seldom = [{**quiet, 3: 1.0}] * 2 + [quiet] * 3
    assert clue_words([drawn(0, each) for each in seldom]).clues == ()
    assert clue_words([drawn(0, each) for each in seldom]).arguments is None


def test_stability_is_one_for_equal_draws_and_nought_for_disjoint_ones() -> None:
    same = [drawn(1, {})] * 4
    assert clue_words(same).stability == 1
    quiet = dict.fromkeys(range(len(WORDS)), 0.0)
    apart = [drawn(0, {**quiet, 0: 1.0, 1: 1.0}), drawn(0, {**quiet, 2: 1.0, 3: 1.0})]
    assert clue_words(apart, top=2).stability == 0


def test_one_draw_and_draws_of_other_lengths_are_refused() -> None:
    with pytest.raises(UserError, match="two draws"):
        clue_words([drawn(0, {})])
    with pytest.raises(UserError, match="different numbers of words"):
        clue_words([drawn(0, {}), drawn(0, {})[:-1]])
