"""Find odd rows in a file of triples: missing words, unknown adjectives, contradictions …"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.methods.partwhole.dataset import COLUMNS, LABELS
from horsesense.methods.partwhole.pairs import is_known_adjective
from horsesense.methods.published.reading import Reading, check_columns, fields_of

KINDS = {
    "unreadable": "the row does not have the fields of the header",
    "missing": "a word is missing",
    "label": "the label is not one of 0 to 4, or bin_label is not 0 or 1",
    "disagree": "label and bin_label disagree (the authors aggregated them separately)",
    "contradiction": "the same triple has another label elsewhere",
    "repeated": "the same triple appears twice with the same label",
    "upper case": "a word has upper case",
    "phrase": "a word is a phrase of three or more words, or no word",
    "unknown adjective": "no dictionary here has it as an adjective",
}
"""Kinds of oddities, and what each means."""

_WORDS = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)?", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Oddity:
    """One odd row."""

    kind: str
    file: str
    line: int
    triple: tuple[str, ...]
    """Whole, part, adjective, as written."""
    about: str = ""
    """Details; empty where the kind says it all."""


@dataclass(frozen=True, slots=True)
class OddTriples(Document):
    """Odd rows in files of labelled triples."""

    rows: int
    """Number of rows."""
    counts: Mapping[str, int]
    """Number of oddities by kind."""
    odd: tuple[Oddity, ...]
    """Row by row, in the order of the files."""


def odd_triples(paths: Sequence[Path]) -> OddTriples:
    """Find the odd rows in files of labelled triples."""
    oddities: list[Oddity] = []
    first: dict[tuple[str, ...], tuple[str, int, str]] = {}
    rows = 0
    for path in paths:
        lines = Reading().lines(path)
        header = fields_of(lines[0][1], ",", quoted=True)
        check_columns(header, COLUMNS, path)
        indices = [header.index(name) for name in COLUMNS]
        for number, raw in lines[1:]:
            rows += 1
            try:
                fields = fields_of(raw, ",", quoted=True) if raw.strip() else []
            except UserError as error:
                oddities.append(Oddity("unreadable", path.name, number, (), error.problem))
                continue
            if len(fields) != len(header):
                about = f"{len(fields)} fields, and the header has {len(header)}"
                oddities.append(Oddity("unreadable", path.name, number, tuple(fields[:3]), about))
                continue
            *words, label, binary = (fields[index].strip() for index in indices)
            triple = tuple(words)
            oddities += [Oddity(kind, path.name, number, triple, about) for kind, about in _odd(triple, label, binary)]
            earlier = first.setdefault(tuple(word.lower() for word in triple), (path.name, number, label))
            if earlier[:2] != (path.name, number):
                kind = "repeated" if earlier[2] == label else "contradiction"
                about = f"{_name(label)} here, {_name(earlier[2])} in {earlier[0]}:{earlier[1]}"
                oddities.append(Oddity(kind, path.name, number, triple, about))
    counts = Counter(oddity.kind for oddity in oddities)
    return OddTriples(rows, {kind: counts[kind] for kind in KINDS}, tuple(oddities))


def _odd(triple: tuple[str, ...], label: str, binary: str) -> Iterator[tuple[str, str]]:
    names = ("whole", "part", "adjective")
    if not all(triple):
        yield "missing", ", ".join(name for name, word in zip(names, triple, strict=True) if not word)
    if label not in "01234" or len(label) != 1 or binary not in ("0", "1"):
        yield "label", f"label {label!r}, bin_label {binary!r}"
    elif (label in "34") != (binary == "1"):
        yield "disagree", f"label {label} ({LABELS[int(label)]}), bin_label {binary}"
    for name, word in zip(names, triple, strict=True):
        if word != word.lower():
            yield "upper case", f"{name} {word!r}"
        if word and not _WORDS.fullmatch(word):
            yield "phrase", f"{name} {word!r}"
    adjective = triple[2].lower()
    if adjective and not is_known_adjective(adjective):
        yield "unknown adjective", repr(triple[2])


def _name(label: str) -> str:
    return LABELS[int(label)] if label in "01234" and len(label) == 1 else repr(label)


@translate_errors()
def check(*files: str | Path) -> OddTriples:
    """List rows with missing words, phrases, upper case, unknown adjectives, or labels that contradict each other.

    Args:
        files: Labelled triples: whole,part,jj,label,bin_label.

    Returns:
        The number of rows, and the odd ones.
    """
    if not files:
        raise UserError("no file was given", fix="name a file of labelled triples")
    return odd_triples([Path(file) for file in files])
