"""What the page and the Markdown of a profile say about each finding, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from horsesense.profiling.contamination import TELLING
from horsesense.profiling.document import ModelProfile, ProfiledAbility, ProfileDocument, listed, signed, so_many
from horsesense.profiling.finding import ExplanationFinding, Finding
from horsesense.profiling.overall import OVERALL
from horsesense.stats import Estimate

EXPLANATIONS = {"cue": "Best cue", "relatedness": "Relatedness", "blind": "Without the question"}
"""What explanations are called, by kind."""
METHODS = {"wordnetqa": "WordNetQA", "cats": "CATs", "rica": "RICA", "winoventi": "WinoVenti", "partwhole": "Parts"}
"""What methods are called in print."""


def percent(value: float) -> str:
    """
    >>> percent(0.604), percent(-0.004)
    ('60 %', '0 %')
    """
    return "not known" if isnan(value) else f"{100 * value:z.0f} %"


def spread(estimate: Estimate) -> str:
    """A share with its interval."""
    return f"{percent(estimate.value)} ({percent(estimate.low)} to {percent(estimate.high)})".replace(" % to", " to")


def left(kept: Estimate) -> str:
    """How much of something is still there; an estimate may lie outside of none and all."""
    ends = f"({percent(max(0.0, kept.low))} to {percent(min(1.0, kept.high))})".replace(" % to", " to")
    if kept.value <= 0:
        return f"nothing is left {ends}"
    return f"all is left {ends}" if kept.value >= 1 else f"{percent(kept.value)} {ends} is left"


def chances(p: float) -> str:
    """
    >>> chances(0.0304), chances(1e-9)
    ('0.030', '< 0.001')
    """
    return "< 0.001" if p < 0.0005 else f"{p:.3f}"


def compared(profile: ProfileDocument) -> Iterator[str]:
    """Of every two models, which is better at what, in a sentence."""
    titles = {ability.name: ability.title for ability in profile.abilities}
    pairs = dict.fromkeys((each.first, each.second) for each in profile.differences)
    for first, second in pairs:
        own = [each for each in profile.differences if (each.first, each.second) == (first, second)]
        sure = [each for each in own if each.adjusted < 0.05]
        told = []
        for who, other, sign in ((first, second, 1), (second, first, -1)):
            better = [titles.get(d.ability, d.ability) for d in sure if d.difference.value * sign > 0]
            if better:
                told.append(f"{who} is better than {other} in {listed(better)}")
        if told and any(each.ability == OVERALL for each in own) and not any(each.ability == OVERALL for each in sure):
            told.append("their overall scores do not differ significantly")
        yield f"{'; '.join(told) or f'{first} and {second} do not differ significantly'}."


def facts_of(found: Finding, ability: ProfiledAbility) -> Iterator[tuple[str, str]]:
    """Everything that stands beside a verdict: a head and a sentence each."""
    chance = "" if found.accuracy.chance is None else f"; guessing gives {percent(found.accuracy.chance)}"
    yield "Right", f"{spread(found.accuracy)} of {found.n:,} questions in {found.accuracy.clusters:,} groups{chance}."
    for each in found.explanations:
        yield EXPLANATIONS[each.kind], explained(each)
    if found.families is not None:
        strict, alone = found.families.strict, found.families.independent
        expected = f"if they failed on their own it would be {percent(alone.value)}"
        yield "Whole families", f"Every question is right in {spread(strict)} of {strict.n:,}; {expected}."
    for other in found.conditions:
        kept = "" if other.retention is None else f" Of what it knows when asked first, {left(other.retention)}."
        yield f"Asked otherwise: {other.name}", f"{spread(other.accuracy)} of {other.accuracy.n:,} are right.{kept}"
    for pairs in found.contrasts:
        yield (
            f"Pairs with opposite keys: {pairs.kind}",
            f"Of {pairs.pairs:,} pairs both are right in {percent(pairs.both_right)}, both wrong in "
            f"{percent(pairs.both_wrong)}, one in {percent(pairs.one_right)}: {spread(pairs.known)} are known, and "
            f"{spread(pairs.same_answer)} get the same answer whichever way.",
        )
    if found.facts is not None:
        used = "" if found.facts.used is None else f"; of what is known {spread(found.facts.used)} is used"
        yield "Facts below", f"{spread(found.facts.known)} of the bare facts are right{used}."
    if found.people is not None:
        yield "People", f"{percent(found.people.value)}: {found.people.kind} ({ability.people_from})."
    if ability.sound:
        yield "Sound items", f"{ability.sound}. The best that can be reached is {percent(found.ceiling)}."
    if found.twin is not None:
        yield "Frozen less twin", f"{signed(found.twin)}."
    yield "In the number", f"{'Yes' if ability.counts else 'No'}: {ability.why}."


def explained(each: ExplanationFinding) -> str:
    """What an explanation earns, and what it leaves of the model's score."""
    what = each.name.removeprefix("picking ")
    head = f"{what[:1].upper()}{what[1:]}" if each.name.startswith("picking ") else "It"
    told = f"{head} gets {spread(each.accuracy)}"
    sides = [
        f"{percent(side.value)} where it is {word}"
        for side, word in ((each.where_right, "right"), (each.where_wrong, "wrong"))
        if side is not None
    ]
    model = f"; the model gets {' and '.join(sides)}" if sides else ""
    return f"{told}{model}."


def contamination_sentence(model: ModelProfile) -> str:
    """Whether a model has met the frozen questions, in a sentence."""
    seen = model.verdicts.contamination
    if seen.difference is None:
        return f"{model.model} was asked no twins, so contamination was not tested."
    difference = seen.difference
    if seen.found or seen.contaminated:
        told = "That is contamination: it has met the frozen questions before"
    elif seen.detectable is not None and seen.detectable <= TELLING:
        told = "No contamination was found"
        if round(seen.detectable, 2) > round(difference.value, 2):
            told += f"; a difference of {seen.detectable:.2f} would have been"
    else:
        told = "The difference is not significant, and too few questions were asked to exclude contamination"
    return (
        f"{model.model}: the frozen questions are right {signed(difference)} more often than their twins, over "
        f"{so_many(len(seen.abilities))} (p {chances(seen.p)}, level {seen.level:g}). {told}."
    )


def only_a_part(profile: ProfileDocument) -> str:
    """What stands before everything else where not all was asked; empty where it was."""
    if profile.complete:
        return ""
    what = f"profile {profile.version}, {profile.edition}"
    return f"Only a part of the edition was asked: these are not the figures of {what}."


def surer(profile: ProfileDocument) -> str:
    """Why a verdict may doubt what the interval beside it seems to show."""
    shown, sure = (
        f"{100 * level:.4g} %" for level in (profile.models[0].verdicts.level, profile.models[0].verdicts.verdict_level)
    )
    return (
        f"Intervals are {shown} each; verdicts rest on stricter ones ({sure}), so that a page of "
        f"{so_many(len(profile.abilities))} is wrong somewhere in one case of twenty at most. Where an interval only "
        "just excludes chance, the verdict may still be that the score is not above chance."
    )


def is_doubted(found: Finding) -> bool:
    """Whether a score is said not to be above chance though its interval excludes chance."""
    e = found.accuracy
    return found.verdict == "not above chance" and e.chance is not None and not e.low <= e.chance <= e.high


def command(profile: ProfileDocument) -> str:
    """What was called."""
    models = " ".join(f"-m {model.model}" for model in profile.models)
    chosen = "" if profile.complete else " …"
    seed = f" --twin-seed {profile.twin_seed}" if profile.twin_seed else ""
    return f"horsesense profile {models} --{profile.edition}{seed}{chosen}"
