"""Texts that begin alike, put together as trees. Pure.

Sorted, texts that begin alike stand beside each other: the options of a question first, then the
questions of a family. A text joins the tree of the one before it where that saves enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

ROOM = 256
"""Tokens a tree, about: each branch is masked out for the others, so large trees waste attention."""
SAVING = 4
"""A text joins where at least one in so many of its tokens is there already."""
_OPEN = 16
"""Trees that are tried for room, the newest: so packing takes the same time a tree, however many there are."""


@dataclass(slots=True)
class Tree:
    """Several texts as one, each token once wherever texts agree up to it."""

    ids: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """The place of the token before each one; -1 at the beginning."""
    paths: dict[int, list[int]] = field(default_factory=dict)
    """For each text, by its number: the places of its tokens."""

    def add(self, number: int, ids: Sequence[int], path: list[int]) -> None:
        """Put in a text of which the tokens on ``path`` are there."""
        path = list(path)
        for token in ids[len(path) :]:
            self.parents.append(path[-1] if path else -1)
            path.append(len(self.ids))
            self.ids.append(token)
        self.paths[number] = path

    def take(self, other: Tree) -> None:
        """Put another tree beside this one: neither sees the other."""
        by = len(self.ids)
        self.ids += other.ids
        self.parents += [parent + by if parent >= 0 else -1 for parent in other.parents]
        for number, path in other.paths.items():
            self.paths[number] = [place + by for place in path]


def grow(texts: Sequence[tuple[int, ...]], room: int = ROOM) -> list[Tree]:
    """Trees that hold every text once.

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
        fits = trees and len(trees[-1].ids) + len(ids) - same <= max(room, len(trees[-1].ids))
        if not fits or same * SAVING < len(ids):
            trees.append(Tree())
            same = 0
        trees[-1].add(number, ids, path[:same])
        before, path = ids, trees[-1].paths[number]
    return trees


def pack(trees: Sequence[Tree], room: int = ROOM) -> list[Tree]:
    """Small trees put beside each other, so that inputs are of about one size and none is computed alone.

    A text of its own stays one: inputs of one length need no mask. Largest first, each where it first fits.

    >>> small = grow([(1, 2, 3), (1, 2, 4), (5, 6, 7), (5, 6, 8), (9, 9)])
    >>> [sorted(tree.paths) for tree in pack(small, room=8)]
    [[0, 1, 2, 3], [4]]
    >>> pack(grow([(1, 2, 3), (1, 2, 4), (5, 6, 7), (5, 6, 8)]), room=8)[0].parents
    [-1, 0, 1, 1, -1, 4, 5, 5]
    """
    packed: list[Tree] = []
    open_to: list[Tree] = []
    for tree in sorted((tree for tree in trees if len(tree.paths) > 1), key=lambda tree: -len(tree.ids)):
        place = next((one for one in open_to if len(one.ids) + len(tree.ids) <= room), None)
        if place is not None:
            place.take(tree)
        else:
            packed.append(tree)
            open_to = [*open_to[-_OPEN + 1 :], tree]
    return packed + [tree for tree in trees if len(tree.paths) == 1]


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two texts have in common at their beginning."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))
