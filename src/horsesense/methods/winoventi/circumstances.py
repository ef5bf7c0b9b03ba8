"""A table of our own of what brings a state about (winoventi.txt, 2.5): by pair of states and type of noun.

Each line of ``data/circumstances.tsv`` is a frame: a sentence with one place, of which one word brings about the first
state and the other the second. ``data/noun_types.tsv`` says which nouns a frame fits: by classes of WordNet, by words,
and what of these does not belong. A language model wrote both tables, no person; readings say how good they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from horsesense.data.tables import read_table
from horsesense.errors import UserError
from horsesense.lexicons.taxonomy import Taxonomy, load_taxonomy
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.schemas import parse_premise

DATA = Path(__file__).with_name("data")
CIRCUMSTANCES, TYPES = DATA / "circumstances.tsv", DATA / "noun_types.tsv"
NOUN = "{noun}"

_SENSES = 1
"""Senses of a noun that may put it into a class of WordNet, the usual one first."""
_OR = "|"


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A frame: what brings about one state or the other."""

    states: tuple[tuple[str, ...], tuple[str, ...]]
    """Adjectives of the first and of the second state, the usual one first."""
    type: str
    """The nouns that it fits."""
    premise: str
    """A sentence with ``{noun}`` and ``[one / other]``."""
    line: int
    """Where it stands in the table."""

    def side_of(self, word: str) -> int | None:
        """0 or 1: the state that a word names; None where it names neither."""
        return next((side for side in (0, 1) if word in self.states[side]), None)

    def calls_for(self, generic: str, exception: str) -> bool:
        """Whether the two words name its two states, either way round."""
        first, second = self.side_of(generic), self.side_of(exception)
        return first is not None and second is not None and first != second


@dataclass(frozen=True, slots=True)
class NounType:
    """Nouns that a frame can be about."""

    classes: frozenset[str]
    """Synsets of WordNet whose kinds belong to it."""
    words: frozenset[str]
    barred: frozenset[str]
    """Words that do not belong, though a class has them."""


@dataclass(frozen=True)
class Circumstances:
    """The table, with the types of nouns."""

    frames: tuple[Circumstance, ...]
    types: dict[str, NounType]
    taxonomy: Taxonomy | None
    """WordNet; None where it is not here: then types have the words that they list, and no other."""
    _types_of: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)
    _classes_of: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def types_of(self, noun: Noun) -> frozenset[str]:
        """The types that a noun belongs to; a name has none, and neither has a noun that is unknown."""
        if noun.word not in self._types_of:
            self._types_of[noun.word] = frozenset() if noun.proper else self._found(noun)
        return self._types_of[noun.word]

    def _found(self, noun: Noun) -> frozenset[str]:
        spelt = {noun.word.replace(" ", "-"), _singular(noun).replace(" ", "-")}
        above = self.classes_of(noun)
        return frozenset(
            name
            for name, kind in self.types.items()
            if not spelt & kind.barred and (spelt & kind.words or above & kind.classes)
        )

    def classes_of(self, noun: Noun) -> frozenset[str]:
        """All synsets above the usual sense of a noun, this included."""
        if noun.word not in self._classes_of:
            self._classes_of[noun.word] = self._classes_found(noun)
        return self._classes_of[noun.word]

    def _classes_found(self, noun: Noun) -> frozenset[str]:
        if self.taxonomy is None:
            return frozenset()
        senses = self.taxonomy.senses
        places = senses.get(noun.word) or senses.get(_singular(noun)) or []
        nouns = [place for place in places if ".n." in self.taxonomy.ids[place]][:_SENSES]
        return frozenset(self.taxonomy.ids[place] for place in _above(self.taxonomy, nouns))

    def about(self, noun: Noun, generic: str, exception: str) -> list[Circumstance]:
        """The frames that fit a noun and call for the two words."""
        types = self.types_of(noun)
        return [each for each in self.frames if each.type in types and each.calls_for(generic, exception)]

    def opposites(self, noun: Noun, word: str) -> dict[str, int]:
        """State that the table sets against a word, for this noun → in how many frames; the usual ones first."""
        found: dict[str, tuple[int, int]] = {}
        types = self.types_of(noun)
        for each in self.frames:
            side = each.side_of(word) if each.type in types else None
            if side is None:
                continue
            for place, other in enumerate(each.states[1 - side]):
                count, best = found.get(other, (0, place))
                found[other] = count + 1, min(best, place)
        order = sorted(found, key=lambda other: (found[other][1], -found[other][0]))
        return {other: found[other][0] for other in order}

    def exclude(self, generic: str, exception: str) -> bool:
        """Whether any frame sets the two words against each other, for whatever noun."""
        return any(each.calls_for(generic, exception) for each in self.frames)


def _above(taxonomy: Taxonomy, places: Sequence[int]) -> set[int]:
    seen: set[int] = set()
    left = list(places)
    while left:
        place = left.pop()
        if place not in seen:
            seen.add(place)
            left.extend(taxonomy.hypernyms[place])
    return seen


def _singular(noun: Noun) -> str:
    if not noun.plural:
        return noun.word
    import lemminflect

    head, _, last = noun.word.rpartition(" ")
    lemmas = lemminflect.getAllLemmas(last, upos="NOUN").get("NOUN", (last,))
    return f"{head} {lemmas[0]}".strip()


def circumstances_at_hand() -> Circumstances:
    """The shipped tables, with the WordNet that is on this machine."""
    return _with_wordnet(find_wordnet())


@cache
def _with_wordnet(folder: Path | None) -> Circumstances:
    return read_circumstances(CIRCUMSTANCES, TYPES, None if folder is None else load_taxonomy(folder))


def read_circumstances(frames: Path, types: Path, taxonomy: Taxonomy | None = None) -> Circumstances:
    """Both tables; what is wrong with a line is told with its place."""
    known: dict[str, NounType] = {}
    for _, row in read_table(types, ("type", "classes", "words", "not")):
        parts = (frozenset(row[name].split()) for name in ("classes", "words", "not"))
        known[row["type"]] = NounType(*parts)
    read = []
    for line, row in read_table(frames, ("one", "other", "type", "premise")):
        try:
            read.append(_circumstance(row, line, known))
        except UserError as error:
            raise error.at(frames, line) from None
    return Circumstances(tuple(read), known, taxonomy)


def _circumstance(row: dict[str, str], line: int, types: Collection[str]) -> Circumstance:
    if row["type"] not in types:
        raise UserError(f"the type {row['type']!r} is unknown", fix="add it to the table of types")
    if row["premise"].count(NOUN) != 1:
        raise UserError("the frame does not have {noun} once", fix="write The {noun} [sank / swam].")
    parse_premise(row["premise"])
    states = tuple(row["one"].split(_OR)), tuple(row["other"].split(_OR))
    if set(states[0]) & set(states[1]):
        raise UserError(f"{row['one']!r} and {row['other']!r} share a word", fix="set two states against each other")
    return Circumstance(states, row["type"], row["premise"], line)
