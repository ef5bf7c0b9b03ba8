"""Seeded errors: items of the probe, changed so that they are known to be bad."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from horsesense.core import Item
from horsesense.registry import load, provided

KEY, SECOND, NONSENSE = "key exchanged", "second true option", "nonsense"
NO_SECOND = (
    "the seeded errors include no items with two correct options, because none can be built for a probe of this kind"
)
ERRORS = (KEY, SECOND, NONSENSE)

SecondAnswer = Callable[[Item, Random], tuple[str, ...] | None]
"""Returns the options of an item with a second true one, the key in its place; None if none is known."""

_SHORT = 4
"""A text with fewer words may mean the same in another order."""


@dataclass(frozen=True, slots=True)
class SeededError:
    """An item that was changed to be bad."""

    item: Item
    """The item as shown; its answer is the alleged key."""
    kind: str
    """One of `ERRORS`."""
    source: str
    """Id of the original item."""


def second_answers_of(method: str) -> SecondAnswer | None:
    """Return the function of a method for second true options; None if it has none."""
    reference = provided("second_answers").get(method)
    return None if reference is None else load(reference)()


def seed_errors(items: Sequence[Item], number: int, seed: int, second: SecondAnswer | None = None) -> list[SeededError]:
    """Make seeded errors, equally many of each kind; exchanged keys replace those that another kind cannot make.

    There are fewer if items run out. The same seed changes the same items.
    """
    usable = [item for item in items if item.answer is not None and len(item.options) > 1]
    waiting = dict.fromkeys(Random(f"{seed} faults").sample(range(len(usable)), len(usable)))
    # The kind that fewest items allow comes first.
    kinds = [kind for kind in (SECOND, NONSENSE, KEY) if kind != SECOND or second is not None]
    errors: list[SeededError] = []
    for i, kind in enumerate(kinds):
        missing = (number - len(errors)) // (len(kinds) - i)
        for candidate in list(waiting):
            if not missing:
                break
            item = usable[candidate]
            changed = _change(item, kind, usable, second, Random(f"{seed} {kind} {item.id}"))
            if changed is not None:
                errors.append(SeededError(changed, kind, item.id))
                del waiting[candidate]
                missing -= 1
    return errors


def _change(item: Item, kind: str, items: Sequence[Item], second: SecondAnswer | None, rng: Random) -> Item | None:
    if kind == KEY:
        wrong = [i for i in range(len(item.options)) if i != item.answer]
        return replace(item, answer=rng.choice(wrong))
    if kind == SECOND:
        options = second(item, rng) if second is not None else None
        if options is None or len(set(options)) < len(options):
            return None
        return replace(item, options=options, concepts=())
    return _scramble(item, rng) if rng.random() < 0.5 else _unrelated_options(item, items, rng)


def _scramble(item: Item, rng: Random) -> Item | None:
    """Shuffle the words of the text, blank included."""
    name = "text" if item.text else "premise"
    words = getattr(item, name).split()
    if len(words) < _SHORT:
        return None
    mixed = list(words)
    for _ in range(10):
        rng.shuffle(mixed)
        if sum(a != b for a, b in zip(words, mixed, strict=True)) > len(words) // 2:
            break
    return replace(item, text=" ".join(mixed)) if name == "text" else replace(item, premise=" ".join(mixed))


def _unrelated_options(item: Item, items: Sequence[Item], rng: Random) -> Item | None:
    """Replace the options by options of other questions; None if all items have the same labels."""
    options: list[str] = []
    for _ in range(50 * len(item.options)):
        other = rng.choice(items)
        option = rng.choice(other.options)
        if other.unit() != item.unit() and option not in item.options and option not in options:
            options.append(option)
        if len(options) == len(item.options):
            return replace(item, options=tuple(options), concepts=())
    return None
