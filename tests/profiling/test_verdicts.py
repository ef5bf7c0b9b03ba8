"""Verdicts on models whose truth is known; retention in another condition; frozen halves against twins."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from pydantic import TypeAdapter

from horsesense.errors import UserError
from horsesense.profiling.adjusted import beyond_explanations
from horsesense.profiling.contamination import contamination, frozen_minus_twin, judged_half
from horsesense.profiling.finding import Verdict, Verdicts
from horsesense.profiling.item_scores import ExplanationColumn, ItemScores
from horsesense.profiling.power import power_to_detect
from horsesense.profiling.retention import contrast_pairs, other_conditions, retention
from horsesense.profiling.verdict_rules import MISSABLE, judge
from horsesense.profiling.verdicts import AdjustedScores, evidence, page_level, verdicts
from tests.support.simulated_profiles import (
    MODELS,
    PAGE,
    QUICK,
    Material,
    Model,
    model_named,
    simulated_page,
    simulated_scores,
)

PAGES = 2
"""Of each model; bench/verdicts.py draws a thousand."""


def said(own: list[ItemScores]) -> list[Verdict]:
    level = page_level(len(own))
    seen = contamination(own)
    found: list[Verdict] = []
    for scores in own:
        verdict = judge(evidence(AdjustedScores(judged_half(scores, seen)), level, 100)).verdict
        found.append("contaminated" if scores.ability in seen.contaminated else verdict)
    return found


def test_verdicts_are_right_about_models_whose_truth_is_known() -> None:
    wrong, total = Counter[str](), 0
    for number, model in enumerate(MODELS):
        for draw in range(PAGES):
            own = simulated_page(np.random.default_rng([9, number, draw]), model)
            for material, verdict in zip(PAGE, said(own), strict=True):
                truth = model.expects(material)
                total += truth is not None
                if truth is not None and verdict != truth:
                    wrong[f"{model.name}, {material.name}: {verdict}, not {truth}"] += 1
    assert wrong.total() <= 0.02 * total, wrong


def test_at_quick_sizes_a_verdict_is_right_or_inconclusive() -> None:
    wrong, total = Counter[str](), 0
    for number, model in enumerate(MODELS):
        for draw in range(PAGES):
            own = simulated_page(np.random.default_rng([19, number, draw]), model, QUICK)
            for material, verdict in zip(QUICK, said(own), strict=True):
                total += 1
                if not model.allows(material, verdict):
                    wrong[f"{model.name}, {material.name}: {verdict}, not {model.expects(material)}"] += 1
    assert wrong.total() <= 0.02 * total, wrong


def test_a_retest_of_a_dozen_questions_does_not_hide_that_a_model_is_not_robust() -> None:
    """It keeps three tenths of what it knows. 8% of its quick verdicts used to be false."""
    model, wrong = model_named("not robust in the retest"), Counter[str]()
    for material in (QUICK[2], QUICK[5]):
        for draw in range(50):
            own = simulated_scores(np.random.default_rng([77, draw]), model, material)
            wrong[judge(evidence(AdjustedScores(own), page_level(len(QUICK)), 20)).verdict] += 1
    assert wrong["knows"] + wrong["partly"] <= 5, wrong


@pytest.mark.parametrize("knows", [0.0, 1.0])
def test_a_handful_of_items_is_inconclusive(knows: float) -> None:
    for draw in range(5):
        own = simulated_page(np.random.default_rng([1, draw]), Model("m", "knows", knows=knows), PAGE[3:], 0.03)
        assert set(said(own)) == {"inconclusive"}


def test_a_finding_has_its_reasons() -> None:
    found = verdicts(simulated_page(np.random.default_rng(3), model_named("cue reader"), PAGE[:4]), resamples=100)
    assert [each.verdict for each in found.findings] == ["reads cues"] * 4
    loud, related, pairs, ladder = found.findings
    assert loud.adjusted.value == pytest.approx(0.0, abs=0.05)
    assert f"{100 * loud.accuracy.value:.0f}%" in loud.reasons[0]
    assert "chance 20%" in loud.reasons[0]
    assert "picking the best cue" in loud.reasons[0]
    assert [each.kind for each in loud.explanations] == ["cue", "relatedness", "relatedness", "blind"]
    cue = loud.explanations[0]
    assert cue.where_right is not None
    assert cue.where_wrong is not None
    assert cue.where_right.value > 0.95
    assert cue.where_wrong.value < 0.05
    assert cue.adjusted.value + cue.explained.value == pytest.approx(loud.chance_corrected.value)
    assert "no unpublished twins" in loud.reasons[1]
    assert related.twin is not None
    assert pairs.families is not None
    assert pairs.contrasts[0].kind == "reversal"
    assert ladder.facts is not None
    assert all(0.8 <= each.power <= 1 for each in found.findings)
    assert found.verdict_level > found.level


def test_facts_that_are_known_and_not_used_are_said() -> None:
    own = simulated_page(np.random.default_rng(13), model_named("facts, not used"), PAGE[3:4])
    (found,) = verdicts(own, resamples=50).findings
    assert found.verdict == "not above chance"
    assert found.facts is not None
    assert f"{100 * found.facts.chance_corrected.value:.0f}% of the underlying facts" in found.reasons[1]


def test_relatedness_that_is_not_controlled_leaves_nothing_known() -> None:
    own = simulated_page(np.random.default_rng(14), model_named("perfect"), PAGE[:3])
    bare = [replace(scores, relatedness=()) for scores in own]
    assert [each.verdict for each in verdicts(own, resamples=50).findings] == ["knows"] * 3
    found = verdicts(bare, resamples=50).findings
    assert [each.verdict for each in found] == ["inconclusive", "inconclusive", "partly"]
    assert not any(each.relatedness_controlled for each in found)
    assert all("Relatedness was not controlled." in each.reasons for each in found)


def test_verdicts_are_a_document() -> None:
    found = verdicts(simulated_page(np.random.default_rng(4), model_named("memoriser"), PAGE[:3], 0.5), resamples=50)
    assert found.contamination.found
    assert found.contamination.contaminated == ("related", "pairs")
    assert [each.half for each in found.findings] == ["all", "twin", "twin"]
    assert [each.verdict for each in found.findings] == ["inconclusive", "contaminated", "contaminated"]
    assert "cannot be tested here" in found.findings[0].reasons[0]
    assert found.findings[1].on_twin in ("not above chance", "inconclusive")
    assert found.findings[1].n < found.findings[0].n
    assert [each.abilities for each in found.groups] == [("related",), ("pairs",)], "no score where there is no twin"
    assert found.left_out == ("loud cue",)
    plain = json.loads(json.dumps(found.to_json()))
    assert plain["findings"][1]["verdict"] == found.findings[1].verdict
    TypeAdapter(Verdicts).json_schema(mode="serialization")


def test_a_cue_that_is_right_everywhere_is_inconclusive() -> None:
    own = simulated_scores(np.random.default_rng(5), MODELS[0], PAGE[1], 0.3)
    own = replace(own, cues=(ExplanationColumn("the only word", np.ones(len(own)), 3),), relatedness=(), blind=None)
    (found,) = verdicts([own], resamples=50).findings
    assert found.verdict == "inconclusive"
    assert np.isnan(found.explanations[0].adjusted.value)
    assert not found.knows_attainable


def test_what_cannot_be_judged_is_said() -> None:
    own = simulated_scores(np.random.default_rng(6), MODELS[0], PAGE[1], 0.1)
    with pytest.raises(UserError, match="several models"):
        verdicts([own, replace(own, model="other")])
    with pytest.raises(UserError, match="related has no items"):
        verdicts([own.take(np.zeros(len(own), dtype=bool))])
    with pytest.raises(UserError, match="nothing to judge"):
        verdicts([])
    with pytest.raises(UserError, match=r"related: the format letters has 3 entries"):
        replace(own, formats={"letters": np.ones(3)})
    with pytest.raises(UserError, match="no gold or no choice"):
        replace(own, options=np.ones(len(own), dtype=np.int64))
    with pytest.raises(UserError, match="retest is not between 0 and 1"):
        replace(own, retest=np.full(len(own), 2.0))


# Retention.


@pytest.mark.parametrize(("keeps", "options"), [(0.0, 2), (0.4, 5), (1.0, 2)])
def test_luck_falls_out_of_retention(keeps: float, options: int) -> None:
    rng = np.random.default_rng(0)
    n, chance = 40_000, 1 / options
    known = rng.random(n) < 0.5
    again = known & (rng.random(n) < keeps)
    y, z = ((np.where(k, 1.0, rng.random(n) < chance) - chance) / (1 - chance) for k in (known, again))
    share, as_many = (retention(y, z, np.arange(n), together=t) for t in (True, False))
    assert share is not None
    assert as_many is not None
    assert share.value == pytest.approx(keeps, abs=0.03)
    assert as_many.value == pytest.approx(keeps, abs=0.03)


def test_the_interval_of_retention_is_that_of_its_test() -> None:
    """A share lies outside exactly where the mean of yz - share · y differs from 0 by the t test over clusters."""
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(60), 5)
    y, z = (2 * (rng.random(300) < share).astype(np.float64) - 1 for share in (0.85, 0.7))
    share = retention(y, z, clusters)
    assert share is not None
    for end in share.ci:
        sums = np.bincount(clusters, weights=y * z - end * y)
        assert scipy.stats.ttest_1samp(sums, 0.0).pvalue == pytest.approx(0.05, abs=1e-3)


def test_nothing_is_retained_of_nothing() -> None:
    rng = np.random.default_rng(2)
    y = 2 * (rng.random(200) < 0.5).astype(np.float64) - 1
    assert retention(y, y, np.arange(200)) is None
    assert retention(np.ones(200), np.full(200, np.nan), np.arange(200)) is None


def pairs_of(right: list[tuple[int, int]], retest: list[tuple[int, int]] | None = None) -> ItemScores:
    """Pairs with opposite keys, by what is right in each."""
    n = 2 * len(right)
    names = (np.arange(n) // 2).astype(str)
    again = None if retest is None else np.array(retest, dtype=np.float64).ravel()
    return ItemScores(
        "m", "a", "x", np.arange(n).astype(str), np.array(right, dtype=np.float64).ravel(), np.full(n, 2), names,
        families=names, same_knowledge=True, contrasts={"context": names}, retest=again,
    )  # fmt: skip


@pytest.mark.parametrize(("both", "neither", "one"), [(23, 4, 93), (34, 11, 271), (0, 0, 120), (120, 0, 0)])
def test_pairs_with_opposite_keys_are_both_right_less_both_wrong(both: int, neither: int, one: int) -> None:
    """The published counts of SmolLM2 among them: retention in the family used to be 0 to -149% there."""
    own = pairs_of([(1, 1)] * both + [(0, 0)] * neither + [(1, 0), (0, 1)] * (one // 2) + [(1, 0)] * (one % 2))
    (found,) = contrast_pairs(own, 0.95)
    total = both + neither + one
    assert found.known.value == pytest.approx((both - neither) / total)
    assert found.known.value == pytest.approx(2 * own.right.mean() - 1), "by identity"
    assert found.same_answer.value == pytest.approx((one - 2 * neither) / total)
    assert other_conditions(own) == [], "within a pair there is no retention to measure"


def test_a_habit_is_not_retained_in_the_retest() -> None:
    """A third of the pairs is known and half of these in the retest; the rest is a habit, the same both times."""
    known, lost, habit = [(1, 1)] * 40, [(1, 1)] * 40, [(1, 0)] * 160
    own = pairs_of(known + lost + habit, known + [(1, 0), (0, 1)] * 20 + habit)
    (other,) = other_conditions(own)
    share = other.retention(own, 0.95)
    assert share is not None
    assert share.value == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(5))
def test_retention_is_a_share(seed: int) -> None:
    """Whatever is drawn, also habits and guesses that go against one another."""
    rng = np.random.default_rng(seed)
    model = Model("m", "partly", knows=0.15, reads=0.8, cue="first", retest=rng.random())
    for material in (PAGE[2], PAGE[3], QUICK[5], QUICK[7]):
        own = simulated_scores(rng, model, material)
        for other in other_conditions(own):
            share = other.retention(own, 0.9975)
            assert share is None or 0 <= share.low <= share.value <= share.high <= 1


def test_families_of_two_pairs_are_retained_from_pair_to_pair() -> None:
    """Four members, two pairs with opposite keys: half of what is known is known in one pair only."""
    blocks = [[1, 1, 1, 1]] * 60 + [[1, 1, 1, 0], [1, 1, 0, 1]] * 30 + [[1, 0, 1, 0]] * 80
    right = np.array(blocks, dtype=np.float64).ravel()
    n = len(right)
    families, pairs = (np.arange(n) // size for size in (4, 2))
    own = ItemScores(
        "m", "a", "x", np.arange(n).astype(str), right, np.full(n, 2), families.astype(str),
        families=families.astype(str), same_knowledge=True, contrasts={"reversal": pairs.astype(str)},
    )  # fmt: skip
    (other,) = other_conditions(own)
    share = other.retention(own, 0.95)
    assert other.name == "in the other items of the family"
    assert share is not None
    assert share.value == pytest.approx(2 * 60 / (2 * 60 + 60))


# Power.


def test_power_does_not_depend_on_the_model_that_was_asked() -> None:
    """The same items used to have 96% for a constant answerer and 27% for a perfect one."""
    rng = np.random.default_rng(11)
    powers = []
    for name in ("perfect", "always the same option", "guesser"):
        own = replace(simulated_scores(rng, model_named(name), PAGE[2], 0.2), bad=None, blind=None)
        powers.append(power_to_detect(beyond_explanations(own), 0.9975))
    assert max(powers) - min(powers) < 0.12


@pytest.mark.parametrize("material", [replace(PAGE[1], bad=0.0), PAGE[3], QUICK[6]])
def test_power_is_how_often_a_model_that_knows_two_fifths_is_found(material: Material) -> None:
    partial = Model("m", "partly", knows=MISSABLE, prior=0.0)
    found, promised = 0, []
    for draw in range(150):
        own = simulated_scores(np.random.default_rng([12, draw]), partial, material, 0.5 if material.opposite else 0.3)
        adjusted = AdjustedScores(own)
        found += adjusted.adjusted(0.99).low > 0
        if draw < 15:
            promised.append(power_to_detect(adjusted.weighting, 0.99))
    assert found / 150 == pytest.approx(np.mean(promised), abs=0.15)


def test_sizes_allow_a_flawless_model_to_know() -> None:
    for material in (*PAGE, *QUICK):
        own = replace(simulated_scores(np.random.default_rng(15), model_named("perfect"), material), bad=None)
        own = replace(own, right=np.ones(len(own)), retest=None, formats={}, families=None, twin=None)
        (found,) = verdicts([own], resamples=50).findings
        assert found.knows_attainable, material.name
        assert found.verdict == "knows", material.name


# Contamination.


def surely_above(own: list[ItemScores]) -> bool:
    found = frozen_minus_twin(own)
    assert found is not None
    return found.low > 0


def test_the_twin_test_agrees_with_a_permutation() -> None:
    rng = np.random.default_rng(3)
    model = model_named("partial knower")
    own = [simulated_scores(rng, replace(model, memorised=0.2), m, 0.5) for m in PAGE if m.twin]
    found = contamination(own)
    assert found.difference is not None
    drawn = []
    for _ in range(500):
        moved = []
        for each in own:
            names, codes = np.unique(each.clusters, return_inverse=True)
            half = np.isin(np.arange(len(names)), rng.permutation(len(names))[: len(names) // 2])
            moved.append(replace(each, twin=half[codes]))
        estimate = frozen_minus_twin(moved)
        assert estimate is not None
        drawn.append(estimate.value)
    assert 0.01 < found.p < 0.6
    assert found.p == pytest.approx(np.mean(np.array(drawn) >= found.difference.value), abs=0.04)


def test_false_alarms_of_redrawn_halves_are_few() -> None:
    """Halves drawn anew of the same answers: no more than one in twenty may look like memory."""
    model = model_named("partial knower")
    own = [simulated_scores(np.random.default_rng([4, i]), model, m, 0.4) for i, m in enumerate(PAGE)]
    alarms = 0
    for draw in range(200):
        rng = np.random.default_rng([5, draw])
        halved = [replace(s, twin=np.isin(s.clusters, rng.permutation(np.unique(s.clusters))[::2])) for s in own]
        alarms += surely_above(halved)
    assert alarms <= 10


def test_without_halves_there_is_no_contamination_test() -> None:
    own = simulated_scores(np.random.default_rng(7), MODELS[0], PAGE[0], 0.1)
    assert contamination([own]).difference is None
    assert not contamination([own]).found
    assert contamination([replace(own, twin=np.ones(len(own), dtype=bool))]).difference is None


def test_a_cue_that_does_not_pay_is_named_all_the_same() -> None:
    """On material where the cue earns chance, its reader earns chance, and is found by what it follows."""
    clean = PAGE[5]
    for cue, word in (("best", "of its answers come from"), ("anti", "It avoids")):
        model = Model("m", "reads cues", reads=1.0, cue=cue, prior=1.0)
        (found,) = verdicts([simulated_scores(np.random.default_rng(8), model, clean, 0.5)], resamples=50).findings
        assert found.verdict == "reads cues"
        assert f"{word} picking the best cue" in found.reasons[0]
        followed = found.explanations[0].followed
        assert followed is not None
        assert followed.value == pytest.approx(1.0 if cue == "best" else -1.0)


def test_what_is_followed_is_the_share_that_is_read() -> None:
    model = Model("m", "partly", knows=0.4, reads=0.5, prior=0.5)
    own = simulated_scores(np.random.default_rng(9), model, replace(PAGE[1], bad=0.0), 20)
    followed = AdjustedScores(own).followed("picking the best cue", 0.95)
    assert followed is not None
    assert followed.value == pytest.approx(0.6 * 0.5, abs=0.03)


def test_few_units_do_not_cry_contamination() -> None:
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


def test_a_half_that_goes_deeper_into_its_groups_is_no_contamination() -> None:
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


def test_a_significant_difference_is_contamination_however_few_the_items() -> None:
    """Forty items of which the frozen half is right throughout: it used to be "not called memory" for want of power."""
    rng = np.random.default_rng(0)
    names = np.array([f"g{n}" for n in range(40)])
    right = np.where(np.arange(40) % 2 == 0, 1.0, (rng.random(40) < 0.2).astype(float))
    few = ItemScores("m", "kinds", "wordnetqa", names, right, np.full(40, 2), names, twin=np.arange(40) % 2 == 1)
    found = contamination([few])
    assert found.difference is not None
    assert found.detectable is not None
    assert found.detectable > 0.1, "absence could not have been claimed"
    assert found.found
    assert found.contaminated == ("kinds",)
    assert len(judged_half(few, found)) == 20
    (finding,) = verdicts([few], resamples=50).findings
    assert finding.verdict == "contaminated"


def test_few_items_without_a_difference_do_not_exclude_contamination() -> None:
    names = np.array([f"g{n}" for n in range(40)])
    few = ItemScores(
        "m",
        "kinds",
        "wordnetqa",
        names,
        (np.arange(40) // 2 % 2).astype(np.float64),
        np.full(40, 2),
        names,
        twin=np.arange(40) % 2 == 1,
    )
    found = contamination([few])
    assert not found.found
    assert found.contaminated == ()
    assert found.detectable is not None
    assert found.detectable > 0.1
