"""Every way to pick by a cue: by its most, by its least, by what other items teach, and by the opposite of that.

A cue far below chance gives the key away as one far above does: one picks the opposite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis.accuracy import Estimate
from horsesense.analysis.cues.battery import phrase, shares
from horsesense.analysis.cues.search import Prepared, Searched, estimates, halvings, variances
from horsesense.studies.balance import Floats

_EXACT = 1e-6
"""Credits are kept as single floats: a fifth is not quite a fifth."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to answer without the question."""

    cue: str
    pick: str
    """How to tell a person to pick by it: "the option …"."""
    accuracy: Estimate

    @property
    def off(self) -> int:
        """1 where its interval lies above chance, -1 where it lies below, 0 where it holds chance."""
        chance = self.accuracy.chance or 0.0
        return int(self.accuracy.low > chance + _EXACT) - int(self.accuracy.high < chance - _EXACT)


@dataclass(frozen=True, slots=True)
class Rules:
    """All of them on one probe."""

    rules: Sequence[Rule]
    credit: NDArray[np.float32]
    """Items × rules."""

    @property
    def off(self) -> list[Rule]:
        """Those that are not at chance, the furthest first."""
        return sorted((rule for rule in self.rules if rule.off), key=_distance)


def _distance(rule: Rule) -> tuple[float, str]:
    return -abs(rule.accuracy.value - (rule.accuracy.chance or 0.0)), rule.cue


def rules_of(prepared: Prepared, searched: Searched, splits: int, seed: int) -> Rules:
    """Measure every rule. What is learnt is measured on halves that took no part in it."""
    table, numbers = prepared.table, prepared.numbers
    names = [(cue.name, f"the option {phrase(cue, way)}") for cue in prepared.cues[:numbers] for way in (0, 1)]
    names += [(cue.name, f"the option {phrase(cue, 0)}") for cue in prepared.cues]
    names += [(cue.name, f"the opposite of the option {phrase(cue, 0)}") for cue in prepared.cues[numbers:]]
    opposite, spread = _opposites(prepared, splits, seed)
    credit = np.concatenate([prepared.directed, searched.credit, opposite], axis=1)
    variance = np.concatenate([variances(prepared.directed, table.unit), searched.variance[:-1], spread])
    found = estimates(credit, table.unit, float(table.chance.mean()), seed=seed, variance=variance)
    return Rules([Rule(*name, estimate) for name, estimate in zip(names, found, strict=True)], credit)


def _opposites(prepared: Prepared, splits: int, seed: int) -> tuple[NDArray[np.float32], Floats]:
    """Per item and learnt cue, the credit of the option that other items speak most against; and its variance."""
    table = prepared.table
    earned = np.zeros((len(table), len(prepared.learners)), dtype=np.float32)
    variance = np.zeros(len(prepared.learners))
    once = np.zeros_like(earned)
    for half in halvings(table.unit, splits, seed):
        for train in (half, ~half):
            for number, learner in enumerate(prepared.learners):
                share, _ = shares(table, -learner.scores(train, table.gold))
                once[~train, number] = share[table.gold][~train]
        earned += once
        variance += variances(once, table.unit)
    return earned / np.float32(splits), variance / splits
