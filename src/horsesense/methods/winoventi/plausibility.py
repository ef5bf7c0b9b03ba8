"""Candidates for exceptions, and the evidence for each (section 2.3).

A candidate is a word that may be the opposite of the generic word: from tables, WordNet, morphology or ConceptNet. It
is kept if there is evidence for two things. *Exclusion*: our table opposes the words, WordNet has them as opposites,
one negates the other, ConceptNet says that they are distinct, or people gave the pair. *Plausibility*: the table has it
for this type of noun, texts have the word with the noun or with several nouns of its class, people gave it for such
nouns, it is the other end of the scale on which the noun has the generic word, or an independent model accepts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from horsesense.lexicons.corpus import read_sentences
from horsesense.lexicons.triples import Fact
from horsesense.lexicons.words import listed, words, zipf
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.circumstances import Circumstances
from horsesense.methods.winoventi.nouns import Noun, is_plural
from horsesense.methods.winoventi.schemas import Triplet
from horsesense.methods.winoventi.word_relations import WordRelations

_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis")
_ENDINGS = (("ful", "less"), ("less", "ful"))
_NOT_RELATIONS = ("NotHasProperty", "NotCapableOf", "NotIsA", "NotMadeOf", "NotHasA")
_FEWEST = 2.0
"""Minimum Zipf frequency of a word made by morphology."""
_SCALE_FEWEST = 2.5
"""Minimum Zipf frequency of a word whose only ground is that it is the other end of the scale."""
_FAR_FEWEST = 3.5
"""Minimum Zipf frequency of a word that is only similar to an opposite: most of those are unusual."""


def from_table(association: Association, noun: Noun, table: Circumstances) -> list[Triplet]:
    """Return the states that our table opposes to the association, for nouns of this type."""
    return [_triplet(association, other, "table") for other in table.opposites(noun, association.word)]


def from_lexicon(association: Association, lexicon: WordRelations) -> list[Triplet]:
    """Return WordNet's antonyms, those of similar words, and morphological negations."""
    opposites = [
        (other, "similar" if steps else "antonym")
        for other, steps in lexicon.opposites(association.word).items()
        if not steps or zipf(other) >= _FAR_FEWEST
    ]
    opposites += [(other, "morphology") for other in morphological(association.word)]
    return [_triplet(association, other, origin) for other, origin in opposites if other.isalpha()]


@cache
def morphological(word: str) -> list[str]:
    """Return the morphological negations of a word that are in use.

    >>> morphological("edible"), morphological("unsafe"), morphological("useful")
    (['inedible'], ['safe'], ['useless'])
    """
    forms = [prefix + word for prefix in _PREFIXES]
    forms += [word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)]
    forms += [word.removesuffix(ending) + other for ending, other in _ENDINGS if word.endswith(ending)]
    return [each for each in forms if len(each) > 3 and zipf(each) >= _FEWEST and _is_negation(word, each)]


def _is_negation(word: str, other: str) -> bool:
    """Return whether both words are adjectives: *inside* is not a negation of *side*."""
    import lemminflect

    return all("ADJ" in lemminflect.getAllLemmas(each) for each in (word, other))


def from_facts(association: Association, denied: Mapping[str, Sequence[str]]) -> list[Triplet]:
    """Return the words that ConceptNet denies of the noun: "a knife is not soft" makes soft a candidate."""
    words = [word for word in denied.get(association.noun, ()) if word != association.word]
    return [_triplet(association, word, "conceptnet") for word in words]


def denied_in(facts: Iterable[Fact]) -> dict[str, list[str]]:
    """Return noun → single words that ConceptNet's Not-relations deny of it."""
    denied: dict[str, list[str]] = {}
    for fact in facts:
        if fact.relation in _NOT_RELATIONS and fact.tail.isalpha() and fact.tail not in denied.get(fact.head, ()):
            denied.setdefault(fact.head, []).append(fact.tail)
    return denied


def distinct_in(facts: Iterable[Fact]) -> dict[str, frozenset[str]]:
    """Return word → words that ConceptNet calls distinct from it, either way round."""
    distinct: dict[str, set[str]] = {}
    for fact in facts:
        if fact.relation == _DISTINCT:
            distinct.setdefault(fact.head, set()).add(fact.tail)
            distinct.setdefault(fact.tail, set()).add(fact.head)
    return {word: frozenset(others) for word, others in distinct.items()}


def from_distinct(association: Association, distinct: Mapping[str, Iterable[str]]) -> list[Triplet]:
    """Return the words that ConceptNet calls distinct from the association."""
    return [_triplet(association, word, "conceptnet") for word in sorted(distinct.get(association.word, ()))]


def from_related_nouns(association: Association, by_people: Mapping[str, Mapping[str, Sequence[str]]]) -> list[Triplet]:
    """Return the exceptions that people gave for the same association of other nouns."""
    return [_triplet(association, other, "kin") for other in by_people.get(association.word, ())]


def _triplet(association: Association, word: str, origin: str) -> Triplet:
    return Triplet(association.noun, association.word, word, origin, association.k)


NOT_EXCLUDED = "nothing shows that it excludes the generic word"
NOT_PLAUSIBLE = "nothing shows that it can be true of the noun"
GROUNDS = ("people", "table", "attested", "kin", "class", "scale", "judge")
"""Reasons why a word is plausible for a noun, the strongest first."""

_NOUNS_OF_A_CLASS = 3
"""Minimum number of nouns of a class with which a word is attested to be plausible for all."""
_MOST_GENERAL = 900
"""Maximum number of hyponyms of a class; what is true of some *artifact* does not transfer to another."""
_BROAD = frozenset(
    listed(
        "artifact.n.01 food.n.01 food.n.02 animal.n.01 plant.n.02 plant_part.n.01 person.n.01 natural_object.n.01 "
        "substance.n.01 body_part.n.01"
    )
)
"""Classes that are close enough if people gave both words: what holds for one food may hold for another."""
_BE = frozenset({"is", "are", "was", "were"})
_DEGREE = frozenset({"very", "so", "too", "quite", "really", "still", "now", "all"})
_PROPERTY, _DISTINCT = "HasProperty", "DistinctFrom"

Given = Mapping[str, Mapping[str, Sequence[str]]]
"""Generic → exception → nouns that people gave it for."""


Attested = Mapping[str, Mapping[str, int]]
"""Word → noun, in the singular → number of times that texts and facts have them together."""


def attested_in(texts: Iterable[Path], facts: Iterable[Fact], adjectives: frozenset[str]) -> Attested:
    """Count each word with the nouns beside it: *wet towel*, *the towel was wet*, and (towel, HasProperty, wet)."""
    counts: dict[str, Counter[str]] = {word: Counter() for word in adjectives}
    for path in texts:
        for sentence in read_sentences(path):
            tokens = words(sentence)
            for i, token in enumerate(tokens):
                if token in counts:
                    for noun in _beside(tokens, i):
                        counts[token][noun] += 1
    for fact in facts:
        if fact.relation == _PROPERTY and fact.tail in counts:
            counts[fact.tail][fact.head] += 1
    return counts


def _beside(tokens: Sequence[str], i: int) -> Iterable[str]:
    """Yield the noun after a word, as one word and as two; or the one before a form of *be* that precedes it."""
    after = tokens[i + 1 : i + 3]
    for length in range(1, len(after) + 1):
        yield _one(" ".join(after[:length]))
    back = i - 1
    while back > 0 and tokens[back] in _DEGREE:
        back -= 1
    if back > 0 and tokens[back] in _BE:
        yield _one(tokens[back - 1])


_SINGULARS: dict[str, str] = {}


def _one(noun: str) -> str:
    if noun not in _SINGULARS:
        _SINGULARS[noun] = noun[:-1] if noun.endswith("s") and is_plural(noun) else noun
    return _SINGULARS[noun]


def people_exceptions(triplets: Iterable[Triplet]) -> dict[str, dict[str, list[str]]]:
    """Return generic → exception → nouns, from people's triplets."""
    by_generic: dict[str, dict[str, list[str]]] = {}
    for each in triplets:
        by_generic.setdefault(each.generic, {}).setdefault(each.exception, []).append(each.noun)
    return by_generic


@dataclass(frozen=True)
class ExceptionEvidence:
    """All evidence about nouns and words."""

    table: Circumstances
    lexicon: WordRelations | None = None
    attested: Attested = field(default_factory=dict)
    given: Given = field(default_factory=dict)
    distinct: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Word → words that a knowledge base calls distinct."""
    _classes: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def excludes(self, generic: str, exception: str, without: str = "") -> bool:
        """Return whether the two words exclude each other; pairs that people gave for the noun ``without`` do not
        count."""
        if self.lexicon is not None and self.lexicon.are_synonyms(generic, exception):
            return False
        if self.table.exclude(generic, exception) or self.are_opposite(generic, exception):
            return True
        if exception in self.distinct.get(generic, ()):
            return True
        if self.lexicon is not None and self.lexicon.are_far_opposites(generic, exception):
            return True
        return any(noun != without for noun in self.given.get(generic, {}).get(exception, ()))

    def are_opposite(self, generic: str, exception: str) -> bool:
        """Return whether the words are the two ends of a scale: antonyms, or one the negation of the other."""
        negates = exception in morphological(generic) or generic in morphological(exception)
        if self.lexicon is None:
            return negates
        return self.lexicon.are_antonyms(generic, exception) or (
            negates and self.lexicon.may_negate(generic, exception)
        )

    def ground(self, triplet: Triplet, noun: Noun) -> str:
        """Return the strongest reason why the exception is plausible for the noun; empty without one."""
        if triplet.origin in ("people", "release"):
            return "people"
        if triplet.exception in self.table.opposites(noun, triplet.generic):
            return "table"
        with_word = self.attested.get(triplet.exception, {})
        if _one(noun.word) in with_word:
            return "attested"
        classes = self._narrow(noun)
        types = self.table.types_of(noun)
        people_nouns = self.given.get(triplet.generic, {}).get(triplet.exception, ())
        if any(self._is_related(other, noun, classes, types) for other in people_nouns):
            return "kin"
        others = (other for other in with_word if other != noun.word)
        shared = Counter(each for other in others for each in self._narrow(Noun(other)) & classes)
        if shared and max(shared.values()) >= _NOUNS_OF_A_CLASS:
            return "class"
        usual = zipf(triplet.exception) >= _SCALE_FEWEST and self.are_opposite(triplet.generic, triplet.exception)
        return "scale" if usual and not self._defines(noun, triplet.generic) else ""

    def _defines(self, noun: Noun, word: str) -> bool:
        """Return whether the dictionary defines a noun by a word or a synonym: ice is *frozen* water."""
        taxonomy = self.table.taxonomy
        if taxonomy is None:
            return False
        senses = [i for i in taxonomy.senses.get(_one(noun.word), ()) if ".n." in taxonomy.ids[i]][:1]
        defining = {each for i in senses for each in words(taxonomy.glosses[i])}
        synonyms = self.lexicon.synonyms.get(word, frozenset()) if self.lexicon is not None else frozenset()
        return bool(defining & {word, *synonyms})

    def _is_related(self, word: str, noun: Noun, classes: frozenset[str], types: frozenset[str]) -> bool:
        """Return whether two nouns share a type or class; broad classes count."""
        other = Noun.of(word)
        if word == noun.word:
            return False
        if self._narrow(other) & classes or self.table.types_of(other) & types:
            return True
        return bool(self.table.classes_of(other) & self.table.classes_of(noun) & _BROAD)

    def _narrow(self, noun: Noun) -> frozenset[str]:
        """Return the classes of a noun that are not too general."""
        taxonomy = self.table.taxonomy
        if taxonomy is None:
            return frozenset()
        if noun.word not in self._classes:
            self._classes[noun.word] = frozenset(
                c for c in self.table.classes_of(noun) if taxonomy.hyponyms[taxonomy.number[c]] <= _MOST_GENERAL
            )
        return self._classes[noun.word]

    def judged(self, triplet: Triplet, noun: Noun) -> tuple[str, str]:
        """Return the ground on which an exception is kept, and the objection; one of them is empty.

        People's exceptions need no other evidence.
        """
        if triplet.origin in ("people", "release"):
            return "people", ""
        if not self.excludes(triplet.generic, triplet.exception, noun.word):
            return "", NOT_EXCLUDED
        ground = self.ground(triplet, noun)
        return (ground, "") if ground else ("", NOT_PLAUSIBLE)
