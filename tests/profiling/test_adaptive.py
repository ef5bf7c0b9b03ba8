"""Stopping abilities whose verdict is decided: what is drawn, what is decided, and the whole program."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import horsesense as hs
from horsesense.core import Item
from horsesense.models.protocol import Continuation
from horsesense.profiling import adaptive
from horsesense.profiling.abilities import chosen
from horsesense.profiling.adaptive import LOOKS, asked_clusters, decided, page_verdicts, predicted
from horsesense.profiling.conditions import RETEST_OF, conditions, conditions_in
from horsesense.profiling.material import material
from tests.profiling.test_profile_by_replies import knows
from tests.support.reply_model import ReplyModel, key_of, reply
from tests.support.simulated_profiles import Material, model_named, simulated_scores

PAIRS = Material("pairs", 304, 2, 2, 0.5, 0.5, opposite=True, twin=0.5)


@given(st.sets(st.text(min_size=1, max_size=4), min_size=1, max_size=40))
def test_a_later_look_asks_all_clusters_of_an_earlier_one(names: set[str]) -> None:
    asked = [asked_clusters(sorted(names), share) for share in LOOKS]
    assert all(one <= other for one, other in pairwise(asked))
    assert [len(each) for each in asked] == [int(np.ceil(len(names) * share)) for share in LOOKS]


def test_a_predicted_page_has_the_answers_so_far_and_as_many_clusters_as_the_whole_material() -> None:
    whole = simulated_scores(np.random.default_rng(0), model_named("partial knower"), PAIRS)
    whole = replace(whole, families=whole.clusters)
    assert whole.twin is not None
    inside = {
        name for half in (whole.twin, ~whole.twin) for name in asked_clusters(whole.clusters[half].tolist(), 0.25)
    }
    part = whole.take(np.isin(whole.clusters, list(inside)))
    page = predicted(part, 0.25, np.random.default_rng(1))
    assert page.twin is not None
    assert page.families is not None
    assert len(np.unique(page.clusters)) == len(np.unique(whole.clusters)) == len(np.unique(page.families))
    for half in (False, True):
        assert len(np.unique(page.clusters[page.twin == half])) == len(np.unique(whole.clusters[whole.twin == half]))
    assert set(part.items) == set(page.items)
    pairs = page.contrasts["opposite"] if "opposite" in page.contrasts else next(iter(page.contrasts.values()))
    assert set(np.unique(pairs, return_counts=True)[1]) == {2}, "a copy of a pair is a pair of its own"


def test_the_spread_of_predictions_is_that_of_what_is_left() -> None:
    """Of n clusters asked out of N, the mean of the whole has the variance s²/N · (1 - t)/t around what is seen."""
    rng = np.random.default_rng(2)
    scores = simulated_scores(rng, model_named("partial knower"), replace(PAIRS, twin=0.0, opposite=False, size=1))
    part = scores.take(np.arange(len(scores)) < 76)
    means = [predicted(part, 0.25, rng).right.mean() for _ in range(2000)]
    expected = part.right.var() / 304 * 0.75 / 0.25
    assert np.var(means) == pytest.approx(expected, rel=0.15)


def test_a_clear_verdict_is_decided_early_and_one_at_the_border_is_not() -> None:
    rng = np.random.default_rng(3)
    clear = simulated_scores(rng, model_named("perfect"), PAIRS, 0.25)
    border = simulated_scores(rng, replace(model_named("perfect"), knows=0.72), replace(PAIRS, name="border"), 0.25)
    open_shares = {"pairs": 0.25, "border": 0.25}
    assert page_verdicts([clear, border])["pairs"] == "knows"
    assert decided([clear, border], open_shares) == {"pairs"}
    assert decided([clear, border], {"pairs": 1.0, "border": 1.0}) == set()


def test_more_is_risked_where_more_questions_are_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same verdict on 90% of the predicted pages is enough for a large ability, and not for a small one."""
    rng = np.random.default_rng(4)
    sizes = {"large": 900, "small": 100}
    scores = [
        simulated_scores(rng, model_named("partial knower"), Material(name, size // 2, 1, 2, 0.5, 0.5))
        for name, size in sizes.items()
    ]
    calls = count()

    def verdicts(*_: object) -> dict[str, str]:
        return dict.fromkeys(sizes, "inconclusive" if next(calls) % 10 == 5 else "partly")

    monkeypatch.setattr(adaptive, "page_verdicts", verdicts)
    assert decided(scores, {"large": 0.5, "small": 0.5}) == {"large"}


def test_the_retest_and_letters_of_a_part_are_those_of_the_whole() -> None:
    (ability,) = chosen(["exceptions"])
    asked = material(ability, "full")
    group = asked.pool.card.group
    inside = asked_clusters([item.unit(group) for item in asked.frozen.items], 0.5)
    whole = {each.role: each.probe.items for each in conditions(asked, "full")}
    part = {each.role: each.probe.items for each in conditions_in(inside, asked, "full", "loglikelihood")}
    assert {item.unit(group) for item in part["main"]} == inside
    for role in ("retest", "letters"):
        assert {item.id for item in part[role]} < {item.id for item in whole[role]}
    mains = {item.id for item in part["main"]}
    assert {str(item.facets[RETEST_OF]) for item in part["retest"]} <= mains
    assert abs(len(part["retest"]) / len(whole["retest"]) - 0.5) < 0.12


def test_an_adaptive_profile_has_the_verdicts_of_a_whole_one_for_half_of_the_questions(tmp_path: Path) -> None:
    abilities = ["exceptions", "parts"]
    items: list[Item] = [item for each in chosen(abilities) for item in material(each, "full").frozen.items]
    key = key_of(items)

    def says(prompt: str, shown: dict[str, str]) -> Continuation:
        right = key(prompt, shown)
        letter = right if right and knows(shown[right], list(shown.values()), 0.95) else "A"
        return reply(f"{letter}. {shown[letter]}")

    whole = hs.profile(ReplyModel(says, "knower"), full=True, abilities=abilities).models[0]
    early = hs.profile(ReplyModel(says, "knower"), full=True, abilities=abilities, adaptive=True, out=tmp_path / "p")
    (model,) = early.models
    assert [each.verdict for each in model.verdicts.findings] == [each.verdict for each in whole.verdicts.findings]
    assert sum(each.n for each in model.verdicts.findings) < 0.6 * sum(each.n for each in whole.verdicts.findings)
    assert "adaptive, " in model.asked
    assert early.adaptive
    again = hs.profile(
        ReplyModel(lambda *_: reply("never asked"), "knower"),
        full=True, abilities=abilities, adaptive=True, out=tmp_path / "p",
    )  # fmt: skip
    assert again.models[0].verdicts == model.verdicts
