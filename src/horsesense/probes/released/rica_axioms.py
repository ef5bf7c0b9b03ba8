"""RICA's axioms: a logical form and a statement for each of six perturbations.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021).
A line is one axiom: ``{"original": [logical form, [statement]], "negated": …}``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.language.valence import comparative_valence
from horsesense.probes.released.conclusion import blank, comparative, frame, opposite
from horsesense.probes.released.reading import Reading, json_of, names_of
from horsesense.records import Card, Item, Probe, Source

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
