"""What a premise changes: the shift of log-odds towards the right word.

Schemas are chosen so that a model prefers the generic word; so generics are right and exceptions wrong whether it reads
the premise or not. What only reading can bring about is a shift: the same two words are asked for after each premise,
after a neutral one, and without any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from horsesense.core import Answer, Item, Probe
from horsesense.methods.winoventi.adversarial_filter import PRIOR, prior_probe
from horsesense.methods.winoventi.nouns import Noun, is_name
from horsesense.stats.intervals import Estimate, unit_note
from horsesense.stats.resampling import mean_spread, unit_array

NEUTRAL = "winoventi-neutral"
SENTENCE = "Somebody was talking about {noun}."
"""A premise that speaks for neither word."""
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class ContextShift:
    """How far premises move a model, in nats of log-odds towards the right word; estimates are None without schemas."""

    subset: str
    """``all``, ``individual`` or ``intersection``."""
    schemas: int
    shift: Estimate | None
    """Mean over both premises of a schema: half of what the log-odds differ after one and after the other."""
    generic: Estimate | None
    """After the premise for the generic word, against the neutral one."""
    exception: Estimate | None
    """After the premise for the exception, against the neutral one."""
    generic_alone: Estimate | None
    """After the premise for the generic word, against no premise at all."""
    exception_alone: Estimate | None
    """After the premise for the exception, against no premise at all."""
    moved: Estimate | None
    """Share of schemas whose two premises move the model apart in the right direction."""


def neutral_probe(probe: Probe) -> Probe:
    """The outcomes of each triplet after a sentence that says nothing of them (facet ``premise``)."""
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
    made = f"The outcomes of {probe.card.name} after a neutral premise."
    return Probe.of(items, replace(alone.card, name=NEUTRAL, made=made))


def neutral_sentence(noun: str) -> str:
    """The neutral premise about a noun.

    >>> neutral_sentence("pan"), neutral_sentence("Paris")
    ('Somebody was talking about the pan.', 'Somebody was talking about Paris.')
    """
    return SENTENCE.format(noun=noun if Noun(noun, proper=is_name(noun)).proper else f"the {noun}")


def log_odds(item: Item, answer: Answer, generic: str) -> float:
    """Of the generic word against the exception."""
    place = item.options.index(generic)
    sums = [sum(values) for values in answer.logprobs]
    return float(sums[place] - sums[1 - place])


@dataclass(frozen=True, slots=True)
class AskedSchema:
    """The log-odds of a schema's generic word in all four places."""

    family: str
    noun: str
    frame: str
    generic: float
    """After the premise for the generic word."""
    exception: float
    """After the premise for the exception."""
    neutral: float
    alone: float


def asked_schemas(
    main: tuple[Sequence[Item], Sequence[Answer]],
    others: Mapping[str, tuple[Sequence[Item], Sequence[Answer]]],
    triplets: Mapping[str, str],
) -> list[AskedSchema]:
    """Schemas with all their log-odds; ``others`` are the answers without a premise and after a neutral one."""
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
            found.append(AskedSchema(family, item.groups.get("noun", ""), item.groups.get("frame", family), *values))
    return found


def context_shift(subset: str, chosen: Sequence[AskedSchema]) -> ContextShift:
    """The shifts of some schemas; intervals over nouns and frames.

    >>> one = [AskedSchema(f"{n}", f"{n}", f"{n}", 3.0, 1.0, 2.5, 2.0) for n in range(12)]
    >>> found = context_shift("all", one)
    >>> found.shift.value, found.generic.value, found.exception.value, found.moved.value
    (1.0, 0.5, 1.5, 1.0)
    """
    if not chosen:
        return ContextShift(subset, 0, None, None, None, None, None, None)
    nouns, frames = [each.noun for each in chosen], [each.frame for each in chosen]

    def mean(values: list[float]) -> Estimate:
        return _mean(np.array(values), nouns, frames)

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
    """A mean of noughts and ones: its interval ends where shares do."""
    return replace(mean, ci=(max(0.0, mean.low), min(1.0, mean.high)), chance=0.5)


def _mean(values: np.ndarray, nouns: list[str], frames: list[str]) -> Estimate:
    """A mean with an interval by Student's t, over nouns crossed with frames."""
    variance, units = mean_spread(values, unit_array(nouns), unit_array(frames))
    reach = float(scipy.special.stdtrit(units - 1, (1 + _LEVEL) / 2)) * variance**0.5 if units > 1 else float("inf")
    value = float(np.sort(values).mean())
    return Estimate(
        n=len(values),
        clusters=units,
        value=value,
        ci=(value - reach, value + reach),
        level=_LEVEL,
        chance=0.0,
        method="two-way cluster bootstrap, t",
        seed=0,
        note=unit_note(units),
    )
