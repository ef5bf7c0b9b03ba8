"""The answers of a model to a probe: read from a run folder, and the results computed from them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from horsesense.core import FORMS, Answer, Item, Probe, Reply, ScoringSpec, spec_from_dict
from horsesense.core.answer import NO_TOKENS, UNANSWERED
from horsesense.core.answer_columns import StoredAnswers, StoredReplies
from horsesense.core.card import CLUSTER_AVERAGE
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError
from horsesense.models.lineage import lineage_of
from horsesense.runs.item_columns import ItemColumns, item_columns, item_facets
from horsesense.runs.manifest import LOG, Manifest, Part, manifest_path, read_manifest
from horsesense.runs.replies import reply_statistics
from horsesense.runs.result import Result
from horsesense.runs.shard_files import read_answers, read_replies
from horsesense.runs.store import is_finished, read_stored_probe
from horsesense.scoring.normalise import (
    BY_FORM,
    NORMALISATIONS,
    OF_SUMS,
    normalised_rows,
    parse_normalisation,
)
from horsesense.scoring.prompt_formats import get_prompt_format
from horsesense.stats import (
    Credits,
    Estimate,
    accuracy,
    credits,
    effective_units,
    family_accuracy,
    unit_average,
)
from horsesense.stats.accuracy import Rows
from horsesense.stats.families import without_repeats
from horsesense.stats.resampling import Floats
from horsesense.stats.slices import Facets

SCORE = "score"
"""In place of a normalisation, for a control or a classifier: it scores options without log-probabilities."""


@dataclass(frozen=True)
class ProbeAnswers:
    """The answers of one model to one probe."""

    part: Part
    probe: Probe
    spec: ScoringSpec
    answers: Sequence[Answer]
    """One per item, in the order of the probe."""
    replies: Sequence[Reply] = ()
    """Replies, for letters and generate."""
    normalise: Normalisation | None = None
    """Score normalisation that was requested; None: that of the card, or of each item's form."""

    @property
    def format(self) -> str:
        """Prompt format."""
        return self.part.format

    @property
    def items(self) -> Sequence[Item]:
        return self.probe.items

    def primary(self) -> Normalisation | None:
        """Return the normalisation that was requested, or that the card names; None: by the form of each item. PMI is a
        prompt format of its own."""
        if self.format == "pmi":
            return "pmi"
        return self.normalise or requested(self.probe.card.normalise)

    def compared_by(self, how: Normalisation | None = None) -> str:
        """Name the normalisation that options are compared by, ``by form`` where the forms of the items differ in it;
        the prompt format, or ``score``, where there are no log-probabilities to normalise."""
        if not _possible(self):
            return SCORE if self.format == "loglikelihood" else self.format
        used = how or self.primary()
        names = {used} if used else {BY_FORM[FORMS[form]] for form in np.unique(self.columns.forms).tolist()}
        return names.pop() if len(names) == 1 else "by form"

    @cached_property
    def columns(self) -> ItemColumns:
        """The items as arrays: a report uses them hundreds of times."""
        return item_columns(self.items, self.probe.card.group)

    @cached_property
    def facets(self) -> Facets:
        """Facets of the items, for slices."""
        return item_facets(self.items)

    @cached_property
    def stored(self) -> StoredAnswers:
        """The answers as columns."""
        return StoredAnswers.of(self.answers)

    @cached_property
    def results(self) -> dict[Normalisation | None, Result]:
        """The results so far, by the requested normalisation (`result_of`)."""
        return {}

    def scores(self, how: Normalisation | None) -> Rows:
        return normalised_rows(self.stored, self.items, self.columns.forms, self.spec, how)

    def credits(self, how: Normalisation | None) -> Credits:
        earned = credits(self.scores(how), self.columns.golds, self.columns.ids)
        return without_credit(earned, self.unanswered)

    @cached_property
    def unanswered(self) -> NDArray[np.bool_]:
        """Whether each item has no answer: refused, filtered, cut off, unparsed, empty or failed."""
        return self.stored.first_flag_is(*UNANSWERED)

    @property
    def answered_share(self) -> float:
        """Share of the items with a gold answer that were answered."""
        judged = self.columns.judged
        return 1 - float(self.unanswered[judged].mean()) if judged.any() else 1.0

    @cached_property
    def _reply_rows(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = {}
        for row, item in enumerate(StoredReplies.of(self.replies).columns("item")["item"].to_pylist()):
            rows.setdefault(item, []).append(row)
        return rows

    def replies_to(self, item: str) -> list[Reply]:
        """Return the replies to one item, by order and sample."""
        return [self.replies[row] for row in self._reply_rows.get(item, ())] if self.replies else []

    def outcome_at(self, index: int) -> str:
        """Return the outcome of an item without an answer; empty where it has one."""
        flags = self.answers[index].flags if self.unanswered[index] else ("",)
        return flags[0]

    def outcomes(self, earned: Credits) -> dict[str, int] | None:
        """Count the items with a gold answer by outcome; None in formats without replies."""
        if not self.replies:
            return None
        judged = self.columns.judged
        answered = earned.values[judged & ~self.unanswered]
        counts = {"right": int((answered == 1).sum()), "wrong": int((answered == 0).sum())}
        counts["tie"] = len(answered) - sum(counts.values())
        counts |= {name: int((self.stored.first_flag_is(name) & judged).sum()) for name in UNANSWERED}
        return {name: count for name, count in counts.items() if count or name in ("right", "wrong")}

    def bounds(self, earned: Credits) -> tuple[float, float] | None:
        """Return the share of all items that is right if the unanswered ones are wrong, and if they are right."""
        judged = self.columns.judged
        lost = int((self.unanswered & judged).sum())
        if not lost:
            return None
        right, n = float(np.nansum(earned.values)), int(judged.sum())
        return right / n, (right + lost) / n

    @property
    def judged(self) -> bool:
        """Whether any item has a gold answer, so that there is an accuracy."""
        return bool(self.columns.judged.any())

    @property
    def has_answers(self) -> bool:
        """Whether any item with a gold answer was answered."""
        return bool((self.columns.judged & ~self.unanswered).any())

    @property
    def units(self) -> NDArray[np.int64]:
        """Index of each item's cluster."""
        return self.columns.units

    def estimate(self, earned: Credits) -> Estimate:
        """Return the primary estimate: the card's metric, or the share of items where clusters are too small for it."""
        return self.average(earned) or self.plain(earned)

    def plain(self, earned: Credits) -> Estimate:
        """Return the share of items that are right."""
        return accuracy(earned.values, self.units, chance=self._chance(earned))

    def average(self, earned: Credits) -> Estimate | None:
        """Return the average over clusters, where the card asks for it and clusters are large enough."""
        if self.probe.card.metric != CLUSTER_AVERAGE:
            return None
        return unit_average(earned.values, self.units, self.columns.families, self._chance(earned))

    def _chance(self, earned: Credits) -> float:
        return guessing(self.columns, np.flatnonzero(~np.isnan(earned.values)))

    def strict(self, earned: Credits) -> Estimate | None:
        """Return the share of families with every item right; None where no item has a family."""
        columns = self.columns
        if not columns.in_families:
            return None
        # A question repeated under exchanged names does not test anything more.
        values = without_repeats(earned.values, columns.again)
        return family_accuracy(values, columns.families, option_counts=columns.options)[0].strict


class ProbeFormat(NamedTuple):
    """A probe, and its prompt format."""

    probe: str
    format: str

    def __str__(self) -> str:
        return self.probe if self.format == "loglikelihood" else f"{self.probe} by {self.format}"


def common_indices(runs: Iterable[ProbeAnswers]) -> NDArray[np.int64]:
    """Return the indices, among the first one's items, of those that all answered."""
    first, *others = (run.columns.ids for run in runs)
    known = [set(ids) for ids in others if ids is not first and ids != first]
    if not known:
        return np.arange(len(first))
    common = set.intersection(*known)
    return np.array([index for index, identity in enumerate(first) if identity in common], np.int64)


def credits_on(run: ProbeAnswers, ids: Sequence[str], how: Normalisation | None) -> Floats:
    """Return the credit of a model on the items with these ids, in their order."""
    earned = run.credits(how or run.primary()).values
    if run.columns.ids is ids or run.columns.ids == ids:
        return earned
    indices = {identity: index for index, identity in enumerate(run.columns.ids)}
    return earned[[indices[identity] for identity in ids]]


def guessing(columns: ItemColumns, indices: NDArray[np.int64] | slice = slice(None)) -> float:
    """Return the expected accuracy of guessing on the items with a gold answer, or on some of them."""
    judged = columns.guesses[indices][columns.judged[indices]]
    if not len(judged):
        raise UserError("chance needs at least one item with a gold")
    return float(np.mean(judged))


def related_auditor(answered: ProbeAnswers) -> str:
    """Return a warning where the model is related to the one that audited the probe; else an empty string.

    Related models share beliefs: such an auditor misses the errors that such a model falls for.
    """
    quality, model = answered.probe.card.label_quality, answered.part.model
    if quality is None or not quality.auditor.is_model:
        return ""
    if lineage_of(model.name, model.found_by, model.architecture) != quality.auditor.lineage:
        return ""
    return (
        f"{model.name} and {quality.auditor.name}, which audited {answered.part.probe.name}, are related models "
        f"({quality.auditor.lineage}), so the audit may have missed the errors that {model.name} makes too"
    )


def without_credit(earned: Credits, lost: NDArray[np.bool_]) -> Credits:
    """Leave out items without an answer: they have neither credit nor choice.

    Where no item has an answer, the credits are 0, and `Result.unanswered` says that there is no score.
    """
    if not lost.any():
        return earned
    judged = ~np.isnan(earned.values)
    values, margins = earned.values.copy(), earned.margins.copy()
    values[lost] = np.nan
    if judged.any() and np.isnan(values).all():
        values[judged] = 0.0
    margins[lost] = np.nan
    tied = sum(len(earned.predicted[index]) > 1 for index in np.flatnonzero(lost & judged).tolist())
    predicted = tuple(() if skip else chosen for skip, chosen in zip(lost, earned.predicted, strict=True))
    return replace(earned, values=values, margins=margins, predicted=predicted, ties=earned.ties - tied)


_STEP = re.compile(r"(.+)\.step-(\d+)")
"""Name of a part of a probe that a run with a stopping rule asked in one step."""


def merge_steps(answered: Sequence[ProbeAnswers]) -> list[ProbeAnswers]:
    """Put the steps of a probe together; answers to other probes stay as they are."""
    parts: dict[tuple[str, str, str], list[ProbeAnswers]] = {}
    for each in answered:
        step = _STEP.fullmatch(each.part.probe.name)
        name = step[1] if step else each.part.probe.name
        parts.setdefault((each.part.model.name, name, each.format), []).append(each)
    return [_merged(name, steps) for (_, name, _), steps in parts.items()]


def _merged(name: str, steps: Sequence[ProbeAnswers]) -> ProbeAnswers:
    first = steps[0]
    if first.part.probe.name == name:
        return first
    items = [item for step in steps for item in step.items]
    record = replace(first.part.probe, name=name, items=len(items))
    return replace(
        first,
        part=replace(first.part, probe=record),
        probe=Probe.of(items, replace(first.probe.card, name=name)),
        answers=[answer for step in steps for answer in step.answers],
        replies=[reply for step in steps for reply in step.replies],
    )


def read_run(folder: Path, unfinished: bool = False, merge: bool = True) -> tuple[Manifest, list[ProbeAnswers]]:
    """Read a run folder: an unfinished part is an error, or left out if ``unfinished`` is allowed.

    The folder of a control that was fitted under several seeds holds one run per seed: each is a model. The steps of a
    run with a stopping rule are put together, unless ``merge`` is off.
    """
    if seeds := _seeds(folder):
        return _read_seeds(seeds, unfinished)
    manifest = read_manifest(folder)
    if not manifest.parts:
        raise UserError("the run has no answers yet", file=folder, fix="run it to the end first")
    try:
        spec, how = spec_from_dict(manifest.spec), requested(manifest.normalise)
    except UserError as error:
        raise error.at(manifest_path(folder)) from None
    asked = {part.probe.name: part.probe.items for part in manifest.parts}
    probes = {name: read_stored_probe(folder, name, count) for name, count in asked.items()}
    parts = [part for part in manifest.parts if not unfinished or is_finished(folder, part)]
    answered = [_answered(folder, part, probes[part.probe.name], spec, how) for part in parts]
    return manifest, merge_steps(answered) if merge else answered


def read_finished(folder: Path, alone: bool = True) -> tuple[Manifest, list[ProbeAnswers], list[tuple[str, str]]]:
    """Read the complete parts of a run folder; also return model and probe (with its format) of the incomplete ones.

    A folder without any complete part is an error where it is ``alone``; beside others it has nothing to show.
    """
    if _seeds(folder):
        return *read_run(folder), []
    manifest = read_manifest(folder)
    rest = [part for part in manifest.parts if not is_finished(folder, part)]
    incomplete = [(part.model.name, str(ProbeFormat(part.probe.name, part.format))) for part in rest]
    incomplete += manifest.not_begun
    if len(rest) < len(manifest.parts):
        return manifest, read_run(folder, unfinished=True)[1], incomplete
    return (*read_run(folder), manifest.not_begun) if alone else (manifest, [], incomplete)


def _seeds(folder: Path) -> list[Path]:
    """Return the runs in the subfolders of a folder that is not a run itself, by seed."""
    if manifest_path(folder).is_file():
        return []
    folders = [path for path in folder.glob("seed-*") if manifest_path(path).is_file()]
    return sorted(folders, key=lambda path: (len(path.name), path.name))


def _read_seeds(folders: Sequence[Path], unfinished: bool) -> tuple[Manifest, list[ProbeAnswers]]:
    read = [read_run(folder, unfinished) for folder in folders]
    runs = []
    for folder, (_, answered) in zip(folders, read, strict=True):
        for run in answered:
            model = replace(run.part.model, name=f"{run.part.model.name} {folder.name}")
            runs.append(replace(run, part=replace(run.part, model=model)))
    return replace(read[0][0], parts=tuple(run.part for run in runs)), runs


def _answered(folder: Path, part: Part, probe: Probe, spec: ScoringSpec, how: Normalisation | None) -> ProbeAnswers:
    answers = read_answers(folder, part, item_columns(probe.items, probe.card.group))
    spec = get_prompt_format(part.format).spec(spec)
    return ProbeAnswers(part, probe, spec, answers, read_replies(folder, part), how)


def _meaning(answered: ProbeAnswers) -> dict[str, Any]:
    """Return the scoring spec; of a log only the tool is known."""
    model = answered.part.model
    return {"frame": model.frame} if model.kind == LOG else {**answered.spec.to_dict(), "frame": model.frame}


def _possible(answered: ProbeAnswers) -> Sequence[Normalisation]:
    """Return the normalisations that the answers allow."""
    if answered.stored.has_tokens:
        return NORMALISATIONS
    return OF_SUMS if answered.stored.first_flag_is(NO_TOKENS).any() else ()


def requested(name: str) -> Normalisation | None:
    """Return the normalisation of a name that was stored; None for an empty one."""
    return parse_normalisation(name) if name else None


def results_of(answered: Iterable[ProbeAnswers], how: Normalisation | None = None) -> tuple[Result, ...]:
    """Compute the results of a run from its answers; a probe without any gold answer has none."""
    return tuple(result_of(each, how) for each in answered if each.judged)


def result_of(answered: ProbeAnswers, how: Normalisation | None = None) -> Result:
    """Return the result of one model on one probe; it is computed once, also where a report shows it.

    Args:
        answered: The answers.
        how: Score normalisation. By default, as requested for the run, or the one of the probe's card, or of each
            item's form.
    """
    if how not in answered.results:
        answered.results[how] = _compute_result(answered, how)
    return answered.results[how]


def _unknown(e: Estimate) -> Estimate:
    """Return the estimate of no items."""
    return replace(e, value=math.nan, ci=(math.nan, math.nan), n=0, clusters=0, note="no item was answered")


def _compute_result(answered: ProbeAnswers, how: Normalisation | None) -> Result:
    earned, normalise = answered.credits(how or answered.primary()), answered.compared_by(how)
    other: dict[str, float] = {}
    # Letters and generation give one number per option, and there is nothing to normalise.
    for name in _possible(answered):
        if name != normalise and (name != "pmi" or answered.spec.baseline):
            other[name] = float(np.nanmean(answered.credits(name).values))
    averaged, plain, strict = answered.average(earned), answered.plain(earned), answered.strict(earned)
    if not answered.has_answers:
        averaged, plain, strict, other = averaged and _unknown(averaged), _unknown(plain), None, {}
    return Result(
        model=answered.part.model.name,
        probe=answered.part.probe.name,
        metric="accuracy" if averaged is None else answered.probe.card.metric,
        normalise=normalise,
        accuracy=averaged or plain,
        plain=None if averaged is None else plain,
        effective_units=effective_units(answered.units),
        strict=strict,
        ties=earned.ties,
        unjudged=earned.unjudged,
        sensitivity=other,
        spec=_meaning(answered),
        format=answered.format,
        asked=answered.part.asked,
        outcomes=answered.outcomes(earned),
        bounds=answered.bounds(earned),
        replies=reply_statistics(answered.columns, StoredReplies.of(answered.replies)) if answered.replies else None,
        label_quality=answered.probe.card.label_quality,
    )
