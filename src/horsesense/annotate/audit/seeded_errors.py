"""Faults that are planted in a reading: items of the probe itself, spoilt in ways that are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from random import Random

from horsesense.core import Item

KEY, SECOND, NONSENSE = "key exchanged", "second true option", "nonsense"
FAULTS = (KEY, SECOND, NONSENSE)

SecondAnswer = Callable[[Item, Random], tuple[str, ...] | None]
"""The options of an item with a second true one among them, the key in its place; None where none is known."""

_SECOND_ANSWERS: Mapping[str, str] = {
    "wordnetqa": "horsesense.methods.wordnetqa.second_answers:second_answers",
    "dictionaryqa": "horsesense.methods.wordnetqa.second_answers:second_answers",
}
"""Method → the function that makes its `SecondAnswer`."""
_SHORT = 4
"""A text of fewer words may mean the same in another order."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A spoilt item."""

    item: Item
    """As it is shown; its answer is the key that it pretends to have."""
    kind: str
    """One of `FAULTS`."""
    source: str
    """Id of the item that was spoilt."""


def second_answers_of(method: str) -> SecondAnswer | None:
    """What a method knows of second true options; None where it knows nothing."""
    if method not in _SECOND_ANSWERS:
        return None
    module, _, function = _SECOND_ANSWERS[method].partition(":")
    made: SecondAnswer = getattr(import_module(module), function)()
    return made


def plant(items: Sequence[Item], number: int, seed: int, second: SecondAnswer | None = None) -> list[Fault]:
    """Spoil items, as many of each kind; what a kind cannot make, keys exchanged make up. Fewer where items run out.

    Items are taken in the order of a draw, so that the same seed spoils the same items.
    """
    usable = [item for item in items if item.answer is not None and len(item.options) > 1]
    waiting = dict.fromkeys(Random(f"{seed} faults").sample(range(len(usable)), len(usable)))
    # The kind that fewest items allow has the first choice.
    kinds = [kind for kind in (SECOND, NONSENSE, KEY) if kind != SECOND or second is not None]
    faults: list[Fault] = []
    for place, kind in enumerate(kinds):
        wanted = (number - len(faults)) // (len(kinds) - place)
        for candidate in list(waiting):
            if not wanted:
                break
            item = usable[candidate]
            spoilt = _spoilt(item, kind, usable, second, Random(f"{seed} {kind} {item.id}"))
            if spoilt is not None:
                faults.append(Fault(spoilt, kind, item.id))
                del waiting[candidate]
                wanted -= 1
    return faults


def _spoilt(item: Item, kind: str, items: Sequence[Item], second: SecondAnswer | None, chance: Random) -> Item | None:
    if kind == KEY:
        wrong = [place for place in range(len(item.options)) if place != item.answer]
        return replace(item, answer=chance.choice(wrong))
    if kind == SECOND:
        options = second(item, chance) if second is not None else None
        if options is None or len(set(options)) < len(options):
            return None
        return replace(item, options=options, concepts=())
    return _scrambled(item, chance) if chance.random() < 0.5 else _unrelated(item, items, chance)


def _scrambled(item: Item, chance: Random) -> Item | None:
    """The words of the text in an order that is none; a blank is one of them."""
    name = "text" if item.text else "premise"
    words = getattr(item, name).split()
    if len(words) < _SHORT:
        return None
    mixed = list(words)
    for _ in range(10):
        chance.shuffle(mixed)
        if sum(a != b for a, b in zip(words, mixed, strict=True)) > len(words) // 2:
            break
    return replace(item, text=" ".join(mixed)) if name == "text" else replace(item, premise=" ".join(mixed))


def _unrelated(item: Item, items: Sequence[Item], chance: Random) -> Item | None:
    """Options that answer other questions; None where options are labels, the same everywhere."""
    options: list[str] = []
    for _ in range(50 * len(item.options)):
        other = chance.choice(items)
        option = chance.choice(other.options)
        if other.unit() != item.unit() and option not in item.options and option not in options:
            options.append(option)
        if len(options) == len(item.options):
            return replace(item, options=tuple(options), concepts=())
    return None
