"""What cues earn above chance on each family, column by column: the input of the balance."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from horsesense.analysis.cues.battery import Learner, shares
from horsesense.analysis.cues.search import Prepared
from horsesense.analysis.cues.whole_battery import tree_credit
from horsesense.studies.balance import Columns, Floats, Ints
from horsesense.studies.rules import Rules

_FEWEST = 8
"""What fewer items show cannot be told from chance."""
_MOST_CATEGORIES = 120
"""Categories of one cue that get a column of their own, those furthest from chance first."""
_LOPSIDED = 2.0
"""Standard errors from chance at which a category gets a column."""
TREE = "tree of all cues"
TOLERANCE = 1.2
"""Standard errors by which a cue may be off: well inside a 95 % interval, and no further than chance often goes."""


@dataclass(slots=True)
class _Gathered:
    """Columns as they come."""

    family: Ints
    families: int
    excess: list[Floats] = field(default_factory=list)
    variance: list[Floats] = field(default_factory=list)
    cues: list[str] = field(default_factory=list)

    def add(self, cue: str, item: Ints, above: Floats, variance: Floats, fewest: int = 1) -> None:
        """One column: what is earned above chance, entry by entry, and the item each entry belongs to."""
        told = above != 0
        if told.sum() < fewest:
            return
        owner = self.family[item[told]]
        self.excess.append(np.bincount(owner, weights=above[told], minlength=self.families).astype(np.float64))
        self.variance.append(np.bincount(owner, weights=variance[told], minlength=self.families).astype(np.float64))
        self.cues.append(cue)


def excess_of(
    prepared: Prepared, rules: Rules, family: Ints, off: Collection[str], tolerance: Mapping[str, float], seed: int
) -> tuple[Columns, Sequence[str]]:
    """One column for each direction of a number cue; for cues that are off, one for what each of their rules was
    seen to earn on halves that took no part, and one for each lopsided category of those that learn. With the
    cue of each.

    Learnt cues at chance are left alone: a few of their many categories are lopsided by accident, and to
    straighten these would cost items and leave a trace that is less like chance, not more.
    """
    table = prepared.table
    every = np.arange(len(table))
    by_chance = table.chance * (1 - table.chance)
    found = _Gathered(family, int(family.max()) + 1)
    for number, scores in enumerate(prepared.scores):
        for way, sign in enumerate((1, -1)):
            above = (prepared.directed[:, 2 * number + way] - table.chance).round(6)
            share, _ = shares(table, sign * scores)
            # If the key were drawn by lot: what is shared by many options varies less than a single pick.
            drawn = np.add.reduceat(share**2, table.starts[:-1]) * table.chance - table.chance**2
            name = prepared.cues[number].name
            found.add(name, every, above, drawn, fewest=1 if name in off else _FEWEST)
    for cue, learner in zip(prepared.cues[prepared.numbers :], prepared.learners, strict=True):
        if cue.name in off:
            for item, above in _categories(learner):
                found.add(cue.name, item, above, by_chance[item])
    for number, rule in enumerate(rules.rules):
        if rule.cue in off and number >= 2 * prepared.numbers:
            above = (rules.credit[:, number] - table.chance).round(6)
            found.add(rule.cue, every, above, np.minimum(by_chance, np.square(above)))
    if TREE in off:
        found.add(TREE, every, tree_credit(prepared, seed=seed)[0] - table.chance, by_chance)
    shape = (found.families, 0)
    columns = Columns(
        excess=np.stack(found.excess, axis=1) if found.excess else np.zeros(shape),
        variance=np.stack(found.variance, axis=1) if found.variance else np.zeros(shape),
        tolerance=np.array([tolerance.get(cue, TOLERANCE) for cue in found.cues]),
    )
    return columns, found.cues


def _categories(learner: Learner) -> list[tuple[Ints, Floats]]:
    """Of each category that is right too often or too rarely, the items that show it and what it earns there."""
    table, keys = learner.table, learner.keys
    _, codes = np.unique(keys.codes, return_inverse=True)
    item = table.item_of[keys.option]
    right = np.zeros(len(table.text_of), dtype=bool)
    right[table.gold] = True
    chance = table.chance[item]
    above = right[keys.option] - chance
    error = np.sqrt(np.bincount(codes, weights=chance * (1 - chance)))
    z = np.where(np.bincount(codes) >= _FEWEST, np.abs(np.bincount(codes, weights=above)) / error, 0.0)
    furthest = np.argsort(-z, kind="stable")[:_MOST_CATEGORIES]
    return [(item[codes == code], above[codes == code]) for code in furthest[z[furthest] > _LOPSIDED]]
