"""Pairs of our own whose keys are proved: total orders that everybody knows, and what their duals are.

A chain is a list of things from the least to the greatest of a scale: a second, a minute, an hour. Each pair compares
one thing with a smaller and a greater one, so that just one of its sentences is true.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from horsesense.core import Card, Item, Probe, Source
from horsesense.data import shipped_toml
from horsesense.lexicons.word_forms import OPPOSITES

NAME = "orders"


@dataclass(frozen=True, slots=True)
class Chain:
    """Things in the order of one scale, the least first."""

    name: str
    more: str
    """The comparative: *longer*."""
    things: tuple[str, ...]


@cache
def chains() -> tuple[Chain, ...]:
    """The orders that are written down."""
    return tuple(
        Chain(name, more, tuple(things))
        for name, table in shipped_toml(Path(__file__).with_name("orders.toml")).items()
        for more, things in ((table["more"], table["things"]),)
    )


def orders_probe(limit: int | None = 100, seed: int = 0) -> Probe:
    """One pair for each thing between two others, some of them from the other pole of the scale, some
    denied, drawn by seed.

    >>> probe = orders_probe(limit=2)
    >>> len(probe.items), probe.items[0].facets["status"]
    (2, 'proved')
    """
    draw = random.Random(seed)
    items = [item for chain in chains() for item in _pairs(chain, draw)]
    if limit is not None and limit < len(items):
        chosen = set(draw.sample(range(len(items)), limit))
        items = [item for index, item in enumerate(items) if index in chosen]
    description = (
        "One thing compared with a smaller and a greater one, in total orders that are written down; keys are proved."
    )
    return Probe.of(
        items,
        Card("orders", method="cats", licence="CC0-1.0", made=description, seed=seed, normalise="mean", group="chain"),
    )


def _pairs(chain: Chain, draw: random.Random) -> list[Item]:
    items = []
    for index in range(1, len(chain.things) - 1):
        for negated in (False, False, True):
            below, above = draw.choice(chain.things[:index]), draw.choice(chain.things[index + 1 :])
            more = chain.more if draw.random() < 0.5 else OPPOSITES[chain.more]
            others, right = [below, above], 0 if (more == chain.more) != negated else 1
            if draw.random() < 0.5:
                others, right = others[::-1], 1 - right
            items.append(_item(chain, chain.things[index], f"not {more}" if negated else more, others, right))
    # The same two sentences in the other order are the same question.
    return list({frozenset(item.options): item for item in items}.values())


def _item(chain: Chain, thing: str, more: str, others: Sequence[str], right: int) -> Item:
    start = thing[:1].upper() + thing[1:]
    return Item(
        "orders",
        "sentences",
        options=tuple(f"{start} is {more} than {other}." for other in others),
        answer=right,
        groups={"chain": chain.name},
        facets={"task": "orders", "scale": chain.more, "status": "proved", "ground": "order"},
        source=Source(file="orders.toml", id=chain.name, licence="CC0-1.0"),
    )
