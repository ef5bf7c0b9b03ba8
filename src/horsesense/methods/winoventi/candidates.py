"""Where candidates for exceptions come from, beside people (winoventi.txt, 2.3): tables, dictionaries, facts, a writer.

A candidate is no more than a word that may be the opposite; `plausibility` says which are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from horsesense.files.tables import read_table
from horsesense.knowledge.conceptnet import read_conceptnet
from horsesense.language.frequency import zipf
from horsesense.language.words import words
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.circumstances import Circumstances
from horsesense.methods.winoventi.lexicon import Lexicon
from horsesense.methods.winoventi.nouns import Noun, statement
from horsesense.methods.winoventi.schemas import Triplet
from horsesense.models.contract import Model, Sampling, Turn

REGISTRY = ("Word", "Associative Bias", "Alternative")
"""Columns of the release's registry: triplets that people gave."""

_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis")
_ENDINGS = (("ful", "less"), ("less", "ful"))
_NOT_RELATIONS = ("NotHasProperty", "NotCapableOf", "NotIsA", "NotMadeOf", "NotHasA")
_FEWEST = 2.0
"""Zipf frequency that a word made up by morphology needs, to be a word."""
_FAR_FEWEST = 3.5
"""The same for one that is only similar to an opposite: most of those are words that nobody uses."""
_PROPOSED = 3
"""Words that a writer is asked for."""


def from_table(association: Association, noun: Noun, table: Circumstances) -> list[Triplet]:
    """States that our table of circumstances sets against the association, for nouns of this type."""
    return [_triplet(association, other, "table") for other in table.opposites(noun, association.word)]


def from_lexicon(association: Association, lexicon: Lexicon) -> list[Triplet]:
    """WordNet's antonyms, those of similar words, and negations by form."""
    opposites = [
        (other, "similar" if steps else "antonym")
        for other, steps in lexicon.opposites(association.word).items()
        if not steps or zipf(other) >= _FAR_FEWEST
    ]
    opposites += [(other, "morphology") for other in morphological(association.word)]
    return [_triplet(association, other, origin) for other, origin in opposites if other.isalpha()]


@cache
def morphological(word: str) -> list[str]:
    """Negations of a word by its form, where people use the result.

    >>> morphological("edible"), morphological("unsafe"), morphological("useful")
    (['inedible'], ['safe'], ['useless'])
    """
    made = [prefix + word for prefix in _PREFIXES]
    made += [word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)]
    made += [word.removesuffix(ending) + other for ending, other in _ENDINGS if word.endswith(ending)]
    return [each for each in made if len(each) > 3 and zipf(each) >= _FEWEST and _is_negation(word, each)]


def _is_negation(word: str, other: str) -> bool:
    """Both must be adjectives by form: *inside* is no negation of *side*."""
    import lemminflect

    return all("ADJ" in lemminflect.getAllLemmas(each) for each in (word, other))


def from_facts(association: Association, denied: Mapping[str, Sequence[str]]) -> list[Triplet]:
    """What ConceptNet denies of the noun: that a knife is not *soft* makes soft a candidate."""
    words = [word for word in denied.get(association.noun, ()) if word != association.word]
    return [_triplet(association, word, "conceptnet") for word in words]


def read_denied(path: Path) -> dict[str, list[str]]:
    """Noun → single words that ConceptNet's Not-relations deny of it."""
    denied: dict[str, list[str]] = {}
    for fact in read_conceptnet([path]).facts:
        if fact.relation in _NOT_RELATIONS and fact.tail.isalpha() and fact.tail not in denied.get(fact.head, ()):
            denied.setdefault(fact.head, []).append(fact.tail)
    return denied


def read_registry_triplets(path: Path) -> list[Triplet]:
    """Triplets of the release's registry, which people gave for other models' associations."""
    noun, generic, exception = REGISTRY
    return [Triplet(row[noun], row[generic], row[exception], "release") for _, row in read_table(path, REGISTRY)]


def from_kin(association: Association, given: Mapping[str, Mapping[str, Sequence[str]]]) -> list[Triplet]:
    """What people gave for the same association of other nouns (generic → exception → nouns)."""
    return [_triplet(association, other, "kin") for other in given.get(association.word, ())]


def proposed(writer: Model, associations: Sequence[Association], nouns: Mapping[str, Noun]) -> list[list[Triplet]]:
    """What a writer says that the noun is when it is not what the model says of it."""
    turns = [Turn(_question(each, nouns[each.noun])) for each in associations]
    replies = writer.continuations(turns, Sampling(24)) if turns else []
    found = []
    for each, reply in zip(associations, replies, strict=True):
        said = words(reply[0].text.partition("\n")[0])
        fitting = [word for word in dict.fromkeys(said) if word.isalpha() and word not in ("not", each.word, each.noun)]
        found.append([_triplet(each, word, "writer") for word in fitting[:_PROPOSED]])
    return found


def _question(association: Association, noun: Noun) -> str:
    """Two examples of ours, then the association."""
    asked = statement(noun, association.word)
    return (
        "Name three adjectives that are true of the thing when the statement is false.\n"
        "The road is dry. Adjectives: wet, muddy, flooded\n"
        "The baby is asleep. Adjectives: awake, crying, restless\n"
        f"{asked} Adjectives:"
    )


def _triplet(association: Association, word: str, origin: str) -> Triplet:
    return Triplet(association.noun, association.word, word, origin, association.k)
