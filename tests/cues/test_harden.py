"""Hardened probes: what was planted is gone, by our battery and by a model of bags of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from horsesense.core import Card, Item, Probe
from horsesense.cues import measure_cues
from horsesense.cues.aflite import aflite
from horsesense.cues.harden import Hardened, harden_probe
from horsesense.errors import UserError
from horsesense.methods.published import read_files
from tests.support.made_up_probes import longest, noise, planted, with_word


def bag_of_words_right(items: list[Item]) -> int:
    """How many items a logistic regression on the words of options gets right, cross-validated over families."""
    texts = [option for item in items for option in item.options]
    family = [item.unit() for item in items for _ in item.options]
    right = np.array([place == item.answer for item in items for place in range(len(item.options))])
    words = CountVectorizer(binary=True).fit_transform(texts)
    scores = np.zeros(len(texts))
    for train, test in GroupKFold(5).split(words, right, family):
        scores[test] = LogisticRegression(max_iter=300).fit(words[train], right[train]).decision_function(words[test])
    starts = np.cumsum([0] + [len(item.options) for item in items])
    return sum(int(np.argmax(scores[starts[n] : starts[n + 1]])) == item.answer for n, item in enumerate(items))


def beats_chance(right: int, items: list[Item]) -> bool:
    return bool(binomtest(right, len(items), 1 / len(items[0].options), alternative="greater").pvalue < 0.01)


@pytest.fixture(scope="module")
def with_planted_word() -> list[Item]:
    return with_word(noise(400, 3, 2, in_family=2), "indeed", 0.6, 0.1)


@pytest.fixture(scope="module")
def hardened(with_planted_word: list[Item]) -> Hardened:
    return harden_probe(Probe.of(with_planted_word, Card("made-up")), splits=4, rounds=99)


def test_the_planted_cue_is_there_before(with_planted_word: list[Item], hardened: Hardened) -> None:
    assert "can be answered" in hardened.before.verdict
    assert beats_chance(bag_of_words_right(with_planted_word), with_planted_word)


def test_the_planted_cue_is_gone_after(hardened: Hardened) -> None:
    kept = list(hardened.probe.items)
    assert len(kept) > 80
    assert not beats_chance(bag_of_words_right(kept), kept)
    # Asked anew, with other halves and other shuffles, the battery does not find it either.
    again = measure_cues(kept, seed=77, splits=4, rounds=99)
    assert "can be answered" not in again.verdict


def test_every_cue_is_at_chance_within_its_interval(hardened: Hardened) -> None:
    same = measure_cues(hardened.probe.items, splits=4, rounds=99)
    assert same == hardened.after
    for cue in same.cues:
        assert cue.accuracy.low <= same.chance <= cue.accuracy.high
        assert cue.p > 0.05 or cue.accuracy.value <= same.chance
    for rule in hardened.rules:
        assert rule.accuracy.low <= same.chance <= rule.accuracy.high


def test_families_are_kept_whole(with_planted_word: list[Item], hardened: Hardened) -> None:
    before = Counter(item.family for item in with_planted_word)
    after = Counter(item.family for item in hardened.probe.items)
    assert all(before[family] == count for family, count in after.items())
    gone = {one.family: one.items for one in hardened.families_dropped}
    assert set(gone) | set(after) == set(before)
    assert not set(gone) & set(after)
    assert sum(gone.values()) + len(hardened.probe.items) == len(with_planted_word)


def test_it_says_why(hardened: Hardened) -> None:
    assert next(iter(hardened.reasons)) in ("first word", "bag of words", "words")
    assert sum(hardened.reasons.values()) == sum(one.items for one in hardened.families_dropped)


def test_hardening_is_deterministic(with_planted_word: list[Item], hardened: Hardened) -> None:
    assert harden_probe(Probe.of(with_planted_word, Card("made-up")), splits=4, rounds=99) == hardened


def shortest(item: Item) -> int:
    return min(range(len(item.options)), key=lambda place: (len(item.options[place]), place))


def middling(item: Item) -> int:
    """Neither the longest nor the shortest: both are then right too rarely."""
    return next(place for place in range(len(item.options)) if place not in (longest(item), shortest(item)))


def is_off(items: Sequence[Item], pick: Callable[[Item], int]) -> bool:
    right = sum(pick(item) == item.answer for item in items)
    return bool(binomtest(right, len(items), 1 / len(items[0].options)).pvalue < 0.02)


@pytest.mark.parametrize("right", [longest, shortest, middling])
def test_cues_above_and_below_chance_are_brought_back(right: Callable[[Item], int]) -> None:
    items = planted(noise(350, 4, 1), 0.35, right)
    assert is_off(items, longest)
    assert is_off(items, shortest)
    found = harden_probe(Probe.of(items, Card("made-up")), splits=4, rounds=99)
    assert len(found.probe.items) > 150
    assert not is_off(found.probe.items, longest)
    assert not is_off(found.probe.items, shortest)


def test_a_word_that_only_wrong_options_have_is_no_help_after() -> None:
    """The opposite of a cue: pick what lacks the word."""
    items = with_word(noise(400, 3, 9), "indeed", 0.05, 0.4)
    found = harden_probe(Probe.of(items, Card("made-up")), splits=4, rounds=99)

    def share(kept: Sequence[Item], of_gold: bool) -> float:
        marked = [
            text.startswith("indeed") for i in kept for n, text in enumerate(i.options) if (n == i.answer) is of_gold
        ]
        return float(np.mean(marked))

    assert share(items, False) - share(items, True) > 0.3
    assert abs(share(found.probe.items, False) - share(found.probe.items, True)) < 0.1


def test_a_clean_probe_stays_as_it_is() -> None:
    items = noise(150, 3, 4)
    found = harden_probe(Probe.of(items, Card("made-up")), splits=3, rounds=99)
    assert len(found.probe.items) > 0.85 * len(items)


def test_a_cue_that_answers_everything_leaves_nothing() -> None:
    items = [replace(item, answer=1) for item in noise(100, 3, 5)]
    with pytest.raises(UserError, match=r"only \d+ of 100 items .* in the pos.* 100% "):
        harden_probe(Probe.of(items, Card("made-up")), splits=2, rounds=59)


@pytest.mark.parametrize("number", [2, 19])
def test_too_few_items_from_the_start_are_refused(number: int) -> None:
    items = [replace(item, options=("aa", "bb"), answer=n % 2) for n, item in enumerate(noise(number, 2, 5))]
    with pytest.raises(UserError, match=rf"{number} items, .* fewer than 20"):
        harden_probe(Probe.of(items, Card("made-up")), splits=2, rounds=59)


def test_items_without_a_gold_do_not_count() -> None:
    items = noise(40, 3, 5)
    items[:25] = [replace(item, answer=None) for item in items[:25]]
    with pytest.raises(UserError, match=r"15 of 40 items .* fewer than 20"):
        harden_probe(Probe.of(items, Card("made-up")), splits=2, rounds=59)
    whole = [replace(item, family=str(n % 10)) for n, item in enumerate(items)]
    with pytest.raises(UserError, match="0 of 40 items can be tried"):
        harden_probe(Probe.of(whole, Card("made-up")), splits=2, rounds=59)


def test_a_family_that_cannot_be_tested_goes_as_a_whole() -> None:
    items = noise(120, 3, 6, in_family=2)
    items[3] = replace(items[3], answer=None)
    found = harden_probe(Probe.of(items, Card("made-up")), splits=2, rounds=59)
    gone = next(one for one in found.families_dropped if one.family == items[3].family)
    assert (gone.items, gone.cue) == (2, "no gold or one option")


def test_aflite_drops_what_vectors_foresee() -> None:
    items = noise(200, 3, 7)
    rng = np.random.default_rng(0)
    easy = [number % 3 != 0 for number in range(200)]
    rows = [
        rng.normal(size=8) + 4 * (place == item.answer and told)
        for item, told in zip(items, easy, strict=True)
        for place in range(3)
    ]
    kept = aflite(items, np.array(rows, dtype=np.float32))
    told = dict(zip([item.id for item in items], easy, strict=True))
    left = np.mean([told[item.id] for item in kept])
    assert len(kept) >= 50
    assert left < 0.5  # it was two thirds


def test_vectors_of_another_probe_are_a_sentence() -> None:
    with pytest.raises(UserError, match=r"5×2, .* 9 options"):
        aflite(noise(3, 3, 8), np.zeros((5, 2), dtype=np.float32))


@pytest.mark.parametrize("name", ["ca", "swag"])
def test_a_released_set_is_hardened_from_both_sides(name: str, shared: Path) -> None:
    file = shared / "data" / "cats" / "commonsense_ability_test" / f"{name}.txt"
    probe = read_files("cats", [file])
    found = harden_probe(probe, splits=4, rounds=59)
    again = measure_cues(found.probe.items, probe.card.group, splits=4, rounds=59)
    assert "can be answered" in found.before.verdict
    assert len(found.probe.items) > 0.5 * len(probe.items)
    for cue in again.cues:
        assert cue.accuracy.low <= again.chance <= cue.accuracy.high, cue.name
    right = bag_of_words_right(list(found.probe.items))
    chance = 1 / len(found.probe.items[0].options)
    assert binomtest(right, len(found.probe.items), chance).pvalue > 0.01
