"""RICA's released axioms: read as items, and checked against our operators."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files import numbered_lines
from horsesense.language.valence import comparative_valence
from horsesense.methods.releases.reading import Reading, json_of, names_of
from horsesense.methods.rica.axioms import Axiom, Comp, Not, Rel, plain
from horsesense.methods.rica.equivalence import equivalent
from horsesense.methods.rica.notation import parse_form
from horsesense.methods.rica.perturbations import RELEASED, derive
from horsesense.methods.rica.released import blank, comparative, frame, opposite
from horsesense.records import Card, Item, Probe, Source
from horsesense.records.document import Document

# RICA's axioms: a logical form and a statement for each of six perturbations.
#
# Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021).
# A line is one axiom: ``{"original": [logical form, [statement]], "negated": …}``.

LICENCE = "none stated"
MEMBERS = (
    "original",
    "negated",
    "asymmetric_premise",
    "asymmetric_conclusion",
    "negated_asymmetric_premise",
    "negated_asymmetric_conclusion",
)
_NAMED = {"More": "comparison", "animal": "animal", "Location": "location", "Material": "material", "Grade": "grade"}


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
    told = {member: _logic_and_statement(values[member], member) for member in MEMBERS}
    logic = told["original"][0]
    family = reading.unique(logic.strip())
    axiom = min(frame(statement, ("A", "B")) for _, statement in told.values())
    for member, (form, text) in told.items():
        statement = reading.clean(text)
        word = comparative(statement)
        options = tuple(sorted((word, opposite(word))))
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
                    "template": template(logic),
                    "perturbation": "negated" if member.startswith("negated") else "original",
                    "asymmetry": member.rpartition("asymmetric_")[2] if "asymmetric" in member else "none",
                    "comparative": word,
                    "valence": comparative_valence(word),
                },
                source=Source(file=path.name, line=number, id=form.strip(), licence=LICENCE),
            )
        )


def _logic_and_statement(value: Any, member: str) -> tuple[str, str]:
    match value:
        case [str(logic), [str(statement)]] if logic.strip() and statement.strip():
            return logic, statement
    raise UserError(f"{member!r} is not a logical form and a list of one statement", fix="check the file")


def template(logic: str) -> str:
    """The kind of premise that an axiom has, told by its first predicate.

    >>> template("Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))")
    'material'
    >>> template("person_a thanks person_b(A, B), so More(polite(A), polite(B))")
    'event-two-persons'
    """
    predicate = logic.partition("(")[0]
    if predicate in _NAMED:
        return _NAMED[predicate]
    if "person_b" in predicate:
        return "event-two-persons"
    if re.match(r"\w+\(A,B\)", logic):
        return "occupation"
    # Of the person of an event with one person the release keeps only the space after it.
    return "event-one-person" if logic.startswith((" ", "person_a")) else "other"


# The released axioms against our operators: the five other forms derived from each original.


@dataclass(frozen=True, slots=True)
class Difference:
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
class Checked(Document):
    """What came of deriving a whole release."""

    axioms: int
    """Axioms of the release."""
    derived: int
    """Forms that had to be derived."""
    exact: int
    """Forms that came out as the release has them."""
    differences: Sequence[Difference]
    """The others."""


def check_release(path: Path) -> Checked:
    """Derive five forms from each original; what differs by a character is told, with the reason."""
    differences: list[Difference] = []
    axioms = derived = 0
    others = [kind for kind in RELEASED if kind.name != "original"]
    for line, text in numbered_lines(path):
        try:
            forms = {name: told[0] for name, told in json.loads(text).items()}
            original = parse_form(forms["original"])
            axioms += 1
            for kind in others:
                derived += 1
                own = derive(original, kind)
                if str(own) != forms[kind.name]:
                    reason = reason_of(parse_form(forms[kind.name]), original)
                    differences.append(Difference(line, kind.name, forms[kind.name], str(own), reason))
        except UserError as error:
            raise error.at(path, line) from None
        except (ValueError, AttributeError, KeyError, TypeError, IndexError) as error:
            raise UserError(
                "this is not an axiom of the release", file=path, line=line, fix="give RICA_10k_axiom2set.jsonl"
            ) from error
    if not axioms:
        raise UserError("there is no axiom in it", file=path, fix="give RICA_10k_axiom2set.jsonl")
    return Checked(axioms, derived, derived - len(differences), differences)


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
