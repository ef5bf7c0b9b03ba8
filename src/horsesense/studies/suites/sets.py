"""The sets of a suite as probes: released files, or probes that were imported or built before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from horsesense.probes.released import read_release
from horsesense.probes.released.cats import with_sources
from horsesense.records import Card, Item, Probe, read_probe


def read_sets(release: str, paths: Mapping[str, Path], skip_bad: bool = False) -> dict[str, Probe]:
    """One probe a set. Units of dependence are told over all of them, so that an average knows what it shares.

    A conjunction pair and the schema it was made from stand in two sets, and so do a statement and its reasons.
    """
    probes = {
        name: read_release(release, [path], skip_bad=skip_bad) if ".txt" in path.suffixes else read_probe(path)
        for name, path in paths.items()
    }
    if release != "cats":
        return probes
    everything = [item for probe in probes.values() for item in probe.items]
    if any("candidates" not in item.groups or "task" not in item.facets for item in everything):
        return probes  # a probe of one's own has units of its own
    plain = [replace(item, groups=_told(item.groups)) for item in everything]
    linked = iter(with_sources(plain))
    return {
        name: replace(probe, items=tuple(next(linked) for _ in probe.items), card=_card(probe.card, name))
        for name, probe in probes.items()
    }


def _told(groups: Mapping[str, str]) -> dict[str, str]:
    return {name: unit for name, unit in groups.items() if name != "source"}


def _card(card: Card, name: str) -> Card:
    return replace(card, name=card.name if card.name != "cats" else f"cats-{name}", group="source")


def items_of(probes: Mapping[str, Probe]) -> list[Item]:
    """All items, set after set."""
    return [item for probe in probes.values() for item in probe.items]
