"""Schemas: two premises that differ in one word, and the outcome that each calls for (winoventi.txt, 2.1 and 2.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from horsesense.core import Item, Source
from horsesense.errors import UserError
from horsesense.methods.winoventi.nouns import AGREEING, LITERAL, Noun, fill_template

Origin = Literal["people", "release", "machine"]

PROPOSED, PASSED = "proposed", "passed by machine checks"
"""How far a schema has come: written and no more; through all checks by rule and machine."""
VALIDATED = "validated by "
"""The beginning of the third status; the name of a person, a group of people, or a stated judge follows."""

_PAIR = re.compile(r"\[\s*([^\[\]/]*?)\s*/\s*([^\[\]/]*?)\s*\]")


@dataclass(frozen=True, slots=True)
class Triplet:
    """A noun, what a model ties to it, and what it can be instead."""

    noun: str
    generic: str
    exception: str
    origin: str = ""
    """Where the exception comes from: people, release, antonym, similar, morphology, conceptnet, model."""
    k: int = 0
    """Least depth of the association; 0 where that is not known."""

    @property
    def name(self) -> str:
        return " | ".join((self.noun, self.generic, self.exception))


@dataclass(frozen=True, slots=True)
class Premise:
    """A sentence with a place for one of two words."""

    before: str
    generic: str
    """The special word that calls for the generic outcome."""
    exception: str
    """The special word that calls for the exception."""
    after: str

    @property
    def sentences(self) -> tuple[str, str]:
        """With the first and with the second special word."""
        return f"{self.before}{self.generic}{self.after}", f"{self.before}{self.exception}{self.after}"

    def __str__(self) -> str:
        return f"{self.before}[{self.generic} / {self.exception}]{self.after}"


def _without_article(word: str) -> str:
    """*A* and *an* go with the word that follows."""
    return word.removeprefix("a ").removeprefix("an ")


def parse_premise(text: str) -> Premise:
    """Read ``… [ this / that ] …``, as people wrote it for the release; *a* and *an* may go with the word.

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
    return Premise(text[: pair.start()], pair[1], pair[2], text[pair.end() :])


@dataclass(frozen=True, slots=True)
class Schema:
    """A premise pair for a triplet."""

    triplet: Triplet
    premise: Premise
    origin: Origin
    """Who wrote the premise; what a machine wrote is never mixed with what people did."""
    annotator: str = ""
    file: str = ""
    line: int = 0
    frame: str = ""
    """The frame that the premise was made from: schemas of one frame stand or fall together. Empty: it is its own."""
    status: str = PROPOSED
    """``proposed``, ``passed by machine checks``, or ``validated by NAME``."""

    @property
    def validated(self) -> bool:
        """Whether people, or a stated judge, have passed it."""
        return self.status.startswith(VALIDATED)

    @property
    def name(self) -> str:
        """The name of its family, as the reader of the release makes it."""
        return " | ".join((self.triplet.name, self.premise.generic, self.premise.exception))


def items_of(
    schema: Schema, noun: Noun, *, literal: bool = False, licence: str = "", probe: str = "winoventi"
) -> list[Item]:
    """The generic and the exception item of a schema, as the reader of the release makes them.

    >>> hot = Schema(Triplet("pan", "hot", "cold"), parse_premise("Jo [screamed / shivered] at the pan."), "people")
    >>> [(item.member, item.text, item.options[item.answer]) for item in items_of(hot, Noun("pan"))][1]
    ('exception', 'Jo shivered at the pan. The pan is ___.', 'cold')
    """
    triplet, premise = schema.triplet, schema.premise
    options = tuple(sorted((triplet.generic, triplet.exception)))
    outcome = fill_template(LITERAL if literal else AGREEING, noun) + "."
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
