"""Dawid and Skene's EM against their own data and against the equations written out in loops."""

from __future__ import annotations

import random

import numpy as np
import pytest

from horsesense.core import Judgement
from horsesense.errors import UserError
from horsesense.stats.raters.adjudication import dawid_skene
from horsesense.stats.raters.votes import Votes, tabulate
from horsesense.stats.resampling import Floats
from tests.support.votes import triples

# Dawid and Skene (1979), table 1: the fitness of 45 patients as judged by five anaesthetists, the first of
# them three times; one entry a patient: the first observer's three answers, then the other four.
PATIENTS = """
111-1111 333-4334 112-2122 222-3121 222-3222 222-3322 122-2111 333-3433 222-2223 232-2223 444-4444 222-3343
111-1111 222-3212 121-1111 111-2111 111-1111 111-1111 222-2221 222-1322 222-2222 222-2221 222-3222 221-2222
111-1111 111-1111 232-2222 111-1111 111-1111 112-1121 111-1111 333-3233 111-1111 222-2222 222-3232 433-4343
221-2232 232-3233 333-3432 111-1111 111-1111 121-2111 232-2222 121-1111 222-2222
"""


def patients() -> Votes:
    judgements = []
    for place, entry in enumerate(PATIENTS.split()):
        first, _, others = entry.partition("-")
        judgements += [Judgement(f"{place}", "1", "demo", value) for value in first]
        judgements += [Judgement(f"{place}", f"{who}", "demo", value) for who, value in enumerate(others, start=2)]
    return tabulate(triples(judgements), "1234")


def test_the_paper() -> None:
    votes = patients()
    assert (len(votes.items), votes.number) == (45, 315)
    model = dawid_skene(votes)
    assert model.prior.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    # Their table 4: nearly every patient is beyond doubt.
    assert (model.posterior.max(axis=1) > 0.99).sum() >= 38


def by_loops(votes: Votes, steps: int) -> tuple[Floats, Floats]:
    """Equations 2.3 to 2.5, one number at a time."""
    people, labels, items = len(votes.annotators), len(votes.labels), len(votes.items)
    n = np.zeros((people, items, labels))
    for item, who, label in zip(votes.item, votes.annotator, votes.label, strict=True):
        n[who, item, label] += 1
    truth = np.array([[n[:, i, j].sum() / n[:, i].sum() for j in range(labels)] for i in range(items)])
    for _ in range(steps):
        prior = [sum(truth[i, j] for i in range(items)) / items for j in range(labels)]
        errors = np.zeros((people, labels, labels))
        for who in range(people):
            for j in range(labels):
                seen = sum(truth[i, j] * n[who, i, k] for i in range(items) for k in range(labels))
                for k in range(labels):
                    called = sum(truth[i, j] * n[who, i, k] for i in range(items))
                    errors[who, j, k] = called / seen if seen else 0.0
        for i in range(items):
            chances = [
                prior[j] * np.prod([errors[who, j, k] ** n[who, i, k] for who in range(people) for k in range(labels)])
                for j in range(labels)
            ]
            truth[i] = np.array(chances) / sum(chances)
    return truth, errors


def noisy(seed: int, items: int = 25) -> Votes:
    """Three people of different skill, with gaps."""
    rng = random.Random(seed)
    judgements = []
    for item in range(items):
        truth = rng.choice("xyz")
        for who, skill in (("ann", 0.9), ("ben", 0.7), ("cid", 0.4)):
            if who == "ann" or rng.random() < 0.8:
                value = truth if rng.random() < skill else rng.choice("xyz")
                judgements.append(Judgement(f"{item}", who, "demo", value))
    return tabulate(triples(judgements), "xyz")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_steps_equal_the_equations(seed: int) -> None:
    votes = noisy(seed)
    truth, errors = by_loops(votes, steps=4)
    model = dawid_skene(votes, steps=4)
    assert model.posterior == pytest.approx(truth, abs=1e-9)
    assert model.errors == pytest.approx(errors, abs=1e-9)


@pytest.mark.parametrize("seed", [4, 5])
def test_likelihood_never_falls_and_the_outcome_is_the_same_again(seed: int) -> None:
    votes = noisy(seed, items=60)
    model = dawid_skene(votes)
    gains = np.diff(model.likelihoods)
    assert (gains > -1e-9).all()
    assert np.array_equal(model.posterior, dawid_skene(votes).posterior)


def test_a_reliable_minority_wins() -> None:
    """Two people who guess do not outvote one who is always right."""
    rng = random.Random(0)
    truth = [rng.choice("ab") for _ in range(200)]
    judgements = []
    for item, value in enumerate(truth):
        judgements += [Judgement(f"{item}", who, "demo", value) for who in ("expert", "second")]
        judgements += [Judgement(f"{item}", f"g{k}", "demo", rng.choice("ab")) for k in range(3)]
    votes = tabulate(triples(judgements), "ab")
    found = ["ab"[place] for place in dawid_skene(votes).posterior.argmax(axis=1)]
    majority = ["ab"[place] for place in votes.counts().argmax(axis=1)]
    assert sum(a == b for a, b in zip(majority, truth, strict=True)) < 195
    assert found == truth


def test_nobody_known() -> None:
    with pytest.raises(UserError, match="not known whose votes"):
        dawid_skene(tabulate(triples([Judgement("i", "#1", "demo", "a")]), "ab"))
