"""Measured quantities as typed scales: things, their values, and which two of them can be compared.

After VerbPhysics (Forbes and Choi, 2017) and Distributions over Quantities (Elazar et al., 2019). The values are of
our own compiling: each has a margin, a factor up and down or, on a scale of differences, degrees or decibels either
way, and a source, which is ``estimate`` where the compiler had none at hand. Two things are compared only where their
margins do not meet and they are as far apart as the scale asks for: twice as much, or a stated difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

from horsesense.data import read_table
from horsesense.errors import UserError
from horsesense.methods.rica.knowledge_tables import DATA, KnownAxiom, fill

ESTIMATE = "estimate"
_SCALES = ("scale", "kind", "conclusion", "unit", "apart", "when")
_THINGS = ("scale", "thing", "value", "margin", "source")


@dataclass(frozen=True, slots=True)
class Scale:
    """What is measured, and how it is told."""

    name: str
    kind: str
    """How a thing is told in a premise: Thing, Material, Location."""
    conclusion: str
    """What follows for the one that has more, ``heavier: is *``."""
    unit: str
    by_ratio: bool
    """Whether two values are compared by their ratio; otherwise by their difference."""
    apart: float
    """The least ratio or difference that is asked about."""
    when: str
    """Place and year of values that change, such as prices."""

    def told_apart(self, more: Quantity, less: Quantity) -> bool:
        """Whether one surely has more than the other: beyond both margins, and far enough apart."""
        if self.by_ratio:
            sure = more.value / more.margin > less.value * less.margin
            return sure and more.value >= self.apart * less.value
        sure = more.value - more.margin > less.value + less.margin
        return sure and more.value - less.value >= self.apart


@dataclass(frozen=True, slots=True)
class Quantity:
    """How much of something a thing has."""

    thing: str
    """With its article."""
    value: float
    margin: float
    source: str
    """Where the value was at hand, or ``estimate``."""
    line: int


@cache
def shipped_scales() -> dict[str, tuple[Scale, tuple[Quantity, ...]]]:
    """By name, each scale with its things."""
    return read_scales(DATA / "scales.tsv", DATA / "quantities.tsv")


def read_scales(scales: Path, quantities: Path) -> dict[str, tuple[Scale, tuple[Quantity, ...]]]:
    """Scales and the things on them, checked."""
    named = {}
    for line, row in read_table(scales, _SCALES):
        sign, number = row["apart"][:1], row["apart"][1:]
        if sign not in ("x", "+"):
            raise UserError(f"{row['apart']!r} is no distance", file=scales, line=line, fix="write x2 or +20")
        kind, conclusion, unit = row["kind"], row["conclusion"], row["unit"]
        scale = Scale(row["scale"], kind, conclusion, unit, sign == "x", float(number), row["when"])
        named[scale.name] = scale
    things: dict[str, list[Quantity]] = {name: [] for name in named}
    for line, row in read_table(quantities, _THINGS):
        if row["scale"] not in named:
            raise UserError(
                f"there is no scale {row['scale']!r}", file=quantities, line=line, fix="add it to the scales"
            )
        value, margin = float(row["value"]), float(row["margin"])
        if named[row["scale"]].by_ratio and (value <= 0 or margin < 1):
            raise UserError("a ratio needs a value over 0 and a margin of 1 or more", file=quantities, line=line)
        things[row["scale"]].append(Quantity(row["thing"], value, margin, row["source"], line))
    return {name: (scale, tuple(things[name])) for name, scale in named.items()}


def comparisons(scale: Scale, things: Sequence[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
    """All pairs of which the first surely has more."""
    for less, more in combinations(sorted(things, key=lambda thing: thing.value), 2):
        if scale.told_apart(more, less):
            yield more, less


def quantity_axioms(licence: str, rejected: Counter[str]) -> Iterator[KnownAxiom]:
    """An axiom for each pair of things on a shipped scale that can be told apart."""
    for scale, things in shipped_scales().values():
        pairs = list(comparisons(scale, things))
        rejected["quantity: not surely apart"] += len(things) * (len(things) - 1) // 2 - len(pairs)
        for more, less in pairs:
            axiom = fill("quantity", more.thing, less.thing, scale.conclusion, scale.kind)
            facts = tuple((thing.thing, scale.name, f"{thing.value:g} {scale.unit}") for thing in (more, less))
            yield KnownAxiom(axiom, "quantity", "machine", licence, "quantities.tsv", more.line, facts)
