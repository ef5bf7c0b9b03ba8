"""The published axioms of RICA: read as items, compared with our operators, and passed through our filters.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021). A line is one
axiom with a logical form and a statement for each of six perturbations: ``{"original": [logical form, [statement]],
"negated": …}``.

All published axioms were accepted by people, so they give the recall of our filters and not their precision. An axiom
passes if its premise has the type that its template needs (type_constraints.py), and its conclusion has a certified
scale or distinguishes the two (strategies.py). The files do not say how many people named a trait, so that filter is
left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from horsesense.core import Card, Item, Probe, Source
from horsesense.core.document import Document
from horsesense.data import numbered_lines
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.word_forms import comparative_valence
from horsesense.methods.published.reading import Reading, json_of, names_of
from horsesense.methods.rica import type_constraints as constraints
from horsesense.methods.rica.axioms import And, Axiom, Comp, Not, Prop, Rel, claim, plain
from horsesense.methods.rica.notation import parse_form
from horsesense.methods.rica.perturbations import PUBLISHED, perturb, prove
from horsesense.methods.rica.published_statements import LICENCE, blank, comparative, content_words, other_candidate
from horsesense.methods.rica.strategies import HABITATS, TOWARDS, distinguishes_classes, traits
from horsesense.stats import Estimate, accuracy

MEMBERS = (
    "original",
    "negated",
    "asymmetric_premise",
    "asymmetric_conclusion",
    "negated_asymmetric_premise",
    "negated_asymmetric_conclusion",
)
_PREMISE_KINDS = {
    "More": "comparison",
    "animal": "animal",
    "Location": "location",
    "Material": "material",
    "Grade": "grade",
}


def read_rica_axioms(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Read axioms as families of six clozes over the comparative of the conclusion."""
    reading = Reading(skip_bad)
    for path in paths:
        for number, raw in reading.lines(path):
            with reading.line(path, number):
                _add_axiom(reading, json_of(raw), path, number)
    card = Card(
        name="rica-axioms",
        method="rica",
        licence=LICENCE,
        made=f"Read from the axioms of RICA ({names_of(paths)}); the comparative of the conclusion is blanked.",
        normalise="sum",
        group="family",
    )
    return reading.probe(card, paths)


def _add_axiom(reading: Reading, values: dict[str, Any], path: Path, number: int) -> None:
    extra = next((key for key in values if key not in MEMBERS), None)
    if extra is not None or len(values) < len(MEMBERS):
        missing = next((key for key in MEMBERS if key not in values), "")
        raise UserError(
            f"the axiom lacks {missing!r}" if missing else f"the axiom has the unknown perturbation {extra!r}",
            fix=f"an axiom has {', '.join(MEMBERS)}",
        )
    members = {member: _logic_and_statement(values[member], member) for member in MEMBERS}
    original = members["original"][0]
    family = reading.unique(original.strip())
    axiom = min(content_words(statement, ("A", "B")) for _, statement in members.values())
    for member, (logic, text) in members.items():
        statement = reading.clean(text)
        word = comparative(statement)
        options = tuple(sorted((word, other_candidate(word))))
        reading.add(
            Item(
                probe="rica-axioms",
                form="cloze",
                text=blank(statement, word),
                options=options,
                answer=options.index(word),
                family=family,
                member=member,
                groups={"axiom": axiom},
                facets={
                    "template": premise_kind(original),
                    "perturbation": "negation" if member.startswith("negated") else "original",
                    "asymmetry": member.rpartition("asymmetric_")[2] if "asymmetric" in member else "none",
                    "comparative": word,
                    "valence": comparative_valence(word),
                },
                source=Source(file=path.name, line=number, id=logic.strip(), licence=LICENCE),
            )
        )


def _logic_and_statement(value: Any, member: str) -> tuple[str, str]:
    match value:
        case [str(logic), [str(statement)]] if logic.strip() and statement.strip():
            return logic, statement
    raise UserError(f"{member!r} is not a logical form and a list of one statement", fix="check the file")


def premise_kind(logic: str) -> str:
    """Return the kind of premise of an axiom, from its first predicate.

    >>> premise_kind("Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))")
    'material'
    >>> premise_kind("person_a thanks person_b(A, B), so More(polite(A), polite(B))")
    'event-two-persons'
    """
    predicate = logic.partition("(")[0]
    if predicate in _PREMISE_KINDS:
        return _PREMISE_KINDS[predicate]
    if "person_b" in predicate:
        return "event-two-persons"
    if re.match(r"\w+\(A,B\)", logic):
        return "occupation"
    # In events with one person the published form keeps only the space after the person.
    return "event-one-person" if logic.startswith((" ", "person_a")) else "other"


# The published axioms compared with our operators.


@dataclass(frozen=True, slots=True)
class FormDifference:
    """A published form that does not follow from its original."""

    line: int
    """Line of the published file."""
    kind: str
    """Kind of the form."""
    published: str
    """The published form."""
    derived: str
    """The form that follows from the original."""
    reason: str
    """Why they differ."""


@dataclass(frozen=True, slots=True)
class PublishedAxiomCheck(Document):
    """Result of deriving all published forms."""

    axioms: int
    """Number of published axioms."""
    derived: int
    """Number of forms to derive."""
    exact: int
    """Number of forms derived exactly."""
    differences: Sequence[FormDifference]
    """The other forms."""


@translate_errors()
def check_published_axioms(file: str | Path) -> PublishedAxiomCheck:
    """Derive the other forms of each published axiom from its original, and list those that differ.

    Args:
        file: Published axioms (RICA_10k_axiom2set.jsonl), plain or gzipped.

    Returns:
        The number of forms derived exactly, and the differences.
    """
    others = [kind.name for kind in PUBLISHED if kind.name != "original"]
    axioms = list(_for_each_axiom(Path(file), _differences))
    differences = [each for found in axioms for each in found]
    derived = len(axioms) * len(others)
    return PublishedAxiomCheck(len(axioms), derived, derived - len(differences), differences)


def _differences(forms: Mapping[str, str], line: int) -> list[FormDifference]:
    original = parse_form(forms["original"])
    found = []
    for kind in PUBLISHED:
        form, released = str(perturb(original, kind)), forms[kind.name]
        if kind.name != "original" and form != released:
            reason = reason_of(parse_form(released), original)
            found.append(FormDifference(line, kind.name, released, form, reason))
    return found


_Result = TypeVar("_Result")


def _for_each_axiom(path: Path, use: Callable[[Mapping[str, str], int], _Result]) -> Iterator[_Result]:
    """Yield the result of ``use`` for the forms of each published axiom by kind, and its line."""
    fix = "give RICA_10k_axiom2set.jsonl"
    empty = True
    for line, text in numbered_lines(path):
        empty = False
        try:
            yield use({name: member[0] for name, member in json.loads(text).items()}, line)
        except UserError as error:
            raise error.at(path, line) from None
        except (ValueError, AttributeError, KeyError, TypeError, IndexError) as error:
            raise UserError("this is not a published axiom", file=path, line=line, fix=fix) from error
    if empty:
        raise UserError("there is no axiom in it", file=path, fix=fix)


def reason_of(released: Axiom, original: Axiom) -> str:
    """Return why a published form does not follow from its original."""
    term = released.conclusion
    inner = term.term if isinstance(term, Not) else term
    if isinstance(inner, Comp) and inner.right is not None and inner.left.entity == inner.right.entity:
        return f"the published form compares {inner.left.entity} with itself, by {plain(inner.word)!r}"
    if isinstance(released.premise, Rel) and released.premise.gap is None:
        return "the published premise lacks the second mention of a person, and its entities"
    if prove(released, original).equivalent:
        return "equivalent, but written differently"
    return "the published form is not equivalent: not every person of the premise was exchanged"


_PLACE = re.compile(r"(?:locate|be) (?:at|in|on) (?:(?:a|an|the) )?(.+)")


@dataclass(frozen=True, slots=True)
class KindRecall:
    """Recall on published axioms with one kind of premise."""

    kind: str
    """Kind of premise."""
    premise: Estimate
    """Share of premises that pass."""
    conclusion: Estimate
    """Share of conclusions that pass."""
    kept: Estimate
    """Share of axioms whose premise and conclusion pass."""
    lost: tuple[str, ...]
    """Some axioms that do not pass, as forms."""


@dataclass(frozen=True, slots=True)
class FilterRecall(Document):
    """Recall of the filters on published axioms."""

    axioms: int
    """Number of published axioms."""
    unfiltered: int
    """Number of axioms about grades, places and others, which come from numbers or tables and need no filter."""
    premise: Estimate
    """Share of premises that pass, among the other axioms."""
    conclusion: Estimate
    """Share of conclusions that pass."""
    kept: Estimate
    """Share of axioms whose premise and conclusion pass."""
    kinds: tuple[KindRecall, ...]
    """Recall by kind of premise."""


@translate_errors()
def filter_recall(file: str | Path) -> FilterRecall:
    """Measure how many published axioms, all accepted by people, the filters on knowledge bases would keep.

    Args:
        file: Published axioms (RICA_10k_axiom2set.jsonl), plain or gzipped.

    Returns:
        The recall by kind of premise, with intervals.
    """
    originals = list(_for_each_axiom(Path(file), lambda forms, _: (forms["original"], parse_form(forms["original"]))))
    by_kind: dict[str, list[tuple[str, bool, bool]]] = {}
    for form, axiom in originals:
        if (kind := premise_kind(form)) in _FILTERS:
            by_kind.setdefault(kind, []).append((form.strip(), *_FILTERS[kind](axiom)))
    every = [judged for found in by_kind.values() for judged in found]
    if not every:
        raise UserError("no axiom has a filter", file=Path(file), fix="give RICA_10k_axiom2set.jsonl")
    kinds = tuple(KindRecall(kind, *_shares(found), tuple(_lost(found))) for kind, found in sorted(by_kind.items()))
    return FilterRecall(len(originals), len(originals) - len(every), *_shares(every), kinds)


def _shares(found: Sequence[tuple[str, bool, bool]]) -> tuple[Estimate, Estimate, Estimate]:
    """Return the shares of premises, of conclusions, and of both that pass."""
    units = [str(i) for i in range(len(found))]
    passes = np.array([(premise, conclusion, premise and conclusion) for _, premise, conclusion in found], dtype=float)
    premise, conclusion, both = (accuracy(column, units) for column in passes.T)
    return premise, conclusion, both


def _lost(found: Sequence[tuple[str, bool, bool]], most: int = 3) -> list[str]:
    lost = [form for form, premise, conclusion in found if not (premise and conclusion)]
    return lost[:: max(1, len(lost) // most)][:most]


def _property(axiom: Axiom) -> str:
    return plain(claim(axiom).left.name).strip().rstrip(".").lower()


def _between(axiom: Axiom) -> tuple[bool, bool]:
    event = plain(axiom.premise.name).strip() if isinstance(axiom.premise, Rel) else ""
    scale = traits("people").get(_property(axiom))
    phrase = scale[0].partition(": ")[2] if scale else ""
    return _typed(constraints.event_between, event), phrase in TOWARDS


def _alone(axiom: Axiom) -> tuple[bool, bool]:
    term = axiom.premise.left if isinstance(axiom.premise, And) else axiom.premise
    event = plain(term.name).strip() if isinstance(term, Prop) else ""
    return _typed(constraints.lone_event, event), _property(axiom) in traits("people")


def _degree(axiom: Axiom) -> tuple[bool, bool]:
    event = plain(axiom.premise.left.name).strip() if isinstance(axiom.premise, Comp) else ""
    return _typed(constraints.habit, event), _property(axiom) in traits("people")


def _typed(constraint: Callable[[str], str | None], event: str) -> bool:
    """Return whether an event has the type; for one person the published form keeps only the action."""
    named = event if event.startswith("person_a") else f"person_a {event}"
    named = named.replace("another person", "person_b")
    return constraint(named) is not None and not constraints.is_symmetric(named)


def _animal(axiom: Axiom) -> tuple[bool, bool]:
    phrase = _property(axiom)
    if found := _PLACE.fullmatch(phrase):
        return True, found[1] in {place for places in HABITATS.values() for place in places}
    ability = constraints.plain_ability(phrase)
    return True, ability is not None and distinguishes_classes(ability)


def _role(axiom: Axiom) -> tuple[bool, bool]:
    role = plain(axiom.premise.name).replace("_", " ").strip() if isinstance(axiom.premise, Rel) else ""
    return not constraints.is_symmetric(role), constraints.plain_ability(_property(axiom)) is not None


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
"""By kind of premise: whether the premise and the conclusion pass."""
