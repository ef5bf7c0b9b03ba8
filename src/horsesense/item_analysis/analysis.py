"""Analyse the items of runs: difficulty, discrimination, misfit, doubtful keys and differential functioning."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from horsesense.core import Item
from horsesense.core.document import Document, Number
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.comparison import by_probe
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.runs.result import shown_names
from horsesense.runs.run import AnyRun, finished_by_place
from horsesense.scoring.normalise import parse_normalisation
from horsesense.stats import Estimate
from horsesense.stats.item_statistics import (
    FEWEST_FOR_CORRELATION,
    FEWEST_FOR_CURVES,
    FEWEST_ITEMS,
    CurveFit,
    correlation,
    differential_functioning,
    doubtful_keys,
    fit_curves,
    item_rest,
    reliability,
    without_bias,
)
from horsesense.stats.paired import holm
from horsesense.stats.resampling import Floats

NEGATIVE = -0.2
"""Item-rest correlation below which an item is counted as negative."""


@dataclass(frozen=True, slots=True)
class ItemStatistics(Document):
    """Statistics of one item over models."""

    item: str
    """Id of the item."""
    models: int
    """Number of models that were asked the item."""
    share: float
    """Share of models that are right."""
    item_rest: Number
    """Correlation with the share right on all other items; null where all models agree, or models are too few."""
    item_rest_unbiased: float | None = None
    """The same, given how often each model chooses the first option; only for probes with the same two options."""
    difficulty: float | None = None
    """Log odds of a wrong answer at average ability."""
    discrimination: float | None = None
    """Change in log odds per standard deviation of ability; negative: able models are wrong more often."""
    discrimination_se: float | None = None
    """Standard error of the discrimination, given the abilities."""
    infit: float | None = None
    """Information-weighted mean square of residuals; 1 is expected."""
    outfit: float | None = None
    """Unweighted mean square of residuals; 1 is expected."""
    misfit: bool | None = None
    """Whether the outfit is larger than noise explains (z above 3)."""


@dataclass(frozen=True, slots=True)
class SuspectItem(Document):
    """An item whose key is in doubt."""

    item: str
    """Id of the item."""
    kind: str
    """``wrong key``: the answers favour another option; ``second answer``: able models divide between two."""
    text: str
    """Premise and text of the item."""
    options: tuple[str, ...]
    """The options."""
    key: int
    """Index of the key."""
    other: int
    """Index of the option that speaks against it."""
    doubt: float
    """Log odds of the other option against the key, from the number of models and the item-rest correlation."""
    share: float
    """Share of models that are right."""
    item_rest: Number
    """Item-rest correlation."""
    key_upper: float
    """Share of the upper half of models that choose the key."""
    other_upper: float
    """Share of the upper half of models that choose the other option."""
    show: str
    """Command that shows every model's answer to the item."""


@dataclass(frozen=True, slots=True)
class RespondingModel(Document):
    """One model of an item analysis."""

    model: str
    """Name of the model."""
    accuracy: Estimate
    """Accuracy with its clustered interval."""
    ability: float | None = None
    """Ability, in standard deviations over models."""
    ability_se: float | None = None
    """Its posterior standard deviation, given the item curves."""
    bias: float | None = None
    """Response bias towards the first option, in log odds; only for probes with the same two options."""
    first_option: float | None = None
    """Share of answers that are the first option; only for probes with the same two options."""


@dataclass(frozen=True, slots=True)
class FavouredItem(Document):
    """An item that differs in difficulty between two groups of models of equal ability."""

    item: str
    """Id of the item."""
    text: str
    """Premise and text of the item."""
    difference: float
    """Share right in the focal group, minus the share expected at its abilities; positive: easier for it."""
    p_holm: float
    """p-value, corrected for all items (Holm)."""


@dataclass(frozen=True, slots=True)
class ItemAnalysis(Document):
    """Item analysis of one probe."""

    probe: str
    """Name of the probe, with the prompt format where it is not loglikelihood."""
    method: str
    """``classical``, or ``2PL`` where an item response model was fitted."""
    note: str
    """Why there is no item response model; empty where there is one."""
    alpha: Number
    """Reliability of the share right over models (Cronbach's alpha); null where models are too few."""
    negative: int
    """Number of items with an item-rest correlation below -0.2."""
    negative_unbiased: int | None
    """The same, given the response bias; null where the options are not the same two."""
    constant: int
    """Number of items that all models get right, or all wrong."""
    guessing: str | None
    """Guessing rate of the item response model: ``chance`` or ``0``; null without one."""
    guessing_gain: float | None
    """Log-likelihood of that guessing rate minus that of the other; null where it was given."""
    ability_accuracy: float | None
    """Correlation of ability and accuracy over models; low where the items do not measure one ability. Both keys weigh
    the same in the accuracy of a probe with the same two options. Null without an item response model."""
    family_sd: float | None
    """Standard deviation of family effects, in log odds; null where no family has two items."""
    family_p: float | None
    """p-value of the family effects."""
    responders: tuple[RespondingModel, ...]
    """The models, the best first."""
    items: tuple[ItemStatistics, ...]
    """The items, in the order of the probe."""
    suspects: tuple[SuspectItem, ...]
    """Items whose key is in doubt, the most doubtful first."""
    suspect_count: int
    """Number of all such items; ``suspects`` may be fewer."""
    favoured: tuple[FavouredItem, ...] = ()
    """Items that differ between the focal group and the other models, at the 5% level after Holm's correction."""


@dataclass(frozen=True, slots=True)
class ItemAnalyses(Document):
    """Item analysis of every probe of the runs."""

    probes: tuple[ItemAnalysis, ...]
    """One per probe and prompt format."""
    page: Path | None
    """The page, where one was written."""
    unfinished: tuple[str, ...]
    """Models, each with its probe, whose answers are incomplete; left out."""


@translate_errors()
def items(
    *runs: AnyRun,
    out: str | Path | None = None,
    guessing: Literal["auto", "chance", "none"] = "auto",
    focal: str = "",
    suspects: Annotated[int, Ge(0)] = 50,
    normalise: Normalisation | None = None,
    progress: Progress = NO_PROGRESS,
) -> ItemAnalyses:
    """Analyse the items of runs: difficulty, discrimination, misfit, and keys that may be wrong (suspects).

    Args:
        runs: Run folder, also of an imported log. In Python, also a `Run`.
        out: HTML page to write.
        guessing: Guessing rate of the item response model: chance, none, or whichever fits better (auto).
        focal: Pattern of model names, such as ``gpt-*``: test which items are easier or harder for these models than
            for others of equal ability (differential item functioning).
        suspects: Maximum number of suspects on the page and in JSON.
        normalise: Score of an option: the sum of its token log-probabilities, their mean per token, word or
            character, or pmi (log-probability after the question minus that of the option alone). By default, that of
            the run, or as set in the probe's card.
        progress: Progress callback.

    Returns:
        For each probe: statistics of every item, suspects with their evidence, and the models.
    """
    if not runs:
        raise UserError("no run is given", fix="name a run folder")
    how = parse_normalisation(normalise) if normalise else None
    by_place, unfinished = finished_by_place(runs)
    folders = [index for index, _ in by_place]
    analyses = []
    for asked, models in by_probe(by_place).items():
        judged = {
            label: answered for label, answered in models.items() if answered.judged and not answered.unanswered.all()
        }
        if not judged:
            continue
        table = _table(judged, how)
        progress.log(f"{asked}: {len(table.models)} models, {len(table.ids):,} items")
        name = str(asked)
        analyses.append(_analysis(name, table, guessing, focal, suspects, folders))
    if not analyses:
        raise UserError(
            "no item has a gold answer and the answer of a model, so there are no item statistics", file=folders[0]
        )
    result = ItemAnalyses(tuple(analyses), None, tuple(unfinished))
    if out is None:
        return result
    from horsesense.item_analysis.page import write_page

    return replace(result, page=write_page(result, Path(out)))


@dataclass(frozen=True, slots=True)
class _Table:
    """The answers of models (rows) to the judged items of a probe (columns)."""

    models: list[str]
    ids: list[str]
    items: list[Item]
    right: Floats
    """Credits; nan where a model was not asked."""
    chosen: NDArray[np.int64]
    """The chosen option; -1 for none or a tie."""
    golds: NDArray[np.int64]
    options: NDArray[np.int64]
    chance: Floats
    families: NDArray[np.int64] | None
    keyed: Floats | None
    """+1 where the key is the first of two options that all items share, else -1; None where they do not."""
    accuracies: list[Estimate]


def _table(models: Mapping[str, ProbeAnswers], how: Normalisation | None) -> _Table:
    index: dict[str, int] = {}
    rows: list[Item] = []
    columns: list[tuple[int, int, float]] = []
    credits = [answered.credits(how or answered.primary()) for answered in models.values()]
    for answered, earned in zip(models.values(), credits, strict=True):
        own = answered.columns
        for i in np.flatnonzero(own.judged & ~np.isnan(earned.values)).tolist():
            if own.ids[i] not in index:
                index[own.ids[i]] = len(index)
                rows.append(answered.items[i])
                columns.append((int(own.golds[i]), int(own.options[i]), float(own.guesses[i])))
    right = np.full((len(models), len(index)), np.nan)
    chosen = np.full(right.shape, -1, np.int64)
    accuracies = []
    for row, (answered, earned) in enumerate(zip(models.values(), credits, strict=True)):
        accuracies.append(answered.estimate(earned))
        for i in np.flatnonzero(answered.columns.judged & ~np.isnan(earned.values)).tolist():
            place = index[answered.columns.ids[i]]
            right[row, place] = earned.values[i]
            predicted = earned.predicted[i]
            chosen[row, place] = predicted[0] if len(predicted) == 1 else -1
    golds, options, chance = (np.array(column) for column in zip(*columns, strict=True))
    names: dict[str, int] = {}
    families = np.array([names.setdefault(item.unit(), len(names)) for item in rows], np.int64)
    return _Table(
        list(shown_names(models).values()),
        list(index),
        rows,
        right,
        chosen,
        golds.astype(np.int64),
        options.astype(np.int64),
        chance.astype(np.float64),
        families if len(names) < len(rows) else None,
        _keyed(rows),
        accuracies,
    )


def _keyed(items: Sequence[Item]) -> Floats | None:
    """Return the sign of each key where all items have the same two options, else None."""
    options = items[0].options
    if len(options) != 2 or any(set(item.options) != set(options) for item in items):
        return None
    signs = np.array([1.0 if item.options[item.answer or 0] == options[0] else -1.0 for item in items])
    return signs if len(set(signs)) == 2 else None


def _analysis(probe: str, table: _Table, guessing: str, focal: str, most: int, folders: Sequence[Path]) -> ItemAnalysis:
    models, count = table.right.shape
    note, curves = _too_few(models, count), None
    if not note:
        floor = {"auto": None, "chance": True, "none": False}[guessing]
        curves = fit_curves(table.right, table.chance, table.families, table.keyed, floor)
    enough = models >= FEWEST_FOR_CORRELATION and count > 1
    correlations = item_rest(table.right) if enough else np.full(count, np.nan)
    unbiased = without_bias(table.right, table.keyed) if enough and table.keyed is not None else None
    ability = np.nanmean(table.right, axis=1) if curves is None else curves.fit.ability
    fit = None if curves is None else curves.fit
    doubts = doubtful_keys(table.chosen, table.golds, table.options, ability, correlations) if enough else []
    share = np.nanmean(table.right, axis=0)
    return ItemAnalysis(
        probe=probe,
        method="classical" if curves is None else "2PL",
        note=note,
        alpha=reliability(table.right) if enough else float("nan"),
        negative=int((correlations < NEGATIVE).sum()),
        negative_unbiased=None if unbiased is None else int((unbiased < NEGATIVE).sum()),
        constant=int((np.nanmin(table.right, axis=0) == np.nanmax(table.right, axis=0)).sum()),
        guessing=None if curves is None else "chance" if curves.guessing else "0",
        guessing_gain=_gain(curves),
        ability_accuracy=None if fit is None else _ability_accuracy(table, fit.ability),
        family_sd=None if fit is None or fit.family_p is None else fit.family_sd,
        family_p=None if fit is None else fit.family_p,
        responders=_responders(table, curves),
        items=_item_statistics(table, share, correlations, unbiased, curves),
        suspects=tuple(
            SuspectItem(
                item=table.ids[doubt.item],
                kind=doubt.kind,
                text=" ".join(filter(None, (table.items[doubt.item].premise, table.items[doubt.item].text))),
                options=table.items[doubt.item].options,
                key=int(table.golds[doubt.item]),
                other=doubt.option,
                doubt=doubt.doubt,
                share=float(share[doubt.item]),
                item_rest=float(correlations[doubt.item]),
                key_upper=doubt.key_upper,
                other_upper=doubt.other_upper,
                show=shlex.join(["horsesense", "show", str(folders[0]), table.ids[doubt.item]]),
            )
            for doubt in doubts[:most]
        ),
        suspect_count=len(doubts),
        favoured=_favoured(table, curves, focal) if focal else (),
    )


def _too_few(models: int, count: int) -> str:
    if models < FEWEST_FOR_CORRELATION:
        return f"{models} models: only the share right; a correlation needs {FEWEST_FOR_CORRELATION} models or more"
    if models < FEWEST_FOR_CURVES:
        return f"{models} models: classical statistics only; item curves need {FEWEST_FOR_CURVES} models or more"
    if count < FEWEST_ITEMS:
        return f"{count} items: classical statistics only; item curves need {FEWEST_ITEMS} items or more"
    return ""


def _ability_accuracy(table: _Table, ability: Floats) -> float:
    kinds = [np.ones(len(table.ids), bool)] if table.keyed is None else [table.keyed > 0, table.keyed < 0]
    shares = np.mean([np.nanmean(table.right[:, kind], axis=1) for kind in kinds], axis=0)
    return float(correlation(ability[:, None], shares[:, None])[0])


def _gain(curves: CurveFit | None) -> float | None:
    if curves is None or curves.other_likelihood is None:
        return None
    return curves.fit.log_likelihood - curves.other_likelihood


def _responders(table: _Table, curves: CurveFit | None) -> tuple[RespondingModel, ...]:
    first = None
    if table.keyed is not None:
        first = np.nanmean(np.where(table.keyed > 0, table.right, 1 - table.right), axis=1)
    responders = []
    for i, model in enumerate(table.models):
        ability = None if curves is None else float(curves.fit.ability[i])
        spread = None if curves is None else float(curves.fit.ability_se[i])
        bias = None if curves is None or first is None else float(curves.fit.bias[i])
        share = None if first is None else float(first[i])
        responders.append(RespondingModel(model, table.accuracies[i], ability, spread, bias, share))
    return tuple(sorted(responders, key=lambda each: -each.accuracy.value))


def _item_statistics(
    table: _Table, share: Floats, correlations: Floats, unbiased: Floats | None, curves: CurveFit | None
) -> tuple[ItemStatistics, ...]:
    asked = (~np.isnan(table.right)).sum(0).tolist()
    shares, rests = share.tolist(), correlations.tolist()
    plain = [None] * len(shares) if unbiased is None else [None if each != each else each for each in unbiased.tolist()]
    basic = [
        ItemStatistics(item, n, value, rest, other)
        for item, n, value, rest, other in zip(table.ids, asked, shares, rests, plain, strict=True)
    ]
    if curves is None:
        return tuple(basic)
    fit = curves.fit
    columns = (-fit.intercept, fit.slope, fit.slope_se, curves.infit, curves.outfit, curves.misfit)
    names = ("difficulty", "discrimination", "discrimination_se", "infit", "outfit", "misfit")
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(replace(each, **dict(zip(names, row, strict=True))) for each, row in zip(basic, rows, strict=True))


def _favoured(table: _Table, curves: CurveFit | None, focal: str) -> tuple[FavouredItem, ...]:
    group = np.array([fnmatchcase(model.lower(), focal.lower()) for model in table.models])
    if not group.any() or group.all():
        number = "none" if not group.any() else "all"
        raise UserError(f"{number} of the models match {focal!r}", fix=f"name some of them by {argument('focal')}")
    if curves is None:
        raise UserError(
            "differential item functioning needs an item response model",
            fix=f"give runs of {FEWEST_FOR_CURVES} models or more",
        )
    functioning = differential_functioning(table.right, curves.fit, group)
    corrected = np.array(holm(functioning.p.tolist()))
    return tuple(
        FavouredItem(
            table.ids[i],
            " ".join(filter(None, (table.items[i].premise, table.items[i].text))),
            float(functioning.difference[i]),
            float(corrected[i]),
        )
        for i in np.argsort(corrected, kind="stable").tolist()
        if corrected[i] < 0.05
    )
