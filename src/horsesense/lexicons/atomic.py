"""ATOMIC: events and what people conclude from them, from the official files and the preprocessed ones.

Sap et al. (2019), official csv: one event a line, a JSON list a relation. ATOMIC 2020, tsv: head, relation, tail.
Malaviya et al. (2020): event, relation, inference with PersonX as John and PersonY as Tom.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from horsesense.data import numbered_lines
from horsesense.data.tables import COMMAS, open_table
from horsesense.errors import UserError
from horsesense.lexicons.triples import Fact, Facts

LICENCE = "CC BY 4.0"
_PERSONS = {"personx": "person_a", "john": "person_a", "persony": "person_b", "tom": "person_b"}
_PERSON = re.compile(r"\b(personx|persony|personz|john|tom)\b", re.IGNORECASE)
_RELATIONS = ("oEffect", "oReact", "oWant", "xAttr", "xEffect", "xIntent", "xNeed", "xReact", "xWant")


def read_atomic(paths: Sequence[Path], relations: Sequence[str] = ("xAttr",)) -> Facts:
    """Events about ``person_a`` (and ``person_b``) with what follows from them; a fact weighs as often as it was said.

    An event that has a blank in it, a third person, or nobody left after the clean-up is counted and left out.
    """
    left_out: Counter[str] = Counter()
    said: Counter[tuple[str, str, str]] = Counter()
    for path in paths:
        for relation, event, tail in _rows(path):
            if relation not in relations:
                continue
            cleaned = event_of(event)
            if not cleaned.startswith("person_a "):
                left_out[cleaned] += 1
                continue
            if tail.strip().lower() in ("none", ""):
                left_out["inference: none"] += 1
                continue
            said[relation, cleaned, tail.strip().lower()] += 1
    facts = tuple(Fact(*triple, weight=float(times)) for triple, times in said.items())
    return Facts("atomic", LICENCE, facts, left_out)


def event_of(text: str) -> str:
    """The event about person_a and person_b; where it is of no use, the reason instead.

    >>> event_of("PersonX gives PersonY PersonX's seat"), event_of("John  eats Tom's  lunch"), event_of("it rains")
    ("person_a gives person_b person_a's seat", 'event: a word is missing', 'event: no person at its head')
    """
    if "_" in text or "  " in text or text.endswith(" "):
        # The preprocessed files took the blank out and left the spaces around it.
        return "event: a word is missing"
    event = _PERSON.sub(lambda person: _PERSONS.get(person[0].lower(), "person_c"), text.strip())
    if "person_c" in event:
        return "event: a third person"
    event = event.replace(" 's", "'s")
    return event if event.startswith("person_a ") else "event: no person at its head"


def _rows(path: Path) -> Iterator[tuple[str, str, str]]:
    """Relation, event and inference of each line, whichever of the three formats it is."""
    lines = numbered_lines(path)
    _, first = next(lines, (0, ""))
    if first.startswith("event,"):
        yield from _official(path)
        return
    for number, line in numbered_lines(path):
        cells = line.split("\t")
        if len(cells) != 3:
            raise UserError(
                "this is not a line of ATOMIC", file=path, line=number, fix="a line has event, relation, inference"
            )
        yield cells[1], cells[0], cells[2]


def _official(path: Path) -> Iterator[tuple[str, str, str]]:
    table = open_table(path, COMMAS)
    for number, cells in table.rows:
        row = dict(zip(table.header, cells, strict=False))
        for relation in _RELATIONS:
            try:
                inferences = json.loads(row.get(relation) or "[]")
            except json.JSONDecodeError as error:
                raise UserError(f"{relation} is not a JSON list", file=path, line=number, fix="get it again") from error
            for inference in inferences:
                yield relation, row["event"], str(inference)
