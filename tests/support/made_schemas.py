"""Schemas of our own in the shape of the release."""

from __future__ import annotations

from dataclasses import replace

from horsesense.core import Card, Item, Probe
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.schemas import Schema, Triplet, items_of, parse_premise

SCHEMAS = (
    Schema(
        Triplet("stove", "hot", "cold", "antonym", 1), parse_premise("Kim [screamed / yawned] at the stove."), "people"
    ),
    Schema(Triplet("coat", "wet", "dry", "antonym", 3), parse_premise("It [rained / snowed] on his coat."), "people"),
    Schema(
        Triplet("stone", "heavy", "light", "antonym", 1), parse_premise("A [giant / child] threw the stone."), "people"
    ),
    Schema(
        Triplet("butter", "soft", "hard", "antonym", 5),
        parse_premise("The butter came from the [table / ice]."),
        "people",
    ),
    Schema(
        Triplet("guest", "outside", "inside", "people", 1), parse_premise("The guest wore a [coat / robe]."), "people"
    ),
    Schema(Triplet("stove", "hot", "off", "people", 1), parse_premise("The stove was [red / black]."), "people"),
)


def made_probe(copies: int = 1) -> Probe:
    """A probe of these schemas; with ``copies`` each stands there with as many names in its premise."""
    items = []
    for copy in range(copies):
        for schema in SCHEMAS:
            premise = parse_premise(f"Name{copy} said: {schema.premise}") if copies > 1 else schema.premise
            copied = Schema(schema.triplet, premise, schema.origin)
            pair = items_of(copied, Noun(schema.triplet.noun))
            items += [item if copies == 1 else _renamed(item, copy) for item in pair]
    return Probe.of(items, Card(name="winoventi", method="winoventi", normalise="sum", group="noun"))


def _renamed(item: Item, copy: int) -> Item:
    return replace(item, family=f"{item.family} {copy}")
