"""Rules that select pairs and adjectives. Each can be switched off, and counts what it rejects.

The rule "parts" needs evidence for each pair: in pictures a chair "has" a cat, and collections of facts have lions as
parts of animals. Evidence of the pair itself always counts:

- WordNet has the part. A whole inherits the parts of what it is a kind of, and parts have parts themselves (a woman is
  a person, a person has a body, a body a head, a head a face, a face a nose).
- A second source has the pair.

With ``evidence="wide"`` these count too, as the paper's crowd accepted them:

- People saw or stated the pair, and WordNet has the part for a whole of the same class: a jug has a lid because a pan
  has one, both artefacts. Marks (a logo, a number) are on artefacts, ingredients in dishes, and a crew (a captain, a
  driver) is part of a vehicle.
- The part is a region, such as an edge or a top, of something that can be touched.

Kinds, other living things in or on something, what fills a thing, clothes of a person and what cannot be touched are
not parts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Literal

from annotated_types import Ge

from horsesense.errors import UserError, argument, unknown
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import find_wordnet_graph
from horsesense.lexicons.word_forms import is_known, is_noun
from horsesense.lexicons.words import FUNCTION_WORDS, listed
from horsesense.methods.partwhole.pairs import (
    Modifiers,
    Pair,
    Pairs,
    is_colour,
    is_known_adjective,
    not_attributive,
    not_descriptive,
)

RULES = {
    "same": "a part is not its whole",
    "nouns": "whole and part are nouns of one or two words",
    "repeated": "a pair is in enough images (or relations)",
    "parts": "WordNet or a second source has the part; with wide evidence, other wholes of the class",
    "adjectives": "an attribute is an adjective of one word",
    "attributive": "an adjective that is used before nouns (not: awake)",
    "descriptive": "an adjective that describes (not: first)",
    "commonest": "the commonest adjectives of a whole only",
    "part": "an adjective that was seen with the part too",
    "colours": "few colours per pair",
}
"""The rules by name, and what each requires."""


@dataclass(frozen=True, slots=True)
class CandidateRules:
    """Rules: which are applied, and their thresholds (sections 3.1 and 3.2 of the paper)."""

    without: Sequence[str] = ()
    """Rule to switch off: same, nouns, repeated, parts, adjectives, attributive, descriptive, commonest, part,
    colours."""
    fewest: Annotated[int, Ge(1)] = 3
    """Minimum number of images (or relations) per pair."""
    commonest: Annotated[int, Ge(1)] = 5
    """Maximum number of adjectives per whole and source."""
    colours: Annotated[int, Ge(0)] = 1  # 3,986 of the 4,175 published pairs with a colour have one
    """Maximum number of colours per pair."""
    evidence: Literal["strict", "wide"] = "strict"
    """Evidence that the rule parts accepts: strict (of the pair itself), or wide (also of other wholes of its class,
    regions, marks, ingredients and crews), which keeps more pairs, and more that are not parts."""

    def __post_init__(self) -> None:
        for name in self.without:
            if name not in RULES:
                raise unknown("rule", name, RULES)

    def on(self, name: str) -> bool:
        """Return whether a rule is applied."""
        return name not in self.without


REASONS = {
    "vague": "everything has it in some way (a part, a shadow)",
    "phrase": "words that WordNet does not have as one noun (good nose)",
    "name": "the name of one thing (oregon)",
    "kind": "a kind of its whole, or the other way round (animal, lion)",
    "living": "somebody in or on something (chair, cat)",
    "filling": "what is in or on it for a while (glass, water)",
    "untouchable": "nothing that can be touched (tennis, advantage)",
    "unknown": "no evidence that it is a part",
}
"""Reasons why a pair is not a part, or not known to be one."""

_VAGUE = frozenset(
    listed(
        "part piece section area portion stuff thing material substance body shape color colour shadow reflection "
        "corpus item object unit background picture image photo space level cell nucleus vacuole cytoplasm"
    )
) | {"body part", "human body", "adult body", "material body", "body substance", "ground substance", "cell membrane",
     "plasma membrane", "chemical group", "chemical chain"}  # fmt: skip
_REGIONS = frozenset(
    listed(
        "side line spot top bottom front back end edge corner middle surface hole base stripe layer tip "
        "center centre rim border bump fringe seam groove ridge crease crack pattern"
    )
)
_LIVING = ("animal.n.01", "person.n.01")
_CREW = ("leader.n.01", "worker.n.01", "skilled_worker.n.01", "operator.n.02", "traveler.n.01", "serviceman.n.01")
_CREWED = ("vehicle.n.01", "craft.n.02", "conveyance.n.03")
_FOOD = ("food.n.01", "food.n.02")
_FILLING = (
    *("water.n.01", "liquid.n.01", "fluid.n.01", "gas.n.02", "precipitation.n.03"),
    *(*_FOOD, "clothing.n.01"),
)
_TOUCHED = ("physical_entity.n.01", "people.n.01")
_MARKS = (
    *("mark.n.05", "symbol.n.01", "marker.n.01", "label.n.04", "marking.n.02", "writing.n.02", "character.n.08"),
    *("sign.n.02", "trim.n.01", "decoration.n.01", "design.n.04", "emblem.n.01", "number.n.02"),
)
_ARTEFACT, _GROUND = "artefact", "ground"
_CLASSES = {
    "body": (*_LIVING, "people.n.01", "body_part.n.01", "body.n.01", "statue.n.01", "plaything.n.01"),
    "plant": ("plant.n.02", "plant_part.n.01", "edible_fruit.n.01", "vegetable.n.01"),
    "food": _FOOD,
    _ARTEFACT: ("artifact.n.01",),
    _GROUND: ("location.n.01", "geological_formation.n.01", "way.n.06"),
}
"""Classes of wholes; what a whole of one class has is not evidence for another class."""
_DEEPEST, _DEEPEST_OF_BODIES = 3, 5
"""Links from a whole to its parts, their parts and so on. A nose is the fifth of a person; elsewhere long chains end
far off, such as a courtyard of a coop."""
_NEAR = 2
"""Levels of kinds that count for a part: what has a car wheel has a wheel, but not therefore a device."""
_INFERRED = frozenset({"genericskb"})
"""Sources whose pairs a program inferred: other wholes of the class are not enough evidence for these."""
_SENSES = 3
"""Commonest senses of a noun that count."""


@dataclass(frozen=True)
class Parthood:
    """Parts in WordNet and in other sources."""

    graph: Graph
    """WordNet."""
    witnesses: Mapping[Pair, frozenset[str]] = field(default_factory=dict)
    """The sources other than WordNet that have a pair."""
    wide: bool = False
    """Whether other evidence than of the pair itself counts."""

    def why_not(self, whole: str, part: str) -> str:
        """Return why a pair is not a part, one of `REASONS`; empty if it is one."""
        wholes, parts = self._senses(whole), self._senses(part)
        if _VAGUE & {whole, part}:
            return "vague"
        if not wholes or not parts:
            return "phrase"
        if all(map(self._is_name, wholes[:_SENSES])) or all(map(self._is_name, parts[:_SENSES])):
            return "name"
        if self._is_kind(wholes, parts) or self._is_kind(parts, wholes):
            return "kind"
        if self.wide and self._below(parts[0], _CREW) and self._below(wholes[0], _CREWED):
            return ""
        if self._below(parts[0], _LIVING):
            return "living"
        senses = _SENSES if self.wide else 1
        touched = [any(self._below(sense, _TOUCHED) for sense in each[:senses]) for each in (wholes, parts)]
        if self.wide and self._is_attached(wholes, part):
            return ""
        if not all(touched):
            return "untouchable"
        if not self.wide and self._below(parts[0], _FILLING) and not self._below(wholes[0], _FILLING):
            return "filling"
        if self.in_wordnet(whole, part) or len(self.witnesses.get((whole, part), ())) > 1:
            return ""
        if not self.wide:
            return "unknown"
        if self._below(parts[0], _FILLING):
            eaten = self._below(parts[0], _FOOD) and self._below(wholes[0], _FOOD)
            return "" if eaten else "filling"
        seen = bool(self.witnesses.get((whole, part), frozenset()) - _INFERRED) and not self.in_wordnet(part, whole)
        return "" if seen and self._is_part_of_its_class(wholes, parts) else "unknown"

    def _is_attached(self, wholes: Sequence[int], part: str) -> bool:
        """Return whether it is a region of something that can be touched, or a mark on an artefact."""
        marks = any(self._below(sense, _MARKS) for sense in self._senses(part)[:_SENSES])
        artefact = any(_ARTEFACT in self._classes(sense) for sense in wholes[:_SENSES])
        region = part in _REGIONS and any(map(self._classes, wholes[:_SENSES]))
        return region or (marks and artefact)

    def _is_part_of_its_class(self, wholes: Sequence[int], parts: Sequence[int]) -> bool:
        """Return whether WordNet has the part, or a kind of it, for something of the class of the whole."""
        classes = {name for sense in wholes[:_SENSES] for name in self._classes(sense)}
        for sense in parts[:_SENSES]:
            kinds = {sense, *(kind for kind, links in self.graph.down.row(sense) if links <= _NEAR)}
            having = {whole for kind in kinds for whole in self._wholes.get(kind, ())}
            if any(classes & self._classes(each) for each in having):
                return True
        return False

    def _classes(self, concept: int) -> set[str]:
        classes = {name for name, tops in _CLASSES.items() if self._below(concept, tops)}
        return classes - {_ARTEFACT} if _GROUND in classes else classes

    def in_wordnet(self, whole: str, part: str) -> bool:
        """Return whether WordNet has the part for the whole or its kinds, directly or within another part."""
        wanted = set(self._senses(part)[:_SENSES])
        return any(not wanted.isdisjoint(self._having(sense)) for sense in self._senses(whole)[:2])

    def _having(self, whole: int) -> set[int]:
        if whole not in self._had:
            reached: set[int] = set()
            layer = {whole, *self.graph.up.reached(whole)}
            for _ in range(_DEEPEST_OF_BODIES if self._below(whole, _LIVING) else _DEEPEST):
                layer = {part for each in layer for part in self._parts.get(each, ())} - reached
                reached |= layer
                layer |= {kind for each in layer for kind in self._kinds(each)}
            self._had[whole] = reached | {kind for part in reached for kind in self._kinds(part)}
        return self._had[whole]

    @cached_property
    def _had(self) -> dict[int, set[int]]:
        return {}

    @cached_property
    def _wholes(self) -> dict[int, set[int]]:
        wholes: dict[int, set[int]] = defaultdict(set)
        for whole, parts in self._parts.items():
            for part in parts:
                wholes[part].add(whole)
        return wholes

    @cached_property
    def _parts(self) -> dict[int, set[int]]:
        parts: dict[int, set[int]] = defaultdict(set)
        wholes, members = self.graph.links("part")
        for whole, part in zip(wholes.tolist(), members.tolist(), strict=True):
            parts[whole].add(part)
        return parts

    def _kinds(self, concept: int) -> set[int]:
        """Return the nearest kinds of a concept."""
        return {kind for kind, links in self.graph.lineage.row(concept) if 1 <= links <= _NEAR}

    def _senses(self, noun: str) -> list[int]:
        """Return the nouns that a word names, commonest sense first."""
        return [index for index in self.graph.senses.get(noun, ()) if ".n." in self.graph.ids[index]]

    def _is_name(self, concept: int) -> bool:
        return all(lemma[:1].isupper() for lemma in self.graph.lemmas[concept])

    def _is_kind(self, kinds: list[int], of: list[int]) -> bool:
        """Return whether the commonest sense of a noun is a kind of the commonest sense of the other."""
        return of[0] in self.graph.up.reached(kinds[0])

    def _below(self, concept: int, names: Iterable[str]) -> bool:
        above = {concept, *self.graph.up.reached(concept)}
        return any(self.graph.number.get(name) in above for name in names)


def parthood(pairs_by_source: Mapping[str, Iterable[Pair]], wide: bool = False) -> Parthood:
    """Use the installed WordNet, and pairs of several sources as witnesses of each other."""
    graph = find_wordnet_graph()
    if graph is None:
        raise UserError(
            "pairs are checked against WordNet, which is not on this machine",
            fix=f"run: horsesense fetch wordnet, or add {argument('without', 'parts')}",
        )
    witnesses: dict[Pair, set[str]] = defaultdict(set)
    for source, pairs in pairs_by_source.items():
        for pair in pairs:
            if source != "wordnet":
                witnesses[pair].add(source)
    return Parthood(graph, {pair: frozenset(names) for pair, names in witnesses.items()}, wide)


@dataclass(slots=True)
class Sieve:
    """Apply the rules and count what they reject."""

    rules: CandidateRules
    rejected: Counter[str] = field(default_factory=Counter)
    before_parts: frozenset[Pair] = frozenset()
    """Pairs that the rule parts decides on."""

    def _lets(self, name: str, good: bool, what: str) -> bool:
        if good or not self.rules.on(name):
            return True
        self.rejected[f"{what} rejected by {name}"] += 1
        return False

    def pairs(self, sources: Iterable[Pairs]) -> dict[Pair, tuple[str, ...]]:
        """Return the pairs that pass, with their sources."""
        nouns = self._plain_pairs(sources)
        self.before_parts = frozenset(nouns)
        if not nouns or not self.rules.on("parts"):
            return nouns
        witnesses: dict[str, list[Pair]] = {}
        for pair, names in nouns.items():
            for name in names:
                witnesses.setdefault(name, []).append(pair)
        known = parthood(witnesses, self.rules.evidence == "wide")
        why = {pair: known.why_not(*pair) for pair in nouns}
        for reason in why.values():
            if reason:
                self.rejected[f"pairs rejected by parts: {REASONS[reason]}"] += 1
        good = {pair: names for pair, names in nouns.items() if not why[pair]}
        in_wordnet = [pair for pair in good if known.in_wordnet(*pair)]
        twice = [pair for pair in set(good) - set(in_wordnet) if len(known.witnesses.get(pair, ())) > 1]
        self.rejected["pairs that are parts in WordNet"] = len(in_wordnet)
        self.rejected["pairs that are parts in two other sources"] = len(twice)
        self.rejected["pairs that are parts of other wholes of the class"] = len(good) - len(in_wordnet) - len(twice)
        return good

    def _plain_pairs(self, sources: Iterable[Pairs]) -> dict[Pair, tuple[str, ...]]:
        sources_of: dict[Pair, tuple[str, ...]] = {}
        for pairs in sources:
            for pair, count in sorted(pairs.counts.items()):
                enough = count >= self.rules.fewest or not pairs.needs_repeating
                good = (
                    self._lets("same", pair[0] != pair[1], "pairs")
                    and self._lets("nouns", all(map(_short_noun, pair)), "pairs")
                    and self._lets("repeated", enough, "pairs")
                )
                if good:
                    sources_of[pair] = (*sources_of.get(pair, ()), pairs.source)
        return sources_of

    def adjectives(self, modifiers: Modifiers, wholes: Iterable[str]) -> dict[str, list[str]]:
        """Return the adjectives of each whole in one source, commonest first, then alphabetically."""
        by_pair: dict[str, list[str]] = {}
        for whole in sorted(set(wholes)):
            counts = modifiers.counts.get(whole, Counter())
            ranked = [word for word in sorted(counts, key=lambda word: (-counts[word], word)) if self._good(word)]
            most = self.rules.commonest if self.rules.on("commonest") else len(ranked)
            self.rejected["adjectives of a whole rejected by commonest"] += len(ranked[most:])
            by_pair[whole] = ranked[:most]
        return by_pair

    def _good(self, word: str) -> bool:
        return (
            self._lets("adjectives", is_known_adjective(word) and " " not in word, "adjectives of a whole")
            and self._lets("attributive", word not in not_attributive(), "adjectives of a whole")
            and self._lets("descriptive", word not in not_descriptive(), "adjectives of a whole")
        )

    def triples(self, pair: Pair, ranked: Iterable[str], with_nouns: Mapping[str, Iterable[str]]) -> list[str]:
        """Return the adjectives of a pair that occur with the part, with few colours."""
        _, part = pair
        seen = set(with_nouns.get(part, ()))
        fitting = [word for word in ranked if self._lets("part", word in seen, "triples")]
        triples: list[str] = []
        colours = 0
        for word in fitting:
            if is_colour(word):
                colours += 1
                if not self._lets("colours", colours <= self.rules.colours, "triples"):
                    continue
            triples.append(word)
        return triples


def _short_noun(noun: str) -> bool:
    words = noun.split(" ")
    last = words[-1].rpartition("-")[2]
    # Some good nouns ("trunk") are not in the dictionary; a word that it has as something else is not a noun.
    return len(words) <= 2 and not FUNCTION_WORDS & set(words) and (is_noun(last) or not is_known(last))
