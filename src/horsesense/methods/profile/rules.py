"""The rules: from what was measured to one verdict, by six questions in a fixed order.

*Surely* means: by the interval at the level that keeps the whole page right (Bonferroni over its abilities, and
within an ability over what is searched). What is claimed is shown; what is not shown is not claimed.

1. Would so many items show a model that knows half? If not: too few items.
2. Are surely more than half of the facts known, and surely less than half of these used? Knows the facts but does not
   use them.
3. Is it surely below chance? Or surely above it, while surely more of its surplus goes than stays when an explanation
   is made to earn chance? Or is nothing surely left, while surely more than half of the answers follow a cue, or
   avoid it? Reads cues.
4. Is something surely left beyond the explanations? If not: not to be told from guessing; or too few items, where
   something is surely earned and nothing surely explains it.
5. Is surely less than two thirds of that kept in another condition? Not robust.
6. Are surely more than two thirds known? Knows. If not, and surely not all: partly; else too few items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from horsesense.analysis.intervals import FEW, Estimate
from horsesense.analysis.power import power_of, units_needed
from horsesense.methods.profile.finding import Verdict

HALF = 1 / 2
"""There are items enough where a model that knows this much would be found; facts are known above it, unused below."""
MOST = 2 / 3
"""Who knows more than this knows; who keeps less than this is not robust."""
POWER = 0.8
"""Below this there is no verdict."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules look at; all intervals at the level that keeps the whole page right."""

    accuracy: float
    """Share right."""
    chance: float
    """What guessing earns."""
    surplus: Estimate
    """What is earned above chance."""
    beyond: Estimate
    """The surplus that is left when every explanation earns chance."""
    balance: Estimate
    """The surplus that goes by that minus that which stays."""
    strongest: str
    """The explanation that leaves least by itself; empty where there is none."""
    followed: Mapping[str, Estimate]
    """By cue, the share of answers that follow it, below 0 where they avoid it; only where nothing is surely left
    beyond, and at a level corrected for their number."""
    kept: Mapping[str, Estimate]
    """By other condition, the share of what is known that is kept; level corrected for their number."""
    facts: Estimate | None
    """Share of the facts that are known."""
    used: Estimate | None
    """Share of these that is used."""
    level: float
    """How sure "surely" is."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with its deciding reason."""

    verdict: Verdict
    reason: str
    power: float
    """How often so many items would show a model that knows half."""


def judge(evidence: Evidence) -> Judged:
    """The verdict by the six questions above."""
    surplus, beyond, power = evidence.surplus, evidence.beyond, _power(evidence.beyond, evidence.level)
    earned = f"Right in {_percent(evidence.accuracy)}, where guessing gives {_percent(evidence.chance)}"
    what = f" beyond {evidence.strongest}" if evidence.strongest else ""

    def said(verdict: Verdict, reason: str) -> Judged:
        return Judged(verdict, reason, power)

    if power < POWER:
        return said("too few items", _too_few(beyond, what, power, evidence.level))
    facts, used = evidence.facts, evidence.used
    if facts is not None and used is not None and facts.low > HALF and used.high < HALF:
        return said(
            "knows the facts but does not use them",
            f"{_percent(facts.value)} of the bare facts are known, and {_percent(max(0.0, used.value))} of these are "
            f"used ({_percent(max(0.0, used.high))} at most).",
        )
    if surplus.high < 0:
        return said("reads cues", f"{earned}: surely worse than a guess, so something is read the wrong way round.")
    if surplus.low > 0 and evidence.balance.low > 0:
        return said(
            "reads cues",
            f"{earned}: a surplus of {_percent(surplus.value)}, but {_percent(beyond.value)} are left{what}.",
        )
    if not beyond.low > 0:
        for cue, share in evidence.followed.items():
            # Whoever avoids a cue still has to guess among the other options.
            if share.low > HALF or share.high < -HALF / (1 / evidence.chance - 1):
                how = f"{_percent(share.value)} of its answers follow" if share.value > 0 else "its answers avoid"
                return said("reads cues", f"{earned}, and {how} a cue, {cue}.")
        if surplus.low > 0:
            return said("too few items", f"{earned}; {_range(beyond)} are left{what}, which may be all or nothing.")
        return said(
            "not to be told from guessing",
            f"{earned}; a model that knows half would have been found in {_percent(power)} of draws.",
        )
    lost = [(condition, share) for condition, share in evidence.kept.items() if share.high < MOST]
    if lost:
        condition, share = min(lost, key=lambda each: each[1].value)
        return said(
            "not robust",
            f"Of what is known, {_percent(max(0.0, share.value))} are known {condition} "
            f"({_percent(max(0.0, share.high))} at most).",
        )
    if beyond.low > MOST:
        return said("knows", f"At least {_percent(beyond.low)} of what can be known are known{what}.")
    if beyond.high < 1:
        return said("partly", f"{_range(beyond)} of what can be known are known{what}; two thirds are not shown.")
    return said("too few items", f"{_range(beyond)} of what can be known are known{what}: a part of it, or all.")


def _power(left: Estimate, level: float) -> float:
    """How often so many units would show a model that knows half, judged by the lower reach of the interval.

    Fewer than ten units cannot even tell how much they differ.
    """
    if left.clusters < FEW or left.value != left.value:
        return 0.0
    variance = _error(left, level) ** 2 * left.clusters
    return power_of(HALF, variance, left.clusters, level) if variance > 0 else 1.0


def _error(left: Estimate, level: float) -> float:
    from scipy.special import stdtrit

    return (left.value - left.low) / float(stdtrit(left.clusters - 1, (1 + level) / 2))


def _too_few(left: Estimate, what: str, power: float, level: float) -> str:
    if left.value != left.value:
        return f"Nothing can be known{what}: it is right wherever it speaks, and it speaks everywhere."
    spread = _error(left, level) ** 2 * left.clusters if left.clusters >= FEW else 0.0
    needed = units_needed(HALF, spread, level, POWER) if spread else None
    wanted = f"; {needed:,} units like these would do" if needed is not None else ""
    return (
        f"{left.n:,} items in {left.clusters:,} units would show a model that knows half{what} in "
        f"{_percent(power)} of draws only{wanted}."
    )


def _range(share: Estimate) -> str:
    return f"{_percent(share.low)} to {_percent(share.high)}"


def _percent(share: float) -> str:
    return f"{100 * share:z.0f} %"
