"""Antonyms and paraphrases of properties, and who certified them.

A lexicon is a tab-separated table: ``phrase``, ``antonym``, ``paraphrase``, ``inversion``. An empty cell means that the
operator does not apply. A phrase is compared by more and less; another scale is written before it (``easier: pass
through a gate``), and ``*`` marks an unusual place of the comparative.

The column ``status`` says who certified a line: ``written`` (only its author), ``model`` or ``people``. Nothing comes
from WordNet, which knows words but not which sense is meant; `check_lexicon` compares the pairs with it. Two adjectives
with a common sense, or similar to one head, are confirmed as a paraphrase; two that are opposed, directly or by their
heads, as an antonym. If a language model certified a pair, do not headline that model's score on statements with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from horsesense.core.document import Document
from horsesense.data import read_table
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.lexicons.wordnet import Similar, find_wordnet, read_similar
from horsesense.methods.rica.axioms import (
    Pair,
    is_upper,
    pair_of,
    plain,
)
from horsesense.methods.rica.english_statements import MORE, shortest
from horsesense.methods.rica.knowledge_tables import DATA

COLUMNS = ("phrase", "antonym", "paraphrase", "inversion")
OPPOSED = ("antonym", "inversion")
"""Senses that reverse the scale."""
STATUSES = {
    "written": "written by its author and read by nobody else",
    "model": "certified by a language model, not verified by people",
    "people": "verified by people",
}
"""Who certified that a pair has one sense and one scale."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A property in words, with its scale."""

    text: str
    pair: Pair = ("more", "less")

    @classmethod
    def read(cls, cell: str) -> Phrase:
        """Parse a cell.

        >>> Phrase.read("easier: pass through a gate")
        Phrase(text='pass through a gate', pair=('easier', 'harder'))
        """
        scale, colon, text = cell.partition(": ")
        if not colon:
            return cls(shortest(plain(cell), MORE))
        if not is_upper(scale):
            raise UserError(f"the scale {scale!r} is named by its lower pole", fix=f"write {pair_of(scale)[0]!r}")
        return cls(shortest(plain(text), pair_of(scale)), pair_of(scale))


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """A phrase with its paraphrases and opposites."""

    phrase: Phrase
    antonym: Phrase | None = None
    paraphrase: Phrase | None = None
    inversion: Phrase | None = None
    """The paraphrase of the antonym (table 2, PARAPHRASE INVERSION)."""
    status: str = field(default="written", kw_only=True)
    """Who certified it: only its author, a language model, or people."""

    def senses(self) -> Iterator[tuple[str, Phrase]]:
        """Yield the other phrases with their columns."""
        columns = (("antonym", self.antonym), ("paraphrase", self.paraphrase), ("inversion", self.inversion))
        return ((column, phrase) for column, phrase in columns if phrase)

    def turned(self) -> LexiconEntry | None:
        """Return the entry of the antonym; None if there is no antonym."""
        if self.antonym is None:
            return None
        return LexiconEntry(self.antonym, self.phrase, self.inversion, self.paraphrase, status=self.status)


@dataclass(frozen=True, eq=False)  # by identity, so that results can be cached for a lexicon
class PhraseLexicon:
    """Entries by phrase; the first entry of a phrase counts."""

    entries: Mapping[Phrase, LexiconEntry] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[LexiconEntry]) -> PhraseLexicon:
        """Make a lexicon in which an entry with an antonym is found under both."""
        by_phrase: dict[Phrase, LexiconEntry] = {}
        entries = list(entries)
        for entry in entries:
            by_phrase.setdefault(entry.phrase, entry)
        for entry in entries:
            turned = entry.turned()
            if turned:
                by_phrase.setdefault(turned.phrase, turned)
        return cls(by_phrase)

    def find(self, text: str, pair: Pair) -> LexiconEntry | None:
        """Return the entry of a phrase on a scale, with or without its frame; None if it is unknown."""
        short = shortest(plain(text), pair)
        return self.entries.get(Phrase(short, pair)) or self.entries.get(Phrase(short.lower(), pair))

    def and_then(self, other: PhraseLexicon) -> PhraseLexicon:
        """Return both lexicons; this one takes precedence."""
        return PhraseLexicon({**other.entries, **self.entries})

    def head(self, text: str, pair: Pair) -> tuple[LexiconEntry, str]:
        """Return the entry that a phrase belongs to, and its column there."""
        phrase = Phrase(shortest(plain(text), pair), pair)
        return self._heads.get(phrase, (LexiconEntry(phrase), "phrase"))

    def __post_init__(self) -> None:
        heads: dict[Phrase, tuple[LexiconEntry, str]] = {}
        for entry in self.entries.values():
            if entry.phrase in heads:
                continue
            heads[entry.phrase] = entry, "phrase"
            for column, phrase in entry.senses():
                heads.setdefault(phrase, (entry, column))
        object.__setattr__(self, "_heads", heads)

    _heads: Mapping[Phrase, tuple[LexiconEntry, str]] = field(init=False, repr=False, compare=False)


NO_LEXICON = PhraseLexicon()


def read_lexicon(path: Path) -> PhraseLexicon:
    """Read and check the entries of a table."""
    entries: list[LexiconEntry] = []
    seen: dict[Phrase, int] = {}
    for line, row in read_table(path, COLUMNS):
        try:
            phrase, *others = [Phrase.read(row[column]) if row[column] else None for column in COLUMNS]
        except UserError as error:
            raise error.at(path, line) from None
        if phrase is None:
            raise UserError("the phrase is missing", file=path, line=line, fix="fill in the first column")
        for cell in filter(None, (phrase, *others)):
            # Otherwise two entries would say that two different properties are the same.
            if seen.setdefault(cell, line) != line:
                raise UserError(f"{cell.text!r} is also in line {seen[cell]}", file=path, line=line, fix="drop one")
        status = row.get("status") or "written"
        if status not in STATUSES:
            raise unknown("status", status, STATUSES).at(path, line)
        entries.append(LexiconEntry(phrase, *others, status=status))
    return PhraseLexicon.of(entries)


# Certification.


@dataclass(frozen=True, slots=True)
class CertifiedPair:
    """Two phrases that replace each other, possibly on the reversed scale."""

    phrase: str
    """The phrase, with its scale unless that is more/less."""
    operator: str
    """antonym, paraphrase or inversion."""
    other: str
    """The other phrase."""
    status: str
    """Who certified it: written, model or people."""
    wordnet: str
    """confirmed, not confirmed, or empty if it cannot be looked up (a phrase, or another scale)."""


@dataclass(frozen=True, slots=True)
class LexiconCheck(Document):
    """The pairs behind the lexical operators."""

    pairs: tuple[CertifiedPair, ...]
    """In the order of the lexicon."""
    statuses: dict[str, int]
    """Number of pairs by status."""
    wordnet: dict[str, int]
    """Number of pairs by WordNet's confirmation; empty without WordNet."""


@translate_errors()
def check_lexicon(*, lexicon: str | Path | None = None) -> LexiconCheck:
    """List the pairs behind the lexical operators: who certified each, and whether WordNet confirms it.

    Args:
        lexicon: Table of phrases, antonyms and paraphrases; it takes precedence over the shipped one.

    Returns:
        Every pair with its status, and the number of pairs per status.
    """
    return compare_with_wordnet(whole_lexicon(lexicon), find_wordnet())


def compare_with_wordnet(lexicon: PhraseLexicon, folder: Path | None) -> LexiconCheck:
    """Compare every pair of a lexicon with WordNet, if that was fetched."""
    similar = None if folder is None else read_similar(folder)
    pairs = tuple(_pairs(lexicon, similar))
    confirmed = Counter(pair.wordnet or "cannot be looked up" for pair in pairs) if similar else Counter()
    return LexiconCheck(pairs, dict(Counter(pair.status for pair in pairs)), dict(confirmed))


def _pairs(lexicon: PhraseLexicon, similar: Similar | None) -> Iterator[CertifiedPair]:
    turned = {entry.antonym for entry in lexicon.entries.values() if entry.antonym}
    for phrase, entry in lexicon.entries.items():
        if phrase in turned and lexicon.head(phrase.text, phrase.pair)[1] != "phrase":
            continue  # the entry of an antonym is the same one, reversed
        for operator, other in entry.senses():
            confirmation = "" if similar is None else _looked_up(phrase, other, operator in OPPOSED, similar)
            yield CertifiedPair(_written(phrase), operator, _written(other), entry.status, confirmation)


def _written(phrase: Phrase) -> str:
    text = phrase.text or "is *"
    return text if phrase.pair[0] == "more" else f"{phrase.pair[0]}: {text}"


def _looked_up(phrase: Phrase, other: Phrase, opposed: bool, similar: Similar) -> str:
    words = phrase.text.removeprefix("be "), other.text.removeprefix("be ")
    if phrase.pair != other.pair or any(word not in similar.heads for word in words):
        return ""
    found = similar.are_opposed(*words) if opposed else similar.are_alike(*words)
    return "confirmed" if found else "not confirmed"


# The shipped lexicon.


@cache
def shipped_lexicon() -> PhraseLexicon:
    """Return the shipped antonyms and paraphrases."""
    return read_lexicon(DATA / "lexicon.tsv")


def whole_lexicon(file: str | Path | None = None) -> PhraseLexicon:
    """Return the shipped lexicon, preceded by that of a file if given."""
    return read_lexicon(Path(file)).and_then(shipped_lexicon()) if file else shipped_lexicon()
