"""The same statement about others: made-up names in place of the made-up names it has (RICA, section 3.3). Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from horsesense.errors import UserError
from horsesense.records import Item

_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxz", "aeiouy"


def made_up_name(lot: random.Random) -> str:
    """A name that nobody has: two to four syllables.

    >>> made_up_name(random.Random(0)).isalpha()
    True
    """
    syllables = (lot.choice(_CONSONANTS) + lot.choice(_VOWELS) for _ in range(lot.randint(2, 4)))
    return "".join(syllables) + lot.choice(_CONSONANTS)


def renamed(items: Sequence[Item], times: int, seed: int, taken: Collection[str] = ()) -> list[Item]:
    """Each statement so many times, the first as it stands, the others with names that are not ``taken``.

    >>> one = Item(probe="demo", form="cloze", text="wob is ice, so wob is ___ than zim", options=("more", "less"),
    ...            answer=0, family="wob zim")
    >>> [item.text.count("wob") for item in renamed([one], 3, seed=0)]
    [2, 0, 0]
    """
    lot, used, found = random.Random(seed), set(taken), list[Item]()
    for item in items:
        names = item.family.split()
        if len(names) != 2 or any(not _mentions(item, name) for name in names):
            raise UserError(
                f"item {item.id} is not about two names ({item.family!r})", fix="high-resource is for RICA's statements"
            )
        found.append(item)
        for _ in range(times - 1):
            fresh = []
            for _ in names:
                while (name := made_up_name(lot)) in used:
                    pass
                used.add(name)
                fresh.append(name)
            found.append(_about(item, dict(zip(names, fresh, strict=True))))
    return found


def _mentions(item: Item, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", item.text) is not None


def _about(item: Item, names: dict[str, str]) -> Item:
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")

    def change(text: str) -> str:
        return pattern.sub(lambda found: names[found[0]], text)

    return replace(
        item, text=change(item.text), options=tuple(map(change, item.options)), family=" ".join(names.values())
    )
