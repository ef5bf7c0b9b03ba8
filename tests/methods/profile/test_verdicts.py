"""Verdicts on models whose truth is known; what is kept in another condition; frozen halves against twins."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from pydantic import TypeAdapter

from horsesense.errors import UserError
from horsesense.methods.profile.retention import kept
from horsesense.methods.profile.finding import Verdicts
from horsesense.methods.profile.contamination import frozen_minus_twin, memory
from horsesense.methods.profile.rules import judge
from horsesense.methods.profile.item_scores import CueColumn, ItemScores
from horsesense.methods.profile.verdicts import AdjustedScores, evidence, judged_half, page_level, verdicts
from tests.support.simulated_profiles import MODELS, PAGE, Model, sheet, sheets

PAGES = 2
"""Of each model; bench/verdicts.py draws a thousand."""


def said(own: list[ItemScores]) -> list[str]:
    remembered, sure = memory(own), page_level(len(own))
    return [judge(evidence(AdjustedScores(judged_half(s, remembered, sure), 0, 50), sure)).verdict for s in own]


def test_verdicts_are_right_about_models_whose_truth_is_known() -> None:
    wrong, total = Counter[str](), 0
    for number, model in enumerate(MODELS):
        for draw in range(PAGES):
            for material, verdict in zip(
                PAGE, said(sheets(np.random.default_rng([9, number, draw]), model)), strict=True
            ):
                truth = model.expects(material)
                total += truth is not None
                if truth is not None and verdict != truth:
                    wrong[f"{model.name}: {verdict}, not {truth}"] += 1
    assert wrong.total() <= 0.02 * total, wrong


@pytest.mark.parametrize("knows", [0.0, 1.0])
def test_a_handful_of_items_gets_no_verdict(knows: float) -> None:
    for draw in range(5):
        own = sheets(np.random.default_rng([1, draw]), Model("m", "knows", knows=knows), PAGE[3:], 0.03)
        assert set(said(own)) == {"too few items"}


def test_a_finding_tells_its_reasons() -> None:
    model = next(m for m in MODELS if m.name == "cue reader")
    found = verdicts(sheets(np.random.default_rng(3), model, PAGE[:4]), resamples=100)
    assert [each.verdict for each in found.findings] == ["reads cues"] * 4
    loud, soft, pairs, ladder = found.findings
    assert loud.beyond.value == pytest.approx(0.0, abs=0.05)
    assert loud.reasons[0].startswith(f"Right in {100 * loud.accuracy.value:.0f} %, where guessing gives 20 %")
    assert {each.name for each in loud.explanations} == {"picking the best cue", "the model without the question"}
    cue = loud.explanations[0]
    assert cue.where_right is not None
    assert cue.where_wrong is not None
    assert cue.where_right.value > 0.95
    assert cue.where_wrong.value < 0.05
    assert cue.left.value + cue.gone.value == pytest.approx(loud.surplus.value)
    assert "There is no twin half here" in loud.reasons[1]
    assert soft.twin is not None
    assert pairs.families is not None
    assert ladder.facts is not None
    assert all(0.8 <= each.power <= 1 for each in found.findings)
    assert found.sure > found.level


def test_verdicts_are_a_document() -> None:
    model = next(m for m in MODELS if m.name == "memoriser")
    found = verdicts(sheets(np.random.default_rng(4), model, PAGE[:3], 0.5), resamples=50)
    assert found.memory.found
    assert [each.half for each in found.findings] == ["all", "twin", "twin"]
    assert found.findings[1].n < found.findings[0].n
    plain = json.loads(json.dumps(found.to_json()))
    assert plain["findings"][1]["verdict"] == found.findings[1].verdict
    TypeAdapter(Verdicts).json_schema(mode="serialization")


def test_a_cue_that_is_right_everywhere_gets_no_verdict() -> None:
    own = sheet(np.random.default_rng(5), MODELS[0], PAGE[1], 0.3)
    own = replace(own, cues=(CueColumn("the only word", np.ones(len(own)), 3),))
    (found,) = verdicts([own], resamples=50).findings
    assert found.verdict == "too few items"
    assert np.isnan(found.explanations[0].left.value)


def test_what_cannot_be_judged_is_said() -> None:
    own = sheet(np.random.default_rng(6), MODELS[0], PAGE[1], 0.1)
    with pytest.raises(UserError, match="several models"):
        verdicts([own, replace(own, model="other")])
    with pytest.raises(UserError, match="soft cue has no items"):
        verdicts([own.take(np.zeros(len(own), dtype=bool))])
    with pytest.raises(UserError, match="nothing to judge"):
        verdicts([])
    with pytest.raises(UserError, match=r"soft cue: the way letters has 3 places"):
        replace(own, ways={"letters": np.ones(3)})
    with pytest.raises(UserError, match="no gold or no choice"):
        replace(own, options=np.ones(len(own), dtype=np.int64))
    with pytest.raises(UserError, match="retest is not between 0 and 1"):
        replace(own, retest=np.full(len(own), 2.0))


# What is kept in another condition.


@pytest.mark.parametrize(("keeps", "options"), [(0.0, 2), (0.4, 5), (1.0, 2)])
def test_luck_falls_out_of_what_is_kept(keeps: float, options: int) -> None:
    rng = np.random.default_rng(0)
    n, chance = 40_000, np.full(40_000, 1 / options)
    known = rng.random(n) < 0.5
    again = known & (rng.random(n) < keeps)
    y, z = (np.where(k, 1.0, rng.random(n) < 1 / options) for k in (known, again))
    units = np.arange(n)
    share, as_many = (kept(y, chance, z, chance, units, together=t) for t in (True, False))
    assert share is not None
    assert as_many is not None
    assert share.value == pytest.approx(keeps, abs=0.03)
    assert as_many.value == pytest.approx(keeps, abs=0.03)


def test_the_interval_of_what_is_kept_is_that_of_its_test() -> None:
    """A share lies outside exactly where the mean of yz - share · y differs from 0 by the t test over units."""
    rng = np.random.default_rng(1)
    units = np.repeat(np.arange(60), 5)
    y, z = ((rng.random(300) < share).astype(np.float64) for share in (0.85, 0.7))
    half = np.full(300, 0.5)
    share = kept(y, half, z, half, units)
    assert share is not None
    scaled, other = 2 * y - 1, 2 * z - 1
    for end in share.ci:
        sums = np.bincount(units, weights=scaled * other - end * scaled)
        assert scipy.stats.ttest_1samp(sums, 0.0).pvalue == pytest.approx(0.05, abs=1e-3)


def test_nothing_is_kept_of_nothing() -> None:
    rng = np.random.default_rng(2)
    y = (rng.random(200) < 0.5).astype(np.float64)
    half = np.full(200, 0.5)
    assert kept(y, half, y, half, np.arange(200)) is None
    assert kept(np.ones(200), half, np.full(200, np.nan), half, np.arange(200)) is None


# Contamination.


def surely_above(own: list[ItemScores]) -> bool:
    found = frozen_minus_twin(own)
    assert found is not None
    return found.low > 0


def test_the_twin_test_agrees_with_a_permutation() -> None:
    rng = np.random.default_rng(3)
    model = next(m for m in MODELS if m.name == "partial knower")
    own = [sheet(rng, replace(model, remembers=0.08), m, 0.5) for m in PAGE if m.twin]
    found = memory(own)
    assert found.difference is not None
    drawn = []
    for _ in range(500):
        moved = []
        for each in own:
            names, codes = np.unique(each.units, return_inverse=True)
            half = np.isin(np.arange(len(names)), rng.permutation(len(names))[: len(names) // 2])
            moved.append(replace(each, twin=half[codes]))
        estimate = frozen_minus_twin(moved)
        assert estimate is not None
        drawn.append(estimate.value)
    assert 0.01 < found.p < 0.3
    assert found.p == pytest.approx(np.mean(np.array(drawn) >= found.difference.value), abs=0.04)


def test_false_alarms_of_redrawn_halves_are_few() -> None:
    """Halves drawn anew of the same answers: no more than one in twenty may look like memory."""
    model = next(m for m in MODELS if m.name == "partial knower")
    own = [sheet(np.random.default_rng([4, i]), model, m, 0.4) for i, m in enumerate(PAGE)]
    alarms = 0
    for draw in range(200):
        rng = np.random.default_rng([5, draw])
        halved = [replace(s, twin=np.isin(s.units, rng.permutation(np.unique(s.units))[::2])) for s in own]
        alarms += surely_above(halved)
    assert alarms <= 10


def test_without_halves_there_is_no_memory_test() -> None:
    own = sheet(np.random.default_rng(7), MODELS[0], PAGE[0], 0.1)
    assert memory([own]).difference is None
    assert not memory([own]).found
    assert memory([replace(own, twin=np.ones(len(own), dtype=bool))]).difference is None


def test_a_cue_that_does_not_pay_is_named_all_the_same() -> None:
    """On material where the cue earns chance, its reader earns chance, and is found by what it follows."""
    clean = PAGE[5]
    for cue, word in (("best", "follow"), ("anti", "avoid")):
        model = Model("m", "reads cues", reads=1.0, cue=cue, prior=1.0)
        (found,) = verdicts([sheet(np.random.default_rng(8), model, clean, 0.5)], resamples=50).findings
        assert found.verdict == "reads cues"
        assert f"{word} a cue, picking the best cue" in found.reasons[0]
        followed = found.explanations[0].followed
        assert followed is not None
        assert followed.value == pytest.approx(1.0 if cue == "best" else -1.0)


def test_what_is_followed_is_the_share_that_is_read() -> None:
    model = Model("m", "partly", knows=0.4, reads=0.5, prior=0.5)
    own = sheet(np.random.default_rng(9), model, replace(PAGE[1], bad=0.0), 20)
    followed = AdjustedScores(own, 0, 10).followed("picking the best cue", 0.95)
    assert followed is not None
    assert followed.value == pytest.approx(0.6 * 0.5, abs=0.03)


def test_few_units_do_not_cry_memory() -> None:
    """Five groups a half, each all right or all wrong: a mean lies nearer to its own groups than to new ones."""
    alarms = 0
    for draw in range(400):
        rng = np.random.default_rng([10, draw])
        own = []
        for ability in range(4):
            units = np.repeat(np.arange(10), 3)
            right = (rng.random(10) < 0.6)[units].astype(np.float64)
            names = np.char.add(f"{ability} ", units.astype(str))
            items = np.char.add(names, np.tile([" a", " b", " c"], 10))
            twin = np.isin(units, rng.permutation(10)[:5])
            own.append(ItemScores("m", str(ability), "x", items, right, np.full(30, 2), names, twin=twin))
        alarms += surely_above(own)
    assert alarms <= 0.05 * 400


def test_a_half_that_goes_deeper_into_its_groups_is_no_memory() -> None:
    """Large groups are easy ones here, and the frozen half asks more of each: by items it would look remembered."""
    alarms = 0
    for seed in range(100):
        chance = np.random.default_rng(seed)
        large = chance.random(160) < 0.25
        twin = np.arange(160) % 2 == 1
        asked = np.where(large, np.where(twin, 1, 8), 1)
        groups = np.repeat(np.arange(160), asked)
        right = (chance.random(len(groups)) < np.where(large[groups], 0.9, 0.4)).astype(float)
        names = np.char.add("g", groups.astype(str))
        items = np.char.add("i", np.arange(len(groups)).astype(str))
        own = ItemScores("m", "kinds", "wordnetqa", items, right, np.full(len(groups), 2), names, twin=twin[groups])
        alarms += surely_above([own])
    assert alarms <= 7


def test_where_little_could_be_found_nothing_is_said_of_memory() -> None:
    chance = np.random.default_rng(0)
    names = np.array([f"g{n}" for n in range(40)])
    right = np.where(np.arange(40) % 2 == 0, 1.0, (chance.random(40) < 0.2).astype(float))
    few = ItemScores("m", "kinds", "wordnetqa", names, right, np.full(40, 2), names, twin=np.arange(40) % 2 == 1)
    found = memory([few])
    assert found.difference is not None
    assert found.difference.low > 0
    assert found.detectable is not None
    assert found.detectable > 0.1
    assert (found.told, found.found) == (False, False)
    assert len(judged_half(few, found, 0.95)) == 40
