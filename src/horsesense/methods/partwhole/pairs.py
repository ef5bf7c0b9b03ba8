"""Pairs of whole and part (section 3.1) from WordNet, ConceptNet, GenericsKB and Visual Genome.

Lexicons give WordNet's meronyms, ConceptNet's HasA and PartOf, GenericsKB's has-part. Visual Genome gives pairs and
adjectives that people saw in pictures (sections 3.1 and 3.2): ``relationships.json`` and ``attributes.json`` are its
official files, read picture by picture. Tables of counts (``subject predicate object count``) count relations, not
pictures: one picture may have several.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from horsesense.data import json_elements, numbered_lines, read_table
from horsesense.errors import UserError
from horsesense.lexicons.sources import part_links
from horsesense.lexicons.triples import Facts, generic_statements, read_conceptnet
from horsesense.lexicons.word_forms import singular

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
