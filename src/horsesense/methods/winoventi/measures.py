"""What WinoVenti's tests say of a model, and how alike models' associations are.

Accuracy on the generic and the exception test, the drop between them, slices, and what stands out (winoventi.txt, 3.1
and 3.4), of schemas that `evaluation` puts together as All, Individual and Intersection; the mean Jaccard similarity
of associations over nouns (2.2 and table 4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from horsesense.core import Facet
from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate
from horsesense.stats.paired import compare
from horsesense.stats.slices import Sliced, by_facet

CHANCE = 0.5
GENERIC, EXCEPTION = "generic", "exception"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One item as a model answered it."""

    item: str
    family: str
    test: str
    """``generic`` or ``exception``."""
    noun: str
    generic: str
    """The generic word: the association that is put to the test."""
    credit: float
    margin: float
    """Probability of the right outcome minus that of the wrong one, as the paper measures the size of an error."""
    mass: float
    """Probability of both outcomes together: where it is small, the model meant something else altogether."""
    facets: Mapping[str, Facet] = field(default_factory=dict)
    frame: str = ""
    """The frame of its premise: a unit of dependence beside the noun. Empty: it is its own."""


@dataclass(frozen=True, slots=True)
class Subset:
    """A model on some of the schemas; estimates are None where there is none."""

    subset: str
    """``all``, ``individual`` or ``intersection``."""
    schemas: int
    generic: Estimate | None
    exception: Estimate | None
    both: Estimate | None
    """Share of schemas with both tests right: what a model that reads its context would have."""
    drop: Estimate | None
    """Generic minus exception, schema by schema."""
    macro_generic: Estimate | None
    """Mean over generic words of the accuracy on each: three words are a third of the released rows."""
    macro_exception: Estimate | None
    mass: float | None
    """Median probability of both outcomes together."""


@dataclass(frozen=True, slots=True)
class Strongest:
    """The exceptions with the largest margins on one side."""

    items: tuple[Outcome, ...]
    by_k: Mapping[str, int]
    """Least depth of the association → how many; ``unknown`` where it is not known."""
    by_word: Mapping[str, int]
    """Generic word → how many, the commonest first."""
    not_own: int | None
    """How many rest on an association that is not the model's own; None where its own are not known."""


def subset(name: str, outcomes: Sequence[Outcome]) -> Subset:
    """All numbers of a subset; whole schemas only, units are nouns, crossed with the frames of premises.

    >>> tests = [(family, test) for family in "abcd" for test in (GENERIC, EXCEPTION)]
    >>> outcomes = [Outcome(f + t, f, t, f, "hot", float(t == GENERIC), 0.1, 0.2) for f, t in tests]
    >>> everything = subset("all", outcomes)
    >>> everything.schemas, everything.generic.value, everything.exception.value
    (4, 1.0, 0.0)
    >>> everything.both.value, everything.drop.value
    (0.0, 1.0)
    """
    pairs = _whole_pairs(outcomes)
    if not pairs:
        return Subset(name, 0, None, None, None, None, None, None, None)
    generic, exception = ([pair[test] for pair in pairs] for test in (GENERIC, EXCEPTION))
    nouns = [outcome.noun for outcome in generic]
    frames = [outcome.frame or outcome.family for outcome in generic]
    crossed = frames if len(set(frames)) < len(frames) else None
    first, second = [outcome.credit for outcome in generic], [outcome.credit for outcome in exception]
    both = [float(a == 1 and b == 1) for a, b in zip(first, second, strict=True)]
    return Subset(
        subset=name,
        schemas=len(pairs),
        generic=accuracy(first, nouns, CHANCE, crossed=crossed),
        exception=accuracy(second, nouns, CHANCE, crossed=crossed),
        both=accuracy(both, nouns, CHANCE**2, crossed=crossed),
        drop=compare(first, second, nouns, crossed=crossed).difference,
        macro_generic=_macro(generic),
        macro_exception=_macro(exception),
        mass=float(np.median([outcome.mass for outcome in (*generic, *exception)])),
    )


def _whole_pairs(outcomes: Iterable[Outcome]) -> list[dict[str, Outcome]]:
    """Schemas of which both tests are there, by name."""
    families: dict[str, dict[str, Outcome]] = {}
    for outcome in outcomes:
        families.setdefault(outcome.family, {})[outcome.test] = outcome
    return [pair for _, pair in sorted(families.items()) if {GENERIC, EXCEPTION} <= pair.keys()]


def _macro(outcomes: Sequence[Outcome]) -> Estimate:
    """The accuracy of each generic word, every word counting once."""
    words: dict[str, list[float]] = {}
    for outcome in outcomes:
        words.setdefault(outcome.generic, []).append(outcome.credit)
    return accuracy([float(np.mean(credits)) for credits in words.values()], list(words), CHANCE)


def sliced(outcomes: Sequence[Outcome], facet: str) -> Sliced | None:
    """Accuracy by a facet and test; None where no outcome has the facet."""
    if not any(facet in outcome.facets for outcome in outcomes):
        return None
    facets = [{**outcome.facets, "test": outcome.test} for outcome in outcomes]
    values, nouns = [outcome.credit for outcome in outcomes], [outcome.noun for outcome in outcomes]
    return by_facet(values, nouns, facets, (facet, "test"), [CHANCE] * len(outcomes))


def strongest(outcomes: Iterable[Outcome], failures: bool, most: int = 20) -> Strongest:
    """The exceptions that a model gets wrong by most, or right by most (section 3.4, error analysis)."""
    wanted = [
        outcome
        for outcome in outcomes
        if outcome.test == EXCEPTION and (outcome.margin < 0 if failures else outcome.margin > 0)
    ]
    ranked = sorted(wanted, key=lambda outcome: (-abs(outcome.margin), outcome.item))[:most]
    depths = Counter(str(outcome.facets.get("k", "unknown")) for outcome in ranked)
    known = any("own" in outcome.facets for outcome in ranked)
    return Strongest(
        tuple(ranked),
        dict(sorted(depths.items(), key=lambda pair: (len(pair[0]), pair[0]))),
        dict(Counter(outcome.generic for outcome in ranked).most_common()),
        sum(not outcome.facets["own"] for outcome in ranked if "own" in outcome.facets) if known else None,
    )


# How alike models' associations are.


@dataclass(frozen=True, slots=True)
class Similarity(Document):
    """How alike the associations of models are."""

    models: tuple[str, ...]
    """In the order of rows and columns."""
    matrix: tuple[tuple[float, ...], ...]
    """Mean Jaccard similarity of each pair."""


def jaccard(words: Set[str], others: Set[str]) -> float:
    """Shared words over all words; two empty sets are the same set.

    The release splits the empty cell of its tables into one word, the empty one, so that "no association"
    is an association like any other: shared where both models have none, and alien to every real word.

    >>> jaccard({"hot", "empty"}, {"empty"}), jaccard(set(), set()), jaccard(set(), {"hot"})
    (0.5, 1.0, 0.0)
    """
    either = words | others
    return len(words & others) / len(either) if either else 1.0


def jaccard_table(columns: Sequence[Sequence[Set[str]]]) -> list[list[float]]:
    """Mean similarity of each pair of models, given for each model its words of each noun, nouns in one order.

    Sums go noun by noun in that order: the released tables then come out to the last bit.

    >>> jaccard_table([[{"hot"}, set()], [{"hot"}, {"cold"}]])
    [[1.0, 0.5], [0.5, 1.0]]
    """
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise UserError("the models were asked about different numbers of nouns", fix="compare them on the same nouns")
    if lengths <= {0}:
        raise UserError("there is no noun to compare models on")
    table = [[1.0] * len(columns) for _ in columns]
    for row, column in enumerate(columns):
        for place in range(row + 1, len(columns)):
            total = 0.0
            for words, others in zip(column, columns[place], strict=True):
                total += jaccard(words, others)
            table[row][place] = table[place][row] = total / len(column)
    return table
