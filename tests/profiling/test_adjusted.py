"""The adjusted score, against its definition, an optimiser, and models whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from horsesense.profiling.adjusted import beyond_explanations, linear, plain, weighted
from horsesense.profiling.contamination import contamination
from horsesense.profiling.item_scores import BadShare, ExplanationColumn, ItemScores
from horsesense.profiling.overall import OVERALL, differences, group_scores, overall_score
from horsesense.stats import accuracy
from tests.support.simulated_profiles import PAGE, Model, model_named, simulated_page, simulated_scores

Floats = NDArray[np.float64]


def made(
    right: Floats, options: int | NDArray[np.int64] = 2, ability: str = "a", group: str = "m", **more: object
) -> ItemScores:
    """Scores of independent items."""
    n = len(right)
    names = np.arange(n).astype(str)
    counts = np.full(n, options) if isinstance(options, int) else options
    more = {"judged": "people", **more}
    return ItemScores("model", ability, group, names, right, counts, names, group, **more)  # type: ignore[arg-type]


def left(scores: ItemScores, *columns: Floats) -> float:
    part = weighted(scores, *columns)
    assert part is not None
    assert linear([(part, 1.0)]).value == pytest.approx(part.value, abs=1e-9)
    return part.value


def drawn(seed: int, n: int = 200) -> np.random.Generator:
    return np.random.default_rng([seed, n])


def test_one_cue_gives_the_stated_formula() -> None:
    rng = drawn(0)
    cue = (rng.random(300) < 0.6).astype(np.float64)
    right = (rng.random(300) < 0.3 + 0.4 * cue).astype(np.float64)
    reweighted = right[cue == 1].mean() / 4 + right[cue == 0].mean() * 3 / 4
    assert left(made(right, 4), cue) == pytest.approx((reweighted - 1 / 4) / (1 - 1 / 4))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.booleans())
def test_whoever_answers_by_an_explanation_gets_nothing(seed: int, number: int, tied: bool) -> None:
    """Also with ties, with several explanations at once, and where items differ in their options."""
    rng = np.random.default_rng(seed)
    options = rng.choice([2, 3, 5], 120)
    values = [0.0, 1.0, 0.5] if tied else [0.0, 1.0]
    columns = [rng.choice(values, 120) for _ in range(number)]
    for column in columns:
        part = weighted(made(column, options), *columns)
        if part is not None:
            assert part.value == pytest.approx(0.0, abs=1e-8)
    knower = weighted(made(np.ones(120), options), *columns)
    assert knower is None or knower.value == pytest.approx(1.0)


def test_whoever_avoids_the_cue_gets_nothing() -> None:
    cue = np.array([1.0] * 60 + [0.0] * 40)
    assert left(made((1 - cue) / 4, 5), cue) == pytest.approx(0.0)


def test_weights_are_the_nearest_that_balance() -> None:
    """Against a general optimiser of relative entropy under linear constraints."""
    rng = drawn(1)
    first = (rng.random(60) < 0.6).astype(np.float64)
    second = np.where(rng.random(60) < 0.5, first, rng.random(60) < 0.3)
    part = weighted(made(rng.random(60).round(), 5), first, second)
    gains = np.stack([first, second], axis=1) - 1 / 5
    best = scipy.optimize.minimize(
        lambda w: float((w * np.log(w * 60)).sum()),
        np.full(60, 1 / 60),
        method="SLSQP",
        bounds=[(1e-9, 1)] * 60,
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1},
            {"type": "eq", "fun": lambda w: w @ gains},
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert part is not None
    assert part.weights == pytest.approx(best.x, abs=1e-5)


def test_a_cue_that_is_always_right_leaves_nothing_to_know() -> None:
    assert weighted(made(np.ones(50)), np.ones(50)) is None
    half_silent = np.where(np.arange(50) < 25, 1.0, 0.5)
    right = np.where(np.arange(50) < 25, 1.0, np.arange(50) % 2)
    assert left(made(right), half_silent) == pytest.approx((right[25:].mean() - 0.5) / 0.5)
    assert left(made(right), np.zeros(50)) == pytest.approx((right.mean() - 0.5) / 0.5)


def test_the_chance_corrected_score_is_accuracy_on_another_scale() -> None:
    rng = drawn(2)
    own = made((rng.random(200) < 0.7).astype(np.float64))
    found = linear([(plain(own), 1.0)]).estimate(0.95)
    rate = accuracy(own.right, own.clusters, 0.5)
    assert found.value == pytest.approx(2 * rate.value - 1)
    assert found.ci == pytest.approx((2 * rate.low - 1, 2 * rate.high - 1), abs=0.01)


def test_bad_items_raise_the_score_and_widen_it() -> None:
    rng = drawn(3)
    own = made((rng.random(400) < 0.8).astype(np.float64))
    spoilt = replace(own, bad=BadShare(0.1, (0.05, 0.15), 150, "people"))
    sure = replace(own, bad=BadShare(0.1, (0.1, 0.1), 10**9, "people"))
    whole, wide, narrow = (linear([(plain(each), 1.0)]).estimate(0.95) for each in (own, spoilt, sure))
    assert wide.value == narrow.value == pytest.approx(whole.value / 0.9)
    assert wide.high - wide.low > narrow.high - narrow.low
    assert narrow.high - narrow.low == pytest.approx((whole.high - whole.low) / 0.9)


@pytest.mark.parametrize(
    ("model", "scale"),
    [
        (Model("m", "partly", knows=0.4, reads=1.0, cue="prior"), 0.5),
        (Model("m", "partly", knows=0.4, reads=1.0, cue="sentences"), 0.15),
        (Model("m", "partly", knows=0.4, clustered=True), 0.3),
    ],
)
def test_the_interval_holds_what_is_known(model: Model, scale: float) -> None:
    """Partial knowers that else follow their prior, relatedness, or guess: the share of the items that they know."""
    material = replace(PAGE[1], bad=0.0)
    held = 0
    for draw in range(120):
        part = beyond_explanations(simulated_scores(np.random.default_rng([5, draw]), model, material, scale))
        assert part is not None
        low, high = linear([(part, 1.0)]).ends(0.95)
        held += low <= model.knows <= high
    assert 107 <= held <= 120


def test_relatedness_readers_get_nothing_and_knowers_keep_what_they_know() -> None:
    """Fails where relatedness is not among the explanations: the reader then gets two thirds."""
    rng = np.random.default_rng(7)
    reader = simulated_scores(rng, model_named("nearest by sentence vectors"), replace(PAGE[1], bad=0.0))
    part, uncontrolled = beyond_explanations(reader), beyond_explanations(replace(reader, relatedness=()))
    assert part is not None
    assert uncontrolled is not None
    assert part.value == pytest.approx(0.0, abs=1e-8)
    assert uncontrolled.value > 0.5
    for share in (0.4, 0.7, 1.0):
        knower = simulated_scores(rng, Model("m", "knows", knows=share), replace(PAGE[1], bad=0.0), 3)
        part = beyond_explanations(knower)
        assert part is not None
        assert part.value == pytest.approx(share, abs=0.07)


def test_groups_weigh_alike_and_what_nobody_judged_stays_apart() -> None:
    rng = drawn(4)
    rates = {"a": 0.9, "b": 0.7, "c": 0.6, "d": 1.0}
    own = [
        made((rng.random(300) < rate).astype(np.float64), ability=name, group="x" if name in "ab" else "y")
        for name, rate in rates.items()
    ]
    own[3] = replace(own[3], judged="")
    overall = overall_score(own)
    assert overall is not None
    score = [2 * each.right.mean() - 1 for each in own]
    assert overall.value.value == pytest.approx(((score[0] + score[1]) / 2 + score[2]) / 2)
    assert overall.name == "x; y"
    assert [group.abilities for group in overall.groups] == [("a", "b"), ("c",)]
    assert overall.value.value == pytest.approx(np.mean([group.adjusted.value for group in overall.groups]))
    every = group_scores(own)
    assert [(group.group, group.abilities, group.judged) for group in every] == [
        ("x", ("a", "b"), True),
        ("y", ("c",), True),
        ("y", ("d",), False),
    ]
    assert overall_score([own[3]]) is None


def test_the_overall_score_is_not_clipped() -> None:
    overall = overall_score([made(np.zeros(100))])
    assert overall is not None
    assert overall.value.value == -1.0
    assert overall.value.low <= -1.0


def test_abilities_that_share_clusters_are_not_counted_twice() -> None:
    rng = drawn(5)
    right = (rng.random(200) < 0.7).astype(np.float64)
    twice = [made(right, ability="a"), made(right, ability="b")]
    apart = [twice[0], replace(twice[1], clusters=np.char.add("other ", twice[1].clusters))]
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
    cue = ExplanationColumn("the longest", (rng.random(400) < 0.6).astype(np.float64), 60)
    one, two = made(better, cues=(cue,)), made(worse, cues=(cue,))
    mixed = rng.permutation(400)[:390]
    models = {"good": [one], "bad": [two.take(mixed)], "same": [one]}
    seen = {name: contamination(own) for name, own in models.items()}
    found = {(d.first, d.second, d.ability): d for d in differences(models, seen)}
    assert set(found) == {
        (x, y, a) for x, y in (("good", "bad"), ("good", "same"), ("bad", "same")) for a in ("a", OVERALL)
    }
    gap = found["good", "bad", "a"]
    assert gap.difference.n == 390
    assert gap.half == "all"
    order = np.sort(mixed)
    parts = [weighted(each.take(order), cue.right[order]) for each in (one, two)]
    assert parts[0] is not None
    assert parts[1] is not None
    assert gap.difference.value == pytest.approx(parts[0].value - parts[1].value)
    assert gap.p < 1e-3
    assert gap.p <= gap.adjusted
    # The same items were hard for both, so that the difference is known better than either.
    own = linear([(parts[0], 1.0)]).estimate(0.95)
    assert gap.difference.high - gap.difference.low < own.high - own.low
    same = found["good", "same", "a"]
    assert same.difference.value == pytest.approx(0, abs=1e-12)
    assert same.p == same.adjusted == 1.0


def test_a_memoriser_is_not_better_than_one_that_knows() -> None:
    """All of the frozen half by heart: on all items it would win, on the twin half it loses."""
    rng = np.random.default_rng(8)
    twin = np.arange(400) % 2 == 1
    by_heart = np.where(twin, rng.random(400) < 0.2, True).astype(np.float64)
    knows = (np.arange(400) // 2 % 2).astype(np.float64)
    models = {
        name: [replace(made(right, 5), twin=twin), made(right, 5, ability="published as a whole")]
        for name, right in (("by heart", by_heart), ("knows", knows))
    }
    seen = {name: contamination(own) for name, own in models.items()}
    assert (seen["by heart"].found, seen["knows"].found) == (True, False)
    (ability, overall) = differences(models, seen)
    assert by_heart.mean() > knows.mean()
    for each in (ability, overall):
        assert each.half == "twin"
        assert each.difference.n == 200
        assert each.difference.high < 0


def test_nothing_depends_on_the_order_of_items() -> None:
    own = simulated_page(np.random.default_rng(0), model_named("partial knower"), PAGE[:2], 0.2)
    mixed = [each.take(np.random.default_rng(1).permutation(len(each))) for each in own]
    a, b = overall_score(own), overall_score(mixed)
    assert a is not None
    assert b is not None
    assert (a.value.value, *a.value.ci) == pytest.approx((b.value.value, *b.value.ci))


@pytest.mark.parametrize("known", [0.0, 0.9])
def test_few_heavy_items_that_are_all_alike_are_not_certain(known: float) -> None:
    """A control is right on 42 of 54 items, so the other 12 carry four fifths of the weight; often all 12 are alike."""
    rng = np.random.default_rng(1)
    column = np.repeat([0.0, 1.0], [12, 42])
    missed = {0.95: 0, 0.9975: 0}
    for _ in range(300):
        right = np.where(rng.random(54) < known, 1.0, rng.random(54) < 0.2)
        part = weighted(made(right, 5), column)
        assert part is not None
        for level in missed:
            low, high = linear([(part, 1.0)]).ends(level)
            missed[level] += not low <= known <= high
    assert missed[0.95] <= 300 * 0.06
    assert missed[0.9975] <= 300 * 0.01


def test_a_habit_on_pairs_with_opposite_keys_stays_precise() -> None:
    """One of two right in every pair has no variance, however the items are weighted."""
    right = np.tile([1.0, 0.0], 60)
    names = np.repeat(np.arange(60), 2).astype(str)
    scores = replace(made(right), clusters=names)
    part = weighted(scores, np.repeat([0.0, 1.0], [40, 80]))
    assert part is not None
    low, high = linear([(part, 1.0)]).ends(0.95)
    assert high - low < 0.25
