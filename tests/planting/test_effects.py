"""Effects of planted cues: against sums written out by hand, and against simulated models whose effect is known."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.planting.effects import Trials, difference_between, moved_by_cues, planted_effect

NAMES = ("m", "p", "loglikelihood", "professor")


def simulated(rng: np.random.Generator, follows: float, n: int = 240, k: int = 4, knows: float = 0.5) -> Trials:
    """A model that knows whole clusters of three, guesses anew in each arm, and takes the target with a probability."""
    gold, to_right = rng.integers(k, size=n), rng.random(n) < 0.5
    target = np.where(to_right, gold, (gold + rng.integers(1, k, size=n)) % k)
    cluster = np.arange(n) // 3
    known = (rng.random(n) < knows)[cluster]
    placebo = np.where(known, gold, rng.integers(k, size=n))
    cue = np.where(rng.random(n) < follows, target, np.where(known, gold, rng.integers(k, size=n)))
    return Trials(
        followed=(cue == target).astype(float),
        by_itself=(placebo == target).astype(float),
        to_right=to_right,
        options=np.full(n, k),
        right=(cue == gold).astype(float),
        right_by_itself=(placebo == gold).astype(float),
        clusters=[str(each) for each in cluster],
    )


def test_shares_by_hand() -> None:
    trials = simulated(np.random.default_rng(5), 0.4)
    found = planted_effect(trials, *NAMES)
    above = {True: 0.0, False: 0.0}
    below = {True: 0.0, False: 0.0}
    for i in range(len(trials.followed)):
        side = bool(trials.to_right[i])
        above[side] += trials.followed[i] - trials.by_itself[i]
        below[side] += 1 - trials.by_itself[i]
    assert found.to_right.value == pytest.approx(above[True] / below[True])
    assert found.to_wrong.value == pytest.approx(above[False] / below[False])
    # A uniformly drawn target is right in a quarter of the draws, but half of the targets here are.
    weight = {True: 0.25 / 0.5, False: 0.75 / 0.5}
    mixed = sum(weight[side] * above[side] for side in above) / sum(weight[side] * below[side] for side in below)
    assert found.moved.value == pytest.approx(mixed)
    assert found.asymmetry.value == pytest.approx(found.to_wrong.value - found.to_right.value)


@pytest.mark.parametrize("follows", [0.0, 0.2, 0.6])
def test_the_interval_contains_the_planted_effect(follows: float) -> None:
    rng = np.random.default_rng(round(100 * follows))
    drawn = [planted_effect(simulated(rng, follows), *NAMES) for _ in range(100)]
    assert sum(each.moved.low <= follows <= each.moved.high for each in drawn) >= 90
    if not follows:
        assert sum(each.p < 0.05 for each in drawn) <= 10


def test_two_models_on_the_same_draws() -> None:
    rng = np.random.default_rng(1)
    strong, weak = simulated(rng, 0.8), simulated(rng, 0.2)
    difference, p = difference_between(strong, weak)
    assert difference.low < 0.6 < difference.high
    assert p < 0.001
    same, p = difference_between(strong, strong)
    assert (same.value, p) == (0.0, 1.0)


def test_a_model_whose_answers_cannot_move() -> None:
    n = 10
    ones = np.ones(n)
    held = Trials(ones, ones, np.ones(n, bool), np.full(n, 2), ones, ones, [str(i) for i in range(n)])
    found = planted_effect(held, *NAMES)
    assert np.isnan(found.moved.value)
    assert found.p == 1.0


def test_the_row_over_all_cues_covers_its_mean() -> None:
    rng, covered = np.random.default_rng(8), 0
    for _ in range(60):
        trials = {"a": simulated(rng, 0.5), "b": simulated(rng, 0.1, n=90)}
        effects = [planted_effect(each, *NAMES[:3], cue) for cue, each in trials.items()]
        row = moved_by_cues(trials, effects)
        assert row.moved.value == pytest.approx(np.mean([each.moved.value for each in effects]))
        covered += row.moved.low <= 0.3 <= row.moved.high
        assert row.strongest == max(effects, key=lambda each: each.moved.value).cue
    assert covered >= 53


def test_the_row_names_the_cue_that_is_followed_where_the_mean_says_nothing() -> None:
    """It used to say "8% [-7%, 24%]: follows cues" because of one cue of three."""
    rng = np.random.default_rng(6)
    trials = {"professor": simulated(rng, 0.6, n=40), "asterisk": simulated(rng, 0.0, n=40)}
    trials["length"] = simulated(rng, 0.0, n=40)
    effects = [planted_effect(each, *NAMES[:3], cue) for cue, each in trials.items()]
    assert effects[0].verdict == "follows the cue"
    assert moved_by_cues(trials, effects).verdict == "follows professor"
    assert moved_by_cues(trials, effects[1:]).verdict in ("not moved", "inconclusive")
    again = {"professor": trials["professor"], "length": simulated(rng, 0.7, n=40)}
    both = [planted_effect(each, *NAMES[:3], cue) for cue, each in again.items()]
    assert moved_by_cues(again, both).verdict == "follows professor, length"
