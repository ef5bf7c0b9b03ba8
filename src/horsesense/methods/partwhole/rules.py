"""Which pairs and adjectives are asked about. Each rule has its switch, and counts what it rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from horsesense.lexicons.inflection import is_known, is_noun
from horsesense.lexicons.words import FUNCTION_WORDS
from horsesense.methods.partwhole.adjectives import (
    is_colour,
    is_known_adjective,
    not_attributive,
    not_descriptive,
)
from horsesense.methods.partwhole.pairs import Modifiers, Pair, Pairs
from horsesense.methods.partwhole.parthood import REASONS, parthood
from horsesense.methods.partwhole.settings import CandidateRules


@dataclass(slots=True)
class Sieve:
    """The rules at work, with what they rejected."""

    rules: CandidateRules
    rejected: Counter[str] = field(default_factory=Counter)

    def _lets(self, name: str, good: bool, what: str) -> bool:
        if good or not self.rules.on(name):
            return True
        self.rejected[f"{what} rejected by {name}"] += 1
        return False

    def pairs(self, sources: Iterable[Pairs]) -> dict[Pair, tuple[str, ...]]:
        """The pairs that stay, with the sources that have them."""
        kept = self._plain_pairs(sources)
        if not kept or not self.rules.on("parts"):
            return kept
        witnesses: dict[str, list[Pair]] = {}
        for pair, names in kept.items():
            for name in names:
                witnesses.setdefault(name, []).append(pair)
        known = parthood(witnesses)
        why = {pair: known.why_not(*pair) for pair in kept}
        for reason in why.values():
            if reason:
                self.rejected[f"pairs rejected by parts: {REASONS[reason]}"] += 1
        good = {pair: names for pair, names in kept.items() if not why[pair]}
        self.rejected["pairs that are parts in WordNet"] = sum(known.in_wordnet(*pair) for pair in good)
        self.rejected["pairs that are parts in two other sources"] = len(good) - sum(
            known.in_wordnet(*pair) for pair in good
        )
        return good

    def _plain_pairs(self, sources: Iterable[Pairs]) -> dict[Pair, tuple[str, ...]]:
        kept: dict[Pair, tuple[str, ...]] = {}
        for pairs in sources:
            for pair, count in sorted(pairs.counts.items()):
                enough = count >= self.rules.fewest or not pairs.needs_repeating
                good = (
                    self._lets("same", pair[0] != pair[1], "pairs")
                    and self._lets("nouns", all(map(_short_noun, pair)), "pairs")
                    and self._lets("repeated", enough, "pairs")
                )
                if good:
                    kept[pair] = (*kept.get(pair, ()), pairs.source)
        return kept

    def adjectives(self, modifiers: Modifiers, wholes: Iterable[str]) -> dict[str, list[str]]:
        """The adjectives of each whole in one source, the commonest first; of equally common ones, by letter."""
        kept: dict[str, list[str]] = {}
        for whole in sorted(set(wholes)):
            counts = modifiers.counts.get(whole, Counter())
            ranked = [word for word in sorted(counts, key=lambda word: (-counts[word], word)) if self._good(word)]
            most = self.rules.commonest if self.rules.on("commonest") else len(ranked)
            self.rejected["adjectives of a whole rejected by commonest"] += len(ranked[most:])
            kept[whole] = ranked[:most]
        return kept

    def _good(self, word: str) -> bool:
        return (
            self._lets("adjectives", is_known_adjective(word) and " " not in word, "adjectives of a whole")
            and self._lets("attributive", word not in not_attributive(), "adjectives of a whole")
            and self._lets("descriptive", word not in not_descriptive(), "adjectives of a whole")
        )

    def triples(self, pair: Pair, ranked: Iterable[str], with_nouns: Mapping[str, Iterable[str]]) -> list[str]:
        """The adjectives of a pair: those seen with the part, colours thinned out."""
        _, part = pair
        seen = set(with_nouns.get(part, ()))
        fitting = [word for word in ranked if self._lets("part", word in seen, "triples")]
        kept: list[str] = []
        colours = 0
        for word in fitting:
            if is_colour(word):
                colours += 1
                if not self._lets("colours", colours <= self.rules.colours, "triples"):
                    continue
            kept.append(word)
        return kept


def _short_noun(noun: str) -> bool:
    words = noun.split(" ")
    last = words[-1].rpartition("-")[2]
    # Some good nouns ("trunk") are not in the dictionary; a word that it has as something else is no noun.
    return len(words) <= 2 and not FUNCTION_WORDS & set(words) and (is_noun(last) or not is_known(last))
