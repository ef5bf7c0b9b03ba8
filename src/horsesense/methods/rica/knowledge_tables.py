"""Knowledge tables (section 2.2, stages 3 and 4): templates, the axioms that rows give, and the shipped tables.

A user's table has the columns ``template``, ``a``, ``b`` and ``conclusion``. Cells ``a`` and ``b`` may list several
values, separated by commas; all combinations are used. A conclusion is a comparative and a phrase, ``more: fragile``,
about A compared with B. A user's list of names replaces the shipped one.

Scales of measured quantities follow VerbPhysics (Forbes and Choi, 2017) and Distributions over Quantities (Elazar et
al., 2019). We compiled the values. Each has a margin (a factor or, on a scale of differences, degrees or decibels) and
a source, which is ``estimate`` where we had none. Two things are compared only if their margins do not overlap and they
are as far apart as the scale requires: twice as much, or a stated difference.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

from horsesense.data import read_table, read_text
from horsesense.errors import UserError, unknown
from horsesense.lexicons.word_forms import is_comparative_form
from horsesense.methods.rica.axioms import SLOT, And, Axiom, Comp, Not, Premise, Prop, Rel, pair_of, swap_names

DATA = Path(__file__).with_name("data")
LISTS = ("animals", "materials", "occupations")
BARE = f"is {SLOT}"
"""A bare comparative as conclusion: ``older: is *``."""
COLUMNS = ("template", "a", "b", "conclusion")
STATUSES = ("proposed", "machine", "verified", "curated")
"""A knowledge base says one side and is silent about the other; evidence for both sides, by rule; checked by people;
written by hand.
"""


@dataclass(frozen=True, slots=True)
class AxiomTemplate:
    """A type-constrained logical template (table 4)."""

    number: int
    """The logical template of table 3."""
    category: str
    """physical, material, social or temporal (table 5)."""
    people: bool
    """Whether its axioms are about people, so that names make sense."""


TEMPLATES: Mapping[str, AxiomTemplate] = {
    "material": AxiomTemplate(1, "material", False),
    "grade": AxiomTemplate(1, "social", True),
    "location": AxiomTemplate(1, "physical", True),
    "animal": AxiomTemplate(1, "physical", False),
    "quantity": AxiomTemplate(1, "physical", False),
    "use": AxiomTemplate(1, "physical", False),
    "occupation": AxiomTemplate(1, "social", True),
    "role": AxiomTemplate(2, "social", True),
    "action-between": AxiomTemplate(2, "social", True),
    "action-alone": AxiomTemplate(3, "social", True),
    "physical-alone": AxiomTemplate(3, "physical", False),
    "action-degree": AxiomTemplate(4, "social", True),
    "physical-degree": AxiomTemplate(4, "physical", False),
    "temporal": AxiomTemplate(5, "temporal", True),
}
"""The eleven templates of table 4, and three of our own: measured quantities, uses of things and occupations."""


@dataclass(frozen=True, slots=True)
class SourcedAxiom:
    """An axiom with its provenance."""

    axiom: Axiom
    template: str
    status: str
    licence: str
    file: str = ""
    line: int = 0
    triples: tuple[tuple[str, str, str], ...] = ()
    """Facts that it was made from."""


def fill(template: str, a: str, b: str, conclusion: str, kind: str = "") -> Axiom:
    """Return the axiom of a row; ``kind`` words the values where the template leaves it open.

    >>> print(fill("material", "wax", "iron", "more: soft"))
    Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))
    >>> print(fill("temporal", "took a bath", "", "before: dirty"))
    took a bath(A), so Before(dirty(A))
    >>> print(fill("quantity", "a bell", "a whistle", "heavier: is *"))
    Thing(A, a bell) and Thing(B, a whistle), so Heavier(A, B)
    """
    if template not in TEMPLATES:
        raise unknown("template", template, TEMPLATES)
    word, colon, phrase = conclusion.partition(": ")
    if not colon or not phrase.strip():
        raise UserError(f"the conclusion {conclusion!r} lacks a comparative", fix="write it like more: fragile")
    pair_of(word)
    number = TEMPLATES[template].number
    phrase = "" if phrase == BARE else phrase
    right = None if number == 5 else Prop(swap_names(phrase), "B")
    comparison = Comp(word.capitalize(), Prop(phrase, "A"), right)
    return Axiom(_premise(template, number, a, b, kind), comparison)


def _premise(template: str, number: int, a: str, b: str, kind: str) -> Premise:
    if not a or (number == 1 and not b):
        raise UserError("a cell of the premise is empty", fix="fill in a, and b if there are two")
    if number == 1:
        kind = kind or {"animal": "animal", "quantity": "Thing", "use": "Thing"}.get(template, template.capitalize())
        return And(Prop(kind, "A", a), Prop(kind, "B", b))
    if number == 2:
        if template == "action-between" and not ("person_a" in a and "person_b" in a):
            raise UserError(f"the event {a!r} lacks person_a or person_b", fix="name both")
        return Rel(a, "A", "B")
    if number == 3:
        return And(Prop(a, "A"), Not(Prop(a, "B")))
    if number == 4:
        bare = is_comparative_form(a.lower())
        return Comp(a, Prop("", "A"), Prop("", "B")) if bare else Comp("More", Prop(a, "A"), Prop(a, "B"))
    return Prop(a, "A")


def read_axioms(path: Path, licence: str = "none stated") -> Iterator[SourcedAxiom]:
    """Yield the axioms of a table; the column ``status`` says how each is known (default: curated)."""
    for line, row in read_table(path, COLUMNS):
        status = row.get("status") or "curated"
        try:
            if status not in STATUSES:
                raise unknown("status", status, STATUSES)
            for a in _listed(row["a"]) or [""]:
                for b in _listed(row["b"]) or [""]:
                    axiom = fill(row["template"], a, b, row["conclusion"])
                    yield SourcedAxiom(axiom, row["template"], status, licence, path.name, line)
        except UserError as error:
            raise error.at(path, line) from None


def _listed(cell: str) -> list[str]:
    return [value.strip() for value in cell.split(",") if value.strip()]


@cache
def shipped_list(name: str) -> tuple[str, ...]:
    """Return a shipped list: animals, materials, occupations or names."""
    path = DATA / f"{name}.tsv"
    column = name.removesuffix("s")
    return tuple(row[column] for _, row in read_table(path, (column,)))


def read_list(path: Path) -> Sequence[str]:
    """Read a list: one name per line, or JSON with a list or an object that holds one."""
    text = read_text(path)
    if path.suffix != ".json":
        names: object = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    else:
        try:
            names = json.loads(text)
        except json.JSONDecodeError as error:
            raise UserError("this is not JSON", file=path, line=error.lineno, fix="give a list of names") from error
    if isinstance(names, dict):
        names = next((value for value in names.values() if isinstance(value, list)), None)
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise UserError("there is no list of names in the file", file=path, fix="give one name per line")
    return [name.lower() for name in names]


ESTIMATE = "estimate"
_SCALES = ("scale", "kind", "conclusion", "unit", "apart", "when")
_THINGS = ("scale", "thing", "value", "margin", "source")


@dataclass(frozen=True, slots=True)
class QuantityScale:
    """A scale of measured quantities."""

    name: str
    kind: str
    """Kind of premise: Thing, Material or Location."""
    conclusion: str
    """Conclusion for the greater one, ``heavier: is *``."""
    unit: str
    by_ratio: bool
    """Whether values are compared by ratio; otherwise by difference."""
    apart: float
    """Smallest ratio or difference that is used."""
    when: str
    """Place and year of values that change, such as prices."""

    def is_clearly_more(self, more: Quantity, less: Quantity) -> bool:
        """Return whether one value is greater beyond both margins and by enough."""
        if self.by_ratio:
            sure = more.value / more.margin > less.value * less.margin
            return sure and more.value >= self.apart * less.value
        sure = more.value - more.margin > less.value + less.margin
        return sure and more.value - less.value >= self.apart


@dataclass(frozen=True, slots=True)
class Quantity:
    """The value of a thing on a scale."""

    thing: str
    """With its article."""
    value: float
    margin: float
    source: str
    """Source of the value, or ``estimate``."""
    line: int


@cache
def shipped_scales() -> dict[str, tuple[QuantityScale, tuple[Quantity, ...]]]:
    """Return the shipped scales and their things, by name."""
    return read_scales(DATA / "scales.tsv", DATA / "quantities.tsv")


def read_scales(scales: Path, quantities: Path) -> dict[str, tuple[QuantityScale, tuple[Quantity, ...]]]:
    """Read and check scales and the things on them."""
    named = {}
    for line, row in read_table(scales, _SCALES):
        sign, number = row["apart"][:1], row["apart"][1:]
        if sign not in ("x", "+"):
            raise UserError(f"{row['apart']!r} is not a distance", file=scales, line=line, fix="write x2 or +20")
        kind, conclusion, unit = row["kind"], row["conclusion"], row["unit"]
        scale = QuantityScale(row["scale"], kind, conclusion, unit, sign == "x", float(number), row["when"])
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


def comparisons(scale: QuantityScale, things: Sequence[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield all pairs whose first thing has clearly more."""
    for less, more in combinations(sorted(things, key=lambda thing: thing.value), 2):
        if scale.is_clearly_more(more, less):
            yield more, less


def quantity_axioms(licence: str, rejected: Counter[str]) -> Iterator[SourcedAxiom]:
    """Yield an axiom for each clear pair of things on a shipped scale."""
    for scale, things in shipped_scales().values():
        pairs = list(comparisons(scale, things))
        rejected["quantity: ranges overlap"] += len(things) * (len(things) - 1) // 2 - len(pairs)
        for more, less in pairs:
            axiom = fill("quantity", more.thing, less.thing, scale.conclusion, scale.kind)
            facts = tuple((thing.thing, scale.name, f"{thing.value:g} {scale.unit}") for thing in (more, less))
            yield SourcedAxiom(axiom, "quantity", "machine", licence, "quantities.tsv", more.line, facts)
