"""Pairs of whole and part (section 3.1), from lexicons and Visual Genome, and the adjectives of nouns (section 3.2).

Lexicons give WordNet's meronyms, ConceptNet's HasA and PartOf, GenericsKB's has-part. Visual Genome gives pairs and
adjectives that people saw in pictures (sections 3.1 and 3.2): ``relationships.json`` and ``attributes.json`` are its
official files, read picture by picture. Tables of counts (``subject predicate object count``) count relations, not
pictures: one picture may have several.

Lists say which adjectives are not used before nouns, which do not describe, and their class. The adjectives of nouns
are read from Visual Genome or Google's syntactic n-grams, or found by a pattern in any corpus.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from horsesense.data import json_elements, numbered_lines, read_table, read_text
from horsesense.errors import UserError
from horsesense.lexicons.corpus import read_sentences
from horsesense.lexicons.sources import part_links
from horsesense.lexicons.triples import Facts, generic_statements, read_conceptnet
from horsesense.lexicons.word_forms import is_adjective, noun_forms, plain_adjective, singular
from horsesense.lexicons.wordnet import find_wordnet, read_similar
from horsesense.lexicons.words import words

Pair = tuple[str, str]
"""Whole and part."""

_NOUN = re.compile(r"[a-z]+(?:[ '-][a-z]+)*")
_HAS_PART = re.compile(r".+ (?:have|has) \(part\) (?P<part>.+?)\.?")
_DETERMINER = re.compile(r"^(?:a|an|the|its|their|many|some|several|two|four) ")
PREDICATES = {
    "have": ("has", "have", "having", "has a", "have a", "has an", "have an"),
    "with": ("with", "with a", "with an"),
    "of": ("of", "of a", "of an", "belong to", "belongs to", "belonging to", "part of", "is part of", "be part of"),
    "on": ("on", "on a", "is on", "be on", "on side of", "attach to", "attached to"),
}
"""Kinds of predicates that may indicate a part; the paper uses the first. After *of* and *on* the whole is last."""
LICENCE = "CC BY 4.0"
_TURNED = ("of", "on")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Wholes and their parts in one source."""

    source: str
    unit: str
    """What was counted: images, relations, statements, facts."""
    counts: Mapping[Pair, int]
    licence: str
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of rejected entries by reason."""

    @property
    def needs_repeating(self) -> bool:
        """Whether a pair that occurs once may be an error; a lexicon states a fact once."""
        return self.unit in ("images", "relations")


@dataclass(frozen=True, slots=True)
class Modifiers:
    """Adjectives of nouns in one source."""

    source: str
    counts: Mapping[str, Counter[str]]
    """Noun → adjective → frequency."""
    licence: str
    left_out: Counter[str] = field(default_factory=Counter)


def clean_noun(name: str) -> str:
    """Normalise a noun: lower case, singular, one space between words; empty if it is not a noun.

    >>> clean_noun(" Window  Panes"), clean_noun("t-shirts"), clean_noun("no. 7")
    ('window pane', 't-shirt', '')
    """
    plain = " ".join(name.lower().split())
    return singular(plain) if _NOUN.fullmatch(plain) else ""


# Lexicons.


def wordnet_pairs(source: str = "wordnet") -> Pairs:
    """Return the meronyms of WordNet; names (Kyoto in Japan) are left out."""
    links = part_links(source)
    return _counted(source, "facts", links, "WordNet licence (Princeton University)")


def conceptnet_pairs(paths: Sequence[Path]) -> Pairs:
    """Read ``HasA``, where the whole is first, and ``PartOf``, where the part is."""
    return pairs_of(read_conceptnet(paths))


def pairs_of(facts: Facts) -> Pairs:
    """Return the pairs of facts."""
    pairs = [
        (fact.head, fact.tail) if fact.relation == "HasA" else (fact.tail, fact.head)
        for fact in facts.facts
        if fact.relation in ("HasA", "PartOf")
    ]
    return _counted(facts.source, "facts", pairs, facts.licence)


def genericskb_pairs(paths: Sequence[Path]) -> Pairs:
    """Read statements such as *Owls have (part) beaks.*; the whole is the term before the statement."""
    pairs: list[Pair] = []
    others = 0
    for term, sentence in generic_statements(paths):
        match = _HAS_PART.fullmatch(sentence) if "(part)" in sentence else None
        if match is None:
            others += 1
        else:
            pairs.append((term, match["part"]))
    counted = _counted("genericskb", "statements", pairs, LICENCE)
    counted.left_out["statements about something else"] = others
    return counted


def _counted(source: str, unit: str, pairs: Iterable[Pair], licence: str) -> Pairs:
    counts: Counter[Pair] = Counter()
    left_out: Counter[str] = Counter()
    for whole, part in pairs:
        if whole != whole.lower() or part != part.lower():
            left_out["names of single things"] += 1
            continue
        nouns = clean_noun(whole), clean_noun(_DETERMINER.sub("", part))
        if all(nouns):
            counts[nouns] += 1
        else:
            left_out["pairs of words that are not nouns"] += 1
    return Pairs(source, unit, counts, licence, left_out)


# Visual Genome.


@contextmanager
def in_visual_genome(path: Path, kind: str) -> Iterator[None]:
    """Report a picture without the fields of ``relationships.json`` or ``attributes.json``."""
    try:
        yield
    except (KeyError, TypeError, IndexError) as error:
        problem = f"a picture has no {kind} as Visual Genome has them ({error!r})"
        raise UserError(problem, file=path, fix=f"give {kind}.json of Visual Genome, unpacked") from None


def read_relationships(path: Path, kinds: Sequence[str] = ("have",), aliases: Mapping[str, str] | None = None) -> Pairs:
    """Read the pairs of the official file, with their number of pictures."""
    turned, left_out = _predicates(kinds), Counter[str]()
    counts: Counter[Pair] = Counter()
    for picture in json_elements(path):
        with in_visual_genome(path, "relationships"):
            seen = {_pair(relation, turned, aliases or {}, left_out) for relation in picture["relationships"]}
        counts.update(pair for pair in seen if pair is not None)
    return Pairs("visual-genome", "images", counts, LICENCE, left_out)


def read_relation_counts(
    path: Path, kinds: Sequence[str] = ("have",), aliases: Mapping[str, str] | None = None
) -> Pairs:
    """Read the pairs of a table of counts, with their number of relations."""
    turned, left_out = _predicates(kinds), Counter[str]()
    counts: Counter[Pair] = Counter()
    for number, row in read_table(path, ("subject", "predicate", "object", "count")):
        if not row["count"].isdigit():
            raise UserError(f"the count {row['count']!r} is not a number", file=path, line=number, fix="repair the row")
        relation = {
            "predicate": row["predicate"],
            "subject": {"name": row["subject"]},
            "object": {"name": row["object"]},
        }
        pair = _pair(relation, turned, aliases or {}, left_out)
        if pair is not None:
            counts[pair] += int(row["count"])
    return Pairs("visual-genome", "relations", counts, LICENCE, left_out)


def read_attributes(path: Path, aliases: Mapping[str, str] | None = None) -> Modifiers:
    """Read the attributes of ``attributes.json``, once per picture and object."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    left_out: Counter[str] = Counter()
    for picture in json_elements(path):
        with in_visual_genome(path, "attributes"):
            for thing in picture["attributes"]:
                noun = noun_of(thing, aliases or {})
                adjectives = {" ".join(str(attribute).lower().split()) for attribute in thing.get("attributes") or ()}
                if not noun:
                    left_out["attributes of words that are not nouns"] += len(adjectives)
                    continue
                counts[noun].update(adjectives - {""})
    return Modifiers("visual-genome", counts, LICENCE, left_out)


def read_aliases(path: Path) -> dict[str, str]:
    """Read other names of objects: ``canonical,alias,alias`` per line."""
    aliases: dict[str, str] = {}
    for _, line in numbered_lines(path):
        first, *others = (" ".join(name.lower().split()) for name in line.split(","))
        aliases.update((other, first) for other in others if other)
    return aliases


def _predicates(kinds: Sequence[str]) -> dict[str, bool]:
    """Return predicates, each with whether the whole is last."""
    return {name: kind in _TURNED for kind in kinds for name in PREDICATES[kind]}


def _pair(relation: Any, turned: Mapping[str, bool], aliases: Mapping[str, str], left_out: Counter[str]) -> Pair | None:
    predicate = " ".join(relation["predicate"].lower().split())
    if predicate not in turned:
        left_out["relations with another predicate"] += 1
        return None
    whole, part = noun_of(relation["subject"], aliases), noun_of(relation["object"], aliases)
    if not whole or not part:
        left_out["relations between words that are not nouns"] += 1
        return None
    return (part, whole) if turned[predicate] else (whole, part)


def noun_of(thing: Any, aliases: Mapping[str, str]) -> str:
    """Return an object's name; some versions of the file give a list of names."""
    name = thing["name"] if "name" in thing else thing["names"][0]
    plain = " ".join(name.lower().split())
    return clean_noun(aliases.get(plain, plain))


# Adjectives (section 3.2): their classes, and which adjectives nouns have in text.

_DATA = files("horsesense.methods.partwhole").joinpath("data")
OTHER = "other"
COLOUR = "colour"
_COPULAS = frozenset(("is", "are", "was", "were", "looks", "looked", "seems", "seemed"))
_DEGREES = frozenset(("very", "so", "too", "quite", "really", "rather"))


def read_words(path: Path) -> frozenset[str]:
    """Read the words of a list, separated by spaces or lines, with comments after ``#``."""
    lines = (line.partition("#")[0] for line in read_text(path).splitlines())
    return frozenset(word.lower() for line in lines for word in line.split())


@cache
def not_attributive() -> frozenset[str]:
    """Return adjectives that are not used before a noun: *awake* (section 3.2)."""
    return read_words(Path(str(_DATA.joinpath("not_attributive.txt"))))


@cache
def not_descriptive() -> frozenset[str]:
    """Return adjectives that select and do not describe: *first* (section 3.2)."""
    return read_words(Path(str(_DATA.joinpath("not_descriptive.txt"))))


@cache
def _classes() -> dict[str, str]:
    classes: dict[str, str] = {}
    for _, row in read_table(Path(str(_DATA.joinpath("adjective_classes.tsv"))), ("class", "adjectives")):
        for word in row["adjectives"].split():
            classes.setdefault(word, row["class"])  # copper is a colour first
    return classes


def adjective_class(adjective: str) -> str:
    """Return the class of an adjective; *other* where it is not listed.

    >>> [adjective_class(word) for word in ("green", "wooden", "tall", "nuclear", "postmodern")]
    ['colour', 'material', 'size', 'function', 'other']
    """
    return _classes().get(adjective.lower(), OTHER)


@cache
def _wordnet_adjectives() -> frozenset[str]:
    """Return the adjectives of WordNet, where it is installed: the inflection dictionary lacks "responsible"."""
    folder = find_wordnet()
    return frozenset() if folder is None else frozenset(read_similar(folder).heads)


def is_known_adjective(word: str) -> bool:
    """Return whether a dictionary or our list has the word as an adjective.

    >>> is_known_adjective("wooden"), is_known_adjective("brick"), is_known_adjective("hers")
    (True, True, False)
    """
    return is_adjective(word) or adjective_class(word) != OTHER or word in _wordnet_adjectives()


def is_colour(adjective: str) -> bool:
    """Return whether it is a colour, also of several words: *light blue*."""
    return adjective_class(adjective.rpartition(" ")[2]) == COLOUR


# Adjectives that nouns have in text.


def read_syntactic_ngrams(paths: Sequence[Path], nouns: Collection[str]) -> Modifiers:
    """Stream the ``amod`` arcs of Goldberg and Orwant's files.

    A line is ``head TAB tokens TAB count TAB counts by year``; a token is ``word/tag/relation/head``, its head
    counted from 1 among the tokens of the line.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    left_out: Counter[str] = Counter()
    for path in paths:
        for number, line in numbered_lines(path):
            try:
                _, ngram, total = line.split("\t")[:3]
                # A word may contain a slash ("and/or"), so the line is split from the right.
                tokens = [token.rsplit("/", 3) for token in ngram.split(" ")]
                for word, tag, relation, head in tokens:
                    if relation != "amod" or not tag.startswith("JJ"):
                        continue
                    noun = clean_noun(tokens[int(head) - 1][0])
                    if noun in nouns:
                        counts[noun][word.lower()] += int(total)
                    else:
                        left_out["arcs of other nouns"] += 1
            except (ValueError, IndexError):
                raise UserError(
                    "this is not a line of syntactic n-grams",
                    file=path,
                    line=number,
                    fix="a line has head, word/tag/relation/head …, count, counts by year, tabs between them",
                ) from None
    return Modifiers("ngrams", counts, "CC BY 3.0", left_out)


def read_text_modifiers(paths: Sequence[Path], nouns: Collection[str], licence: str = "") -> Modifiers:
    """Find adjectives before a noun (*old jeep*), or after it and a copula (*the jeep is very old*)."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    # Sorted, because two nouns may share a form ("leaves") and a set has no order.
    forms = {form: noun for noun in sorted(nouns) for form in noun_forms(noun)}
    for path in paths:
        for sentence in read_sentences(path):
            for noun, adjective in _described(words(sentence), forms):
                counts[noun][adjective] += 1
    return Modifiers("text", counts, licence)


def _described(tokens: Sequence[str], forms: dict[str, str]) -> Iterator[tuple[str, str]]:
    for index, token in enumerate(tokens):
        noun, end = forms.get(token), index + 1
        if end < len(tokens) and (pair := forms.get(f"{token} {tokens[end]}")):
            noun, end = pair, end + 1
        if noun is None:
            continue
        # "dog house": a noun before another noun is not a head.
        compound = end < len(tokens) and tokens[end] in forms
        if index and not compound and (adjective := plain_adjective(tokens[index - 1])):
            yield noun, adjective
        if end + 1 < len(tokens) and tokens[end] in _COPULAS:
            after = end + 2 if tokens[end + 1] in _DEGREES else end + 1
            last = after + 1 >= len(tokens) or tokens[after + 1] in ("and", "but", "because", "when", "or")
            if after < len(tokens) and last and (adjective := plain_adjective(tokens[after])):
                yield noun, adjective
