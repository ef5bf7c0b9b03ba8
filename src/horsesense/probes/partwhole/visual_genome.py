"""Pairs and adjectives that people saw in pictures: Visual Genome (partwhole.txt, 3.1 and 3.2).

``relationships.json`` and ``attributes.json`` are the official files, read picture by picture. Tables of counts
(``subject predicate object count``) are relations, not pictures: one picture may hold several.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files import json_elements, numbered_lines, read_table
from horsesense.probes.partwhole.mined import Modifiers, Pair, Pairs, clean_noun

LICENCE = "CC BY 4.0"
HAS = {
    "have": ("has", "have", "having", "has a", "have a", "has an", "have an"),
    "with": ("with", "with a", "with an"),
    "of": ("of", "of a", "of an", "belong to", "belongs to", "belonging to", "part of", "is part of", "be part of"),
    "on": ("on", "on a", "is on", "be on", "on side of", "attach to", "attached to"),
}
"""Kinds of predicates that may tell a part; the paper takes the first. After *of* and *on* the whole stands last."""

_TURNED = ("of", "on")


def read_relationships(path: Path, kinds: Sequence[str] = ("have",), aliases: Mapping[str, str] | None = None) -> Pairs:
    """Pairs of the official file, with the number of pictures each is in."""
    turned, left_out = _predicates(kinds), Counter[str]()
    counts: Counter[Pair] = Counter()
    for picture in json_elements(path):
        try:
            seen = {_pair(one, turned, aliases or {}, left_out) for one in picture["relationships"]}
        except (KeyError, TypeError, IndexError) as error:
            raise UserError(
                f"a picture has no relationships as Visual Genome has them ({error!r})",
                file=path,
                fix="give relationships.json of Visual Genome, unpacked",
            ) from None
        counts.update(pair for pair in seen if pair is not None)
    return Pairs("visual-genome", "images", counts, LICENCE, left_out)


def read_relation_counts(
    path: Path, kinds: Sequence[str] = ("have",), aliases: Mapping[str, str] | None = None
) -> Pairs:
    """Pairs of a table of counts, with the number of relations each is in."""
    turned, left_out = _predicates(kinds), Counter[str]()
    counts: Counter[Pair] = Counter()
    for number, row in read_table(path, ("subject", "predicate", "object", "count")):
        if not row["count"].isdigit():
            raise UserError(f"the count {row['count']!r} is no number", file=path, line=number, fix="repair the row")
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
    """What ``attributes.json`` says of each object, once a picture and object."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    left_out: Counter[str] = Counter()
    for picture in json_elements(path):
        try:
            for thing in picture["attributes"]:
                noun = _noun(thing, aliases or {})
                given = {" ".join(str(one).lower().split()) for one in thing.get("attributes") or ()}
                if not noun:
                    left_out["attributes of what is no noun"] += len(given)
                    continue
                counts[noun].update(given - {""})
        except (KeyError, TypeError, IndexError) as error:
            raise UserError(
                f"a picture has no attributes as Visual Genome has them ({error!r})",
                file=path,
                fix="give attributes.json of Visual Genome, unpacked",
            ) from None
    return Modifiers("visual-genome", counts, LICENCE, left_out)


def read_aliases(path: Path) -> dict[str, str]:
    """Other names of objects: ``canonical,alias,alias`` a line."""
    found: dict[str, str] = {}
    for _, line in numbered_lines(path):
        first, *others = (" ".join(name.lower().split()) for name in line.split(","))
        found.update((other, first) for other in others if other)
    return found


def _predicates(kinds: Sequence[str]) -> dict[str, bool]:
    """Predicate → whether the whole stands last."""
    return {name: kind in _TURNED for kind in kinds for name in HAS[kind]}


def _pair(relation: Any, turned: Mapping[str, bool], aliases: Mapping[str, str], left_out: Counter[str]) -> Pair | None:
    predicate = " ".join(relation["predicate"].lower().split())
    if predicate not in turned:
        left_out["relations with another predicate"] += 1
        return None
    whole, part = _noun(relation["subject"], aliases), _noun(relation["object"], aliases)
    if not whole or not part:
        left_out["relations between what are no nouns"] += 1
        return None
    return (part, whole) if turned[predicate] else (whole, part)


def _noun(thing: Any, aliases: Mapping[str, str]) -> str:
    """An object's name; some versions of the file give a list of names."""
    name = thing["name"] if "name" in thing else thing["names"][0]
    plain = " ".join(name.lower().split())
    return clean_noun(aliases.get(plain, plain))
