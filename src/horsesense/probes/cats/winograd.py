"""Winograd schemas in the forms that are about: Davis's XML, JSON of three kinds, a table with a header.

Levesque, Davis, Morgenstern 2012; reframed as in CATs, section "Winograd Schema Challenge (WSC)", table 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import read_bytes
from horsesense.probes.cats import winograd_json, winograd_table, winograd_xml
from horsesense.probes.cats.joining import spaced
from horsesense.probes.cats.pronouns import case_of, substituted
from horsesense.probes.cats.reframed import Reframing
from horsesense.probes.cats.schema import Schema
from horsesense.probes.released.reading import Reading
from horsesense.records import Probe


def read_winograd(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Each schema is one item of the set ``wsc``: its text with each candidate in the pronoun's place."""
    reframing = Reframing(Reading(skip_bad), "wsc")
    for path in paths:
        content = read_bytes(path).lstrip(b"\xef\xbb\xbf \t\r\n")
        if not content:
            raise UserError("the file is empty", file=path, fix="check that it was fetched whole")
        kind = {b"<": winograd_xml, b"{": winograd_json, b"[": winograd_json}.get(content[:1], winograd_table)
        for schema in kind.schemas_of(reframing.reading, path):
            with reframing.reading.line(path, schema.line):
                _add(reframing, schema, path)
    return reframing.probe(paths, "each candidate takes the place of the pronoun, and names keep their case")


def _add(reframing: Reframing, schema: Schema, path: Path) -> None:
    if len(schema.candidates) < 2:
        raise UserError(f"the schema has {len(schema.candidates)} candidates", fix="give two or more")
    before, pronoun, after = (spaced(part) for part in (schema.before, schema.pronoun, schema.after))
    if not pronoun and not before and not after:
        reframing.add(schema.candidates, schema.answer, path, schema.line)
        return
    if not pronoun:
        raise UserError("the schema has no pronoun", fix="mark it, or leave the schema out")
    options = [substituted(before, pronoun, after, spaced(candidate)) for candidate in schema.candidates]
    facets = {"pronoun": pronoun.lower(), "case": case_of(pronoun, f" {after}")}
    reframing.add(options, schema.answer, path, schema.line, facets={**facets})
