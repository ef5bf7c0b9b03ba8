"""Harden a probe: find the largest subset on which every cue is at chance, neither above nor below.

First every rule is measured: a cue's maximum, its minimum, the associations learnt from other items, and the opposite
of these, since a cue far below chance reveals the key as much as one far above. Each becomes a column: its credit above
chance, summed over the items of a family. Then a linear programme keeps as many items as possible while all sums stay
small. A family is kept or dropped as a whole; the relaxed programme has no more fractional families than active
constraints, so rounding costs little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from horsesense.core import Item, Probe
from horsesense.core.catalogue import PathLike
from horsesense.core.document import INTERNAL, Document
from horsesense.cues.aflite import aflite, check_vectors
from horsesense.cues.battery import Bools, Cue, Learner, battery, phrase, shares
from horsesense.cues.findings import (
    Findings,
    examine,
    plugin_cues,
    probe_and_group,
    taxonomy_at_hand,
)
from horsesense.cues.search import (
    ROUNDS,
    SPLITS,
    Prepared,
    Searched,
    check_units,
    estimates,
    halvings,
    prepare,
    search,
    tree_credit,
    variances,
)
from horsesense.cues.table import Table, table_of
from horsesense.cues.tokens import Floats, Ints
from horsesense.data import disk_errors
from horsesense.errors import UserError, now_reading, translate_errors
from horsesense.lexicons.graph import Graph
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.stats.intervals import Estimate

_EXACT = 1e-6
"""Tolerance for credits in single precision."""


@dataclass(frozen=True, slots=True)
class AnsweringRule:
    """An answering rule without the question."""

    cue: str
    pick: str
    """Answering rule in words: "the option …"."""
    accuracy: Estimate

    @property
    def off(self) -> int:
        """1 if its interval is above chance, -1 if below, 0 if it contains chance."""
        chance = self.accuracy.chance or 0.0
        return int(self.accuracy.low > chance + _EXACT) - int(self.accuracy.high < chance - _EXACT)


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules on one probe."""

    rules: Sequence[AnsweringRule]
    credit: NDArray[np.float32]
    """Credits: items × rules."""

    @property
    def off(self) -> list[AnsweringRule]:
        """Return the rules that are not at chance, furthest first."""
        return sorted((rule for rule in self.rules if rule.off), key=_distance)


def _distance(rule: AnsweringRule) -> tuple[float, str]:
    return -abs(rule.accuracy.value - (rule.accuracy.chance or 0.0)), rule.cue


def rules_of(prepared: Prepared, searched: Searched, splits: int, seed: int) -> Rules:
    """Measure every rule; learnt rules are evaluated on held-out halves."""
    table, numbers = prepared.table, prepared.numbers
    names = [(cue.name, f"the option {phrase(cue, way)}") for cue in prepared.cues[:numbers] for way in (0, 1)]
    names += [(cue.name, f"the option {phrase(cue, 0)}") for cue in prepared.cues]
    names += [(cue.name, f"the opposite of the option {phrase(cue, 0)}") for cue in prepared.cues[numbers:]]
    opposite, spread = _opposites(prepared, splits, seed)
    credit = np.concatenate([prepared.directed, searched.credit, opposite], axis=1)
    variance = np.concatenate([variances(prepared.directed, table.unit), searched.variance[:-1], spread])
    accuracies = estimates(credit, table.unit, float(table.chance.mean()), seed=seed, variance=variance)
    return Rules([AnsweringRule(*name, estimate) for name, estimate in zip(names, accuracies, strict=True)], credit)


def _opposites(prepared: Prepared, splits: int, seed: int) -> tuple[NDArray[np.float32], Floats]:
    """Return per item and learnt cue the credit of the least likely option, and its variance."""
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


_FEWEST = 8
"""Minimum number of items of a category."""
_MOST_CATEGORIES = 120
"""Maximum number of categories of one cue with a column of their own, furthest from chance first."""
_LOPSIDED = 2.0
"""Standard errors from chance at which a category gets a column."""
TREE = "tree of all cues"
TOLERANCE = 1.2
"""Tolerance of a cue in standard errors: well inside a 95% interval, and within typical sampling error."""


@dataclass(slots=True)
class _Gathered:
    """Accumulator of columns."""

    family: Ints
    families: int
    excess: list[Floats] = field(default_factory=list)
    variance: list[Floats] = field(default_factory=list)
    cues: list[str] = field(default_factory=list)

    def add(self, cue: str, item: Ints, above: Floats, variance: Floats, fewest: int = 1) -> None:
        """Add one column: credit above chance per entry, and the item of each entry."""
        telling = above != 0
        if telling.sum() < fewest:
            return
        owner = self.family[item[telling]]
        self.excess.append(np.bincount(owner, weights=above[telling], minlength=self.families).astype(np.float64))
        self.variance.append(np.bincount(owner, weights=variance[telling], minlength=self.families).astype(np.float64))
        self.cues.append(cue)


def excess_of(
    prepared: Prepared, rules: Rules, family: Ints, off: Collection[str], tolerance: Mapping[str, float], seed: int
) -> tuple[BalanceColumns, Sequence[str]]:
    """Return the columns, with the cue of each.

    Each direction of a number cue has one column. A cue that is off chance has one column per rule for its held-out
    credit; a learnt cue has one per imbalanced category.

    Learnt cues at chance have no column: a few of their many categories are imbalanced by chance, and correcting these
    would cost items and leave the remaining distribution less random, not more.
    """
    table = prepared.table
    every = np.arange(len(table))
    by_chance = table.chance * (1 - table.chance)
    gathered = _Gathered(family, int(family.max()) + 1)
    for number, scores in enumerate(prepared.scores):
        for way, sign in enumerate((1, -1)):
            above = (prepared.directed[:, 2 * number + way] - table.chance).round(6)
            share, _ = shares(table, sign * scores)
            # Variance under a random key: a share among many options varies less than a single pick.
            drawn = np.add.reduceat(share**2, table.starts[:-1]) * table.chance - table.chance**2
            name = prepared.cues[number].name
            gathered.add(name, every, above, drawn, fewest=1 if name in off else _FEWEST)
    for cue, learner in zip(prepared.cues[prepared.numbers :], prepared.learners, strict=True):
        if cue.name in off:
            for item, above in _categories(learner):
                gathered.add(cue.name, item, above, by_chance[item])
    for number, rule in enumerate(rules.rules):
        if rule.cue in off and number >= 2 * prepared.numbers:
            above = (rules.credit[:, number] - table.chance).round(6)
            gathered.add(rule.cue, every, above, np.minimum(by_chance, np.square(above)))
    if TREE in off:
        gathered.add(TREE, every, tree_credit(prepared, seed=seed)[0] - table.chance, by_chance)
    shape = (gathered.families, 0)
    columns = BalanceColumns(
        excess=np.stack(gathered.excess, axis=1) if gathered.excess else np.zeros(shape),
        variance=np.stack(gathered.variance, axis=1) if gathered.variance else np.zeros(shape),
        tolerance=np.array([tolerance.get(cue, TOLERANCE) for cue in gathered.cues]),
    )
    return columns, gathered.cues


def _categories(learner: Learner) -> list[tuple[Ints, Floats]]:
    """Return the items and the credit of each category that is correct too often or too rarely."""
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


MOST_FAMILIES = 5000
"""Maximum number of families per programme; more are divided among several, each with a tighter bound."""
_PASSES = 4


@dataclass(frozen=True, slots=True)
class BalanceColumns:
    """Quantities to balance; all tables are families × columns."""

    excess: Floats
    """Sum of credit above chance."""
    variance: Floats
    """Variance of this sum under chance."""
    tolerance: Floats
    """Tolerance of each column's sum, in standard errors."""

    def of(self, families: Ints) -> BalanceColumns:
        """Select families."""
        return BalanceColumns(self.excess[families], self.variance[families], self.tolerance)


@dataclass(frozen=True, slots=True)
class Balanced:
    """Selected families, and the reasons for dropping the others."""

    kept: Bools
    """Whether each family is kept."""
    reason: Ints
    """Column that contributed most to dropping each family; -1 for families kept or dropped by rounding."""


def largest_balanced(columns: BalanceColumns, sizes: Floats, seed: int = 0) -> Balanced:
    """Keep as many items as possible while each column's sum is within its tolerance.

    ``sizes`` are the numbers of items of each family.

    >>> table = np.array([[0.5]] * 60 + [[-0.5]] * 20)
    >>> balanced = largest_balanced(BalanceColumns(table, table**2, np.array([1.0])), np.ones(80))
    >>> int(balanced.kept[:60].sum()), int(balanced.kept[60:].sum())
    (27, 20)
    """
    families = len(sizes)
    deals = max(1, -(-families // MOST_FAMILIES))
    selected = np.zeros(families, dtype=bool)
    reason = np.full(families, -1, dtype=np.int64)
    order = np.random.default_rng([seed, 5]).permutation(families)
    for deal in range(deals):
        part = np.sort(order[deal::deals])
        # Deviations of separate parts add up linearly, standard errors only by the square root.
        balanced = _solved(columns.of(part), sizes[part], 1 / np.sqrt(deals))
        selected[part], reason[part] = balanced.kept, balanced.reason
    return Balanced(selected, reason)


def _solved(columns: BalanceColumns, sizes: Floats, tightened: float) -> Balanced:
    from scipy.optimize import linprog

    reason = np.full(len(sizes), -1, dtype=np.int64)
    if not columns.excess.shape[1]:
        return Balanced(np.ones(len(sizes), dtype=bool), reason)
    rows = np.concatenate([columns.excess.T, -columns.excess.T])
    share = 1.0
    for _ in range(_PASSES):
        # The bound depends on the standard errors of the families kept, which are known only afterwards.
        bound = tightened * columns.tolerance * np.sqrt(share * columns.variance.sum(axis=0))
        solved = linprog(-sizes, A_ub=rows, b_ub=np.concatenate([bound, bound]), bounds=(0, 1), method="highs")
        share = float(solved.x @ sizes / sizes.sum())
    selected = solved.x > 0.5
    price = -solved.ineqlin.marginals
    above, below = price.reshape(2, -1)
    against = columns.excess * (above - below)
    worst = np.argmax(against, axis=1)
    blamed = ~selected & (against[np.arange(len(worst)), worst] > 0)
    reason[blamed] = worst[blamed]
    return Balanced(selected, reason)


# Hardening.


MOST_TRIALS = 20
_TIGHTER = 0.7
"""Factor applied to a cue's tolerance each time a round leaves it off chance."""
FEWEST = 20
"""Minimum number of items: with fewer, no cue can be distinguished from chance."""
ROUNDING = "rounding"
UNUSABLE = "no gold or one option"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A dropped family and the reason."""

    family: str
    items: int
    cue: str
    """Cue that contributed most to dropping it; "rounding" if no single one did, "no gold or one option" if it could
    not be tested."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hardened(Document):
    """A subset of a probe on which every cue is at chance."""

    probe: Probe = field(metadata=INTERNAL)
    """The subset; its card counts the dropped items."""
    out: Path | None = None
    """Path of the probe, if it was written."""
    items: int
    """Number of remaining items."""
    families: int
    """Number of remaining families."""
    dropped: int
    """Number of dropped items."""
    aflite: int
    """Number of items dropped by AFLite."""
    reasons: Mapping[str, int]
    """Number of items dropped per cue, most costly first."""
    rules: tuple[AnsweringRule, ...]
    """Every answering rule on the remaining items; each interval contains chance."""
    families_dropped: tuple[Dropped, ...]
    """Each dropped family, and the cue that contributed most."""
    before: Findings
    """Cue analysis of the whole probe."""
    after: Findings
    """Cue analysis of the remaining items, computed from scratch."""

    def save(self, path: PathLike) -> Hardened:
        """Write the probe, with its card."""
        self.probe.save(path)
        return replace(self, out=Path(path))


@dataclass(frozen=True, slots=True)
class _Battery:
    """Settings of the cue analysis of a subset."""

    cues: Sequence[Cue]
    group: str
    taxonomy: Graph | None
    splits: int
    rounds: int
    seed: int
    progress: Progress

    def prepared(self, items: Sequence[Item]) -> Prepared:
        table = table_of(items, self.group, self.taxonomy)
        check_units(table)
        return prepare(table, self.cues, self.progress)

    def rules(self, prepared: Prepared) -> Rules:
        searched = search(prepared, self.splits, self.seed, self.progress)
        return rules_of(prepared, searched, self.splits, self.seed)

    def findings(self, prepared: Prepared, items: int) -> Findings:
        return examine(prepared, items, len(self.cues), self.splits, self.rounds, self.seed, self.progress)


def harden_probe(
    probe: Probe,
    items: Sequence[Item] | None = None,
    group: str | None = None,
    taxonomy: Graph | None = None,
    also: Sequence[Cue] = (),
    splits: int = SPLITS,
    rounds: int = ROUNDS,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Hardened:
    """Drop as few families as possible until every cue, and the opposite of every cue, is at chance.

    ``items`` are those that AFLite left, where it was used.
    """
    items, group = probe.items if items is None else items, group or probe.card.group
    cues = [*battery(), *also]
    tried = _Battery(cues, group, taxonomy, splits, rounds, seed, progress)
    usable, dropped = _usable(items)
    prepared = tried.prepared(usable or items)
    if len(usable) < FEWEST:
        raise _too_few(len(usable), len(items))
    first = after = tried.findings(prepared, len(usable))
    tolerance: dict[str, float] = {}
    for number in range(MOST_TRIALS):
        rules = tried.rules(prepared)
        off = {rule.cue for rule in rules.off}
        if not off:
            # Permutations and trees are slow, so they run only if no simpler rule is off chance.
            after = tried.findings(prepared, len(usable)) if number else first
            off = better_than_chance(after)
        if not off:
            return _hardened(probe, usable, dropped, len(probe.items) - len(items), rules, first, after)
        tolerance |= {name: tolerance.get(name, TOLERANCE / _TIGHTER) * _TIGHTER for name in off}
        usable, losses = _round(prepared, rules, off, tolerance, seed)
        if len(usable) < FEWEST or len({item.unit(group) for item in usable}) < 2:
            raise _nothing_left(len(usable), len(items), rules, after)
        dropped = [*dropped, *losses]
        prepared = tried.prepared(usable)
    raise _not_held(len(usable), len(items), rules, after)


def _hardened(
    probe: Probe,
    items: Sequence[Item],
    dropped: Sequence[Dropped],
    by_aflite: int,
    rules: Rules,
    before: Findings,
    after: Findings,
) -> Hardened:
    """Return the remaining items as a probe whose card counts the dropped ones, with the cue analyses."""
    counts: Counter[str] = Counter()
    for family in dropped:
        counts[family.cue] += family.items
    reasons = dict(counts.most_common())
    description = f"{probe.card.made} Hardened: a subset on which every cue is at chance.".strip()
    notes = {**probe.card.notes} | {f"dropped for the cue '{cue}'": n for cue, n in reasons.items()}
    if by_aflite:
        notes["dropped by AFLite"] = by_aflite
    subset = Probe.of(items, replace(probe.card, made=description), notes)
    return Hardened(
        probe=subset,
        items=subset.card.items,
        families=subset.card.families,
        dropped=counts.total() + by_aflite,
        aflite=by_aflite,
        reasons=reasons,
        rules=tuple(rules.rules),
        families_dropped=tuple(dropped),
        before=before,
        after=after,
    )


@translate_errors()
def harden(
    probe: Probe | PathLike,
    *,
    group: str | None = None,
    vectors: NDArray[np.float32] | PathLike | None = None,
    also: Sequence[str] = (),
    seed: Annotated[int, Ge(0)] = 0,
    progress: Progress = NO_PROGRESS,
) -> Hardened:
    """Find the largest subset of a probe on which every cue is at chance.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        group: Unit of clustering for intervals: ``family``, ``item``, or a name in the items' ``groups``.
            By default, as set in the probe's card.
        vectors: Embeddings to filter by first (AFLite): an .npy file with one row per option. In Python, also an array.
        also: Cue of a plug-in to bring to chance too.
        seed: Random seed.
        progress: Progress callback.

    Returns:
        The subset as a probe, and what was dropped for which cue.
    """
    known, unit = probe_and_group(probe, group)
    plugged = plugin_cues(also)
    items = None if vectors is None else _by_vectors(list(known.items), vectors, seed, progress)
    return harden_probe(known, items, unit, taxonomy_at_hand(progress), also=plugged, seed=seed, progress=progress)


def better_than_chance(findings: Findings) -> set[str]:
    """Return the significant cues, and the tree if it is significant."""
    sure = {cue.name for cue in findings.better_than_chance}
    return sure | {TREE} if findings.tree_strict.low > findings.chance else sure


_FIX = "rebuild the probe with other distractors; horsesense cues lists the cues"


def _too_few(left: int, items: int) -> UserError:
    few = f"{left} of {items} items can be tried" if left < items else f"the probe has {items} items"
    return UserError(
        f"{few}, and with fewer than {FEWEST} no cue can be distinguished from chance", fix="give more items"
    )


def _nothing_left(left: int, items: int, rules: Rules, findings: Findings) -> UserError:
    return UserError(f"only {left} of {items} items would be left, since {_culprit(rules, findings)}", fix=_FIX)


def _not_held(left: int, items: int, rules: Rules, findings: Findings) -> UserError:
    still = f"with {left} of {items} items left, {_culprit(rules, findings)}"
    return UserError(f"no subset was found on which every cue is at chance: {still}", fix=_FIX)


def _culprit(rules: Rules, findings: Findings) -> str:
    if rules.off:
        worst = rules.off[0]
        value, chance = worst.accuracy.value, worst.accuracy.chance
        return f"picking {worst.pick} gets {value:.0%} of them right, where chance is {chance:.0%}"
    return f"a shallow tree over all cues gets {findings.tree.value:.0%} right, where chance is {findings.chance:.0%}"


def _usable(items: Sequence[Item]) -> tuple[list[Item], list[Dropped]]:
    """Return the items that cues apply to; a family is dropped as a whole if one of its items is unusable."""
    bad = {item.unit() for item in items if item.answer is None or len(item.options) < 2}
    sizes = Counter(item.unit() for item in items)
    return [i for i in items if i.unit() not in bad], [Dropped(f, sizes[f], UNUSABLE) for f in sizes if f in bad]


def _round(
    prepared: Prepared, rules: Rules, off: set[str], tolerance: Mapping[str, float], seed: int
) -> tuple[list[Item], list[Dropped]]:
    """Return the remaining and the dropped items after one round of balancing."""
    table = prepared.table
    names, family = _families(table)
    sizes = np.bincount(family).astype(np.float64)
    columns, cues = excess_of(prepared, rules, family, off, tolerance, seed)
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


def _by_vectors(
    items: list[Item], vectors: NDArray[np.float32] | PathLike, seed: int, progress: Progress
) -> list[Item]:
    if not isinstance(vectors, str | Path):
        check_vectors(items, vectors)
        return aflite(items, vectors, seed, progress)
    path = Path(vectors)
    try:
        with now_reading(path), disk_errors(path):
            table = np.load(path, allow_pickle=False)
            if not isinstance(table, np.ndarray):
                raise ValueError("an archive of arrays, whatever its name")
    except (ValueError, EOFError) as error:
        raise UserError("this is not a NumPy array", file=path, fix="write it with numpy.save") from error
    try:
        check_vectors(items, table)
    except UserError as error:
        raise error.at(path) from None
    return aflite(items, table, seed, progress)
