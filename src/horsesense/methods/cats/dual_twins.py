"""Twins: two judged items of a set that are each other's dual, with the keys that people gave both.

Winograd schemas come in twos that differ in a word ("too large", "too small"), and the second version of argument
reasoning has each argument twice, its claim once negated. Their keys are published, not ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from horsesense.core import Item
from horsesense.methods.cats.sentence_pairs import Method, Pair

_MOST_WORDS = 3
"""What may differ: a word, or a short phrase."""


@dataclass(frozen=True, slots=True)
class Twins:
    """Two items of one set."""

    first: Item
    second: Item
    method: Method
    edit: str


def twins_of(pairs: Sequence[tuple[Item, Pair]]) -> list[Twins]:
    """Items that choose between the same two phrases, in texts that differ in one place, with opposite keys.

    Each item is in one pair of twins at most: with the nearest one behind it.
    """
    alike: Mapping[tuple[tuple[str, ...], ...], list[tuple[Item, Pair]]] = defaultdict(list)
    for item, pair in pairs:
        alike[tuple(_plain(middle) for middle in pair.middles)].append((item, pair))
    found = []
    for members in alike.values():
        taken: set[str] = set()
        for place, (item, pair) in enumerate(members):
            if item.id in taken:
                continue
            for other, other_pair in members[place + 1 :]:
                if other.id in taken or other.answer == item.answer:
                    continue
                change = _change([*pair.before, "/", *pair.after], [*other_pair.before, "/", *other_pair.after])
                if change is not None:
                    taken |= {item.id, other.id}
                    found.append(Twins(item, other, *change))
                    break
    return found


def _plain(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def _change(one: Sequence[str], other: Sequence[str]) -> tuple[Method, str] | None:
    """How one text became the other; None where more than a few words in one place differ."""
    fewest = min(len(one), len(other))
    first = next((n for n in range(fewest) if one[n] != other[n]), fewest)
    last = next((n for n in range(fewest - first) if one[-1 - n] != other[-1 - n]), fewest - first)
    before, after = one[first : len(one) - last], other[first : len(other) - last]
    if max(len(before), len(after)) > _MOST_WORDS or "/" in (*before, *after) or not (before or after):
        return None
    method: Method = "add" if not before else "delete" if not after else "substitute"
    return method, f"twins: {' '.join(before) or '–'} > {' '.join(after) or '–'}"
