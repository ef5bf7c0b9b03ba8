"""Harden a probe: find the largest subset on which every cue is at chance, neither above nor below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from horsesense.core import Item, Probe
from horsesense.core.catalogue import PathLike
from horsesense.core.document import Document
from horsesense.cues.aflite import aflite, check_vectors
from horsesense.cues.balance import TOLERANCE, TREE, Rule, Rules, excess_of, largest_balanced, rules_of
from horsesense.cues.battery import Cue, battery, given
from horsesense.cues.findings import (
    CuesDocument,
    Findings,
    examine,
    plugin_cues,
    probe_and_group,
    taxonomy_at_hand,
)
from horsesense.cues.search import Prepared, check_units, prepare, search
from horsesense.cues.table import Table, table_of
from horsesense.cues.tokens import Ints
from horsesense.data import disk_errors
from horsesense.errors import UserError, now_reading, translate_errors
from horsesense.lexicons.taxonomy import Taxonomy
from horsesense.progress import NO_PROGRESS, Progress

ROUNDS = 20
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


@dataclass(frozen=True, slots=True)
class Hardened:
    """A subset on which cues fail."""

    items: Sequence[Item]
    dropped: Sequence[Dropped]
    before: Findings
    after: Findings
    """Cue analysis of the remaining items, computed from scratch."""
    rules: Sequence[Rule]
    """Every answering rule, measured on the remaining items."""

    @property
    def reasons(self) -> Mapping[str, int]:
        """Count dropped items by cue, most costly first."""
        counts: Counter[str] = Counter()
        for family in self.dropped:
            counts[family.cue] += family.items
        return dict(counts.most_common())


@dataclass(frozen=True, slots=True)
class HardenedDocument(Document):
    """Result of hardening as plain data."""

    out: Path
    """Path of the probe written."""
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
    rules: tuple[Rule, ...]
    """Every answering rule on the remaining items; each interval contains chance."""
    families_dropped: tuple[Dropped, ...]
    """Each dropped family, and the cue that contributed most."""
    before: CuesDocument
    """Cue analysis of the whole probe."""
    after: CuesDocument
    """Cue analysis of the remaining items."""


@dataclass(frozen=True, slots=True)
class _Battery:
    """Settings of the cue analysis of a subset."""

    cues: Sequence[Cue]
    group: str
    taxonomy: Taxonomy | None
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
        return examine(prepared, items, len(self.cues), self.splits, self.rounds, self.seed, progress=self.progress)[0]


def harden_items(
    items: Sequence[Item],
    group: str = "family",
    taxonomy: Taxonomy | None = None,
    extra: Mapping[str, Sequence[Sequence[float]]] | None = None,
    also: Sequence[Cue] = (),
    splits: int = 10,
    rounds: int = 199,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Hardened:
    """Drop as few families as possible until every cue, and the opposite of every cue, is at chance."""
    cues = [*battery(), *(given(name, scores, items) for name, scores in (extra or {}).items()), *also]
    tried = _Battery(cues, group, taxonomy, splits, rounds, seed, progress)
    kept, dropped = _usable(items)
    prepared = tried.prepared(kept or items)
    if len(kept) < FEWEST:
        raise _too_few(len(kept), len(items))
    first = after = tried.findings(prepared, len(kept))
    tolerance: dict[str, float] = {}
    for number in range(ROUNDS):
        rules = tried.rules(prepared)
        off = {rule.cue for rule in rules.off}
        if not off:
            # Permutations and trees are slow, so they run only if no simpler rule is off chance.
            after = tried.findings(prepared, len(kept)) if number else first
            off = better_than_chance(after)
        if not off:
            return Hardened(kept, dropped, first, after, rules.rules)
        tolerance |= {name: tolerance.get(name, TOLERANCE / _TIGHTER) * _TIGHTER for name in off}
        kept, gone = _round(prepared, rules, off, tolerance, seed)
        if len(kept) < FEWEST or len({item.unit(group) for item in kept}) < 2:
            raise _nothing_left(len(kept), len(items), rules, after)
        dropped = [*dropped, *gone]
        prepared = tried.prepared(kept)
    raise _not_held(len(kept), len(items), rules, after)


def hardened_probe(probe: Probe, hardened: Hardened, foreseen: int = 0) -> Probe:
    """Return the remaining items as a probe whose card counts the dropped ones; AFLite dropped ``foreseen`` before."""
    made = f"{probe.card.made} Hardened: a subset on which every cue is at chance.".strip()
    notes = {**probe.card.notes} | {f"dropped for the cue '{cue}'": n for cue, n in hardened.reasons.items()}
    if foreseen:
        notes["dropped by AFLite"] = foreseen
    return Probe.of(hardened.items, replace(probe.card, made=made), notes)


def hardened_document(out: Path, kept: Probe, hardened: Hardened, foreseen: int = 0) -> HardenedDocument:
    """Return the items written and dropped, and the cue analysis before and after."""
    return HardenedDocument(
        out=out,
        items=kept.card.items,
        families=kept.card.families,
        dropped=sum(hardened.reasons.values()) + foreseen,
        aflite=foreseen,
        reasons=hardened.reasons,
        rules=tuple(hardened.rules),
        families_dropped=tuple(hardened.dropped),
        before=hardened.before.document(),
        after=hardened.after.document(),
    )


@dataclass(frozen=True)
class HardenedProbe:
    """A subset of a probe on which every cue is at chance."""

    probe: Probe
    """What is left; its card says what went."""
    hardened: Hardened
    """What went for which cue, and what cues earn before and after."""
    by_vectors: int
    """Items that went before, by their embeddings."""

    @property
    def before(self) -> Findings:
        """What cues earn on the whole probe."""
        return self.hardened.before

    @property
    def after(self) -> Findings:
        """What cues earn on what is left, looked for again from nothing."""
        return self.hardened.after

    def save(self, path: PathLike) -> HardenedDocument:
        """Write the probe, with its card, and say what was dropped."""
        self.probe.save(path)
        return hardened_document(Path(path), self.probe, self.hardened, self.by_vectors)


@translate_errors()
def harden(
    probe: Probe | PathLike,
    *,
    group: str | None = None,
    vectors: NDArray[np.float32] | PathLike | None = None,
    also: Sequence[str] = (),
    seed: Annotated[int, Ge(0)] = 0,
    progress: Progress = NO_PROGRESS,
) -> HardenedProbe:
    """Find the largest subset of a probe on which every cue is at chance.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        group: Cluster for intervals: a group of the items, ``family`` or ``item``. By default, the card's group.
        vectors: Embeddings to filter by first (AFLite): an .npy file with one row per option. In Python, also an array.
        also: Cue of a plug-in to bring to chance too.
        seed: Random seed.
        progress: Progress callback.

    Returns:
        The subset as a probe, and what was dropped for which cue.
    """
    known, unit = probe_and_group(probe, group)
    plugged = plugin_cues(also)
    items = list(known.items) if vectors is None else _by_vectors(list(known.items), vectors, seed, progress)
    hardened = harden_items(items, unit, taxonomy_at_hand(progress), also=plugged, seed=seed, progress=progress)
    gone = len(known.items) - len(items)
    return HardenedProbe(hardened_probe(known, hardened, gone), hardened, gone)


def better_than_chance(findings: Findings) -> set[str]:
    """Return the significant cues, and the tree if it is significant."""
    sure = {cue.name for cue in findings.cues if cue.p <= findings.alpha and cue.accuracy.value > findings.chance}
    return sure | {TREE} if findings.tree_strict.low > findings.chance else sure


_FIX = "rebuild the probe with other distractors; horsesense cues lists the cues"


def _too_few(kept: int, items: int) -> UserError:
    few = f"{kept} of {items} items can be tried" if kept < items else f"the probe has {items} items"
    return UserError(
        f"{few}, and with fewer than {FEWEST} no cue can be distinguished from chance", fix="give more items"
    )


def _nothing_left(kept: int, items: int, rules: Rules, findings: Findings) -> UserError:
    return UserError(f"only {kept} of {items} items would be left, since {_culprit(rules, findings)}", fix=_FIX)


def _not_held(kept: int, items: int, rules: Rules, findings: Findings) -> UserError:
    still = f"with {kept} of {items} items left, {_culprit(rules, findings)}"
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
