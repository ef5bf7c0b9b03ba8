"""The fact ladder: rungs that differ in one thing, and an analysis that luck and a liking for a word do not move."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

import horsesense as hs
from horsesense.core import Item, Probe
from horsesense.methods.rica.axioms import is_upper
from horsesense.profiling.abilities import abilities, pool_of
from horsesense.stats.rungs import BESIDE, RUNGS, LadderAnalysis, analyse_ladder

Answerer = Callable[[Item], int]


@pytest.fixture(scope="module")
def probe() -> Probe:
    return hs.build("rica", task="ladder", strategies=["material", "action-alone", "temporal"])


def by_family(probe: Probe) -> dict[str, dict[str, Item]]:
    families: dict[str, dict[str, Item]] = defaultdict(dict)
    for item in probe.items:
        families[item.family][item.member] = item
    return families


def test_every_rung_asks_the_same_four_forms(probe: Probe) -> None:
    for members in by_family(probe).values():
        rungs = Counter(str(item.facets["rung"]) for item in members.values())
        assert {rung: rungs[rung] for rung in ("fact", "told", "inference", *BESIDE)} == dict.fromkeys(
            ("fact", "told", "inference", *BESIDE), 4
        )
        for rung in ("fact", "told", "inference"):
            asked = [item for item in members.values() if item.facets["rung"] == rung]
            for half in ("affirmed", "denied"):
                right = {item.options[item.answer or 0] for item in asked if item.facets["half"] == half}
                assert len(right) == 2, "each half has both poles, so whoever likes one word gets half of it"


def test_rungs_differ_in_one_thing(probe: Probe) -> None:
    for members in by_family(probe).values():
        inference = members["inference_original"].text
        premise, conclusion = inference.split(", so ")
        for rung in ("told", "irrelevant", "false"):
            start, end = members[f"{rung}_original"].text.rsplit(", so ", 1)
            assert end == conclusion
            assert start.startswith(f"{premise}, and "), "the premise is kept and something is told"
        told, false = members["told_original"], members["false_original"]
        assert len(told.text.split()) == len(false.text.split())
        assert false.answer is None
        assert false.options[int(false.facets["follows"])] != told.options[told.answer or 0]
        fact = members["fact_original"]
        assert fact.options == members["inference_original"].options
        names = members["inference_original"].groups["entities"].split()
        assert not any(name in fact.text for name in names), "the bare fact is about things that have a name"


def test_axioms_without_a_bare_fact_are_counted(probe: Probe) -> None:
    assert probe.card.notes["ladder: no bare fact"] > 0
    assert not any(item.facets["strategy"] == "temporal" for item in probe.items)


def test_what_is_irrelevant_shares_neither_property_nor_thing(probe: Probe) -> None:
    facts = [item for item in probe.items if item.member == "fact_original"]
    owners = {item.text.replace("___", item.options[item.answer or 0]): item.groups["property"] for item in facts}
    for item in probe.items:
        if item.member == "irrelevant_original":
            told = item.text.rsplit(", so ", 1)[0].rsplit(", and ", 1)[1]
            assert owners[told] != item.groups["property"]


def answered(probe: Probe, answer: Answerer) -> LadderAnalysis:
    chosen = [(answer(item),) for item in probe.items]
    credit = [
        float("nan") if item.answer is None else float(best[0] == item.answer)
        for item, best in zip(probe.items, chosen, strict=True)
    ]
    found = analyse_ladder(probe.items, np.array(credit), chosen)
    assert found is not None
    return found


def test_a_guesser_loses_nothing_and_uses_nothing(probe: Probe) -> None:
    misses = 0
    for seed in range(20):
        chance = Random(seed)
        analysis = answered(probe, lambda item, chance=chance: chance.randrange(2))  # type: ignore[misc]  # bound now
        assert abs(analysis.known.value - 1 / 16) < 0.06
        estimates = [loss.loss for loss in analysis.losses] + [analysis.use]
        misses += sum(not estimate.low <= 0 <= estimate.high for estimate in estimates)
    assert misses <= 12, "of 100 intervals of 95 % about five miss"


def test_whoever_always_says_more_knows_nothing(probe: Probe) -> None:
    for place in (0, 1):  # the options are sorted, so one place is one word on each scale
        analysis = answered(probe, lambda item, place=place: place)  # type: ignore[misc]  # bound now
        assert analysis.known.value == 0
        assert analysis.losses == ()
        assert analysis.use.value == 0
        assert analysis.follows.value == 0.5
        assert "too few" in analysis.verdict


def test_a_model_that_knows_and_does_not_use_is_told_so(probe: Probe) -> None:
    """Knows three facts of five; of an inference from them it gets three of four right, in other words half."""
    chance = Random(1)
    knows = {family: chance.random() < 0.6 for family in by_family(probe)}

    def answer(item: Item) -> int:
        rung = str(item.facets["rung"])
        if item.answer is None:
            return int(item.facets["follows"])
        sure = {"fact": 1.0, "told": 1.0, "inference": 0.75, "irrelevant": 0.75, "reworded": 0.5}[rung]
        right = chance.random() < (sure if knows[item.family] or rung == "told" else 0.5)
        return item.answer if right else 1 - item.answer

    analysis = answered(probe, answer)
    # Of the facts that are not known a sixteenth is right by luck.
    assert analysis.known.low < 0.6 + 0.4 / 16 < analysis.known.high
    lost = {(loss.lower, loss.upper): loss.loss for loss in analysis.losses}
    known = analysis.given_known
    # By one half a quarter of the unknown pass as known, so the held-out rates are a little below 1 and 3/4.
    assert known["fact"].value == pytest.approx((0.6 + 0.4 * 0.25 * 0.5) / 0.7, abs=0.05)
    assert known["inference"].value == pytest.approx((0.6 * 0.75 + 0.4 * 0.25 * 0.5) / 0.7, abs=0.07)
    assert lost["fact", "inference"].low > 0
    assert lost["inference", "reworded"].low > 0
    assert analysis.use.low > 0
    assert analysis.follows.value == 1
    assert "Not all known facts are used" in analysis.verdict
    assert "not robust" in analysis.verdict


def test_items_of_another_kind_are_no_ladder() -> None:
    item = Item(probe="made", form="cloze", text="Ice is ___.", options=("cold", "hot"), answer=0)
    assert analyse_ladder([item], np.array([1.0]), [(0,)]) is None
    assert set(RUNGS).isdisjoint(BESIDE)


def test_a_turned_ladder_gives_nothing_away_by_order_and_negation() -> None:
    pool = pool_of(abilities()["inference"])
    asked = [item for item in pool.items if item.facets["rung"] == "inference"]

    def follows_the_rule(item: Item) -> bool:
        """Who is named first is more, and *not* turns it round: what nine of ten released statements follow."""
        straight = (item.facets["asymmetry"] == "none") == (item.facets["perturbation"] == "original")
        assert item.answer is not None
        return is_upper(item.options[item.answer]) == straight

    share = np.mean([follows_the_rule(item) for item in asked])
    assert 0.45 <= share <= 0.55
    assert Counter(item.family for item in asked).most_common(1)[0][1] == 4
