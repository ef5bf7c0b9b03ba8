"""Few-shot examples: drawn by seed from a stated split, never from the item's own family."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from horsesense.core import Item, ScoringSpec
from horsesense.errors import UserError, argument

Examples = Callable[[Item], tuple[Item, ...]]
"""Returns the examples of an item."""

WHOLE = "all"


def examples_from(pool: Sequence[Item], spec: ScoringSpec) -> Examples:
    """Choose the examples of items: the first in an order drawn once, without those that an item depends on.

    The order is that of ids shuffled by seed, so that of the file does not matter. An item of the same family, or one
    that shares a group's value with it, is skipped.
    """
    if not spec.shots:
        return lambda item: ()
    if not spec.shots_from:
        raise UserError(
            f"{spec.shots} examples are requested and no split to draw them from is named",
            fix=f"add shots_from=train (a split of the probe), or shots_from={WHOLE}, to {argument('spec')}",
        )
    wanted = [item for item in pool if item.answer is not None and _in_split(item, spec.shots_from)]
    if not wanted:
        splits = sorted({str(item.facets["split"]) for item in pool if "split" in item.facets})
        known = f"it has {', '.join(splits)}" if splits else f"it has none; use shots_from={WHOLE}"
        raise UserError(f"the probe has no solved item in the split {spec.shots_from!r}", fix=known)
    order = sorted(wanted, key=lambda item: item.id)
    random.Random(spec.shots_seed).shuffle(order)

    def examples(item: Item) -> tuple[Item, ...]:
        found: list[Item] = []
        for each in order:
            if len(found) == spec.shots:
                break
            if not _related(each, item):
                found.append(each)
        if len(found) < spec.shots:
            raise UserError(
                f"item {item.id}: only {len(found)} examples are left that do not depend on it",
                fix="use fewer, or another split",
            )
        return tuple(found)

    return examples


def _in_split(item: Item, split: str) -> bool:
    return split == WHOLE or str(item.facets.get("split", "")) == split


def _related(one: Item, other: Item) -> bool:
    if one.unit() == other.unit() or one.id == other.id:
        return True
    return any(value and one.groups.get(name) == value for name, value in other.groups.items())
