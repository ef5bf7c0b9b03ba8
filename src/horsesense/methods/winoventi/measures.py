"""Measures of an evaluation (sections 3.1 and 3.4): accuracy, drop, slices, margins, and the context shift; and the
adversarial filter (section 2.4), which keeps the triplets whose generic word the model prefers without a premise.

Schemas are selected so that a model prefers the generic word; generics are therefore right and exceptions wrong even
for a model that ignores the premise. Only a shift shows that it reads: the log-odds of the same two words after each
premise, after a neutral one, and without any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from horsesense.core import Answer, Facet, Item, Probe
from horsesense.errors import UserError
from horsesense.methods.winoventi.nouns import AGREEING, LITERAL, Noun, fill_template, is_name
from horsesense.methods.winoventi.schemas import Triplet, premise_of, triplet_name
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.stats.accuracy import accuracy, mean_estimate
from horsesense.stats.intervals import Estimate
from horsesense.stats.paired import compare
from horsesense.stats.slices import Sliced, by_facet

CHANCE = 0.5
GENERIC, EXCEPTION = "generic", "exception"


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """A model's answer to one item."""

    item: str
    family: str
    test: str
    """``generic`` or ``exception``."""
    noun: str
    generic: str
    """The generic word."""
    credit: float
    margin: float
    """Probability of the right minus that of the wrong outcome, the paper's measure of error size."""
    mass: float
    """Probability of both outcomes together: if it is small, the model predicts something else."""
    facets: Mapping[str, Facet] = field(default_factory=dict)
    frame: str = ""
    """Frame of its premise, a cluster beside the noun. Empty: its own."""


@dataclass(frozen=True, slots=True)
class SubsetResult:
    """Results on a subset of the schemas; without schemas, estimates have the value None."""

    subset: str
    """``all``, ``individual`` or ``intersection``."""
    schemas: int
    generic: Estimate | None
    exception: Estimate | None
    both: Estimate | None
    """Share of schemas with both tests right, which needs the context."""
    drop: Estimate | None
    """Generic minus exception accuracy, paired by schema."""
    macro_generic: Estimate | None
    """Mean accuracy over generic words: three words make a third of the published rows."""
    macro_exception: Estimate | None
    mass: float | None
    """Median probability of both outcomes together."""


@dataclass(frozen=True, slots=True)
class StrongestMargins:
    """The exceptions with the largest margins in one direction."""

    items: tuple[ItemOutcome, ...]
    by_k: Mapping[str, int]
    """Smallest depth of the association → number of exceptions; ``unknown`` if it is not known."""
    by_word: Mapping[str, int]
    """Generic word → number of exceptions, the most frequent first."""
    not_own: int | None
    """Number of exceptions to associations that are not the model's own; None if its own are not known."""


def subset(name: str, outcomes: Sequence[ItemOutcome]) -> SubsetResult:
    """Compute all results of a subset of whole schemas, clustered by noun and by frame.

    >>> tests = [(family, test) for family in "abcd" for test in (GENERIC, EXCEPTION)]
    >>> outcomes = [ItemOutcome(f + t, f, t, f, "hot", float(t == GENERIC), 0.1, 0.2) for f, t in tests]
    >>> everything = subset("all", outcomes)
    >>> everything.schemas, everything.generic.value, everything.exception.value
    (4, 1.0, 0.0)
    >>> everything.both.value, everything.drop.value
    (0.0, 1.0)
    """
    pairs = _whole_pairs(outcomes)
    if not pairs:
        return SubsetResult(name, 0, None, None, None, None, None, None, None)
    generic, exception = ([pair[test] for pair in pairs] for test in (GENERIC, EXCEPTION))
    nouns = [outcome.noun for outcome in generic]
    frames = [outcome.frame or outcome.family for outcome in generic]
    crossed = frames if len(set(frames)) < len(frames) else None
    first, second = [outcome.credit for outcome in generic], [outcome.credit for outcome in exception]
    both = [float(a == 1 and b == 1) for a, b in zip(first, second, strict=True)]
    return SubsetResult(
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


def _whole_pairs(outcomes: Iterable[ItemOutcome]) -> list[dict[str, ItemOutcome]]:
    """Return the schemas that have both tests, by name."""
    families: dict[str, dict[str, ItemOutcome]] = {}
    for outcome in outcomes:
        families.setdefault(outcome.family, {})[outcome.test] = outcome
    return [pair for _, pair in sorted(families.items()) if {GENERIC, EXCEPTION} <= pair.keys()]


def _macro(outcomes: Sequence[ItemOutcome]) -> Estimate:
    """Return the mean of the accuracies of the generic words."""
    words: dict[str, list[float]] = {}
    for outcome in outcomes:
        words.setdefault(outcome.generic, []).append(outcome.credit)
    return accuracy([float(np.mean(credits)) for credits in words.values()], list(words), CHANCE)


def sliced(outcomes: Sequence[ItemOutcome], facet: str) -> Sliced | None:
    """Return accuracy by a facet and test; None if no outcome has the facet."""
    if not any(facet in outcome.facets for outcome in outcomes):
        return None
    facets = [{**outcome.facets, "test": outcome.test} for outcome in outcomes]
    values, nouns = [outcome.credit for outcome in outcomes], [outcome.noun for outcome in outcomes]
    return by_facet(values, nouns, facets, (facet, "test"), [CHANCE] * len(outcomes))


def strongest(outcomes: Iterable[ItemOutcome], failures: bool, most: int = 20) -> StrongestMargins:
    """Return the exceptions with the largest negative or positive margins (section 3.4, error analysis)."""
    candidates = [
        outcome
        for outcome in outcomes
        if outcome.test == EXCEPTION and (outcome.margin < 0 if failures else outcome.margin > 0)
    ]
    ranked = sorted(candidates, key=lambda outcome: (-abs(outcome.margin), outcome.item))[:most]
    depths = Counter(str(outcome.facets.get("k", "unknown")) for outcome in ranked)
    known = any("own" in outcome.facets for outcome in ranked)
    return StrongestMargins(
        tuple(ranked),
        dict(sorted(depths.items(), key=lambda pair: (len(pair[0]), pair[0]))),
        dict(Counter(outcome.generic for outcome in ranked).most_common()),
        sum(not outcome.facets["own"] for outcome in ranked if "own" in outcome.facets) if known else None,
    )


# The outcomes without a premise: the adversarial filter (section 2.4).

PRIOR = "winoventi-prior"


def preferring_generic(prior: ProbeAnswers) -> set[str]:
    """Return the triplets whose generic word the model prefers without a premise; a tie is not a preference."""
    credits = prior.credits("sum").values
    return {item.family for item, credit in zip(prior.items, credits, strict=True) if credit == 1}


def prior_item(triplet: Triplet, noun: Noun, *, as_paper: bool = False) -> Item:
    """Return the item of the adversarial filter (section 2.4): the two outcomes without a premise.

    >>> item = prior_item(Triplet("pan", "hot", "cold"), Noun("pan"))
    >>> item.text, item.options, item.answer
    ('The pan is ___.', ('cold', 'hot'), 1)
    """
    options = tuple(sorted((triplet.generic, triplet.exception)))
    if options[0] == options[1]:
        raise UserError(f"the exception of {triplet.noun!r} is its association {triplet.generic!r} itself")
    return Item(
        probe=PRIOR,
        form="cloze",
        text=fill_template(LITERAL if as_paper else AGREEING, noun) + ".",
        options=options,
        answer=options.index(triplet.generic),
        family=triplet.name,
        member="prior",
        groups={"noun": triplet.noun, "generic_word": triplet.generic},
        facets={"test": "prior", "bias": triplet.generic, "alternative": triplet.exception},
    )


def prior_probe(probe: Probe) -> Probe:
    """Return the probe of the adversarial filter (section 2.4): the outcome sentence alone, once per triplet.

    A schema is adversarial to a model that prefers the generic word here.
    """
    priors: dict[str, Item] = {}
    for item in probe.items:
        name = triplet_name(item)
        generic = item.options.index(str(item.facets["bias"]))
        text = item.text[len(premise_of(item.text)) :].strip()
        prior = replace(item, probe=PRIOR, text=text, answer=generic, family=name, member="prior")
        priors.setdefault(
            name, replace(prior, facets={"test": "prior", "premise": "none", "bias": item.options[generic]})
        )
    description = f"The outcomes of {probe.card.name} without their premises."
    return Probe.of(list(priors.values()), replace(probe.card, name=PRIOR, made=description, notes={}))


# The outcomes after a neutral premise, and the context shift.

NEUTRAL = "winoventi-neutral"
SENTENCE = "Somebody was talking about {noun}."
"""A premise that supports neither word."""


@dataclass(frozen=True, slots=True)
class ContextShift:
    """How far premises move a model, in nats of log-odds towards the right word (None without schemas)."""

    subset: str
    """``all``, ``individual`` or ``intersection``."""
    schemas: int
    shift: Estimate | None
    """Mean over both premises of a schema: half the difference of the log-odds after one and after the other."""
    generic: Estimate | None
    """After the premise for the generic word, compared with the neutral one."""
    exception: Estimate | None
    """After the premise for the exception, compared with the neutral one."""
    generic_alone: Estimate | None
    """After the premise for the generic word, compared with no premise."""
    exception_alone: Estimate | None
    """After the premise for the exception, compared with no premise."""
    moved: Estimate | None
    """Share of schemas whose two premises move the model in the right direction."""


def neutral_probe(probe: Probe) -> Probe:
    """Return the outcomes of each triplet after a neutral sentence (facet ``premise``)."""
    alone = prior_probe(probe)
    items = [
        replace(
            item,
            probe=NEUTRAL,
            text=f"{neutral_sentence(item.groups.get('noun', ''))} {item.text}",
            member="neutral",
            facets={**item.facets, "premise": "neutral"},
        )
        for item in alone.items
    ]
    description = f"The outcomes of {probe.card.name} after a neutral premise."
    return Probe.of(items, replace(alone.card, name=NEUTRAL, made=description))


def neutral_sentence(noun: str) -> str:
    """Return the neutral premise about a noun.

    >>> neutral_sentence("pan"), neutral_sentence("Paris")
    ('Somebody was talking about the pan.', 'Somebody was talking about Paris.')
    """
    return SENTENCE.format(noun=noun if Noun(noun, proper=is_name(noun)).proper else f"the {noun}")


def log_odds(item: Item, answer: Answer, generic: str) -> float:
    """Return the log-odds of the generic word against the exception."""
    i = item.options.index(generic)
    sums = [sum(values) for values in answer.logprobs]
    return float(sums[i] - sums[1 - i])


@dataclass(frozen=True, slots=True)
class SchemaLogOdds:
    """The log-odds of a schema's generic word in four contexts."""

    family: str
    noun: str
    frame: str
    generic: float
    """After the premise for the generic word."""
    exception: float
    """After the premise for the exception."""
    neutral: float
    alone: float


def schema_log_odds(
    main: tuple[Sequence[Item], Sequence[Answer]],
    others: Mapping[str, tuple[Sequence[Item], Sequence[Answer]]],
    triplets: Mapping[str, str],
) -> list[SchemaLogOdds]:
    """Return schemas with their log-odds; ``others`` are the answers without a premise and after a neutral one."""
    known = {
        name: {
            item.family: log_odds(item, answer, str(item.facets["bias"])) for item, answer in zip(*both, strict=True)
        }
        for name, both in others.items()
    }
    tests: dict[str, dict[str, tuple[Item, float]]] = {}
    for item, answer in zip(*main, strict=True):
        tests.setdefault(item.family, {})[item.member] = item, log_odds(item, answer, str(item.facets["bias"]))
    found = []
    for family, both in sorted(tests.items()):
        if {"generic", "exception"} <= both.keys():
            item = both["generic"][0]
            values = (both["generic"][1], both["exception"][1], *(known[n][triplets[family]] for n in (NEUTRAL, PRIOR)))
            found.append(SchemaLogOdds(family, item.groups.get("noun", ""), item.groups.get("frame", family), *values))
    return found


def context_shift(subset: str, chosen: Sequence[SchemaLogOdds]) -> ContextShift:
    """Compute the shifts of some schemas, clustered by noun and by frame.

    >>> one = [SchemaLogOdds(f"{n}", f"{n}", f"{n}", 3.0, 1.0, 2.5, 2.0) for n in range(12)]
    >>> found = context_shift("all", one)
    >>> found.shift.value, found.generic.value, found.exception.value, found.moved.value
    (1.0, 0.5, 1.5, 1.0)
    """
    if not chosen:
        return ContextShift(subset, 0, None, None, None, None, None, None)
    nouns, frames = [each.noun for each in chosen], [each.frame for each in chosen]

    def mean(values: list[float]) -> Estimate:
        return mean_estimate(values, nouns, crossed=frames, chance=0.0)

    apart = [each.generic - each.exception for each in chosen]
    return ContextShift(
        subset=subset,
        schemas=len(chosen),
        shift=mean([value / 2 for value in apart]),
        generic=mean([each.generic - each.neutral for each in chosen]),
        exception=mean([each.neutral - each.exception for each in chosen]),
        generic_alone=mean([each.generic - each.alone for each in chosen]),
        exception_alone=mean([each.alone - each.exception for each in chosen]),
        moved=_share(mean([float(value > 0) for value in apart])),
    )


def _share(mean: Estimate) -> Estimate:
    """Clip the interval of a share."""
    return replace(mean, ci=(max(0.0, mean.low), min(1.0, mean.high)), chance=0.5)
