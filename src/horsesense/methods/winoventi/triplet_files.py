"""Triplets and schemas as tables that people can read, write and correct: what the steps hand to one another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from horsesense.data.tables import ending, iter_rows, open_table, write_rows
from horsesense.errors import UserError
from horsesense.methods.winoventi.checks import CheckedSchema
from horsesense.methods.winoventi.schemas import (
    PASSED,
    PROPOSED,
    VALIDATED,
    Origin,
    Premise,
    Schema,
    Triplet,
    parse_premise,
)
from horsesense.methods.winoventi.special_word import differing

TRIPLET_COLUMNS = ("noun", "generic", "exception", "exception_origin", "k")
SCHEMA_COLUMNS = (*TRIPLET_COLUMNS, "premise", "frame", "origin", "annotator", "status", "objections")
_RELEASED = {"Word": "noun", "Associative Bias": "generic", "Alternative": "exception", "context_sentence": "premise"}
_JOINED = "; "


def write_triplets(path: Path, triplets: Iterable[Triplet]) -> None:
    write_rows(path, map(_triplet_row, triplets), TRIPLET_COLUMNS)


def _triplet_row(triplet: Triplet) -> dict[str, Any]:
    return {
        "noun": triplet.noun,
        "generic": triplet.generic,
        "exception": triplet.exception,
        "exception_origin": triplet.origin,
        "k": triplet.k,
    }


def read_triplets(path: Path) -> list[Triplet]:
    """Triplets as `write_triplets` wrote them, or a person with at least noun, generic and exception."""
    triplets = []
    for line, row in iter_rows(path):
        try:
            triplets.append(_triplet(row))
        except UserError as error:
            raise error.at(path, line) from None
    return triplets


def _triplet(row: Mapping[str, Any]) -> Triplet:
    missing = next((name for name in TRIPLET_COLUMNS[:3] if not row.get(name)), None)
    if missing is not None:
        raise UserError(
            f"the column {missing!r} is missing or empty", fix=f"a triplet has {', '.join(TRIPLET_COLUMNS[:3])}"
        )
    k = str(row.get("k") or 0)
    if not k.isdigit():
        raise UserError(f"the depth {k!r} is not a whole number")
    noun, generic, exception = (str(row[name]).strip() for name in TRIPLET_COLUMNS[:3])
    if generic == exception:
        raise UserError(f"the exception of {noun!r} is the association {generic!r} itself", fix="give another word")
    return Triplet(noun, generic, exception, str(row.get("exception_origin") or ""), int(k))


def write_schemas(path: Path, schemas: Iterable[CheckedSchema]) -> None:
    """Schemas with what speaks against each."""
    rows = (
        _triplet_row(checked.schema.triplet)
        | {"premise": str(checked.schema.premise), "frame": checked.schema.frame, "origin": checked.schema.origin}
        | {"annotator": checked.schema.annotator, "status": checked.schema.status}
        | {"objections": _JOINED.join(checked.objections)}
        for checked in schemas
    )
    write_rows(path, rows, SCHEMA_COLUMNS)


def read_schemas(
    path: Path, origin: Origin = "people", skip_bad: bool = False
) -> tuple[list[CheckedSchema], list[UserError]]:
    """Schemas of a table, and what was wrong with each line that was skipped.

    A premise is one sentence with ``[ this / that ]`` in it, or two sentences in the columns ``generic_premise`` and
    ``exception_premise`` that differ in one word. The release's context collection is read too.
    """
    schemas: list[CheckedSchema] = []
    skipped: list[UserError] = []
    for line, row in _rows(path):
        try:
            schemas.append(_checked(row, path, line, origin))
        except UserError as error:
            placed = error.at(path, line)
            if not skip_bad:
                raise placed from None
            skipped.append(placed)
    if not schemas and skipped:
        raise skipped[0]
    return schemas, skipped


def _checked(row: Mapping[str, Any], path: Path, line: int, origin: Origin) -> CheckedSchema:
    written = str(row.get("origin") or origin)
    if written not in ("people", "release", "machine"):
        raise UserError(f"the origin {written!r} is unknown", fix="use people, release or machine")
    status = str(row.get("status") or PROPOSED)
    if status not in (PROPOSED, PASSED) and not (status.startswith(VALIDATED) and status != VALIDATED):
        raise UserError(f"the status {status!r} is unknown", fix=f"use {PROPOSED}, {PASSED} or {VALIDATED}NAME")
    schema = Schema(
        triplet=_triplet(row),
        premise=_premise(row),
        origin=written,  # type: ignore[arg-type]  # one of the three, as the line above found
        annotator=str(row.get("annotator") or ""),
        file=path.name,
        line=line,
        frame=str(row.get("frame") or ""),
        status=status,
    )
    return CheckedSchema(schema, tuple(filter(None, str(row.get("objections") or "").split(_JOINED))))


def _premise(row: Mapping[str, Any]) -> Premise:
    if row.get("premise"):
        return parse_premise(str(row["premise"]))
    generic, exception = (str(row.get(f"{test}_premise") or "") for test in ("generic", "exception"))
    if not generic or not exception:
        raise UserError("the line has no premise", fix="write it as: Jo [screamed / shivered] at the pan.")
    differences = differing(generic, exception)
    if len(differences) != 1:
        raise UserError(
            f"the premises differ in {len(differences)} words or more: {generic!r} and {exception!r}",
            fix="let them differ in one",
        )
    start, end = differences[0].spans[0]
    return Premise(generic[:start], *differences[0].words, generic[end:])


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Tables of ours by their ending; the release's file is called .csv and has tabs."""
    table = open_table(path)
    if ending(path) == ".csv" and set(_RELEASED) <= set(table.header):
        for number, cells in table.rows:
            row = dict(zip(table.header, cells, strict=False))
            yield number, {name: row.get(column, "") for column, name in _RELEASED.items()} | {"origin": "release"}
    else:
        yield from iter_rows(path)
