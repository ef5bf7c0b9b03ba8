"""Build ladders, and find the level at which models fail.

Thresholds from answers: accuracy by level, the psychometric function, and which levels to ask more about.

A family is correct if all its items are. Two-stage asking first asks `FIRST` families on every level, then the others
on the `AROUND` levels nearest to the first threshold, which is half of the questions of a ladder with eight levels and
loses little precision, since the other levels say little about the threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from annotated_types import Ge, Interval
from scipy.special import ndtr, ndtri

from horsesense.core import Card, Item, Probe
from horsesense.core.catalogue import load_probe, name_in_run
from horsesense.core.document import Document
from horsesense.core.item import guess_of
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.formatting import interval
from horsesense.runs.ask import ask, default_folder
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.settings import chosen_models
from horsesense.signatures import extends
from horsesense.stats import Estimate, accuracy
from horsesense.stats.paired import holm
from horsesense.stats.psychometric import Psychometric, fit_point, fit_psychometric

FIRST = 8
"""Families per level in the first stage."""
AROUND = 3
"""Number of levels of the second stage."""
WELL_ANSWERED = 0.9
"""Share of parsed answers below which the verdict says how few they are."""


class TooFewAnswersError(UserError):
    """Replies to a ladder that could hardly ever be parsed."""


@dataclass(frozen=True, slots=True)
class LevelAccuracy(Document):
    """Share of correct families on one level."""

    level: int
    """The level."""
    name: str
    """What the level is called."""
    correct: Estimate
    """Share of families with every item correct."""


@dataclass(frozen=True, slots=True)
class LadderThreshold(Document):
    """One model on one ladder."""

    model: str
    """Name of the model."""
    ladder: str
    """Name of the ladder."""
    format: str
    """Prompt format."""
    levels: tuple[LevelAccuracy, ...]
    """Accuracy by level."""
    fit: Psychometric
    """Psychometric function with the threshold."""
    questions: int
    """Number of items asked."""
    all_questions: int
    """Number of items of the whole ladder."""
    answered: float
    """Share of items with a parsed answer; a family with an unparsed one is left out."""
    verdict: str
    """Conclusion in one sentence."""


@dataclass(frozen=True, slots=True)
class ThresholdDifference(Document):
    """Two models on one ladder, compared by their thresholds."""

    ladder: str
    """Name of the ladder."""
    one: str
    """Name of a model."""
    other: str
    """Name of another model."""
    difference: float | None
    """Threshold of the first minus that of the second, in levels; null unless both are on the ladder."""
    ci: tuple[float, float] | None
    """95% interval of the difference, as if the two had answered different families."""
    p: float | None
    """P-value of no difference, after Holm's correction over all pairs of the ladder."""
    verdict: str
    """Conclusion in one sentence."""


@dataclass(frozen=True, slots=True)
class LadderResults(Document):
    """Thresholds of models on ladders."""

    thresholds: tuple[LadderThreshold, ...]
    """One per model, ladder and prompt format."""
    differences: tuple[ThresholdDifference, ...]
    """One per ladder and pair of models."""
    seed: int
    """Random seed of items and bootstrap."""
    out: Path | None = None
    """The run folder."""
    page: Path | None = None
    """The page."""
    pictures: tuple[Path, ...] = ()
    """One picture per ladder; none without the extra ``pictures``."""

    def plot(self, ladder: str = "") -> Any:
        """Draw a ladder, by default the first (Altair): accuracy by level, the fitted curve, one line per model."""
        from horsesense.report.ladder_page import ladder_chart

        name = ladder or self.thresholds[0].ladder
        return ladder_chart([each for each in self.thresholds if each.ladder == name])


def level_of(item: Item) -> int:
    """Return the level of an item."""
    return int(item.facets["level"])


def by_level(probe: Probe) -> dict[int, list[list[Item]]]:
    """Return the families of each level, in their order."""
    families: dict[tuple[int, str], list[Item]] = {}
    for item in probe.items:
        families.setdefault((level_of(item), item.unit()), []).append(item)
    levels: dict[int, list[list[Item]]] = {}
    for (level, _), family in sorted(families.items(), key=lambda pair: pair[0][0]):
        levels.setdefault(level, []).append(family)
    return levels


def split_stages(probe: Probe, first: int = FIRST) -> tuple[Probe, dict[int, Probe]]:
    """Return the probe of the first stage, and for each level the probe of its other families."""
    levels = by_level(probe)
    start = [item for families in levels.values() for family in families[:first] for item in family]
    rest = {level: [item for family in families[first:] for item in family] for level, families in levels.items()}
    return Probe.of(start, probe.card), {level: Probe.of(items, probe.card) for level, items in rest.items() if items}


def levels_to_ask(correct: Mapping[int, Sequence[bool]], chance: float) -> tuple[int, ...]:
    """Return the levels nearest to the threshold of the first stage.

    >>> levels_to_ask({0: [True] * 8, 1: [True] * 8, 2: [True] * 4 + [False] * 4, 3: [False] * 8, 4: [False] * 8}, 0.0)
    (1, 2, 3)
    """
    levels = np.array(sorted(correct), dtype=np.float64)
    right = np.array([sum(correct[int(level)]) for level in levels], dtype=np.float64)
    counts = np.array([len(correct[int(level)]) for level in levels], dtype=np.float64)
    threshold = fit_point(levels, right, counts, chance)[0]
    # The function falls towards chance, so a level above the threshold says less than one below it.
    order = sorted(levels.tolist(), key=lambda level: (abs(level - threshold + 0.25), level))
    return tuple(sorted(int(level) for level in order[:AROUND]))


def correct_families(
    answered: Sequence[ProbeAnswers], normalise: Normalisation | None = None
) -> dict[int, dict[str, bool]]:
    """Return for each level which families have every item correct; a family with an unanswered item is left out."""
    outcomes: dict[int, dict[str, bool]] = {}
    for each in answered:
        values = each.credits(normalise or each.primary()).values
        without = {item.unit() for item, flag in zip(each.items, each.unanswered, strict=True) if flag}
        for item, value in zip(each.items, values, strict=True):
            families = outcomes.setdefault(level_of(item), {})
            if item.unit() not in without:
                families[item.unit()] = families.get(item.unit(), True) and bool(value == 1)
    return {level: families for level, families in outcomes.items() if families}


def family_chance(items: Sequence[Item]) -> float:
    """Return the probability that a guesser has every item of a family correct, averaged over families."""
    products: dict[tuple[int, str], float] = {}
    for item in items:
        key = level_of(item), item.unit()
        products[key] = products.get(key, 1.0) * guess_of(item)
    return float(np.mean(list(products.values())))


def threshold_of(
    ladder: str, whole: Probe, answered: Sequence[ProbeAnswers], normalise: Normalisation | None = None, seed: int = 0
) -> LadderThreshold:
    """Fit the psychometric function to the answers of one model to parts of a ladder."""
    if not answered:
        raise UserError(f"the ladder {ladder} was not asked")
    outcomes = correct_families(answered, normalise)
    chance = family_chance(whole.items)
    names = {level_of(item): str(item.facets.get("level_name", level_of(item))) for item in whole.items}
    levels = tuple(
        LevelAccuracy(level, names[level], accuracy(np.array([*own.values()], dtype=float), [*own], chance=chance))
        for level, own in sorted(outcomes.items())
    )
    if len(levels) < AROUND:
        raise TooFewAnswersError(
            f"only {len(levels)} levels of the {ladder} ladder have an answer that could be parsed",
            fix="choose another prompt format, or give the model more tokens for its reply",
        )
    pairs = [(level, right) for level, own in outcomes.items() for right in own.values()]
    fit = fit_psychometric([level for level, _ in pairs], [right for _, right in pairs], chance, seed=seed)
    asked = sum(len(each.items) for each in answered)
    share = 1 - sum(int(each.unanswered.sum()) for each in answered) / asked
    model = answered[0].part.model.name
    return LadderThreshold(
        model=model,
        ladder=ladder,
        format=answered[0].format,
        levels=levels,
        fit=fit,
        questions=asked,
        all_questions=len(whole.items),
        answered=share,
        verdict=_verdict(model, ladder, levels, fit, share),
    )


def interval_text(fit: Psychometric) -> str:
    """Write the threshold with its interval: ``3.2 [2.9, 3.6]``; an end beyond the ladder is named."""
    if fit.threshold is None:
        return fit.standing
    low, high = fit.ci
    ends = ("below" if low is None else f"{low:.1f}", "above" if high is None else f"{high:.1f}")
    return f"{fit.threshold:.1f} [{ends[0]}, {ends[1]}]"


def _verdict(model: str, ladder: str, levels: Sequence[LevelAccuracy], fit: Psychometric, share: float) -> str:
    lowest, highest = levels[0], levels[-1]
    if fit.standing == "below the ladder":
        said = f"{model} is below the {ladder} ladder: it has {lowest.correct.value:.0%} of the families of level "
        said += f"{lowest.level} correct, and a threshold cannot be given"
    elif fit.standing == "above the ladder":
        said = f"{model} is above the {ladder} ladder: it has {highest.correct.value:.0%} of the families of level "
        said += f"{highest.level} correct, and harder levels are needed"
    else:
        said = f"{model} falls to one half at level {interval_text(fit)} of the {ladder} ladder"
    misfit = "; accuracy does not fall with the level as a ladder should, so read the levels one by one"
    few = f"; only {share:.0%} of the items have an answer that could be parsed"
    return f"{said}{misfit if fit.misfit_p < 0.01 else ''}{few if share < WELL_ANSWERED else ''}."


_RANK = {"below the ladder": 0, "on the ladder": 1, "above the ladder": 2}


def compare_thresholds(thresholds: Sequence[LadderThreshold]) -> tuple[ThresholdDifference, ...]:
    """Compare every pair of models on each ladder; p-values are corrected over the pairs of a ladder."""
    found: list[ThresholdDifference] = []
    for ladder in dict.fromkeys(each.ladder for each in thresholds):
        own = [each for each in thresholds if each.ladder == ladder]
        pairs = list(combinations(own, 2))
        gaps = [_gap(one.fit, other.fit) for one, other in pairs]
        adjusted = iter(holm([p for _, _, p in filter(None, gaps)]))
        for (one, other), gap in zip(pairs, gaps, strict=True):
            same = one.model == other.model
            a, b = (f"{each.model} ({each.format})" if same else each.model for each in (one, other))
            if gap is None:
                found.append(ThresholdDifference(ladder, a, b, None, None, None, _order(a, b, one.fit, other.fit)))
                continue
            difference, ci, _ = gap
            p = next(adjusted)
            told = "differ" if p < 0.05 else "do not differ significantly"
            verdict = f"The thresholds of {a} and {b} {told}: {difference:+.1f} levels "
            verdict += f"{interval(*ci, '+.1f')}."
            found.append(ThresholdDifference(ladder, a, b, difference, ci, p, verdict))
    return tuple(found)


def _gap(one: Psychometric, other: Psychometric) -> tuple[float, tuple[float, float], float] | None:
    """Return the difference of two thresholds with interval and p; None unless both are on the ladder."""
    if one.threshold is None or other.threshold is None:
        return None
    gap = one.threshold - other.threshold
    spread = max(float(np.hypot(one.standard_error or 0.0, other.standard_error or 0.0)), 1e-9)
    reach = -float(ndtri(0.025)) * spread
    return gap, (gap - reach, gap + reach), float(2 * ndtr(-abs(gap) / spread))


def _order(a: str, b: str, one: Psychometric, other: Psychometric) -> str:
    if one.standing == other.standing:
        return f"{a} and {b} are both {one.standing}, so their thresholds cannot be compared."
    ranked = sorted(((a, one.standing), (b, other.standing)), key=lambda pair: -_RANK[pair[1]])
    (first, upper), (second, lower) = ranked
    return f"{first} is {upper}, {second} is {lower}; no difference can be computed."


# Public functions: build ladders, and find the level at which models fail.

LadderName = Literal["steps", "polarity", "nearness", "rarity"]
LOGICAL: tuple[LadderName, ...] = ("steps", "polarity")
"""Ladders that need no knowledge source."""
FAMILIES = 40
"""Families per level: the threshold of a ladder with eight levels then has a standard error of about 0.2 levels."""
_MADE = {
    "steps": "Comparisons of novel individuals that follow from shuffled premises in 0 to 36 steps; keys are proved.",
    "polarity": "Scenes with negation, exceptions, defaults and reversal; keys follow by logic or from a fact table.",
    "nearness": "What kind of living thing a word names, from WordNet; the same words with nearer and nearer "
    "distractors, certified false by their taxa.",
    "rarity": "What kind of living thing a word names, from WordNet; rarer and rarer words, with near distractors that "
    "are certified false by their taxa.",
}


@translate_errors()
def build_ladder(
    ladder: LadderName,
    *,
    levels: Sequence[int] = (),
    families: Annotated[int, Ge(1)] = FAMILIES,
    irrelevant: Annotated[int, Interval(ge=0, le=10)] = 2,
    seed: Annotated[int, Ge(0)] = 0,
) -> Probe:
    """Build one kind of question at rising levels of difficulty; the proof of each key is stored with the item.

    Args:
        ladder: Ladder: steps (inference steps), polarity (negation, exceptions and reversal), nearness (of distractors)
            or rarity (of words).
        levels: Level to build. By default, all levels of the ladder.
        families: Number of families per level. A family of steps and polarity is two items with the same options and
            opposite keys, of nearness and rarity one item; these have at most 120.
        irrelevant: In steps, number of premises about unrelated things, in addition to those about a distractor pair.
        seed: Random seed.

    Returns:
        The probe; the level of an item is its facet ``level``.

    >>> probe = build_ladder("polarity", levels=[0, 2], families=5)
    >>> len(probe), sorted({item.facets["level_name"] for item in probe})
    (20, ['all but', 'is'])
    """
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.ladders import polarity, steps, taxa

    if ladder not in get_args(LadderName):
        raise unknown("ladder", ladder, get_args(LadderName))
    chosen = sorted(set(levels))
    if ladder == "steps":
        items = steps.steps_items(chosen or steps.LEVELS, families, seed, irrelevant)
    elif ladder == "polarity":
        items = polarity.polarity_items(chosen or polarity.LEVELS, families, seed)
    else:
        levels = chosen or range(len(taxa.LEVEL_NAMES[ladder]))
        items = taxa.taxa_items(open_graph("wordnet"), ladder, levels, families, seed)
    licence = items[0].source.licence if items else ""
    group = "family" if ladder in LOGICAL else "asked"
    card = Card(f"ladder-{ladder}", method="ladders", licence=licence, made=_MADE[ladder], seed=seed, group=group)
    return Probe.of(items, card)


@translate_errors()
@extends(ask, without=("probe", "limit", "design"))
def ladder(
    *,
    ladders: Sequence[str | Path | Probe] = LOGICAL,
    families: Annotated[int, Ge(2)] = FAMILIES,
    full: bool = False,
    out: str | Path | None = None,
    **options: Any,
) -> LadderResults:
    """Find how hard questions must get before a model fails.

    A ladder is a probe whose items have levels of rising difficulty. The threshold L50 is the level at which the fitted
    accuracy of a model has fallen halfway to chance.

    Args:
        ladders: Ladder: steps (more inference steps), polarity (negation, exceptions, reversal), nearness (more similar
            wrong options; needs WordNet), rarity (rarer words; needs WordNet), or a probe of yours whose items have a
            facet named ``level``.
        families: Number of families per level.
        full: Ask all families on all levels, not only on those around the level at which the model fails.
        out: Folder that stores the answers; an interrupted run resumes there. By default, runs/MODEL-ladder.

    Returns:
        Accuracy by level, the fitted function and the threshold of each model and ladder, and the differences between
        models.
    """
    from horsesense.report.ladder_page import write_ladders

    models = chosen_models(options.pop("model"))
    folder = Path(out) if out is not None else default_folder(models, ["ladder"])
    seed = options["seed"]
    wholes = dict(_opened(each, families, seed) for each in ladders)
    if not wholes:
        raise UserError("no ladder was given", fix=f"give {' or '.join(get_args(LadderName))}")
    found = [each for model in models for each in thresholds_of_model(model, wholes, folder, full, **options)]
    results = LadderResults(tuple(found), compare_thresholds(found), seed, folder)
    return write_ladders(results, folder, options["progress"])


def thresholds_of_model(
    model: Any,
    ladders: Mapping[str, Probe],
    folder: Path | None,
    full: bool = False,
    seed: int = 0,
    normalise: Normalisation | None = None,
    **options: Any,
) -> list[LadderThreshold]:
    """Ask one model in two stages, and fit its thresholds; without a folder nothing is stored."""
    answers = _ask_stages(model, ladders, full, folder, options | {"seed": seed, "normalise": normalise})
    return [threshold_of(name, ladders[name], own, normalise, seed) for (name, _), own in answers.items()]


def _opened(ladder: str | Path | Probe, families: int, seed: int) -> tuple[str, Probe]:
    """Return a ladder's name and its probe: built here by name, or from a file."""
    names: tuple[LadderName, ...] = get_args(LadderName)
    for name in names:
        if ladder == name:
            return name, build_ladder(name, families=families, seed=seed)
    if isinstance(ladder, str) and not Path(ladder).suffix and not Path(ladder).exists():
        raise unknown("ladder", ladder, get_args(LadderName))
    probe = ladder if isinstance(ladder, Probe) else load_probe(ladder)
    if any(type(item.facets.get("level")) is not int for item in probe.items):
        error = UserError("an item has no level", fix="give each item a whole number as its facet 'level'")
        raise error if isinstance(ladder, Probe) else error.at(ladder)
    return name_in_run(ladder), probe


def _ask_stages(
    model: Any, wholes: Mapping[str, Probe], full: bool, folder: Path | None, options: dict[str, Any]
) -> dict[tuple[str, str], list[ProbeAnswers]]:
    """Ask the first families of every level, then the others on the levels around each threshold."""
    stages = {name: split_stages(whole, FIRST) for name, whole in wholes.items()}
    firsts = {f"{name}-first": first for name, (first, _) in stages.items()}
    ladder_of = {f"{name}-first": name for name in wholes}
    answers: dict[tuple[str, str], list[ProbeAnswers]] = {}
    for each in ask(model, firsts, out=folder, **options).answered:
        answers.setdefault((ladder_of[each.part.probe.name], each.format), []).append(each)
    more: dict[str, Probe] = {}
    for (name, _), answered in answers.items():
        rest = stages[name][1]
        outcomes = {
            level: list(own.values()) for level, own in correct_families(answered, options["normalise"]).items()
        }
        around = levels_to_ask(outcomes, family_chance(wholes[name].items)) if len(outcomes) > 1 else ()
        for level in rest if full else [level for level in around if level in rest]:
            more[f"{name}-level-{level}"] = rest[level]
            ladder_of[f"{name}-level-{level}"] = name
    if more:
        for each in ask(model, more, out=folder, **options).answered:
            answers[ladder_of[each.part.probe.name], each.format].append(each)
    return answers
