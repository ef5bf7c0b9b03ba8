"""Pairs that somebody wrote down: WordNet's meronyms, ConceptNet's HasA and PartOf, GenericsKB's has-part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import numbered_lines
from horsesense.knowledge.conceptnet import read_conceptnet
from horsesense.knowledge.sources import part_links
from horsesense.knowledge.triples import Facts
from horsesense.probes.partwhole.mined import Pair, Pairs, clean_noun

_HAS_PART = re.compile(r".+ (?:have|has) \(part\) (?P<part>.+?)\.?")
_DETERMINER = re.compile(r"^(?:a|an|the|its|their|many|some|several|two|four) ")


def wordnet_pairs(source: str = "wordnet") -> Pairs:
    """Meronyms of a source in the knowledge graph; names (Kyoto in Japan) are left out."""
    links = part_links(source)
    return _counted(source, "facts", links, "WordNet licence (Princeton University)")


def conceptnet_pairs(paths: Sequence[Path]) -> Pairs:
    """``HasA`` tells the whole first, ``PartOf`` the part."""
    return pairs_of(read_conceptnet(paths))


def pairs_of(facts: Facts) -> Pairs:
    """The same from facts that were read before."""
    told = [
        (fact.head, fact.tail) if fact.relation == "HasA" else (fact.tail, fact.head)
        for fact in facts.facts
        if fact.relation in ("HasA", "PartOf")
    ]
    return _counted(facts.source, "facts", told, facts.licence)


def genericskb_pairs(paths: Sequence[Path]) -> Pairs:
    """Statements such as *Owls have (part) beaks.*; the whole is the term in front of the statement."""
    told: list[Pair] = []
    others = 0
    for path in paths:
        for number, line in numbered_lines(path):
            cells = line.split("\t")
            if len(cells) < 2:
                raise UserError("this is not a line of GenericsKB", file=path, line=number, fix="term, tab, statement")
            found = _HAS_PART.fullmatch(cells[1].strip()) if "(part)" in cells[1] else None
            if found is None:
                others += 1
            else:
                told.append((cells[0], found["part"]))
    pairs = _counted("genericskb", "statements", told, "CC BY 4.0")
    pairs.left_out["statements about something else"] = others
    return pairs


def _counted(source: str, unit: str, told: Iterable[Pair], licence: str) -> Pairs:
    counts: Counter[Pair] = Counter()
    left_out: Counter[str] = Counter()
    for whole, part in told:
        if whole != whole.lower() or part != part.lower():
            left_out["names of single things"] += 1
            continue
        nouns = clean_noun(whole), clean_noun(_DETERMINER.sub("", part))
        if all(nouns):
            counts[nouns] += 1
        else:
            left_out["pairs of what are no nouns"] += 1
    return Pairs(source, unit, counts, licence, left_out)
