"""Picks, credit and learnt worth, against plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.cues.battery import Keys, Learner, credit, in_item_rank, shares
from horsesense.cues.table import Table, table_of
from tests.support.made_up_probes import noise


def brute_credit(scores: list[float], gold: int) -> float:
    """By the rule in words: the best share a point; chance where all tie or fewer than two have a number."""
    known = [s for s in scores if not math.isnan(s)]
    if len(known) < 2 or (len(known) == len(scores) and len(set(known)) == 1):
        return 1 / len(scores)
    best = [place for place, s in enumerate(scores) if s == max(known)]
    return 1 / len(best) if gold in best else 0.0


TABLES = {"even": table_of(noise(40, 4, 3)), "ragged": table_of(noise(25, 4, 1) + noise(25, 2, 2) + noise(25, 3, 3))}


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=25)
@given(data=st.data())
def test_credit_is_that_of_a_plain_loop(name: str, data: st.DataObject) -> None:
    table = TABLES[name]
    values = st.sampled_from([0.0, 1.0, 2.0, math.nan])
    scores = np.array(data.draw(st.lists(values, min_size=len(table.text_of), max_size=len(table.text_of))))
    found = shares(table, scores)[0][table.gold]
    for item in range(len(table)):
        own = scores[table.starts[item] : table.starts[item + 1]].tolist()
        assert found[item] == pytest.approx(brute_credit(own, int(table.gold[item] - table.starts[item])))
    whole = np.nan_to_num(scores)
    assert np.allclose(credit(table, whole, table.gold), shares(table, whole)[0][table.gold])


@pytest.mark.parametrize("name", TABLES)
def test_the_shares_of_an_item_add_up_to_one(name: str) -> None:
    table = TABLES[name]
    scores = np.random.default_rng(0).integers(0, 3, len(table.text_of)).astype(float)
    flat, _ = shares(table, scores)
    assert np.allclose(np.add.reduceat(flat, table.starts[:-1]), 1)


def brute_worth(table: Table, keys: Keys, train: np.ndarray) -> np.ndarray:
    """Log odds with two pseudo-observations at chance, category by category."""
    right = set(table.gold.tolist())
    scores = np.zeros(len(table.text_of))
    for code, option in zip(keys.codes.tolist(), keys.option.tolist(), strict=True):
        shown = [
            o
            for c, o in zip(keys.codes.tolist(), keys.option.tolist(), strict=True)
            if c == code and train[table.item_of[o]]
        ]
        if not shown:
            continue
        rate = sum(1 / table.counts[table.item_of[o]] for o in shown) / len(shown)
        won = sum(o in right for o in shown)
        odds = (won + 2 * rate) / (len(shown) - won + 2 * (1 - rate))
        scores[option] += math.log(odds) - math.log(rate / (1 - rate))
    return scores


@pytest.mark.parametrize("name", TABLES)
def test_learnt_scores_are_those_of_a_plain_loop(name: str) -> None:
    table = TABLES[name]
    rng = np.random.default_rng(1)
    option = np.sort(rng.integers(0, len(table.text_of), 150))  # some options show many categories, some none
    keys = Keys(rng.integers(0, 12, 150), option)
    train = rng.random(len(table)) < 0.5
    assert np.allclose(Learner(table, keys).scores(train, table.gold), brute_worth(table, keys, train), atol=1e-6)


def test_a_learner_over_some_items_is_one_made_for_them() -> None:
    table = TABLES["ragged"]
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 5, len(table.text_of))
    chosen = np.array([1, 8, 30, 31, 60, 70])
    part = table.take(chosen)
    taken = Learner(table, Keys(codes, np.arange(len(codes)))).take(part, chosen)
    own = Learner(part, Keys(codes[table.options_of(chosen)], np.arange(len(part.text_of))))
    train = np.array([True, False, True, True, False, True])
    assert np.array_equal(taken.scores(train, part.gold), own.scores(train, part.gold))


def test_ranks_go_from_least_to_most() -> None:
    table = TABLES["ragged"]
    scores = np.random.default_rng(4).integers(0, 4, len(table.text_of)).astype(float)
    ranks = in_item_rank(table, scores)
    for item in range(len(table)):
        rows = slice(table.starts[item], table.starts[item + 1])
        own, found = scores[rows], ranks[rows]
        expected = [(np.sum(own < s) - np.sum(own > s)) / (len(own) - 1) for s in own]
        assert np.allclose(found, expected)
