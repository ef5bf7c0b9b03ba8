"""RICA's released axioms: read as items, and checked against our operators.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021). A line is one
axiom, a logical form and a statement for each of six perturbations: ``{"original": [logical form, [statement]],
"negated": …}``. `read_rica_axioms` makes items of them; `check_release` derives the five other forms from each
original and tells where the release differs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horsesense.core import Card, Item, Probe, Source
from horsesense.core.document import Document
from horsesense.data import numbered_lines
from horsesense.errors import UserError
from horsesense.lexicons.valence import comparative_valence
from horsesense.methods.published.reading import Reading, json_of, names_of
from horsesense.methods.rica.axioms import Axiom, Comp, Not, Rel, plain
from horsesense.methods.rica.equivalence import equivalent
from horsesense.methods.rica.notation import parse_form
from horsesense.methods.rica.perturbations import RELEASED, derive
from horsesense.methods.rica.released import LICENCE, blank, comparative, other_candidate
from horsesense.methods.rica.released_units import content_words

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
    """Each axiom is a family of six clozes over the comparative of the conclusion."""
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
    """The kind of premise that an axiom has, told by its first predicate.

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
    # Of the person of an event with one person the release keeps only the space after it.
    return "event-one-person" if logic.startswith((" ", "person_a")) else "other"


# The release against our operators.


@dataclass(frozen=True, slots=True)
class FormDifference:
    """A released form that is not what its original gives."""

    line: int
    """Of the released file."""
    kind: str
    """Which of the five other forms."""
    released: str
    """What the release has."""
    derived: str
    """What the original gives."""
    reason: str
    """Why they differ, where that is known."""


@dataclass(frozen=True, slots=True)
class ReleaseCheck(Document):
    """What came of deriving a whole release."""

    axioms: int
    """Axioms of the release."""
    derived: int
    """Forms that had to be derived."""
    exact: int
    """Forms that came out as the release has them."""
    differences: Sequence[FormDifference]
    """The others."""


def check_release(path: Path) -> ReleaseCheck:
    """Derive five forms from each original; what differs by a character is told, with the reason."""
    differences: list[FormDifference] = []
    axioms = derived = 0
    others = [kind for kind in RELEASED if kind.name != "original"]
    for line, text in numbered_lines(path):
        try:
            forms = {name: member[0] for name, member in json.loads(text).items()}
            original = parse_form(forms["original"])
            axioms += 1
            for kind in others:
                derived += 1
                form, released = str(derive(original, kind)), forms[kind.name]
                if form != released:
                    reason = reason_of(parse_form(released), original)
                    differences.append(FormDifference(line, kind.name, released, form, reason))
        except UserError as error:
            raise error.at(path, line) from None
        except (ValueError, AttributeError, KeyError, TypeError, IndexError) as error:
            raise UserError(
                "this is not an axiom of the release", file=path, line=line, fix="give RICA_10k_axiom2set.jsonl"
            ) from error
    if not axioms:
        raise UserError("there is no axiom in it", file=path, fix="give RICA_10k_axiom2set.jsonl")
    return ReleaseCheck(axioms, derived, derived - len(differences), differences)


def reason_of(released: Axiom, original: Axiom) -> str:
    """Why a released form is not what its original gives."""
    term = released.conclusion
    inner = term.term if isinstance(term, Not) else term
    if isinstance(inner, Comp) and inner.right is not None and inner.left.entity == inner.right.entity:
        return f"the release compares {inner.left.entity} with itself, by {plain(inner.word)!r}"
    if isinstance(released.premise, Rel) and released.premise.gap is None:
        return "the release lost the premise's second mention of a person, and its entities"
    if equivalent(released, original).equivalent:
        return "the same, written in another way"
    return "the release says something else: not every person of the premise was exchanged"
