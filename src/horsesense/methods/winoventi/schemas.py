"""Schemas: two premises that differ in one word, and the outcome that each calls for (sections 2.1 and 2.5).

A triplet is a noun, its generic word and an exception. The special word is the one word in which the two texts of a
schema differ. Triplets and schemas are stored as tables that people can read and correct.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from horsesense.core import BLANK, Facet, Item, Probe, Source
from horsesense.data.tables import ending, iter_rows, open_table, write_rows
from horsesense.errors import UserError
from horsesense.lexicons.words import word_spans
from horsesense.methods.winoventi.nouns import AGREEING, LITERAL, Noun, fill_template

THIRDS = ("first", "middle", "last")
REVERSE = "winoventi-reverse"


@dataclass(frozen=True, slots=True)
class WordDifference:
    """The difference of two texts."""

    spans: tuple[tuple[int, int], tuple[int, int]]
    """Start and end of the word in either text."""
    words: tuple[str, str]


_ARTICLES = {"a", "an"}
_ELSEWHERE = WordDifference(((0, 0), (0, 0)), ("", ""))
"""A difference between texts that cannot be aligned."""


def word_differences(text: str, other: str) -> list[WordDifference]:
    """Return the words in which two texts of equal length differ; a schema has one difference.

    Texts with different numbers of words count as two differences or more. *A* and *an* belong to the next word.

    >>> [d.words for d in word_differences("Jo screamed at it.", "Jo shivered at it.")]
    [('screamed', 'shivered')]
    >>> [d.words for d in word_differences("Jo sat by a stove.", "Jo sat by an oven.")]
    [('a stove', 'an oven')]
    >>> len(word_differences("Jo ran to it.", "Jo sat by it."))
    2
    """
    spans, other_spans = word_spans(text), word_spans(other)
    words, other_words = [text[a:b] for a, b in spans], [other[a:b] for a, b in other_spans]
    if len(words) != len(other_words):
        return [_ELSEWHERE] * max(2, abs(len(words) - len(other_words)))
    apart = [i for i, both in enumerate(zip(words, other_words, strict=True)) if both[0] != both[1]]
    if len(apart) == 2 and apart[1] == apart[0] + 1 and {words[apart[0]], other_words[apart[0]]} == _ARTICLES:
        ends = [(each[apart[0]][0], each[apart[1]][1]) for each in (spans, other_spans)]
        return [WordDifference((ends[0], ends[1]), (text[slice(*ends[0])], other[slice(*ends[1])]))]
    return [WordDifference((spans[i], other_spans[i]), (words[i], other_words[i])) for i in apart]


def third_of(premise: str, start: int) -> str:
    """Return in which third of a premise a word begins, by characters (section 2.7).

    The paper does not define it; counting characters comes nearest to its shares on the published rows.

    >>> [third_of("Jo laid the big red cup away.", start) for start in (0, 12, 24)]
    ['first', 'middle', 'last']
    """
    return THIRDS[min(2, 3 * start // max(1, len(premise)))]


def premise_of(text: str) -> str:
    """Return the text without its last sentence, which is the outcome with the blank.

    >>> premise_of("Jo screamed. The pan is ___.")
    'Jo screamed.'
    """
    before = text.partition(BLANK)[0].rstrip()
    ends = [i for i in range(len(before)) if before[i] in ".!?" and before[i + 1 : i + 2] == " "]
    return before[: ends[-1] + 1] if ends else ""


def triplet_name(item: Item) -> str:
    """Return the name of an item's triplet: noun, generic word and exception."""
    return " | ".join((item.groups.get("noun", ""), str(item.facets["bias"]), str(item.facets["alternative"])))


def pairs_of(items: Iterable[Item]) -> dict[str, dict[str, Item]]:
    """Return family → member → item, for schemas that have both members."""
    families: dict[str, dict[str, Item]] = {}
    for item in items:
        families.setdefault(item.family, {})[item.member] = item
    return {name: members for name, members in families.items() if {"generic", "exception"} <= members.keys()}


def special_facets(
    items: Sequence[Item], pos_of: Mapping[tuple[str, str], str] | None = None
) -> dict[str, dict[str, Facet]]:
    """Return item id → third of the premise with its special word, and its part of speech if known."""
    by_item: dict[str, dict[str, Facet]] = {}
    for members in pairs_of(items).values():
        differences = word_differences(members["generic"].text, members["exception"].text)
        if len(differences) != 1:
            continue
        difference = differences[0]
        third = third_of(premise_of(members["generic"].text), difference.spans[0][0])
        facets: dict[str, Facet] = {"third": third}
        if pos_of is not None:
            facets["special_pos"] = pos_of.get(difference.words, "other")
        # Both texts of a schema get the position in the generic one, so that they stay together.
        by_item |= {members[member].id: facets for member in ("generic", "exception")}
    return by_item


def reverse_probe(probe: Probe) -> Probe:
    """Return the reversed test: the outcome is given and the special word is asked (types 3 and 4 of the published
    files).

    A schema whose texts differ in more than one word cannot be reversed; it is left out and counted.
    """
    items, left_out = [], 0
    for members in pairs_of(probe.items).values():
        generic, exception = members["generic"], members["exception"]
        differences = word_differences(generic.text, exception.text)
        if len(differences) != 1 or differences[0].words[0].lower() == differences[0].words[1].lower():
            left_out += 1
            continue
        items += [_turned(generic, differences[0], 0), _turned(exception, differences[0], 1)]
    card = replace(
        probe.card, name=REVERSE, made=f"The context word of {probe.card.name} asked for, its outcome given."
    )
    notes = {"schemas that cannot be reversed": left_out} if left_out else {}
    return Probe.of(items, replace(card, notes={}), notes)


def _turned(item: Item, difference: WordDifference, which: int) -> Item:
    assert item.answer is not None
    start, end = difference.spans[which]
    text = item.text[:start] + "\0" + item.text[end:]
    text = text.replace(BLANK, item.options[item.answer]).replace("\0", BLANK)
    options = tuple(sorted(difference.words))
    return replace(
        item, probe=REVERSE, text=text, options=options, answer=options.index(difference.words[which]), concepts=()
    )


Origin = Literal["people", "release", "machine"]

PROPOSED, PASSED = "proposed", "passed by machine checks"
"""Status of a schema: only written; through all checks by rule and machine."""
VALIDATED = "validated by "
"""Beginning of the third status, followed by a person, a group of people, or a stated judge."""

_PAIR = re.compile(r"\[\s*([^\[\]/]*?)\s*/\s*([^\[\]/]*?)\s*\]")


@dataclass(frozen=True, slots=True)
class Triplet:
    """A noun, an associated word, and an exception."""

    noun: str
    generic: str
    exception: str
    origin: str = ""
    """Origin of the exception: people, release, antonym, similar, morphology, conceptnet, model."""
    k: int = 0
    """Smallest depth of the association; 0 if unknown."""

    @property
    def name(self) -> str:
        return " | ".join((self.noun, self.generic, self.exception))


@dataclass(frozen=True, slots=True)
class PremisePair:
    """A sentence with a slot for one of two words."""

    before: str
    generic: str
    """The special word that calls for the generic outcome."""
    exception: str
    """The special word that calls for the exception."""
    after: str

    @property
    def sentences(self) -> tuple[str, str]:
        """The sentence with the first and with the second special word."""
        return f"{self.before}{self.generic}{self.after}", f"{self.before}{self.exception}{self.after}"

    def __str__(self) -> str:
        return f"{self.before}[{self.generic} / {self.exception}]{self.after}"


def _without_article(word: str) -> str:
    """Remove *a* or *an*, which belongs to the next word."""
    return word.removeprefix("a ").removeprefix("an ")


def parse_premise(text: str) -> PremisePair:
    """Parse ``… [ this / that ] …``, as in the published files; *a* and *an* may belong to the word.

    >>> parse_premise("Jo put the cup [ down / away ].").sentences
    ('Jo put the cup down.', 'Jo put the cup away.')
    """
    text = " ".join(text.split())
    pairs = list(_PAIR.finditer(text))
    if len(pairs) != 1:
        raise UserError(
            f"the premise {text!r} has {len(pairs)} pairs of special words", fix="write [ one / other ] exactly once"
        )
    (pair,) = pairs
    for word in pair.groups():
        if not word or " " in _without_article(word):
            raise UserError(
                f"the premises differ in more than one word: {word!r} in {text!r}", fix="use one word on either side"
            )
    if pair[1].lower() == pair[2].lower():
        raise UserError(f"the two special words of {text!r} are the same")
    return PremisePair(text[: pair.start()], pair[1], pair[2], text[pair.end() :])


def merge_premises(generic: str, exception: str) -> PremisePair | None:
    """Merge two texts that differ in one word; None if they are not a pair.

    >>> str(merge_premises("Jo sat by a stove.", "Jo sat by an oven."))
    'Jo sat by [a stove / an oven].'
    """
    differences = word_differences(generic, exception)
    if len(differences) != 1:
        return None
    start, end = differences[0].spans[0]
    return PremisePair(generic[:start], *differences[0].words, generic[end:])


@dataclass(frozen=True, slots=True)
class Schema:
    """A premise pair for a triplet."""

    triplet: Triplet
    premise: PremisePair
    origin: Origin
    """Author of the premise; machine-written ones are never mixed with people's."""
    annotator: str = ""
    file: str = ""
    line: int = 0
    frame: str = ""
    """Frame of the premise; schemas of one frame are a cluster. Empty: its own."""
    status: str = PROPOSED
    """``proposed``, ``passed by machine checks``, or ``validated by NAME``."""

    @property
    def validated(self) -> bool:
        """Whether people or a stated judge validated it."""
        return self.status.startswith(VALIDATED)

    @property
    def name(self) -> str:
        """Name of its family, as the reader of the published files makes it."""
        return " | ".join((self.triplet.name, self.premise.generic, self.premise.exception))


def items_of(
    schema: Schema, noun: Noun, *, as_paper: bool = False, licence: str = "", probe: str = "winoventi"
) -> list[Item]:
    """Return the generic and the exception item of a schema, as the reader of the published files makes them.

    >>> hot = Schema(Triplet("pan", "hot", "cold"), parse_premise("Jo [screamed / shivered] at the pan."), "people")
    >>> [(item.member, item.text, item.options[item.answer]) for item in items_of(hot, Noun("pan"))][1]
    ('exception', 'Jo shivered at the pan. The pan is ___.', 'cold')
    """
    triplet, premise = schema.triplet, schema.premise
    options = tuple(sorted((triplet.generic, triplet.exception)))
    outcome = fill_template(LITERAL if as_paper else AGREEING, noun) + "."
    items = []
    for test, sentence, right, context in (
        ("generic", premise.sentences[0], triplet.generic, premise.generic),
        ("exception", premise.sentences[1], triplet.exception, premise.exception),
    ):
        facets = {"test": test, "bias": triplet.generic, "alternative": triplet.exception, "context": context}
        facets |= {"origin": schema.origin, "status": schema.status}
        facets |= {"frame": schema.frame} if schema.frame else {}
        facets |= {"exception_origin": triplet.origin} if triplet.origin else {}
        items.append(
            Item(
                probe=probe,
                form="cloze",
                text=f"{sentence} {outcome}",
                options=options,
                answer=options.index(right),
                family=schema.name,
                member=test,
                groups={"noun": triplet.noun, "generic_word": triplet.generic, "frame": schema.frame or schema.name},
                facets=facets | ({"k": triplet.k} if triplet.k else {}),
                source=Source(file=schema.file, line=schema.line, licence=licence),
            )
        )
    return items


@dataclass(frozen=True, slots=True)
class CheckedSchema:
    """A schema with its objections."""

    schema: Schema
    objections: tuple[str, ...]

    @property
    def passes(self) -> bool:
        return not self.objections

    def graded(self) -> CheckedSchema:
        """Return it with its status: a validated schema stays validated, another one passes without objections."""
        if self.schema.validated:
            return self
        return replace(self, schema=replace(self.schema, status=PASSED if self.passes else PROPOSED))


TRIPLET_COLUMNS = ("noun", "generic", "exception", "exception_origin", "k")
SCHEMA_COLUMNS = (*TRIPLET_COLUMNS, "premise", "frame", "origin", "annotator", "status", "objections")
_RELEASED = {"Word": "noun", "Associative Bias": "generic", "Alternative": "exception", "context_sentence": "premise"}
_JOINED = "; "


def write_triplets(path: Path, triplets: Iterable[Triplet]) -> None:
    write_rows(path, map(_triplet_row, triplets), TRIPLET_COLUMNS)


def _triplet_row(triplet: Triplet) -> dict[str, Any]:
    return dict(zip(TRIPLET_COLUMNS, astuple(triplet), strict=True))


def read_triplets(path: Path) -> list[Triplet]:
    """Read triplets: a file of `write_triplets`, or a table with at least noun, generic and exception."""
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
    """Write schemas with their objections."""
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
    """Read the schemas of a table, and the errors of skipped lines.

    A premise is one sentence with ``[ this / that ]``, or two sentences in the columns ``generic_premise`` and
    ``exception_premise`` that differ in one word. The published context collection is read too.
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


def _premise(row: Mapping[str, Any]) -> PremisePair:
    if row.get("premise"):
        return parse_premise(str(row["premise"]))
    generic, exception = (str(row.get(f"{test}_premise") or "") for test in ("generic", "exception"))
    if not generic or not exception:
        raise UserError("the line has no premise", fix="write it as: Jo [screamed / shivered] at the pan.")
    premise = merge_premises(generic, exception)
    if premise is None:
        count = len(word_differences(generic, exception))
        raise UserError(
            f"the premises differ in {count} words or more: {generic!r} and {exception!r}", fix="let them differ in one"
        )
    return premise


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a table; the published file is called .csv and has tabs."""
    table = open_table(path)
    if ending(path) == ".csv" and set(_RELEASED) <= set(table.header):
        for number, cells in table.rows:
            row = dict(zip(table.header, cells, strict=False))
            yield number, {name: row.get(column, "") for column, name in _RELEASED.items()} | {"origin": "release"}
    else:
        yield from iter_rows(path)
