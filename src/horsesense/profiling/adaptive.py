"""Stop asking an ability once its verdict no longer depends on the questions that are left.

Clusters of questions are asked in a random order, and looked at after each of `LOOKS`. At a look, whole pages are
predicted: the answers so far, and for the clusters that are left answers like them. The share of these pages with
another verdict is the risk of stopping. An ability is decided if this risk is at most `PRICE` per question saved, in
units of an average ability: much is risked to save many questions, and little where few are left. So nothing is needed
from other models, such as the difficulty of a question, and the rules of the verdicts are used as they are.

The verdicts are those of the usual rules on the questions asked. How often they are the same as after all questions,
and how often a claim is false, is simulated by ``bench/adaptive.py``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from horsesense.profiling.contamination import contamination, judged_half
from horsesense.profiling.finding import Verdict
from horsesense.profiling.item_scores import ItemScores, Strings
from horsesense.profiling.verdict_rules import judge
from horsesense.profiling.verdicts import AdjustedScores, evidence, page_level, with_contamination
from horsesense.stats.resampling import codes_of

LOOKS = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)
"""Shares of the clusters after which the verdicts are looked at."""
PRICE = 0.25
"""Risk of another verdict that is accepted to save all questions of an average ability."""
PAGES = 20
"""Pages predicted at a look."""
POWER_DRAWS = 50
"""Draws of the power in the rules; only a verdict is needed here."""
LEAST_CLUSTERS = 20
"""Clusters below which an ability is never decided: fewer do not show how much they vary."""


def asked_clusters(names: Sequence[str], share: float) -> set[str]:
    """Return the clusters that are asked until a look: a share of them, in an order that depends on their names only.

    >>> names = [f"n{i}" for i in range(8)]
    >>> len(asked_clusters(names, 0.25)), asked_clusters(names, 0.25) < asked_clusters(names, 0.5)
    (2, True)
    """
    order = sorted(set(names), key=lambda name: hashlib.sha256(f"asked {name}".encode()).digest())
    return set(order[: -int(-share * len(order) // 1)])


def page_verdicts(every: Sequence[ItemScores], only: Collection[str] | None = None) -> dict[str, Verdict]:
    """Return the verdict of each ability of a page, or of some of them; contamination is tested on all together."""
    seen, level = contamination(every), page_level(len(every))
    found = {}
    for scores in every:
        if only is None or scores.ability in only:
            said = judge(evidence(AdjustedScores(judged_half(scores, seen)), level, POWER_DRAWS))
            found[scores.ability] = with_contamination(said, scores, seen)[0]
    return found


def predicted(scores: ItemScores, share: float, rng: np.random.Generator) -> ItemScores:
    """Draw the whole material of an ability: the clusters asked so far, and others like them, each half apart.

    The others come from a resample of the clusters asked. So the draws differ by what the sample leaves open about the
    model as well as by which clusters are left.
    """
    if share >= 1:
        return scores
    codes = codes_of(scores.clusters)
    halves = [np.unique(codes)] if scores.twin is None else [np.unique(codes[scores.twin == half]) for half in (0, 1)]
    drawn = []
    for asked in halves:
        left = round(len(asked) / share) - len(asked)
        drawn += [asked, rng.choice(rng.choice(asked, len(asked)), left)] if len(asked) else []
    clusters = np.concatenate(drawn)
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    repeated = sizes[clusters]
    copy = np.repeat(np.arange(len(clusters)), repeated)
    offset = np.arange(len(copy)) - np.repeat(np.cumsum(repeated) - repeated, repeated)
    rows = order[starts[clusters][copy] + offset]
    whole, names = scores.take(rows), copy.astype(str)

    def apart(groups: Strings) -> Strings:
        return np.where(groups == "", "", np.char.add(np.char.add(names, " "), groups))

    return replace(
        whole,
        clusters=names,
        families=None if whole.families is None else apart(whole.families),
        contrasts={kind: apart(pairs) for kind, pairs in whole.contrasts.items()},
    )


def decided(every: Sequence[ItemScores], shares: Mapping[str, float], seed: int = 0) -> set[str]:
    """Return the abilities whose verdict would likely be the same after all questions, given how many these are.

    Args:
        every: Answers so far, of every ability of the page.
        shares: Share of the clusters that is asked, by ability; those with a share of 1 are not looked at.
        seed: Seed of the predicted pages.
    """
    rng = np.random.default_rng([seed, 11])
    now = page_verdicts(every)
    enough = {each.ability for each in every if len(np.unique(each.clusters)) >= LEAST_CLUSTERS}
    missed = dict.fromkeys((name for name in now if shares[name] < 1 and name in enough), 0)
    whole = {each.ability: len(each) / shares[each.ability] for each in every}
    average = sum(whole.values()) / len(whole)
    risk = {name: PRICE * whole[name] * (1 - shares[name]) / average for name in missed}
    for _ in range(PAGES):
        if not missed:
            break
        page = page_verdicts([predicted(each, shares[each.ability], rng) for each in every], missed)
        for name in list(missed):
            missed[name] += page[name] != now[name]
            if missed[name] > risk[name] * PAGES:
                del missed[name]
    return set(missed)
