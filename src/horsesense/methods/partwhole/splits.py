"""Split triples into train, dev and test: at random as in the paper (section 5), or with held-out words."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge

from horsesense.core import Item, Probe, write_probe
from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.methods.partwhole.dataset import ROLES

SHARES = {"train": 0.7, "dev": 0.1, "test": 0.2}
KINDS = ("random", "whole", "part", "adjective", "nouns")


@dataclass(frozen=True, slots=True)
class TriplesPart:
    """One part of the triples, and its number of distinct words."""

    part: str
    """``train``, ``dev`` or ``test``."""
    out: Path
    """Its file."""
    items: int
    wholes: int
    parts: int
    adjectives: int


@dataclass(frozen=True, slots=True)
class TriplesSplit(Document):
    """Triples in three files."""

    by: str
    """What is kept together: nothing (``random``), or all triples of a word."""
    seed: int
    """Random seed."""
    dropped: int
    """Triples left out because their nouns belong to different parts."""
    parts: tuple[TriplesPart, ...]
    """The three files."""


def split_items(items: Sequence[Item], by: str = "random", seed: int = 0) -> dict[str, list[Item]]:
    """Split into train, dev and test, 70%, 10% and 20%; ``dropped`` has items that would share a noun.

    ``random`` shuffles triples, so that nearly every noun of the test is in training. ``whole``, ``part`` and
    ``adjective`` keep all triples of a word together. ``nouns`` shares no noun in either role: a triple
    whose whole and part belong to different parts is dropped.

    >>> from horsesense.methods.partwhole.dataset import unjudged
    >>> from horsesense.core.item import NO_SOURCE
    >>> items = [unjudged("car", f"part {n}", "old", NO_SOURCE) for n in range(10)]
    >>> {name: len(part) for name, part in split_items(items).items()}
    {'train': 7, 'dev': 1, 'test': 2, 'dropped': 0}
    """
    if by not in KINDS:
        raise unknown("way to split", by, KINDS)
    names = sorted(items, key=lambda item: item.id)
    if by == "random":
        place = _drawn([item.id for item in names], SHARES, seed)
        parts = {item.id: place[item.id] for item in items}
    elif by == "nouns":
        nouns = sorted({item.groups[role] for item in items for role in ("whole", "part")})
        # Both nouns must belong to a part, so a share of p nouns leaves p² of the triples.
        place = _drawn(nouns, {name: sqrt(share) for name, share in SHARES.items()}, seed)
        both = {item.id: {place[item.groups[role]] for role in ("whole", "part")} for item in items}
        parts = {name: next(iter(where)) if len(where) == 1 else "dropped" for name, where in both.items()}
    else:
        units = Counter(item.groups[by] for item in items)
        place = _drawn(sorted(units), SHARES, seed, units)
        parts = {item.id: place[item.groups[by]] for item in items}
    return {name: [item for item in items if parts[item.id] == name] for name in (*SHARES, "dropped")}


def _drawn(
    names: Sequence[str], shares: Mapping[str, float], seed: int, weights: Mapping[str, int] | None = None
) -> dict[str, str]:
    """Assign names to parts, filled one after the other in a random order."""
    order = list(names)
    random.Random(seed).shuffle(order)
    weight = dict.fromkeys(order, 1) if weights is None else weights
    total, of_all = sum(weight[name] for name in order), sum(shares.values())
    ends, reached = [], 0.0
    for name, share in shares.items():
        reached += share / of_all * total
        ends.append((reached, name))
    part_of, done, part = {}, 0.0, 0
    for name in order:
        # A name belongs to the part of its middle, so that large ones do not all spill into the next part.
        middle = done + weight[name] / 2
        while middle > ends[part][0] + 1e-9 and part < len(ends) - 1:
            part += 1
        part_of[name], done = ends[part][1], done + weight[name]
    return part_of


def check_triples(probe: Probe) -> None:
    """Refuse items that are not triples."""
    lacking = next((item for item in probe.items if not set(ROLES) <= item.groups.keys()), None)
    if lacking is not None:
        raise UserError(f"item {lacking.id} has no whole, part and adjective", fix="give a probe of part-whole triples")


def split_probe(probe: Probe, by: str = "random", seed: int = 0) -> tuple[dict[str, Probe], int]:
    """Return one probe per part, and the number of dropped triples; each item has its part in the facet ``split``."""
    check_triples(probe)
    parts = split_items(probe.items, by, seed)
    probes = {}
    for name in SHARES:
        if not parts[name]:
            raise UserError(f"nothing is left for {name}", fix="give more triples, or split by random")
        items = [replace(item, facets={**item.facets, "split": name}) for item in parts[name]]
        description = f"{probe.card.made} The {name} part, split by {by}, seed {seed}.".strip()
        probes[name] = Probe.of(items, replace(probe.card, made=description, seed=seed))
    return probes, len(parts["dropped"])


@translate_errors()
def split(
    probe: Probe | str | Path,
    out: str | Path,
    *,
    by: Literal["random", "whole", "part", "adjective", "nouns"] = "random",
    seed: Annotated[int, Ge(0)] = 0,
) -> TriplesSplit:
    """Split triples into 70% training, 10% development and 20% test, and write a file for each.

    Args:
        probe: Name or file of a probe of labelled triples. In Python, also a `Probe`.
        out: Folder for train.jsonl, dev.jsonl and test.jsonl.
        by: What no two splits share; ``nouns``: neither wholes nor parts.
        seed: Random seed.

    Returns:
        The files, the size of each, and the number of triples that were dropped.
    """
    from horsesense.core.catalogue import as_probe

    parts, dropped = split_probe(as_probe(probe), by, seed)
    files = []
    for name, part in parts.items():
        path = Path(out) / f"{name}.jsonl"
        write_probe(path, part)
        counts = (len({item.groups[role] for item in part.items}) for role in ROLES)
        files.append(TriplesPart(name, path, len(part.items), *counts))
    return TriplesSplit(by, seed, dropped, tuple(files))
