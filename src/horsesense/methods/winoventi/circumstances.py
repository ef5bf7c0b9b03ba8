"""Our table of circumstances (section 2.5): frames that bring a state about, and premises made from them.

Each line of ``data/circumstances.tsv`` is a frame: a sentence with one slot, where one word brings about the first
state and the other the second. ``data/noun_types.tsv`` says which nouns fit a frame: by WordNet classes, by words, and
by exclusions. A language model wrote both tables, no person; the blind audits report their quality. Every premise is
checked: it is about the noun, differs in one word, has correct articles, and names neither state nor a derived word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from pathlib import Path
from random import Random

from horsesense.data.tables import read_table
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import open_graph
from horsesense.lexicons.word_forms import article as fitting_article
from horsesense.lexicons.word_forms import lemmas_of
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.lexicons.words import words
from horsesense.methods.winoventi.checks import check_schema
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.schemas import PremisePair, Schema, Triplet, parse_premise
from horsesense.methods.winoventi.word_relations import WordRelations

DATA = Path(__file__).with_name("data")
CIRCUMSTANCES, TYPES = DATA / "circumstances.tsv", DATA / "noun_types.tsv"
NOUN = "{noun}"
TABLE = "circumstances"
"""Name of this table as a writer of premises."""

_SENSES = 1
"""Number of senses of a noun that count for its WordNet classes, the usual one first."""
_OR = "|"


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A frame: a sentence that brings about one state or the other."""

    states: tuple[tuple[str, ...], tuple[str, ...]]
    """Adjectives of the first and of the second state, the usual one first."""
    type: str
    """Type of noun that it fits."""
    premise: str
    """A sentence with ``{noun}`` and ``[one / other]``."""
    line: int
    """Line of the table."""

    def side_of(self, word: str) -> int | None:
        """Return 0 or 1 for the state that a word names; None if it names neither."""
        return next((side for side in (0, 1) if word in self.states[side]), None)

    def calls_for(self, generic: str, exception: str) -> bool:
        """Return whether the two words name its two states, in either order."""
        first, second = self.side_of(generic), self.side_of(exception)
        return first is not None and second is not None and first != second


@dataclass(frozen=True, slots=True)
class NounType:
    """A type of noun."""

    classes: frozenset[str]
    """WordNet synsets whose hyponyms belong to it."""
    words: frozenset[str]
    barred: frozenset[str]
    """Excluded words, though a class has them."""


@dataclass(frozen=True)
class Circumstances:
    """The frames, with the types of nouns."""

    frames: tuple[Circumstance, ...]
    types: dict[str, NounType]
    taxonomy: Graph | None
    """WordNet; without it, types only have the words that they list."""
    _types_of: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)
    _classes_of: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def types_of(self, noun: Noun) -> frozenset[str]:
        """Return the types of a noun; names and unknown nouns have none."""
        if noun.word not in self._types_of:
            spelt = {noun.word.replace(" ", "-"), _singular(noun).replace(" ", "-")}
            above = self.classes_of(noun)
            self._types_of[noun.word] = frozenset(
                name
                for name, kind in self.types.items()
                if not noun.proper and not spelt & kind.barred and (spelt & kind.words or above & kind.classes)
            )
        return self._types_of[noun.word]

    def classes_of(self, noun: Noun) -> frozenset[str]:
        """Return all hypernyms of the usual sense of a noun, and itself."""
        if self.taxonomy is None:
            return frozenset()
        if noun.word not in self._classes_of:
            senses, ids = self.taxonomy.senses, self.taxonomy.ids
            indices = senses.get(noun.word) or senses.get(_singular(noun)) or []
            nouns = [i for i in indices if ".n." in ids[i]][:_SENSES]
            above = {*nouns, *(each for i in nouns for each in self.taxonomy.up.reached(i))}
            self._classes_of[noun.word] = frozenset(ids[i] for i in above)
        return self._classes_of[noun.word]

    def about(self, noun: Noun, generic: str, exception: str) -> list[Circumstance]:
        """Return the frames that fit a noun and the two words."""
        types = self.types_of(noun)
        return [each for each in self.frames if each.type in types and each.calls_for(generic, exception)]

    def opposites(self, noun: Noun, word: str) -> dict[str, int]:
        """Return the opposites of a word for this noun → number of frames; the usual ones first."""
        found: dict[str, tuple[int, int]] = {}
        types = self.types_of(noun)
        for each in self.frames:
            side = each.side_of(word) if each.type in types else None
            if side is None:
                continue
            for i, other in enumerate(each.states[1 - side]):
                count, best = found.get(other, (0, i))
                found[other] = count + 1, min(best, i)
        order = sorted(found, key=lambda other: (found[other][1], -found[other][0]))
        return {other: found[other][0] for other in order}

    def exclude(self, generic: str, exception: str) -> bool:
        """Return whether any frame opposes the two words, for any noun."""
        return any(each.calls_for(generic, exception) for each in self.frames)


def _singular(noun: Noun) -> str:
    if not noun.plural:
        return noun.word
    import lemminflect

    head, _, last = noun.word.rpartition(" ")
    lemmas = lemminflect.getAllLemmas(last, upos="NOUN").get("NOUN", (last,))
    return f"{head} {lemmas[0]}".strip()


def load_circumstances() -> Circumstances:
    """Return the shipped tables, with WordNet if it was fetched."""
    return _with_wordnet(find_wordnet())


@cache
def _with_wordnet(folder: Path | None) -> Circumstances:
    return read_circumstances(CIRCUMSTANCES, TYPES, None if folder is None else open_graph("wordnet"))


def read_circumstances(frames: Path, types: Path, taxonomy: Graph | None = None) -> Circumstances:
    """Read and check both tables."""
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
        raise UserError(f"{row['one']!r} and {row['other']!r} share a word", fix="give two different states")
    return Circumstance(states, row["type"], row["premise"], line)


LEFT_OVER = "has a place that was not filled"
WRONG_ARTICLE = "has the wrong article"
OTHER_REFERENT = "is not about the noun"
NOT_ITS_TYPE = "does not fit the type of the noun"
DERIVED = "has a word derived from a state"
NUMBER = "does not agree with a plural"

SHARE = 0.02
"""Maximum share of all schemas per frame."""

_ARTICLE = re.compile(r"\b(an?) (\w+)", re.IGNORECASE)
_LEFT = re.compile(r"[{}\[\]_]|\s/\s")
_SINGULAR = re.compile(r"\b(it|its|itself)\b|\{noun\} (?:is|has|lives|sleeps|belongs|makes)\b")


def instantiate(frame: Circumstance, triplet: Triplet, noun: Noun) -> Schema:
    """Fill a frame with a noun, its two words in the order of the triplet's states.

    >>> frame = Circumstance((("open",), ("closed",)), "door", "Paul walked [through / into] the {noun}.", 2)
    >>> str(instantiate(frame, Triplet("gate", "closed", "open"), Noun("gate")).premise)
    'Paul walked [into / through] the gate.'
    """
    text = frame.premise.replace(NOUN, noun.word).replace("{was}", "were" if noun.plural else "was")
    premise = parse_premise(text)
    if frame.side_of(triplet.generic) == 1:
        premise = PremisePair(premise.before, premise.exception, premise.generic, premise.after)
    return Schema(triplet, premise, "machine", TABLE, frame=frame.premise)


def objections_to(
    schema: Schema, noun: Noun, frame: Circumstance, table: Circumstances, lexicon: WordRelations | None
) -> tuple[str, ...]:
    """Return all objections to a premise made from a frame."""
    found = [*check_schema(schema, noun, lexicon).objections, *wording_objections(schema, noun, table)]
    if frame.type not in table.types_of(noun):
        found.append(NOT_ITS_TYPE)
    if noun.plural and _SINGULAR.search(frame.premise):
        found.append(NUMBER)
    return tuple(dict.fromkeys(found))


def wording_objections(schema: Schema, noun: Noun, table: Circumstances) -> tuple[str, ...]:
    """Return the objections to the wording of a machine-written premise."""
    found = []
    sentences = schema.premise.sentences
    if any(_LEFT.search(sentence) for sentence in sentences):
        found.append(LEFT_OVER)
    if not all(re.search(rf"\b{re.escape(noun.word)}\b", sentence) for sentence in sentences):
        found.append(OTHER_REFERENT)
    if any(article.lower() != fitting_article(word) for s in sentences for article, word in _ARTICLE.findall(s)):
        found.append(WRONG_ARTICLE)
    states = {schema.triplet.generic, schema.triplet.exception}
    if any(is_derived(word, state, table) for s in sentences for word in words(s) for state in states):
        found.append(DERIVED)
    return tuple(found)


def is_derived(word: str, state: str, table: Circumstances) -> bool:
    """Return whether a word gives a state away: WordNet derives one from the other, both are forms of a verb (*wore*
    and *worn*), they begin alike, or the word is a verb that is defined by the state (to *fill* is to make *full*).

    >>> from horsesense.methods.winoventi.circumstances import load_circumstances
    >>> is_derived("stuffing", "stuffed", load_circumstances()), is_derived("rope", "open", load_circumstances())
    (True, False)
    """
    if word == state or (len(word) > 4 and len(state) > 4 and word[:5] == state[:5]):
        return True
    forms, states = ({each, *lemmas_of(each).get("VERB", ())} for each in (word, state))
    if forms & states:
        return True
    if table.taxonomy is None:
        return False
    derived = table.taxonomy.derived
    if any(form in derived.get(each, ()) or each in derived.get(form, ()) for form in forms for each in states):
        return True
    return any(state in _verb_definition(form, table.taxonomy) for form in forms)


def _verb_definition(word: str, taxonomy: Graph) -> list[str]:
    """Return the words that define the usual sense of a verb."""
    indices = (i for i in taxonomy.senses.get(word, ()) if ".v." in taxonomy.ids[i])
    return next((words(taxonomy.glosses[i]) for i in indices), [])


def from_circumstances(
    triplets: Sequence[Triplet],
    nouns: Mapping[str, Noun],
    table: Circumstances,
    lexicon: WordRelations | None,
    most: int = 2,
    seed: int = 0,
) -> tuple[list[Schema], Counter[str]]:
    """Make at most ``most`` schemas per triplet, with no frame over its share; and count what was left out.

    The least used frames come first, for variety; ties are drawn by ``seed``.
    """
    left_out: Counter[str] = Counter()
    rng = Random(seed)
    used: Counter[str] = Counter()
    rounds: list[list[Schema]] = []
    for triplet in triplets:
        noun = nouns[triplet.noun]
        fitting = table.about(noun, triplet.generic, triplet.exception)
        if not fitting:
            left_out["triplets without a frame"] += 1
            continue
        order = sorted(fitting, key=lambda frame: (used[frame.premise], rng.random()))
        kept: list[Schema] = []
        for frame in order:
            schema = instantiate(frame, triplet, noun)
            objections = objections_to(schema, noun, frame, table, lexicon)
            left_out.update(objections)
            if not objections and len(kept) < most:
                kept.append(schema)
                used[frame.premise] += 1
        rounds.append(kept)
    in_turn = [schema for turn in zip_longest(*rounds) for schema in turn if schema is not None]
    schemas, over = within_share(in_turn)
    if over:
        left_out["over the share of their frame"] += over
    return schemas, left_out


def within_share(schemas: Sequence[Schema], share: float = SHARE) -> tuple[list[Schema], int]:
    """Drop schemas until no frame has more than a share of all; and return the number dropped.

    Dropping makes the whole smaller, so it is repeated; a frame keeps at least one schema.
    """
    left = list(schemas)
    while True:
        most = max(1, int(share * len(left)))
        counts: Counter[str] = Counter()
        kept = []
        for schema in left:
            counts[schema.frame] += 1
            if not schema.frame or counts[schema.frame] <= most:
                kept.append(schema)
        if len(kept) == len(left):
            return kept, len(schemas) - len(kept)
        left = kept
