"""Harden a probe: the largest subset we can find on which no cue does better than chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.analysis.cues.battery import battery, given
from horsesense.analysis.cues.findings import Findings, examine
from horsesense.analysis.cues.search import Prepared, Searched, Tick, check_units, prepare, quiet
from horsesense.analysis.cues.table import Table, table_of
from horsesense.errors import UserError
from horsesense.knowledge.taxonomy import Taxonomy
from horsesense.records import Item
from horsesense.studies.balance import Ints, largest_balanced
from horsesense.studies.excess import TOLERANCE, TREE, Off, excess_of

ROUNDS = 10
_TIGHTER = 0.6
"""Factor of the tolerance of a cue that is above chance, and once more each time that a round leaves it there."""
_STRAIGHTENING = 6
_WORTH_KEEPING = 0.75
"""Share of items that has to stay when cues below chance are brought back to it."""
FEWEST = 20
"""With fewer items than this nothing could be told from chance, so nothing could be promised."""
ROUNDING = "rounding"
UNUSABLE = "no gold or one option"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A family that went, and why."""

    family: str
    items: int
    cue: str
    """The cue that spoke most against it; "rounding" where none did alone, "no gold or one option" where it
    could not be tested."""


@dataclass(frozen=True, slots=True)
class State:
    """A subset, and what cues are worth on it."""

    items: Sequence[Item]
    dropped: Sequence[Dropped]
    prepared: Prepared
    searched: Searched
    found: Findings
    off: Off


@dataclass(frozen=True, slots=True)
class Hardened:
    """A subset on which cues fail."""

    items: Sequence[Item]
    dropped: Sequence[Dropped]
    before: Findings
    after: Findings
    """The battery on what is left, asked again from nothing."""
    off: Off
    """The cues that are not at chance on what is left. Where one is above, the promise does not hold."""

    @property
    def held(self) -> bool:
        """Whether no cue, and no tree of cues, does better than chance."""
        return not self.off.above

    @property
    def reasons(self) -> Mapping[str, int]:
        """Items that each cue cost, the costliest first."""
        counts: Counter[str] = Counter()
        for one in self.dropped:
            counts[one.cue] += one.items
        return dict(counts.most_common())


def harden(
    items: Sequence[Item],
    group: str = "family",
    taxonomy: Taxonomy | None = None,
    extra: Mapping[str, Sequence[Sequence[float]]] | None = None,
    splits: int = 10,
    rounds: int = 199,
    seed: int = 0,
    tick: Tick = quiet,
) -> Hardened:
    """Drop whole families until every cue is at chance, as few items as we can find.

    First until no cue does better than chance; then, where that costs few items more, until none does worse.
    """
    cues = battery() + [given(name, scores, items) for name, scores in (extra or {}).items()]

    def asked(kept: Sequence[Item], dropped: Sequence[Dropped]) -> State:
        table = table_of(kept, group, taxonomy)
        check_units(table)
        prepared = prepare(table, cues, tick)
        found, searched = examine(prepared, len(kept), len(cues), splits, rounds, seed, tick=tick)
        return State(kept, dropped, prepared, searched, found, off_chance(found))

    usable, unusable = _usable(items)
    state = first = asked(usable or items, unusable)
    tolerance: dict[str, float] = {}
    for _ in range(ROUNDS):
        if not state.off.above:
            break
        kept, gone = _round(state, Off(state.off.above), tolerance, seed)
        if len(kept) < FEWEST or len({item.unit(group) for item in kept}) < 2:
            raise _nothing_left(len(kept), len(items), first.found)
        state = asked(kept, [*state.dropped, *gone])
        tolerance |= {name: tolerance.get(name, TOLERANCE) * _TIGHTER for name in state.off.above}
    state = _straightened(state, tolerance, asked, seed)
    return Hardened(state.items, state.dropped, first.found, state.found, state.off)


def _straightened(
    state: State,
    tolerance: Mapping[str, float],
    asked: Callable[[Sequence[Item], Sequence[Dropped]], State],
    seed: int,
) -> State:
    """Bring cues that do worse than chance back to it, unless that costs too much or does not work."""
    if state.off.above:
        return state
    tried, fewest = state, max(FEWEST, _WORTH_KEEPING * len(state.items))
    for _ in range(_STRAIGHTENING):
        if not tried.off:
            return tried
        tolerance = {**tolerance} | {name: tolerance.get(name, TOLERANCE) * _TIGHTER for name in tried.off}
        kept, gone = _round(tried, tried.off, tolerance, seed)
        if len(kept) < fewest:
            return state
        tried = asked(kept, [*tried.dropped, *gone]) if gone else tried
    return state if tried.off else tried


def off_chance(found: Findings) -> Off:
    """The cues whose interval does not hold chance, or that a shuffled key cannot match."""
    chance = found.chance
    above = [
        cue.name
        for cue in found.cues
        if cue.accuracy.low > chance or (cue.p <= found.alpha and cue.accuracy.value > chance)
    ]
    if found.tree_strict.low > chance:
        above.append(TREE)
    return Off(above, [cue.name for cue in found.cues if cue.accuracy.high < chance])


def _nothing_left(kept: int, items: int, found: Findings) -> UserError:
    best = found.best
    why = f", since picking {best.pick} gets {best.accuracy.value:.0%} of them right" if best else ""
    return UserError(
        f"only {kept} of {items} items would be left{why}",
        fix="build the probe anew with other distractors; horsesense cues shows what is wrong",
    )


def _usable(items: Sequence[Item]) -> tuple[list[Item], list[Dropped]]:
    """Items that cues can be tried on; a family goes as a whole where one of its items cannot."""
    bad = {item.unit() for item in items if item.answer is None or len(item.options) < 2}
    sizes = Counter(item.unit() for item in items)
    return [i for i in items if i.unit() not in bad], [Dropped(f, sizes[f], UNUSABLE) for f in sizes if f in bad]


def _round(state: State, off: Off, tolerance: Mapping[str, float], seed: int) -> tuple[list[Item], list[Dropped]]:
    """What is left after one balance, and what went."""
    table = state.prepared.table
    names, family = _families(table)
    sizes = np.bincount(family).astype(np.float64)
    columns, cues = excess_of(state.prepared, state.searched, family, off, tolerance, seed)
    balanced = largest_balanced(columns, sizes, seed)
    dropped = [
        Dropped(names[f], int(sizes[f]), cues[why] if (why := int(balanced.reason[f])) >= 0 else ROUNDING)
        for f in np.flatnonzero(~balanced.kept).tolist()
    ]
    return [item for item, f in zip(table.items, family.tolist(), strict=True) if balanced.kept[f]], dropped


def _families(table: Table) -> tuple[list[str], Ints]:
    numbers: dict[str, int] = {}
    family = [numbers.setdefault(item.unit(), len(numbers)) for item in table.items]
    return list(numbers), np.array(family, dtype=np.int64)
