"""How much of what people accepted our filters would keep: their recall, on the released axioms.

The release has accepted statements only, so it tells recall and no precision; precision is told by readings of what the
filters let through (docs/results/readings). An axiom passes where its premise is of the type that its template asks for
(constraints.py), and its conclusion is of a certified scale or tells the two apart (crawling.py). How many people
named a trait is not in the release, and is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from horsesense.core.document import Document
from horsesense.data import numbered_lines
from horsesense.errors import UserError
from horsesense.methods.published.reading import json_of
from horsesense.methods.rica import constraints
from horsesense.methods.rica.axioms import And, Axiom, Comp, Prop, Rel, claim, plain
from horsesense.methods.rica.crawling import HABITATS, TOWARDS, tells_classes_apart, traits
from horsesense.methods.rica.notation import parse_form
from horsesense.methods.rica.released_axioms import premise_kind
from horsesense.stats import Estimate, accuracy

_PLACE = re.compile(r"(?:locate|be) (?:at|in|on) (?:(?:a|an|the) )?(.+)")


@dataclass(frozen=True, slots=True)
class KindRecall:
    """Released axioms with one kind of premise."""

    kind: str
    """What the premise speaks of."""
    premise: Estimate
    """Share whose premise is kept."""
    conclusion: Estimate
    """Share whose conclusion is kept."""
    kept: Estimate
    """Share of which both are."""
    lost: tuple[str, ...]
    """A few that are not, as their forms."""


@dataclass(frozen=True, slots=True)
class FilterRecall(Document):
    """What the filters would keep of a release of accepted axioms."""

    axioms: int
    """Released axioms."""
    unfiltered: int
    """Those of grades, places and others, which come from numbers or tables and pass no filter."""
    premise: Estimate
    """Of all others, share whose premise is kept."""
    conclusion: Estimate
    """Share whose conclusion is kept."""
    kept: Estimate
    """Share of which both are."""
    kinds: tuple[KindRecall, ...]
    """The same by kind of premise."""


@dataclass(frozen=True, slots=True)
class _Judged:
    form: str
    premise: bool
    conclusion: bool


def filter_recall(path: Path) -> FilterRecall:
    """Hold every released original against the filters of its kind."""
    by_kind: dict[str, list[_Judged]] = {}
    axioms = 0
    for line, text in numbered_lines(path):
        try:
            form = json_of(text.encode())["original"][0]
            axiom, kind = parse_form(form), premise_kind(form)
        except UserError as error:
            raise error.at(path, line) from None
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            fix = "give RICA_10k_axiom2set.jsonl"
            raise UserError("this is not an axiom of the release", file=path, line=line, fix=fix) from error
        axioms += 1
        if kind in _FILTERS:
            by_kind.setdefault(kind, []).append(_Judged(form.strip(), *_FILTERS[kind](axiom)))
    every = [judged for found in by_kind.values() for judged in found]
    if not every:
        raise UserError("there is no axiom that a filter is for", file=path, fix="give RICA_10k_axiom2set.jsonl")
    kinds = tuple(KindRecall(kind, *_shares(found), tuple(_lost(found))) for kind, found in sorted(by_kind.items()))
    return FilterRecall(axioms, axioms - len(every), *_shares(every), kinds)


def _shares(found: list[_Judged]) -> tuple[Estimate, Estimate, Estimate]:
    units = [str(place) for place in range(len(found))]

    def share(kept: Callable[[_Judged], bool]) -> Estimate:
        return accuracy(np.array([float(kept(each)) for each in found]), units)

    return share(lambda each: each.premise), share(lambda each: each.conclusion), share(_both)


def _both(each: _Judged) -> bool:
    return each.premise and each.conclusion


def _lost(found: list[_Judged], most: int = 3) -> Iterator[str]:
    lost = [each.form for each in found if not _both(each)]
    yield from lost[:: max(1, len(lost) // most)][:most]


def _property(axiom: Axiom) -> str:
    return plain(claim(axiom).left.name).strip().rstrip(".").lower()


def _between(axiom: Axiom) -> tuple[bool, bool]:
    event = plain(axiom.premise.name).strip() if isinstance(axiom.premise, Rel) else ""
    scale = traits("people").get(_property(axiom))
    phrase = scale[0].partition(": ")[2] if scale else ""
    return _typed(constraints.event_between, event), phrase in TOWARDS


def _alone(axiom: Axiom) -> tuple[bool, bool]:
    told = axiom.premise.left if isinstance(axiom.premise, And) else axiom.premise
    event = plain(told.name).strip() if isinstance(told, Prop) else ""
    return _typed(constraints.lone_event, event), _property(axiom) in traits("people")


def _degree(axiom: Axiom) -> tuple[bool, bool]:
    event = plain(axiom.premise.left.name).strip() if isinstance(axiom.premise, Comp) else ""
    return _typed(constraints.habit, event), _property(axiom) in traits("people")


def _typed(constraint: Callable[[str], str | None], event: str) -> bool:
    """Whether an event is of the type; of one person the release keeps only what it does."""
    named = event if event.startswith("person_a") else f"person_a {event}"
    named = named.replace("another person", "person_b")
    return constraint(named) is not None and not constraints.is_symmetric(named)


def _animal(axiom: Axiom) -> tuple[bool, bool]:
    told = _property(axiom)
    if found := _PLACE.fullmatch(told):
        return True, found[1] in {place for places in HABITATS.values() for place in places}
    said = constraints.said_well(told)
    return True, said is not None and tells_classes_apart(said)


def _role(axiom: Axiom) -> tuple[bool, bool]:
    role = plain(axiom.premise.name).replace("_", " ").strip() if isinstance(axiom.premise, Rel) else ""
    return not constraints.is_symmetric(role), constraints.said_well(_property(axiom)) is not None


def _material(axiom: Axiom) -> tuple[bool, bool]:
    return True, _property(axiom) in traits("material")


_FILTERS: dict[str, Callable[[Axiom], tuple[bool, bool]]] = {
    "animal": _animal,
    "comparison": _degree,
    "event-one-person": _alone,
    "event-two-persons": _between,
    "material": _material,
    "occupation": _role,
}
"""By kind of premise: whether the premise is kept, and whether the conclusion is."""
