"""Winograd schemas as Davis publishes them: an XML collection, each text cut at its pronoun."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from horsesense.errors import UserError
from horsesense.files import read_bytes
from horsesense.probes.cats.schema import Schema, letter_place
from horsesense.probes.released.reading import Reading


def schemas_of(reading: Reading, path: Path) -> Iterator[Schema]:
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
            found = _schema(schema, line)
            yield found


def _schema(schema: ElementTree.Element, line: int) -> Schema:
    candidates = tuple("".join(answer.itertext()).strip() for answer in schema.iterfind("answers/answer"))
    if not all(candidates):
        raise UserError("a candidate is empty", fix="fill it in, or leave the schema out")
    return Schema(
        before=schema.findtext("text/txt1", ""),
        pronoun=schema.findtext("text/pron", ""),
        after=schema.findtext("text/txt2", ""),
        candidates=candidates,
        answer=letter_place(schema.findtext("correctAnswer", ""), len(candidates)),
        line=line,
    )
