"""Probes of our own making: pure noise, and noise with a cue planted into it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from horsesense.core import Item
from horsesense.lexicons.words import words

WORDS = words(
    "apple bank river chair green quick never house paper stone water music because light heavy garden winter "
    "bread silver window mother engine forest letter market pencil school table village yellow corner island "
    "summer button castle dragon flower guitar hammer jacket kettle ladder mirror needle orange pepper rocket "
    "saddle ticket valley walnut always slow round small deep old young early the a of in with no not some"
)


def noise(count: int, options: int = 4, seed: int = 0, in_family: int = 1) -> list[Item]:
    """Questions of random words: the right option is drawn after everything else, so that nothing tells it."""
    rng = random.Random(seed)

    def phrase(most: int) -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(2, most)))

    items: list[Item] = []
    while len(items) < count:
        texts = tuple(dict.fromkeys(phrase(9) for _ in range(options + 3)))[:options]
        item = Item(probe="noise", form="choice", text=f"What about {phrase(12)}?", options=texts)
        family = f"f{len(items) // in_family}"
        items.append(replace(item, answer=rng.randrange(len(texts)), family=family))
    return items


def planted(items: Sequence[Item], share: float, pick: Callable[[Item], int], seed: int = 0) -> list[Item]:
    """The same questions, but in a share of them the right option is the one that ``pick`` names."""
    rng = random.Random(seed)
    return [replace(item, answer=pick(item)) if rng.random() < share else item for item in items]


def longest(item: Item) -> int:
    """The place of the longest option."""
    return max(range(len(item.options)), key=lambda place: (len(item.options[place]), -place))


def with_word(items: Sequence[Item], word: str, share: float, elsewhere: float, seed: int = 0) -> list[Item]:
    """Put a word before the right option in a share of items, and before wrong ones in a smaller share."""
    rng = random.Random(seed)
    changed = []
    for item in items:
        options = [
            f"{word} {text}" if rng.random() < (share if place == item.answer else elsewhere) else text
            for place, text in enumerate(item.options)
        ]
        changed.append(replace(item, options=tuple(options)))
    return changed
