"""Plan what is computed in which batches: pure, and the same for the same questions and budget.

Texts with a common prefix are merged into trees. Sorted, they are neighbours: the options of a question first, then the
questions of a family. A text joins the tree of the one before it where that saves enough.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from horsesense.models.hf.rows import ModelInput, Row

Places = npt.NDArray[np.int64]

PADDING = 8
"""Trees of unequal size share a batch where less than one position in this many is padding."""
ROOM = 256
"""Tokens per tree, about: each branch is masked out for the others, so large trees waste attention."""
SAVING = 4
"""A text joins a tree where at least one in this many of its tokens is there already."""
_OPEN = 16
"""Number of newest trees that are tried for free space, so that packing takes constant time per tree."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Distinct inputs in batches, and the index of each requested value in the list of all values."""

    inputs: Sequence[Row]
    """Each distinct input once, with everything that is read from it."""
    batches: Sequence[Sequence[int]]
    """Indices into ``inputs``. One batch has one shape, or trees of about one size."""
    begins: Places
    """Where the values of each input begin in the list of all values."""
    slots: Places
    """For each target of each requested row, in order: its index in the list of all values."""

    @property
    def tokens(self) -> int:
        return sum(sum(row.given.shape) for row in self.inputs)

    def positions(self, batch: Sequence[int]) -> Places:
        """Return the indices of a batch's values in the list of all values, in the order of its inputs.

        >>> rows = [Row(ModelInput((1, 2)), (0, 1), (2, 3)), Row(ModelInput((4, 5)), (0,), (5,))]
        >>> make_plan(rows, budget=100).positions([1, 0]).tolist()
        [2, 0, 1]
        """
        counts = np.array([len(self.inputs[number].reads) for number in batch])
        ahead = np.cumsum(counts) - counts
        return np.repeat(self.begins[batch] - ahead, counts) + np.arange(counts.sum())


def make_plan(rows: Iterable[Row], budget: int, share: bool = False) -> Plan:
    """Merge rows with the same input, then cut batches with at most ``budget`` tokens.

    All one-token candidates of a blank share one masked input, so they cost one forward pass. With ``share``, inputs
    with a common prefix become one tree (causal models only).

    >>> blank = ModelInput((1, 0, 2))
    >>> rows = [Row(blank, (1,), (7,)), Row(blank, (1,), (8,)), Row(ModelInput((1, 5)), (0,), (5,))]
    >>> plan = make_plan(rows, budget=100)
    >>> [(row.given.ids, row.targets) for row in plan.inputs], plan.slots.tolist()
    ([((1, 0, 2), (7, 8)), ((1, 5), (5,))], [0, 1, 2])
    """
    with gc_disabled():
        inputs, owners, offsets = _merged(rows)
        begins = _begins(inputs)
        if share:
            inputs, begins = _trees(inputs)
        slots = begins[np.frombuffer(owners, dtype=np.int64)] + np.frombuffer(offsets, dtype=np.int64)
        batches = list(_batches(inputs, budget, share))
        return Plan(inputs, batches, _begins(inputs), slots)


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable the garbage collector, which would scan a growing heap of tuples again and again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _merged(rows: Iterable[Row]) -> tuple[list[Row], array[int], array[int]]:
    """Return distinct inputs with everything that is read from them; for each requested target, its input and index.

    What is requested twice is read twice: a read costs nothing once its position is computed.
    """
    numbers: dict[ModelInput, int] = {}
    inputs: list[Row] = []
    more: dict[int, tuple[list[int], list[int]]] = {}
    owners, offsets = array("q"), array("q")
    for row in rows:
        number = numbers.setdefault(row.given, len(inputs))
        first = 0
        if number == len(inputs):
            inputs.append(row)
        else:
            reads, targets = more.setdefault(number, ([], []))
            first = len(inputs[number].reads) + len(reads)
            reads += row.reads
            targets += row.targets
        if len(row.reads) == 1:
            owners.append(number)
            offsets.append(first)
        else:
            owners.extend([number] * len(row.reads))
            offsets.extend(range(first, first + len(row.reads)))
    for number, (reads, targets) in more.items():
        model_input, its_reads, its_targets = inputs[number]
        inputs[number] = Row(model_input, (*its_reads, *reads), (*its_targets, *targets))
    return inputs, owners, offsets


def _begins(inputs: Sequence[Row]) -> Places:
    counts = np.fromiter((len(row.reads) for row in inputs), dtype=np.int64, count=len(inputs))
    return np.cumsum(counts) - counts


def _trees(inputs: Sequence[Row]) -> tuple[list[Row], Places]:
    """Merge inputs with a common prefix, and return where the values of each of the old ones begin now."""
    begins = np.zeros(len(inputs), dtype=np.int64)
    trees: list[Row] = []
    count = 0
    for tree in pack(grow([row.given.ids for row in inputs])):
        reads: list[int] = []
        targets: list[int] = []
        for number, path in tree.paths.items():
            begins[number] = count + len(reads)
            reads += [path[read] for read in inputs[number].reads]
            targets += inputs[number].targets
        parents = tuple(tree.parents) if len(tree.paths) > 1 else ()
        trees.append(Row(ModelInput(tuple(tree.ids), parents=parents), tuple(reads), tuple(targets)))
        count += len(reads)
    return trees, begins


def _batches(inputs: Sequence[Row], budget: int, uneven: bool) -> Iterator[list[int]]:
    """Longest first, so that the batch that needs most memory fails first; within a length, in the order of the
    rows.
    """
    by_shape: dict[tuple[int, int], list[int]] = {}
    for number, (model_input, _, _) in enumerate(inputs):
        by_shape.setdefault((len(model_input.ids), len(model_input.decoder)), []).append(number)
    batch: list[int] = []
    largest = 0
    for shape in sorted(by_shape, reverse=True):
        size = sum(shape)
        if not uneven:
            many = max(1, budget // size)
            yield from (by_shape[shape][start : start + many] for start in range(0, len(by_shape[shape]), many))
            continue
        for number in by_shape[shape]:
            logits_agree = size == largest or size * PADDING > largest * (PADDING - 1)
            if batch and not (logits_agree and largest * (len(batch) + 1) <= budget):
                yield batch
                batch = []
            if not batch:
                largest = size
            batch.append(number)
    if batch:
        yield batch


@dataclass(slots=True)
class Tree:
    """Several texts as one, each token once where texts share a prefix."""

    ids: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """Index of the token before each one; -1 at the beginning."""
    paths: dict[int, list[int]] = field(default_factory=dict)
    """For each text, by its index: the positions of its tokens."""

    def add(self, number: int, ids: Sequence[int], path: list[int]) -> None:
        """Add a text whose tokens on ``path`` are there already."""
        path = list(path)
        for token in ids[len(path) :]:
            self.parents.append(path[-1] if path else -1)
            path.append(len(self.ids))
            self.ids.append(token)
        self.paths[number] = path

    def take(self, other: Tree) -> None:
        """Add another tree beside this one: neither attends to the other."""
        by = len(self.ids)
        self.ids += other.ids
        self.parents += [parent + by if parent >= 0 else -1 for parent in other.parents]
        for number, path in other.paths.items():
            self.paths[number] = [position + by for position in path]


def grow(texts: Sequence[tuple[int, ...]]) -> list[Tree]:
    """Build trees that hold every text once.

    >>> [tree] = grow([(1, 2, 3, 4), (1, 2, 5), (1, 2, 3, 6)])
    >>> tree.ids, tree.parents
    ([1, 2, 3, 4, 6, 5], [-1, 0, 1, 2, 2, 1])
    >>> tree.paths[1]
    [0, 1, 5]
    """
    trees: list[Tree] = []
    before: tuple[int, ...] = ()
    path: list[int] = []
    for number in sorted(range(len(texts)), key=lambda number: texts[number]):
        ids = texts[number]
        same = _shared(before, ids)
        fits = trees and len(trees[-1].ids) + len(ids) - same <= max(ROOM, len(trees[-1].ids))
        if not fits or same * SAVING < len(ids):
            trees.append(Tree())
            same = 0
        trees[-1].add(number, ids, path[:same])
        before, path = ids, trees[-1].paths[number]
    return trees


def pack(trees: Sequence[Tree], room: int = ROOM) -> list[Tree]:
    """Pack small trees into one input, so that inputs are of about one size and none is computed alone.

    A single text stays alone: inputs of one length need no mask. Largest first, each where it first fits.

    >>> small = grow([(1, 2, 3), (1, 2, 4), (5, 6, 7), (5, 6, 8), (9, 9)])
    >>> [sorted(tree.paths) for tree in pack(small, room=8)]
    [[0, 1, 2, 3], [4]]
    >>> pack(grow([(1, 2, 3), (1, 2, 4), (5, 6, 7), (5, 6, 8)]), room=8)[0].parents
    [-1, 0, 1, 1, -1, 4, 5, 5]
    """
    packed: list[Tree] = []
    open_to: list[Tree] = []
    for tree in sorted((tree for tree in trees if len(tree.paths) > 1), key=lambda tree: -len(tree.ids)):
        position = next((wider for wider in open_to if len(wider.ids) + len(tree.ids) <= room), None)
        if position is not None:
            position.take(tree)
        else:
            packed.append(tree)
            open_to = [*open_to[-_OPEN + 1 :], tree]
    return packed + [tree for tree in trees if len(tree.paths) == 1]


def _shared(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the length of the common prefix of two texts."""
    for position, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return position
    return min(len(left), len(right))
