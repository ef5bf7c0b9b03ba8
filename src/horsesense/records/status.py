"""How far an item can be trusted (facet ``status``): proved, asserted by people or a source, proposed by a machine."""

from __future__ import annotations

from dataclasses import replace

from horsesense.records.item import Item
from horsesense.records.probe import Probe

PROPOSED = "proposed"
"""Nobody has looked at it."""


def is_proposed(item: Item) -> bool:
    return item.facets.get("status") == PROPOSED


def apart(name: str, probe: Probe) -> dict[str, Probe]:
    """A probe as it is asked: what is proposed stands apart, under a name of its own, and is never mixed in.

    A probe of proposals only, or without any, stays whole.
    """
    proposed = [item for item in probe.items if is_proposed(item)]
    if len(proposed) in (0, len(probe.items)):
        return {name: probe}
    rest = [item for item in probe.items if not is_proposed(item)]
    card = replace(probe.card, name=f"{probe.card.name}-{PROPOSED}")
    return {name: Probe.of(rest, probe.card), f"{name}-{PROPOSED}": Probe.of(proposed, card)}
