"""WordNet's relations between words as properties: opposites, near-synonyms, usual part of speech."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from horsesense.data import numbered_lines
from horsesense.lexicons.wordnet import Synset, find_wordnet, read_senses, read_synsets

_KINDS = {"1": "noun", "2": "verb", "3": "adjective", "4": "adverb", "5": "adjective"}
"""Digit of a sense key → part of speech."""
_PARTS = {"n": "noun", "v": "verb", "a": "adjective", "s": "adjective", "r": "adverb"}
_COUNTS = "cntlist.rev"


@dataclass(frozen=True, slots=True)
class WordRelations:
    """Relations between lower-case words, over all senses."""

    synonyms: Mapping[str, frozenset[str]]
    """Words of a common synset, in any part of speech."""
    similar: Mapping[str, frozenset[str]]
    """Adjectives one similar-to link away."""
    antonyms: Mapping[str, frozenset[str]]
    """Antonymous adjectives."""
    chained: Mapping[str, frozenset[str]]
    """Adjectives that its first sense reaches via an antonym and similar-to links; other senses mislead."""
    usual: Mapping[str, frozenset[str]]
    """Antonyms of an adjective in its first sense."""
    counts: Mapping[str, Mapping[str, int]]
    """Word → part of speech → tagged count, plus one for each known sense."""

    def is_property(self, word: str) -> bool:
        """Return whether a word can follow *is* as a property: an adjective or a participle."""
        if "adjective" in self.counts.get(word, {}):
            return True
        import lemminflect

        lemmas = lemminflect.getAllLemmas(word, upos="VERB").get("VERB", ())
        return any(word in lemminflect.getInflection(lemma, tag) for lemma in lemmas for tag in ("VBN", "VBG"))

    def opposites(self, word: str) -> dict[str, int]:
        """Return opposite → distance: 0 for a direct antonym, 1 for one via a similar word on either side."""
        distances = dict.fromkeys(sorted(self.antonyms.get(word, ())), 0)
        for other in sorted(self.chained.get(word, frozenset()) - self.similar.get(word, frozenset()) - {word}):
            distances.setdefault(other, 1)
        return distances

    def are_antonyms(self, word: str, other: str) -> bool:
        """Return whether the usual senses of two words are antonyms: *simple* and *complex*, but not *compound*."""
        return other in self.usual.get(word, ()) and word in self.usual.get(other, ())

    def may_negate(self, word: str, other: str) -> bool:
        """Return whether neither word usually has another antonym: *difficult*, not *uneasy*, is that of *easy*."""
        return other in self.usual.get(word, (other,)) and word in self.usual.get(other, (word,))

    def are_far_opposites(self, word: str, other: str) -> bool:
        """Return whether each of two words is an opposite of the other, possibly via similar words."""
        return other in self.opposites(word) and word in self.opposites(other)

    def are_synonyms(self, word: str, other: str) -> bool:
        """Return whether two words are near-synonyms: a common synset, or similar adjectives, in any form."""
        for first in _forms(word):
            for second in _forms(other):
                if first == second or second in self.synonyms.get(first, ()) or second in self.similar.get(first, ()):
                    return True
        return False

    def pos(self, *words: str) -> str:
        """Return the part of speech that fits all words best: they fill the same slot of one sentence."""
        totals: dict[str, float] = {}
        for word in words:
            counts: dict[str, int] = {}
            for form in _forms(word):
                for kind, count in self.counts.get(form, {}).items():
                    counts[kind] = max(counts.get(kind, 0), count)
            whole = sum(counts.values())
            for kind, count in counts.items():
                totals[kind] = totals.get(kind, 0.0) + count / whole
        return max(sorted(totals), key=lambda kind: totals[kind]) if totals else "other"


@cache
def _forms(word: str) -> tuple[str, ...]:
    """Return a word and its lemmas."""
    import lemminflect

    lemmas = (lemma for of_a_kind in lemminflect.getAllLemmas(word.lower()).values() for lemma in of_a_kind)
    return tuple(dict.fromkeys((word.lower(), *lemmas)))


def load_word_relations() -> WordRelations | None:
    """Return the relations of the WordNet on this machine; None if it was not fetched."""
    folder = find_wordnet()
    return read_word_relations(folder) if folder is not None else None


@cache
def read_word_relations(folder: Path) -> WordRelations:
    """Read the relations of a WordNet database; without its counts, senses are counted instead."""
    senses = read_senses(folder)
    return word_relations_of(read_synsets(folder, senses), _tagged(folder / _COUNTS), senses["a"])


def word_relations_of(
    synsets: Iterable[Synset], tagged: Mapping[str, Mapping[str, int]], senses: Mapping[str, Sequence[int]]
) -> WordRelations:
    """Collect the relations of synsets by word; ``senses`` are those of adjectives, the usual one first."""
    by_id = {synset.id: synset for synset in synsets}
    synonyms, similar, antonyms, chained, usual = (defaultdict[str, set[str]](set) for _ in range(5))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for synset in by_id.values():
        words = _words(synset)
        for word in words:
            kind = _PARTS[synset.pos]
            counts[word][kind] += 1 if kind in counts[word] else 1 + tagged.get(word, {}).get(kind, 0)
            synonyms[word].update(other for other in words if other != word)
        if synset.pos not in "as":
            continue
        for pointer in synset.pointers:
            others = _words(by_id[pointer.target])
            # An antonym holds between two words of the synsets; a small database may leave them out.
            first = words[pointer.source_word - 1 :][:1] if pointer.source_word else words
            if pointer.symbol == "!":
                for word in first:
                    targets = others[pointer.target_word - 1 :][:1] if pointer.target_word else others
                    antonyms[word].update(targets)
                    if senses.get(word, ())[:1] == (synset.offset,):
                        usual[word].update(targets)
            for word in words:
                if pointer.symbol == "&":
                    similar[word].update(others)
        for word in words:
            if senses.get(word, ())[:1] == (synset.offset,):
                chained[word].update(_chain(synset, by_id))
    return WordRelations(
        _frozen(synonyms), _frozen(similar), _frozen(antonyms), _frozen(chained), _frozen(usual), counts
    )


def _chain(synset: Synset, by_id: Mapping[str, Synset]) -> set[str]:
    """Return the words reached via the head of a satellite, its antonym, and words similar to that."""
    heads = [synset] + ([by_id[p.target] for p in synset.pointers if p.symbol == "&"] if synset.pos == "s" else [])
    opposites: set[str] = set()
    for opposite in (by_id[p.target] for head in heads for p in head.pointers if p.symbol == "!"):
        opposites.update(_words(opposite))
        for pointer in opposite.pointers:
            if pointer.symbol == "&":
                opposites.update(_words(by_id[pointer.target]))
    return opposites


def _words(synset: Synset) -> list[str]:
    return [lemma.lower() for lemma in synset.lemmas]


def _frozen(table: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {word: frozenset(others) for word, others in table.items()}


def _tagged(path: Path) -> Mapping[str, Mapping[str, int]]:
    """Read how often each word was tagged with each part of speech in WordNet's texts."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for _, line in numbered_lines(path) if path.is_file() else ():
        key, _, count = line.split()
        word, _, rest = key.partition("%")
        counts[word][_KINDS[rest[0]]] += int(count)
    return counts
