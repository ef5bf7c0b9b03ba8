"""A profile as its page, picture, Markdown and terminal table show it: cells, headline, verdicts and sentences."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Literal

from horsesense.cues.battery import battery
from horsesense.formatting import count, number, p_value, percent, with_interval
from horsesense.methods.ladders.thresholds import interval_text
from horsesense.profiling.contamination import TELLING
from horsesense.profiling.controls import CONTROLS
from horsesense.profiling.document import ModelProfile, Profile, ProfiledAbility, conclusion
from horsesense.profiling.finding import (
    AbilityFinding,
    ExplanationFinding,
    GroupScore,
    ModelDifference,
    OtherCondition,
)
from horsesense.profiling.retention import LEAST_CLUSTERS
from horsesense.report.tables import TextTable
from horsesense.stats import Estimate
from horsesense.stats.intervals import at_level

Kind = Literal["knows", "partly", "fragile", "cue", "contaminated", "same", "chance", "open"]


@dataclass(frozen=True, slots=True)
class VerdictStyle:
    """How a verdict is coloured, and what it means."""

    kind: Kind
    colour: str
    meaning: str


VERDICTS: dict[str, VerdictStyle] = {
    "knows": VerdictStyle("knows", "#2b6b5a", "The adjusted score is significantly above two thirds."),
    "partly": VerdictStyle(
        "partly",
        "#6f9a3c",
        "The adjusted score is significantly above 0, and the accuracy above chance, but the score is not shown to be "
        "above two thirds.",
    ),
    "not robust": VerdictStyle(
        "fragile",
        "#5d4f9c",
        "The adjusted score is significantly above 0, but significantly more than a third of it is lost when the "
        "question or the prompt format changes.",
    ),
    "reads cues": VerdictStyle(
        "cue",
        "#8a5a0c",
        "A shortcut explains significantly more than half of its answers or of its score: a surface cue, similarity to "
        "the question, or the options alone.",
    ),
    "contaminated": VerdictStyle(
        "contaminated", "#a4402a", "It does significantly better on public items than on their unpublished twins."
    ),
    "same answer": VerdictStyle(
        "same",
        "#2a6a94",
        "It gives the same answer to a question and to its opposite in significantly more than half of such pairs.",
    ),
    "not above chance": VerdictStyle(
        "chance",
        "#5f5b54",
        "The interval of the adjusted score that is shown in the cell includes 0 and excludes 0.40, and n is large "
        "enough (80% power to detect a model that knows 40%).",
    ),
    "inconclusive": VerdictStyle(
        "open",
        "#8d877a",
        "No other verdict can be shown, usually because n is too small.",
    ),
}
"""From the best verdict to the one that says least."""
PRECEDENCE = "contaminated, reads cues, same answer, not robust, knows, partly, not above chance"
"""Verdicts in the order in which `horsesense.profiling.verdict_rules` decides; inconclusive is the rest."""
UNJUDGED = "no person wrote or checked their answer keys"
FIRST_LOOK = (
    "The quick edition is a first look: use the full edition (--full) for anything that you publish. In simulations, "
    "75% of the verdicts of the quick edition were right and 0.5% false. The others were inconclusive, or too weak, "
    "such as “partly” instead of “knows”. In simulations of the full edition, 96% were right and 0.1% false."
)
FORMATS = ("loglikelihood", "pmi", "letters", "generate")
REWORDED = "Rephrased question"
OTHERS = "Other items of the family"
EXPLANATIONS = {"cue": "Best surface cue", "relatedness": "Relatedness", "blind": "Options without the question"}


def adjusted_text(score: Estimate) -> str:
    """Format an adjusted score; no score can truly exceed the ceiling, so neither does what is printed.

    >>> adjusted_text(Estimate(0.82, (0.6, 1.04), 10, 10, 0.0, 0.95, "", 0))
    '0.82 [0.60, 1.00]'
    """
    if isnan(score.value):
        return "n/a"
    return f"{replace(score, value=min(1.0, score.value), ci=(min(1.0, score.low), min(1.0, score.high)))}"


@dataclass(frozen=True, slots=True)
class ProfileCell:
    """One ability of one model."""

    model: ModelProfile
    finding: AbilityFinding
    key: str
    """Name of its card in the page."""
    verdict: str
    style: VerdictStyle
    strict: Estimate
    """Accuracy with the interval at the level of the verdicts."""
    cue: float | None
    """Accuracy of the best surface cue."""
    people: float | None
    """Human accuracy."""
    formats: tuple[tuple[str, Estimate], ...]
    """Accuracy in other prompt formats."""

    @property
    def adjusted(self) -> Estimate:
        """The adjusted score with the interval that decides the verdict."""
        return self.finding.decisive

    @property
    def disagreeing(self) -> tuple[str, ...]:
        """Prompt formats that disagree with the main one: intervals apart, or only one of the two above chance."""
        return tuple(name for name, other in self.formats if _disagree(self.finding.accuracy, other))

    @property
    def disagreement(self) -> str:
        """State how the other formats disagree with the main one."""
        main = self.finding.accuracy
        parts = [f"{main:.1%} in the main format{_standing(main)}"]
        parts += [
            f"{other:.1%} with {name.replace('pmi', 'PMI')}{_standing(other)}"
            for name, other in self.formats
            if _disagree(main, other)
        ]
        return f"Accuracy is {'; '.join(parts)}. The verdict is about the adjusted score in the main format."


def _standing(e: Estimate) -> str:
    if e.chance is None:
        return ""
    return f" ({'above' if e.low > e.chance else 'below' if e.high < e.chance else 'not above'} chance)"


def _disagree(main: Estimate, other: Estimate) -> bool:
    apart = main.low > other.high or other.low > main.high
    above = [e.chance is not None and e.low > e.chance for e in (main, other)]
    return apart or above[0] != above[1]


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One ability of all models."""

    ability: ProfiledAbility
    cells: tuple[ProfileCell | None, ...]

    @property
    def chance(self) -> float | None:
        """Chance, which is the same for all models."""
        return next((cell.finding.accuracy.chance for cell in self.cells if cell is not None), None)

    @property
    def sizes(self) -> str:
        """The number of items, or its range over models."""
        sizes = sorted({cell.finding.n for cell in self.cells if cell is not None})
        return "" if not sizes else f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"


def rows_of(profile: Profile) -> list[ProfileRow]:
    """Build one row per ability, those of the overall score first."""
    rows = []
    for index, ability in enumerate(sorted(profile.abilities, key=lambda each: not each.counts)):
        cells = []
        for column, model in enumerate(profile.models):
            finding = next((each for each in model.verdicts.findings if each.ability == ability.name), None)
            cells.append(None if finding is None else _cell(model, finding, f"{index}-{column}"))
        rows.append(ProfileRow(ability, tuple(cells)))
    return rows


def _cell(model: ModelProfile, finding: AbilityFinding, key: str) -> ProfileCell:
    verdict = finding.verdict
    cue = next((each.accuracy.value for each in finding.explanations if each.kind == "cue"), None)
    people = None if finding.people is None or isnan(finding.people.value) else finding.people.value
    strict = at_level(finding.accuracy, model.verdicts.verdict_level)
    return ProfileCell(model, finding, key, verdict, VERDICTS[verdict], strict, cue, people, tuple(_formats(finding)))


def _formats(finding: AbilityFinding) -> Iterator[tuple[str, Estimate]]:
    for other in finding.conditions:
        named = [word for word in re.findall(r"\w+", other.name) if word in FORMATS]
        if named:
            yield named[-1], other.accuracy


# The headline.


@dataclass(frozen=True, slots=True)
class Headline:
    """What a reader has to know of one model first."""

    model: str
    items: int
    overall: str
    """The overall score with its interval."""
    counts: tuple[tuple[str, Kind, int], ...]
    """Verdicts by number of abilities, the best first."""
    contamination: str
    planted: str
    """Share of the answers that planted cues move."""


def headline(model: ModelProfile) -> Headline:
    """Sum up one model."""
    findings = model.verdicts.findings
    counts = Counter[str](each.verdict for each in findings)
    return Headline(
        model=model.model,
        items=sum(each.n for each in findings),
        overall=overall_text(model),
        counts=tuple((name, style.kind, counts[name]) for name, style in VERDICTS.items() if counts[name]),
        contamination=contamination_status(model),
        planted=planted_text(model),
    )


def notes(profile: Profile) -> dict[str, str]:
    """Return what applies to all models: what the overall score covers, the controls, and which models are built in."""
    own = [f"{model.model} {CONTROLS[model.model]}" for model in profile.models if model.model in CONTROLS]
    baselines = {"Baselines": f"{'; '.join(own)}. They are built in, and know nothing"} if own else {}
    return baselines | {"Overall score": scope(profile), "Controls": controls(profile)}


def conclusions(profile: Profile) -> dict[str, str]:
    """State what the verdicts on each model say; not for built-in baselines, which know nothing by design."""
    models = [model for model in profile.models if model.model not in CONTROLS]
    return {model.model: conclusion(model.verdicts).removesuffix(".") for model in models}


def overall_text(model: ModelProfile) -> str:
    """Format the overall score."""
    overall = model.verdicts.overall
    return "none" if overall is None else adjusted_text(overall.value)


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group of abilities, for all models."""

    group: str
    judged: bool
    abilities: tuple[str, ...]
    cells: tuple[str, ...]
    """Score of each model; with the number of its abilities where some were left out, and a dash where all were."""


def group_rows(profile: Profile) -> list[GroupRow]:
    """Return the scores per group; a contaminated model has none for abilities without twins."""
    by_model = [{(each.group, each.judged): each for each in model.verdicts.groups} for model in profile.models]
    rows = []
    for key in dict.fromkeys(key for own in by_model for key in own):
        scores = [own.get(key) for own in by_model]
        abilities = tuple(dict.fromkeys(name for each in scores if each is not None for name in each.abilities))
        rows.append(GroupRow(*key, abilities, tuple(_group_text(each, len(abilities)) for each in scores)))
    return rows


def _group_text(score: GroupScore | None, abilities: int) -> str:
    if score is None:
        return "–"
    fewer = f" ({len(score.abilities)} of {abilities} abilities)" if len(score.abilities) < abilities else ""
    return adjusted_text(score.adjusted) + fewer


def scope(profile: Profile) -> str:
    """State which abilities the overall score covers, and why others are left out."""
    inside = [ability.title for ability in profile.abilities if ability.counts]
    outside = len(profile.abilities) - len(inside)
    if not inside:
        return f"None: {UNJUDGED}"
    overall = profile.models[0].verdicts.overall
    groups = "" if overall is None else count(len(overall.groups), "group of abilities", "groups of abilities")
    text = "" if overall is None else f"Mean adjusted score over {groups} ({overall.name})"
    left_out = f"{count(outside, 'ability', 'abilities')} {'is' if outside == 1 else 'are'} left out"
    return f"{text}. {left_out}, because {UNJUDGED}" if outside else text


def contamination_status(model: ModelProfile) -> str:
    """State the outcome of the contamination test in a few words."""
    test = model.verdicts.contamination
    if test.difference is None:
        return "not tested"
    if test.found or test.contaminated:
        return "found"
    return "not found" if test.detectable is not None and test.detectable <= TELLING else "inconclusive"


def planted_text(model: ModelProfile) -> str:
    """State what share of the answers of a model planted cues move, and what follows from it."""
    row = model.moved_by_cues
    if row is None or isnan(row.moved.value):
        return "not tested"
    return f"mean {row.moved:.0%}: {row.verdict}"


@dataclass(frozen=True, slots=True)
class PlantedRow:
    """Cues that the answers of a model agree with, beside those that move its answers."""

    model: str
    observed: str
    """Number of abilities with the verdict *reads cues*."""
    moved: Estimate
    verdict: str
    by_cue: tuple[Estimate | None, ...]
    """Share of the answers that each cue moves, in the order of `planted_cue_names`."""


def planted_rows(profile: Profile) -> list[PlantedRow]:
    """Build one row per model that was asked questions with planted cues."""
    names, rows = planted_cue_names(profile), []
    for model in profile.models:
        if (row := model.moved_by_cues) is None:
            continue
        findings = model.verdicts.findings
        reads = sum(each.verdict == "reads cues" for each in findings)
        moved = {each.cue: each.moved for each in model.planted_cues}
        by_cue = tuple(moved.get(name) for name in names)
        rows.append(PlantedRow(model.model, f"{reads} of {len(findings)}", row.moved, row.verdict, by_cue))
    return rows


def planted_cue_names(profile: Profile) -> list[str]:
    """Return the cues that were planted for any model."""
    return list(dict.fromkeys(each.cue for model in profile.models for each in model.planted_cues))


def withheld_table(profile: Profile) -> TextTable:
    """Compare question and options, the options alone and the question alone, per model and ability."""
    columns = ("model", "ability", "question and options", "options alone", "question alone", "among the first 10")
    titles, rows = titles_of(profile), []
    for model in profile.models:
        for each in model.withheld:
            alone = (each.with_both, each.options_alone, each.question_alone)
            shares = [f"{one:.0%}" if one is not None else "–" for one in alone]
            first = "–" if each.recall is None else percent(each.recall[10], 0)
            gaps = ["–" if gap is None else f"{gap:+.2f}" for gap in (each.from_options, each.from_question)]
            rows.append([model.model, titles[each.probe], *shares, first, *gaps, str(each.n)])
    return TextTable([*columns, "options give away", "question adds", "n"], rows, left=2)


def ladder_table(profile: Profile) -> TextTable:
    """Return the threshold of each model on each ladder."""
    columns = ["model", "ladder", "threshold L50 [95% CI]", "lowest level correct", "top level correct", "questions"]
    rows = []
    for each in profile.ladders.thresholds if profile.ladders else ():
        ends = [f"{at.correct.value:.0%} (level {at.level})" for at in (each.levels[0], each.levels[-1])]
        rows.append([each.model, each.ladder, interval_text(each.fit), *ends, f"{each.questions:,}"])
    return TextTable(columns, rows, left=2)


def chat_table(profile: Profile) -> TextTable:
    """Compare plain text with the chat template, for local models that have one."""
    columns = ["model", "in plain text (used)", "in the chat template", "difference", "n"]
    pairs = [(each.model, each.chat) for each in profile.models if each.chat is not None]
    rows = [[n, f"{c.plain:.0%}", f"{c.chat:.0%}", f"{c.difference:+.2f}", str(c.difference.n)] for n, c in pairs]
    return TextTable(columns, rows)


def controls(profile: Profile) -> str:
    """Name the controls that were applied; those that were not applied to all models with their models."""
    applied: dict[str, list[str]] = {}
    for model in profile.models:
        for name in _controls_of(model, profile):
            applied.setdefault(name, []).append(model.model)
    return (
        listed(
            [
                name if len(models) == len(profile.models) else f"{name} (only {listed(models)})"
                for name, models in applied.items()
            ]
        )
        or "none"
    )


def _controls_of(model: ModelProfile, profile: Profile) -> Iterator[str]:
    findings = model.verdicts.findings
    kinds = {each.kind for f in findings for each in f.explanations}
    if "cue" in kinds:
        yield f"{len(battery())} surface cues"
    if "relatedness" in kinds:
        yield " by ".join(filter(None, ("similarity of option and question", listed(profile.relatedness))))
    if "blind" in kinds:
        yield "the model without the question"
    conditions = {_condition_name(each.name) for f in findings for each in f.conditions}
    if "Retest" in conditions:
        yield "a retest"
    if "With PMI" in conditions:
        yield "scoring by PMI"
    if any(name.startswith("Prompt format") for name in conditions):
        yield "other prompt formats"
    if model.verdicts.contamination.difference is not None:
        yield "unpublished twins"


def listed(words: Sequence[str]) -> str:
    """Join words.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    if not words:
        return ""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# Sentences.


def edition_title(profile: Profile) -> str:
    """Name the edition."""
    adaptive, part = ", adaptive" if profile.adaptive else "", "" if profile.complete else ", partial"
    return f"profile version {profile.version}, {profile.edition} edition{adaptive}{part}"


def partial_warning(profile: Profile) -> str:
    """Warn where only a part of the questions was asked; empty where all were."""
    if not profile.complete:
        return f"Only part of the {profile.edition} edition was run: do not compare the figures with other profiles."
    if profile.adaptive:
        return (
            "An ability was asked no further once its verdict was decided. Compare the verdicts with those of other "
            "profiles; the scores rest on fewer questions."
        )
    return ""


def edition_warning(profile: Profile) -> str:
    """State the condition of the error rates for the quick edition; empty for the full one."""
    return FIRST_LOOK if profile.edition == "quick" else ""


def titles_of(profile: Profile) -> dict[str, str]:
    """Return the titles of the abilities by name."""
    return {ability.name: ability.title for ability in profile.abilities}


def comparisons(profile: Profile) -> Iterator[str]:
    """State for every two models in what one is significantly better."""
    titles = titles_of(profile)
    for first, second in dict.fromkeys((each.first, each.second) for each in profile.differences):
        own = [each for each in profile.differences if (each.first, each.second) == (first, second)]
        significant = [each for each in own if each.adjusted < 0.05]
        clauses = []
        for better, worse, sign in ((first, second, 1), (second, first, -1)):
            names = [titles.get(d.ability, d.ability) for d in significant if d.difference.value * sign > 0]
            if names:
                clauses.append(f"{better} is significantly better than {worse} in: {'; '.join(names)}")
        yield f"{'; '.join(clauses) or f'No significant difference between {first} and {second}'}."


def difference_name(difference: ModelDifference, titles: Mapping[str, str]) -> str:
    """Name what two models were compared in."""
    twins = " (twins)" if difference.half == "twin" else ""
    return f"{titles.get(difference.ability, difference.ability)}{twins}"


def facts_of(finding: AbilityFinding, ability: ProfiledAbility) -> Iterator[tuple[str, str]]:
    """List everything behind a verdict: a name and a sentence each."""
    e = finding.accuracy
    chance = "" if e.chance is None else f" Chance is {percent(e.chance, 0)}."
    size = f"{count(finding.n, 'item')} in {count(e.clusters, 'cluster')}"
    yield "Accuracy", f"{e:.0%}, {size}.{chance}"
    decisive = f"{100 * finding.decisive.level:.4g}% interval {adjusted_text(finding.decisive).partition(' ')[2]}"
    score = adjusted_text(finding.adjusted)
    score += "" if score == "n/a" else f", {decisive}"
    yield "Adjusted score", f"{score}. 0 is chance or a shortcut, 1 is the ceiling."
    for each in finding.explanations:
        yield explanation_name(each), explained(each)
    pairs_only = any(each.pairs == finding.families.strict.n for each in finding.contrasts if finding.families)
    if finding.families is not None and not pairs_only:
        strict, alone = finding.families.strict, finding.families.independent
        families = count(strict.n, "family with several items", "families with several items")
        expected = f"If errors were independent, {percent(alone.value, 0)} would be expected."
        yield "Whole families", f"All items are right in {strict:.0%} of {families}. {expected} Ties count as errors."
    for other in finding.conditions:
        name = _condition_name(other.name)
        if name == REWORDED and finding.model in CONTROLS:
            continue  # a baseline guesses on all questions but the inferences
        # In a family every item is predicted from the others, so the accuracy is that of all items once more.
        before = f"{count(other.accuracy.n, 'item')} (the same items in the main condition: {percent(other.main, 0)})"
        rate = "" if name == OTHERS else f"Accuracy {other.accuracy:.0%} on {before}. "
        yield name, f"{rate}{_retention(other)}."
    for pairs in finding.contrasts:
        shares = (("Both right", pairs.both_right), ("one right", pairs.one_right), ("neither", pairs.both_wrong))
        right = ", ".join(f"{word} {percent(share, 0)}" for word, share in shares)
        yield (
            f"{pairs.kind.capitalize()} pairs",
            f"{count(pairs.pairs, 'pair')} of questions with opposite gold answers. {right}. The model gives the same "
            f"answer to both in {_share(pairs.same_answer)} of the pairs, corrected for chance.",
        )
    if finding.facts is not None and finding.model not in CONTROLS:
        used = ""
        if finding.facts.used is not None:
            used = f" It uses {finding.facts.used:.0%} of the facts that it knows."
        yield "Underlying facts", f"Accuracy when the facts are asked directly: {finding.facts.known:.0%}.{used}"
    if finding.people is not None:
        yield "Human accuracy", f"{percent(finding.people.value, 0)}: {finding.people.kind} ({ability.people_from})."
    yield "Label quality", label_quality(finding)
    if finding.twin is not None:
        twins = "" if finding.on_twin is None else f" Verdict on the twins alone: {finding.on_twin}."
        yield "Contamination", f"Accuracy on public items minus accuracy on twins: {finding.twin:+.2f}.{twins}"
    yield "In the overall score", f"{'Yes' if ability.counts else 'No'}: {ability.why}."


def _retention(other: OtherCondition) -> str:
    share = other.retention
    if share is None:
        if other.accuracy.clusters < LEAST_CLUSTERS:
            return f"Retention is not estimated: only {count(other.accuracy.clusters, 'cluster')}"
        return "Retention is not estimated: the score is too close to chance"
    return f"Retention: {_whole(share) or format(share, '.0%')}"


def _share(estimate: Estimate) -> str:
    """Format an estimate of a share, which may lie outside 0 to 100%."""
    if whole := _whole(estimate):
        return whole
    low, value, high = (min(1.0, max(0.0, each)) for each in (estimate.low, estimate.value, estimate.high))
    return f"{replace(estimate, value=value, ci=(low, high)):.0%}"


def _whole(share: Estimate) -> str:
    """State a share whose interval ends at 0 or begins at 100%; empty for others."""
    if share.low >= 1:
        return "100% (interval: 100% or more)"
    return "0% (interval: below 0, because guessing is subtracted)" if share.high <= 0 else ""


def label_quality(finding: AbilityFinding) -> str:
    """State the share of bad items and the ceiling that follows from it."""
    bad, ceiling = finding.bad, finding.ceiling
    if bad is None:
        return "These items were not audited."
    share = with_interval(bad.value, bad.ci, ".1%")
    audit = f"Bad items: {share} in a blind audit of {bad.n:,} items by {bad.reader}."
    return f"{audit} Ceiling, if bad items are answered by chance: {percent(ceiling)}."


def _condition_name(name: str) -> str:
    named = [word for word in re.findall(r"\w+", name) if word in FORMATS]
    if named:
        return "With PMI" if named[-1] == "pmi" else f"Prompt format: {named[-1]}"
    return {
        "in the retest": "Retest",
        "in the other items of the family": OTHERS,
        "when the question is rephrased": REWORDED,
    }.get(name, name.capitalize())


def explanation_name(each: ExplanationFinding) -> str:
    """Name the control of an explanation; of relatedness with its vectors."""
    alone = each.kind == "relatedness" and each.name.count("(") == 1
    vectors = each.name[each.name.rfind("(") :] if alone else ""
    return f"{EXPLANATIONS[each.kind]} {vectors}".rstrip()


def explained(each: ExplanationFinding) -> str:
    """State the accuracy of an explanation, and that of the model where the explanation is right and wrong."""
    right, wrong = (None if side is None else percent(side.value, 0) for side in (each.where_right, each.where_wrong))
    if each.kind == "blind":
        sides = [
            f"{share} of {items}"
            for share, items in ((right, "the items that it gets right from the options alone"), (wrong, "the others"))
            if share
        ]
        model = f" With the question, it is right in {' and '.join(sides)}." if sides else ""
        return f"Shown only the options, the model is right in {each.accuracy:.0%}.{model}"
    sides = [f"{where}, the model is right in {share}" for share, where in ((right, RIGHT), (wrong, WRONG)) if share]
    model = "".join(f" {side}." for side in sides)
    both = ": both are right on the same items" if each.kind == "relatedness" and " or " in each.name else ""
    rule = f"Pick {each.name.removeprefix('picking ')}{both}. This is right in {each.accuracy:.0%}.{model}"
    tried = f"{each.tried} cues were tried. Each half of the items is answered by the cue that is best on the other. "
    return f"{tried if each.tried > 1 else ''}{rule}"


RIGHT, WRONG = "Where this is right without a tie", "Where it is wrong"


def contamination_table(profile: Profile) -> TextTable:
    """Return the contamination test of each model."""
    columns = ["model", "public minus twins [95% CI]", "p (one-sided)", "detectable with 80% power", "result"]
    titles, rows = titles_of(profile), []
    for model in profile.models:
        test = model.verdicts.contamination
        if test.difference is None:
            rows.append([model.model, "–", "–", "–", "not tested: no twins were run"])
            continue
        result = contamination_status(model)
        if test.contaminated:
            result += f" in {listed([titles[name] for name in test.contaminated])}"
        least = "–" if test.detectable is None or isnan(test.detectable) else number(test.detectable)
        rows.append([model.model, f"{test.difference:+.2f}", p_value(test.p), least, result])
    return TextTable(columns, rows)


def error_control(profile: Profile) -> str:
    """State the level of verdicts, and what it guarantees."""
    verdicts = profile.models[0].verdicts
    plain, strict = (f"{100 * each:.4g}%" for each in (verdicts.level, verdicts.verdict_level))
    n = len(profile.abilities)
    return (
        f"Intervals are {plain}, but {strict} for the adjusted score of an ability. The verdicts use {strict} "
        f"intervals, corrected for {2 * n} tests per model (Bonferroni): knowledge and cue reading in "
        f"{count(n, 'ability', 'abilities')}. So at most 5% of models get a false claim of knowledge or cue reading."
    )


def command(profile: Profile) -> str:
    """Return the command that makes the profile."""
    words = ["horsesense", "profile", *(word for model in profile.models for word in ("-m", model.model))]
    words += ["--full"] if profile.edition == "full" else []
    words += ["--adaptive"] if profile.adaptive else []
    words += ["--twin-seed", str(profile.twin_seed)] if profile.twin_seed else []
    return shlex.join(words) + ("" if profile.complete else " …")
