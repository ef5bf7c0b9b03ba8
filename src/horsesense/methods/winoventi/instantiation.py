"""Frames with a noun in them, and what speaks against each (winoventi.txt, 2.5).

Every premise is checked on its own: that it is about the noun, has one place only, differs in one word, has its
articles right, and does not name a state, nor a word derived from one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from random import Random

from horsesense.lexicons.inflection import article as fitting_article
from horsesense.lexicons.inflection import lemmas_of
from horsesense.lexicons.taxonomy import Taxonomy
from horsesense.lexicons.words import words
from horsesense.methods.winoventi.checks import CheckedSchema, check_schema
from horsesense.methods.winoventi.circumstances import NOUN, Circumstance, Circumstances
from horsesense.methods.winoventi.lexicon import Lexicon
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.plan import TABLE
from horsesense.methods.winoventi.schemas import Premise, Schema, Triplet, parse_premise

LEFT_OVER = "has a place that was not filled"
WRONG_ARTICLE = "has the wrong article"
OTHER_REFERENT = "is not about the noun"
NOT_ITS_TYPE = "does not fit the type of the noun"
DERIVED = "has a word derived from a state"
NUMBER = "does not agree with a plural"

SHARE = 0.02
"""Most of all schemas that one frame may make."""

_ARTICLE = re.compile(r"\b(an?) (\w+)", re.IGNORECASE)
_LEFT = re.compile(r"[{}\[\]_]|\s/\s")
_SINGULAR = re.compile(r"\b(it|its|itself)\b|\{noun\} (?:is|has|lives|sleeps|belongs|makes)\b")


def instantiate(frame: Circumstance, triplet: Triplet, noun: Noun) -> Schema:
    """The frame about a noun, its two words in the order of the triplet's states.

    >>> frame = Circumstance((("open",), ("closed",)), "door", "Paul walked [through / into] the {noun}.", 2)
    >>> str(instantiate(frame, Triplet("gate", "closed", "open"), Noun("gate")).premise)
    'Paul walked [into / through] the gate.'
    """
    text = frame.premise.replace(NOUN, noun.word).replace("{was}", "were" if noun.plural else "was")
    premise = parse_premise(text)
    if frame.side_of(triplet.generic) == 1:
        premise = Premise(premise.before, premise.exception, premise.generic, premise.after)
    return Schema(triplet, premise, "machine", TABLE, frame=frame.premise)


def objections_to(
    schema: Schema, noun: Noun, frame: Circumstance, table: Circumstances, lexicon: Lexicon | None
) -> tuple[str, ...]:
    """All that speaks against a premise that was made from a frame."""
    found = [*check_schema(schema, noun, lexicon).objections, *wording_objections(schema, noun, table)]
    if frame.type not in table.types_of(noun):
        found.append(NOT_ITS_TYPE)
    if noun.plural and _SINGULAR.search(frame.premise):
        found.append(NUMBER)
    return tuple(dict.fromkeys(found))


def wording_objections(schema: Schema, noun: Noun, table: Circumstances) -> tuple[str, ...]:
    """What speaks against the words of a premise, whatever machine put them together."""
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
    """Whether a word gives a state away: WordNet derives one from the other, both are forms of a verb (*wore* and
    *worn*), they begin alike, or the word is a verb that is defined by the state (to *fill* is to make *full*).

    >>> from horsesense.methods.winoventi.circumstances import circumstances_at_hand
    >>> is_derived("stuffing", "stuffed", circumstances_at_hand()), is_derived("rope", "open", circumstances_at_hand())
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


def _verb_definition(word: str, taxonomy: Taxonomy) -> list[str]:
    """The words that define the usual sense of a verb."""
    places = (place for place in taxonomy.senses.get(word, ()) if ".v." in taxonomy.ids[place])
    return next((words(taxonomy.definitions[place]) for place in places), [])


def from_circumstances(
    triplets: Sequence[Triplet],
    nouns: Mapping[str, Noun],
    table: Circumstances,
    lexicon: Lexicon | None,
    most: int = 2,
    seed: int = 0,
) -> tuple[list[Schema], Counter[str]]:
    """At most ``most`` schemas a triplet, no frame over a fiftieth of all; and what went, counted.

    Frames that were used least come first, so that a set has as many as it can; ties are drawn by ``seed``.
    """
    went: Counter[str] = Counter()
    drawn = Random(seed)
    used: Counter[str] = Counter()
    rounds: list[list[Schema]] = []
    for triplet in triplets:
        noun = nouns[triplet.noun]
        fitting = table.about(noun, triplet.generic, triplet.exception)
        if not fitting:
            went["triplets without a frame"] += 1
            continue
        order = sorted(fitting, key=lambda frame: (used[frame.premise], drawn.random()))
        kept: list[Schema] = []
        for frame in order:
            schema = instantiate(frame, triplet, noun)
            objections = objections_to(schema, noun, frame, table, lexicon)
            went.update(objections)
            if not objections and len(kept) < most:
                kept.append(schema)
                used[frame.premise] += 1
        rounds.append(kept)
    in_turn = [schema for turn in zip_longest(*rounds) for schema in turn if schema is not None]
    schemas, over = within_share(in_turn)
    if over:
        went["over the share of their frame"] += over
    return schemas, went


def within_share(schemas: Sequence[Schema], share: float = SHARE) -> tuple[list[Schema], int]:
    """Those that are left when no frame may make more than a share of all, and how many went.

    What goes makes the whole smaller, so it is done until nothing goes; a frame keeps one schema at least.
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


def checked(schemas: Iterable[Schema]) -> list[CheckedSchema]:
    """Schemas that nothing speaks against so far."""
    return [CheckedSchema(schema, ()) for schema in schemas]
