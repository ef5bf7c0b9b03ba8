"""Accuracy from rung to rung: is a wrong inference a fact that the model does not know, does not use, or does not use
robustly?

A ladder asks the same facts on every rung, and each rung changes one thing: the bare fact; the inference with the fact
stated; the inference alone; the inference reworded. A fact is known if both orders are right. Conditioning on known
facts would select lucky guesses, so the condition is taken on one half of the forms (affirmed or denied) and everything
is measured on the other half, both ways round: a guesser, and a model that always says *more*, then lose nothing and
use nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.core import Item
from horsesense.stats.intervals import Estimate, difference_interval, rate_interval, unit_note
from horsesense.stats.resampling import Floats, spread, totals

RUNGS = ("fact", "told", "inference", "reworded")
"""From the bottom: each removes one thing."""
BESIDE = ("irrelevant", "false")
"""Controls: a true but irrelevant fact, and a false one."""
HALVES = ("affirmed", "denied")
"""Each half has both orders and so both poles: a preference for one word gets half of each right."""
LEAST = 5
"""Minimum number of known facts, counted once per half, for an analysis."""
_STEPS = (("fact", "told"), ("told", "inference"), ("fact", "inference"), ("inference", "reworded"))


@dataclass(frozen=True, slots=True)
class RungLoss:
    """The loss between two rungs, among known facts."""

    upper: str
    """The harder rung."""
    lower: str
    """The easier rung."""
    loss: Estimate
    """Accuracy on the easier minus accuracy on the harder rung."""


@dataclass(frozen=True, slots=True)
class LadderAnalysis:
    """Whether facts are unknown, unused, or not used robustly."""

    facts: int
    """Number of axioms with a bare fact."""
    known: Estimate
    """Share of facts that are right in both orders, affirmed and denied."""
    given_known: Mapping[str, Estimate]
    """Accuracy by rung on facts that are known by the other half; empty if too few are known."""
    given_unknown: Mapping[str, Estimate]
    """Accuracy by rung on facts that are not known by the other half."""
    losses: tuple[RungLoss, ...]
    """Losses from rung to rung, among known facts."""
    use: Estimate
    """Accuracy with the fact stated minus accuracy with an irrelevant fact, over all axioms."""
    follows: Estimate
    """Share of answers that follow a false fact."""
    verdict: str
    """Conclusion in one sentence."""


@dataclass(frozen=True, slots=True)
class _Rung:
    """Credits on one rung, axiom × half."""

    right: Floats
    """Mean credit; nan if not asked."""
    whole: Floats
    """1 if every form of the half is right."""


def analyse_ladder(items: Sequence[Item], credit: Floats, chosen: Sequence[tuple[int, ...]]) -> LadderAnalysis | None:
    """Analyse a ladder's answers; None if the items are not a ladder.

    ``credit`` is the credit of each item (nan without a gold answer), ``chosen`` the best-scoring options.
    """
    if not any("rung" in item.facets for item in items):
        return None
    families = list(dict.fromkeys(item.family for item in items))
    units = {item.family: item.groups.get("property", item.family) for item in items}
    names = [units[family] for family in families]
    rungs = {rung: _rung(items, credit, families, rung) for rung in (*RUNGS, *BESIDE[:1])}
    known = rungs["fact"].whole
    everything = np.ones_like(known)
    if_known = {name: _conditional(rung, known, names) for name, rung in rungs.items()}
    if_unknown = {name: _conditional(rung, 1 - known, names) for name, rung in rungs.items()}
    losses = tuple(
        RungLoss(upper, lower, loss)
        for lower, upper in _STEPS
        if (loss := _difference(rungs[lower], rungs[upper], known, names)) is not None
    )
    knows = _share(known.min(axis=1), np.ones(len(families)), names, chance=1 / 16)
    use = _difference(rungs["told"], rungs["irrelevant"], everything, names, least=1)
    follows = _follows(items, chosen)
    if knows is None or use is None or follows is None:
        return None  # incomplete ladder: every axiom needs all rungs
    known_rates = {name: estimate for name, estimate in if_known.items() if estimate is not None}
    return LadderAnalysis(
        facts=len(families),
        known=knows,
        given_known=known_rates,
        given_unknown={name: estimate for name, estimate in if_unknown.items() if estimate is not None},
        losses=losses,
        use=use,
        follows=follows,
        verdict=_verdict(knows, known_rates, losses),
    )


def _rung(items: Sequence[Item], credit: Floats, families: Sequence[str], rung: str) -> _Rung:
    rows = {family: i for i, family in enumerate(families)}
    columns = {half: i for i, half in enumerate(HALVES)}
    sums, counts = np.zeros((len(families), 2)), np.zeros((len(families), 2))
    for item, value in zip(items, np.asarray(credit, dtype=np.float64), strict=True):
        if item.facets.get("rung") == rung and not np.isnan(value):
            cell = rows[item.family], columns[str(item.facets["half"])]
            sums[cell] += value
            counts[cell] += 1
    with np.errstate(invalid="ignore"):
        right = sums / counts
    return _Rung(right, (sums == counts).astype(np.float64) * (counts > 0))


def _conditional(rung: _Rung, condition: Floats, names: Sequence[str]) -> Estimate | None:
    """Return accuracy on one half given a condition on the other, both ways round; None with too few facts."""
    asked = ~np.isnan(rung.right)
    weight = condition[:, ::-1] * asked
    if weight.sum() < LEAST:
        return None
    earned = np.where(asked, rung.right, 0.0) * weight
    return _share(earned.sum(axis=1), weight.sum(axis=1), names, chance=0.5)


def _share(earned: Floats, weight: Floats, names: Sequence[str], chance: float) -> Estimate | None:
    """Return a share of totals over axioms, clustered by property; None without weight."""
    return _ratio(earned, weight, names, chance, rate_interval, "cluster bootstrap, beta")


def _difference(
    lower: _Rung, upper: _Rung, condition: Floats, names: Sequence[str], least: int = LEAST
) -> Estimate | None:
    """Return the difference in accuracy of two rungs, on the same axioms and halves."""
    both = ~(np.isnan(lower.right) | np.isnan(upper.right))
    weight = condition[:, ::-1] * both
    if weight.sum() < least:
        return None
    gap = np.where(both, np.nan_to_num(lower.right) - np.nan_to_num(upper.right), 0.0) * weight
    sums = gap.sum(axis=1), weight.sum(axis=1)
    return _ratio(*sums, names, 0.0, difference_interval, "paired cluster bootstrap, t")


def _ratio(
    earned: Floats,
    weight: Floats,
    names: Sequence[str],
    chance: float,
    interval: Callable[[float, float, int], tuple[float, float]],
    method: str,
) -> Estimate | None:
    weighted = weight > 0
    if not weighted.any():
        return None
    whole = totals(
        [earned[weighted], weight[weighted]], [name for name, has in zip(names, weighted, strict=True) if has]
    )
    value = float(whole.total[0] / whole.total[1])
    variance = spread(lambda sums: sums[:, 0] / sums[:, 1], whole, 0)
    return Estimate(
        value=value,
        ci=interval(value, 0.0 if np.isnan(variance) else variance, whole.number),
        n=round(float(weight.sum())),
        clusters=whole.number,
        chance=chance,
        level=0.95,
        method=method,
        seed=0,
        note=unit_note(whole.number),
    )


def _follows(items: Sequence[Item], chosen: Sequence[tuple[int, ...]]) -> Estimate | None:
    """Return how often the answer follows a false fact; a tie counts partially."""
    false_facts = [(item, best) for item, best in zip(items, chosen, strict=True) if item.facets.get("rung") == "false"]
    credits = np.array([(item.facets["follows"] in best) / len(best) for item, best in false_facts])
    names = [item.groups.get("property", item.family) for item, _ in false_facts]
    return _share(credits, np.ones(len(false_facts)), names, chance=0.5) if false_facts else None


def _verdict(known: Estimate, rates: Mapping[str, Estimate], losses: Sequence[RungLoss]) -> str:
    """Say where inferences fail, as far as the intervals show."""
    share = f"The model knows {round(known.value * known.n):,} of {known.n:,} facts"
    if not {"fact", "inference"} <= rates.keys():
        return f"{share}, too few to measure its use of facts."
    if rates["fact"].low <= 0.5:
        return f"{share}. This is not above chance, so its use of facts cannot be measured."
    inference, fact = (f"{rates[rung].value:.0%}" for rung in ("inference", "fact"))
    accuracies = (
        f"On held-out questions, accuracy is {fact} on the known facts, and {inference} on inferences from them"
    )
    lost = {(loss.lower, loss.upper): loss.loss for loss in losses}
    reasons = []
    if lost["fact", "inference"].low > 0:
        reasons.append("Not all known facts are used")
    if ("inference", "reworded") in lost and lost["inference", "reworded"].low > 0:
        reasons.append("The inferences are not robust to rewording")
    if not reasons:
        reasons.append("The difference is not significant")
    return ". ".join([share, accuracies, *reasons]) + "."
