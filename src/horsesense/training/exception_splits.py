"""WinoVenti's two settings (winoventi.txt, 3.3): which texts a model learns from, and which it is tested on. Pure.

Half-exception: half of the schemas with both of their texts to learn from (1,088 + 1,088 texts of the whole set), the
other half to test. Full-exception: four fifths of the exceptions to learn from; tests are the other exceptions, all
generic texts, and as many of these, drawn at random, as there are unseen exceptions, together with them.

The paper draws schemas, so that nearly every noun of a test is also in training; with ``nouns`` whole nouns are drawn
instead, and none of a test's schemas is about a noun that was trained on (but for the generic twins of exceptions).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from horsesense.core import Item
from horsesense.errors import UserError, unknown

HALF, FULL = "half-exception", "full-exception"
EXCEPTION_SETTINGS = (HALF, FULL)
UNSEEN_EXCEPTIONS, ALL_GENERICS, MIXED, HELD_OUT = "unseen-exceptions", "all-generics", "mixed", "held-out"
TRAIN_SHARE = 0.8
"""Exceptions to learn from, in the full-exception setting."""
_FEWEST = 5

Pairs = Mapping[str, Mapping[str, Item]]
"""Schema → generic and exception → item."""


@dataclass(frozen=True, slots=True)
class ExceptionParts:
    """Items to learn from and to be tested on."""

    train: list[Item]
    dev: list[Item]
    """Of schemas taken out of training to choose steps and rates by; the paper has none."""
    tests: dict[str, list[Item]]
    """``held-out`` in the half-exception setting; ``unseen-exceptions``, ``all-generics``, ``mixed`` in the other."""


def exception_parts(
    items: Sequence[Item], setting: str, seed: int = 0, dev: float = 0.0, nouns: bool = False
) -> ExceptionParts:
    """Split schemas as a setting says; ``dev`` is the share of training schemas that are held back.

    >>> texts = [(str(n), test) for n in range(10) for test in ("generic", "exception")]
    >>> items = [Item("wv", "cloze", text=f"{n} {t} ___.", options=("a", "b"), answer=0, family=n, member=t,
    ...               facets={"test": t}) for n, t in texts]
    >>> parts = exception_parts(items, "full-exception")
    >>> len(parts.train), {name: len(test) for name, test in parts.tests.items()}
    (8, {'unseen-exceptions': 2, 'all-generics': 10, 'mixed': 4})
    """
    if setting not in EXCEPTION_SETTINGS:
        raise unknown("setting", setting, EXCEPTION_SETTINGS)
    if not 0 <= dev < 1:
        raise UserError(f"the share {dev} for development is not between 0 and 1", fix="use 0.1")
    pairs = _pairs(items)
    if len(pairs) < _FEWEST:
        raise UserError(
            f"the probe has {len(pairs)} schemas with a generic and an exception item, too few to split",
            fix="give a WinoVenti probe, built or imported",
        )
    names = _shuffled(pairs, seed, nouns)
    share = 0.5 if setting == HALF else TRAIN_SHARE
    learned = _first(names, pairs, share, nouns)
    held = _first(learned, pairs, dev, nouns) if dev else []
    training, unseen = learned[len(held) :], names[len(learned) :]
    if setting == HALF:
        return ExceptionParts(_both(pairs, training), _both(pairs, held), {HELD_OUT: _both(pairs, unseen)})
    exceptions = [pairs[name]["exception"] for name in unseen]
    generics = [pairs[name]["generic"] for name in names]
    mixed = [*exceptions, *random.Random(f"{seed} mixed").sample(generics, len(exceptions))]
    train, development = ([pairs[name]["exception"] for name in part] for part in (training, held))
    return ExceptionParts(train, development, {UNSEEN_EXCEPTIONS: exceptions, ALL_GENERICS: generics, MIXED: mixed})


def _pairs(items: Sequence[Item]) -> dict[str, dict[str, Item]]:
    families: dict[str, dict[str, Item]] = {}
    for item in items:
        families.setdefault(item.family, {})[item.member] = item
    return {name: members for name, members in families.items() if {"generic", "exception"} <= members.keys()}


def _noun(pairs: Pairs, name: str) -> str:
    return pairs[name]["generic"].groups.get("noun", name)


def _shuffled(pairs: Pairs, seed: int, nouns: bool) -> list[str]:
    """Schemas in an order of chance; those of one noun side by side where nouns are drawn."""
    names = sorted(pairs)
    random.Random(seed).shuffle(names)
    if not nouns:
        return names
    order: dict[str, int] = {}
    for name in names:
        order.setdefault(_noun(pairs, name), len(order))
    return sorted(names, key=lambda name: order[_noun(pairs, name)])


def _first(names: Sequence[str], pairs: Pairs, share: float, nouns: bool) -> list[str]:
    """So large a share of the schemas from the beginning; no noun is cut in two where nouns are drawn."""
    wanted = round(share * len(names))
    if nouns:
        while 0 < wanted < len(names) and _noun(pairs, names[wanted - 1]) == _noun(pairs, names[wanted]):
            wanted += 1
    return list(names[:wanted])


def _both(pairs: Pairs, names: Sequence[str]) -> list[Item]:
    return [pairs[name][member] for name in names for member in ("generic", "exception")]
