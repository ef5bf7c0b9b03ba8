"""What a dose is made of, and which concepts a model may have met before. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from horsesense.language.words import words
from horsesense.learning.splits import judged
from horsesense.records import Item

MOST_NATURAL = 3000
"""Examples of the natural set that add-some adds at most, as in the paper."""


def mixed(items: Sequence[Item], natural: Sequence[Item], k: int, add: int, seed: int) -> list[Item]:
    """The first k of one shuffled order, so that a larger dose holds the smaller; natural examples beside them.

    >>> items = [Item(probe="demo", form="choice", text=str(n), options=("a", "b"), answer=0) for n in range(9)]
    >>> {i.id for i in mixed(items, (), 3, 0, seed=1)} <= {i.id for i in mixed(items, (), 6, 0, seed=1)}
    True
    """
    chosen = judged(items, "probe's training")
    random.Random(seed).shuffle(chosen)
    chosen = chosen[:k]
    if add:
        others = judged(natural, "natural")
        random.Random(seed).shuffle(others)
        wanted = min(add * k, MOST_NATURAL)
        # A small natural set is gone through again, rather than left behind in number.
        chosen += [others[place % len(others)] for place in range(wanted)]
    return chosen


def concepts_seen(items: Sequence[Item], originals: Iterable[Item]) -> dict[str, bool]:
    """For each item that asks about a concept, whether its word stands in the original task's text."""
    text = " ".join(" ".join(words(f"{one.premise} {one.text} {' '.join(one.options)}")) for one in originals)
    padded = f" {text} "
    found = {}
    for item in items:
        asked = str(item.facets.get("asked", item.groups.get("asked", "")))
        word = " ".join(words(asked.rsplit(".", 2)[0].replace("_", " ")))
        if word:
            found[item.id] = f" {word} " in padded
    return found
