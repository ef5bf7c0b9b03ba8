"""Winograd schemas in the forms that are about: Davis's XML, JSON of three kinds, a table with a header.

Levesque, Davis, Morgenstern 2012; reframed as in CATs, section "Winograd Schema Challenge (WSC)", table 2. The XML is
Davis's collection, each text cut at its pronoun.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from horsesense.core import Probe
from horsesense.data import read_bytes
from horsesense.errors import UserError
from horsesense.methods.cats.joining import case_of, spaced, substituted
from horsesense.methods.cats.reframing import Reframing
from horsesense.methods.cats.winograd_rows import WinogradSchema, json_schemas, letter_place, table_schemas
from horsesense.methods.published.reading import Reading


def read_winograd(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Each schema is one item of the set ``wsc``: its text with each candidate in the pronoun's place."""
    reframing = Reframing(Reading(skip_bad), "wsc")
    for path in paths:
        content = read_bytes(path).lstrip(b"\xef\xbb\xbf \t\r\n")
        if not content:
            raise UserError("the file is empty", file=path, fix="check that it was fetched whole")
        schemas_of = {b"<": xml_schemas, b"{": json_schemas, b"[": json_schemas}.get(content[:1], table_schemas)
        for schema in schemas_of(reframing.reading, path):
            with reframing.reading.line(path, schema.line):
                _add(reframing, schema, path)
    return reframing.probe(paths, "each candidate takes the place of the pronoun, and names keep their case")


def _add(reframing: Reframing, schema: WinogradSchema, path: Path) -> None:
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


def xml_schemas(reading: Reading, path: Path) -> Iterator[WinogradSchema]:
    """Every ``<schema>`` of the collection, with the line it begins on."""
    content = read_bytes(path)
    lines: list[int] = []
    parser = expat.ParserCreate()

    def begins(name: str, _: dict[str, str]) -> None:
        if name == "schema":
            lines.append(parser.CurrentLineNumber)

    parser.StartElementHandler = begins
    try:
        parser.Parse(content, True)
        schemas = list(ElementTree.fromstring(content).iter("schema"))
    except (expat.ExpatError, ElementTree.ParseError, LookupError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise UserError(f"this is not XML: {error}", file=path, line=line, fix="get the file again") from None
    for schema, line in zip(schemas, lines, strict=True):
        with reading.line(path, line):
            yield _xml_schema(schema, line)


def _xml_schema(schema: ElementTree.Element, line: int) -> WinogradSchema:
    candidates = tuple("".join(answer.itertext()).strip() for answer in schema.iterfind("answers/answer"))
    if not all(candidates):
        raise UserError("a candidate is empty", fix="fill it in, or leave the schema out")
    return WinogradSchema(
        before=schema.findtext("text/txt1", ""),
        pronoun=schema.findtext("text/pron", ""),
        after=schema.findtext("text/txt2", ""),
        candidates=candidates,
        answer=letter_place(schema.findtext("correctAnswer", ""), len(candidates)),
        line=line,
    )
