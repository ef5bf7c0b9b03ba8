"""What cues earn above chance on each family, column by column: the input of the balance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from horsesense.analysis.cues.picking import Learner
from horsesense.analysis.cues.search import Prepared, Searched
from horsesense.analysis.cues.tree import tree_credit
from horsesense.studies.balance import Columns, Floats, Ints

_FEWEST = 8
"""What fewer items show cannot be told from chance."""
_MOST_CATEGORIES = 120
"""Categories of one cue that get a column of their own, those furthest from chance first."""
_LOPSIDED = 2.0
"""Standard errors from chance at which a category gets a column."""
TREE = "tree of all cues"
TOLERANCE = 1.2
"""Standard errors by which a cue may be off: well inside a 95 % interval, and no further than chance often goes."""


@dataclass(frozen=True, slots=True)
class Off:
    """The cues that are not at chance."""

    above: Sequence[str] = ()
    """Those that do better."""
    below: Sequence[str] = ()
    """Those that do worse. Nobody gains by them, so they come second."""

    def __contains__(self, cue: str) -> bool:
        return cue in self.above or cue in self.below

    def __iter__(self) -> Iterator[str]:
        return iter([*self.above, *self.below])

    def __bool__(self) -> bool:
        return bool(self.above or self.below)


@dataclass(slots=True)
class _Gathered:
    """Columns as they come."""

    family: Ints
    families: int
    excess: list[Floats] = field(default_factory=list)
    variance: list[Floats] = field(default_factory=list)
    one_sided: list[bool] = field(default_factory=list)
    cues: list[str] = field(default_factory=list)

    def add(self, cue: str, item: Ints, above: Floats, chance: Floats, one_sided: bool) -> None:
        """One column: what is earned above chance, entry by entry, and the item each entry belongs to."""
        told = above != 0
        if not told.any():
            return
        owner = self.family[item[told]]
        by_chance = chance * (1 - chance)
        self.excess.append(np.bincount(owner, weights=above[told], minlength=self.families).astype(np.float64))
        self.variance.append(np.bincount(owner, weights=by_chance[told], minlength=self.families).astype(np.float64))
        self.one_sided.append(one_sided)
        self.cues.append(cue)


def excess_of(
    prepared: Prepared, searched: Searched, family: Ints, off: Off, tolerance: Mapping[str, float], seed: int
) -> tuple[Columns, Sequence[str]]:
    """One column for each direction of a number cue; for cues that are off, one for what they were seen to earn on
    halves that took no part, and one for each lopsided category of those that learn. With the cue of each.

    Learnt cues at chance are left alone: a few of their many categories are lopsided by accident, and to
    straighten these would cost items and leave a trace that is less like chance, not more.
    """
    table = prepared.table
    every = np.arange(len(table))
    found = _Gathered(family, int(family.max()) + 1)
    for number in range(prepared.numbers):
        for way in (0, 1):
            name = prepared.cues[number].name
            if name not in off and prepared.coverage[number] * len(table) < _FEWEST:
                continue
            above = (prepared.directed[:, 2 * number + way] - table.chance).round(6)
            found.add(name, every, above, table.chance, one_sided=name not in off.below)
    for cue, learner in zip(prepared.cues[prepared.numbers :], prepared.learners, strict=True):
        if cue.name in off.above:
            for item, above in _categories(learner):
                found.add(cue.name, item, above, table.chance[item], one_sided=False)
    for number, cue in enumerate(prepared.cues):
        if cue.name in off:
            above = (searched.credit[:, number] - table.chance).round(6)
            found.add(cue.name, every, above, table.chance, one_sided=cue.name not in off.below)
    if TREE in off.above:
        found.add(TREE, every, tree_credit(prepared, seed=seed) - table.chance, table.chance, one_sided=True)
    shape = (found.families, 0)
    columns = Columns(
        excess=np.stack(found.excess, axis=1) if found.excess else np.zeros(shape),
        variance=np.stack(found.variance, axis=1) if found.variance else np.zeros(shape),
        one_sided=np.array(found.one_sided, dtype=bool),
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
