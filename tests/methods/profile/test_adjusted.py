"""What is left beyond explanations, against its definition, an optimiser, and models whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from horsesense.analysis import accuracy
from horsesense.methods.profile.overall import differences, overall_score
from horsesense.methods.profile.item_scores import BadShare, CueColumn, ItemScores
from horsesense.methods.profile.adjusted import Split, linear, split
from tests.support.simulated_profiles import MODELS, PAGE, sheet, sheets

Floats = NDArray[np.float64]


def made(
    right: Floats, options: int | NDArray[np.int64] = 2, ability: str = "a", method: str = "m", **more: object
) -> ItemScores:
    """A sheet whose items are independent."""
    n = len(right)
    names = np.arange(n).astype(str)
    counts = np.full(n, options) if isinstance(options, int) else options
    return ItemScores("model", ability, method, names, right, counts, names, judged="people", **more)  # type: ignore[arg-type]


def left(part: Split) -> float:
    assert part.left is not None
    return linear([(part, part.left)], resamples=10).value


def drawn(seed: int, n: int = 200) -> np.random.Generator:
    return np.random.default_rng([seed, n])


def test_one_cue_gives_the_stated_formula() -> None:
    rng = drawn(0)
    cue = (rng.random(300) < 0.6).astype(np.float64)
    right = (rng.random(300) < 0.3 + 0.4 * cue).astype(np.float64)
    found = left(split(made(right, 4), cue))
    reweighted = right[cue == 1].mean() / 4 + right[cue == 0].mean() * 3 / 4
    assert found == pytest.approx((reweighted - 1 / 4) / (1 - 1 / 4))


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 3), st.booleans())
def test_whoever_answers_by_an_explanation_gets_nothing(seed: int, number: int, tied: bool) -> None:
    """Also with ties, with several explanations at once, and where items differ in their options."""
    rng = np.random.default_rng(seed)
    options = rng.choice([2, 3, 5], 120)
    values = [0.0, 1.0, 0.5] if tied else [0.0, 1.0]
    columns = [rng.choice(values, 120) for _ in range(number)]
    for column in columns:
        part = split(made(column, options), *columns)
        if part.left is not None:
            assert left(part) == pytest.approx(0.0, abs=1e-8)
    knower = split(made(np.ones(120), options), *columns)
    assert knower.left is None or left(knower) == pytest.approx(1.0)


def test_whoever_avoids_the_cue_gets_nothing() -> None:
    cue = np.array([1.0] * 60 + [0.0] * 40)
    assert left(split(made((1 - cue) / 4, 5), cue)) == pytest.approx(0.0)


def test_weights_are_the_nearest_that_balance() -> None:
    """Against a general optimiser of relative entropy under linear constraints."""
    rng = drawn(1)
    right, options = rng.random(400).round(), 5
    first = (rng.random(400) < 0.7).astype(np.float64)
    second = np.where(rng.random(400) < 0.5, first, rng.random(400) < 0.3)
    part = split(made(right, options), first, second)
    shares = np.array([mask.mean() for mask in part.masks])
    gains = np.array([[column[mask].mean() - 1 / 5 for column in (first, second)] for mask in part.masks])
    best = scipy.optimize.minimize(
        lambda w: float((w * np.log(w / shares)).sum()),
        shares,
        method="SLSQP",
        bounds=[(1e-9, 1)] * len(shares),
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1},
            {"type": "eq", "fun": lambda w: w @ gains},
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert part.left is not None
    assert part.left * (1 - 1 / 5) == pytest.approx(best.x, abs=1e-5)


def test_a_cue_that_is_always_right_leaves_nothing_to_tell() -> None:
    assert split(made(np.ones(50)), np.ones(50)).left is None
    half_silent = np.where(np.arange(50) < 25, 1.0, 0.5)
    right = np.where(np.arange(50) < 25, 1.0, np.arange(50) % 2)
    silent_only = left(split(made(right), half_silent))
    assert silent_only == pytest.approx((right[25:].mean() - 0.5) / 0.5)
    assert left(split(made(right), np.zeros(50))) == pytest.approx((right.mean() - 0.5) / 0.5)


def test_the_plain_surplus_is_accuracy_on_another_scale() -> None:
    rng = drawn(2)
    own = made((rng.random(200) < 0.7).astype(np.float64))
    part = split(own)
    found = linear([(part, part.plain)]).estimate(0.95, 0)
    rate = accuracy(own.right, own.units, 0.5)
    assert found.value == pytest.approx(2 * rate.value - 1)
    assert found.ci == pytest.approx((2 * rate.low - 1, 2 * rate.high - 1))


def test_bad_items_raise_the_surplus_and_widen_it() -> None:
    rng = drawn(3)
    own = made((rng.random(400) < 0.8).astype(np.float64))
    spoilt = replace(own, bad=BadShare(0.1, (0.05, 0.15), 150, "people"))
    sure = replace(own, bad=BadShare(0.1, (0.1, 0.1), 10**9, "people"))
    plain, wide, narrow = (linear([(p, p.plain)]).estimate(0.95, 0) for p in map(split, (own, spoilt, sure)))
    assert wide.value == narrow.value == pytest.approx(plain.value / 0.9)
    assert wide.high - wide.low > narrow.high - narrow.low
    assert narrow.high - narrow.low == pytest.approx((plain.high - plain.low) / 0.9)


def test_the_interval_holds_what_is_known() -> None:
    """A partial knower that else follows its prior: the share of the items that it knows."""
    material = replace(PAGE[1], bad=0.0)
    model = next(m for m in MODELS if m.name == "partial knower with a prior")
    held = 0
    for draw in range(120):
        own = sheet(np.random.default_rng([5, draw]), model, material, 0.5)
        assert own.blind is not None
        part = split(own, own.cues[0].right, own.blind)
        assert part.left is not None
        low, high = linear([(part, part.left)], resamples=100).ends(0.95)
        held += low <= model.knows <= high
    assert 108 <= held <= 120


def test_the_one_number_weighs_methods_alike_and_leaves_out_what_nobody_judged() -> None:
    rng = drawn(4)
    rates = {"a": 0.9, "b": 0.7, "c": 0.6, "d": 1.0}
    own = [
        made((rng.random(300) < rate).astype(np.float64), ability=name, method="x" if name in "ab" else "y")
        for name, rate in rates.items()
    ]
    own[3] = replace(own[3], judged="")
    number = overall_score(own)
    assert number is not None
    surplus = [2 * each.right.mean() - 1 for each in own]
    assert number.value.value == pytest.approx(((surplus[0] + surplus[1]) / 2 + surplus[2]) / 2)
    assert [part.abilities for part in number.parts] == [("a", "b"), ("c",)]
    assert number.value.value == pytest.approx(np.mean([part.beyond.value for part in number.parts]))
    assert number.left_out == ("d",)
    assert overall_score([own[3]]) is None


def test_the_one_number_is_not_clipped() -> None:
    number = overall_score([made(np.zeros(100))])
    assert number is not None
    assert number.value.value == -1.0
    assert number.value.low <= -1.0


def test_abilities_that_share_units_are_not_counted_twice() -> None:
    rng = drawn(5)
    right = (rng.random(200) < 0.7).astype(np.float64)
    twice = [made(right, ability="a"), made(right, ability="b")]
    apart = [twice[0], replace(twice[1], units=np.char.add("other ", twice[1].units))]
    together, independent = overall_score(twice), overall_score(apart)
    single = overall_score(twice[:1])
    assert together is not None
    assert independent is not None
    assert single is not None
    width = [each.value.high - each.value.low for each in (together, independent, single)]
    assert width[1] < 0.8 * width[2]
    assert width[0] == pytest.approx(width[2], rel=0.05)


def test_models_are_compared_on_common_items_with_one_correction() -> None:
    rng = drawn(6)
    hard = rng.random(400)
    better, worse = ((hard < share).astype(np.float64) for share in (0.8, 0.7))
    cue = CueColumn("the longest", (rng.random(400) < 0.6).astype(np.float64), 60)
    one, two = made(better, cues=(cue,)), made(worse, cues=(cue,))
    mixed = rng.permutation(400)[:390]
    models = {"good": [one], "bad": [two.take(mixed)], "same": [one]}
    found = {(d.first, d.second, d.ability): d for d in differences(models)}
    assert set(found) == {
        (x, y, a) for x, y in (("good", "bad"), ("good", "same"), ("bad", "same")) for a in ("a", "one number")
    }
    gap = found["good", "bad", "a"]
    assert gap.difference.n == 390
    part = split(one.take(np.sort(mixed)), cue.right[np.sort(mixed)])
    assert gap.difference.value == pytest.approx(
        left(part) - left(split(two.take(np.sort(mixed)), cue.right[np.sort(mixed)]))
    )
    assert gap.p < 1e-3
    assert gap.p <= gap.adjusted
    # The same items were hard for both, so that the difference is known better than either.
    own = linear([(part, part.plain)]).estimate(0.95, 0)
    assert gap.difference.high - gap.difference.low < own.high - own.low
    same = found["good", "same", "a"]
    assert same.difference.value == pytest.approx(0, abs=1e-12)
    assert same.p == same.adjusted == 1.0


def test_nothing_depends_on_the_order_of_items() -> None:
    own = sheets(np.random.default_rng(0), MODELS[8], PAGE[:2], 0.2)
    mixed = [each.take(np.random.default_rng(1).permutation(len(each))) for each in own]
    a, b = overall_score(own), overall_score(mixed)
    assert a is not None
    assert b is not None
    assert (a.value.value, *a.value.ci) == pytest.approx((b.value.value, *b.value.ci))
