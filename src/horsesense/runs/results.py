"""Numbers from kept answers: one result a model and probe, with its interval and what else could be said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Answer, Item, Probe, Reply, ScoringSpec, spec_from_dict
from horsesense.core.answer import NO_TOKENS
from horsesense.core.answer_columns import StoredAnswers
from horsesense.core.card import UNIT_AVERAGE
from horsesense.core.reply_columns import StoredReplies
from horsesense.errors import UserError
from horsesense.models.lineage import lineage_of
from horsesense.runs.folder import is_finished, kept_probe
from horsesense.runs.item_columns import ItemColumns, item_columns, item_facets
from horsesense.runs.manifest import LOG, Manifest, Part, manifest_path, read_manifest
from horsesense.runs.replies import reply_statistics
from horsesense.runs.result import Result
from horsesense.runs.shard_files import read_answers, read_replies
from horsesense.scoring.generate import UNPARSED
from horsesense.scoring.normalise import (
    NORMALISATIONS,
    OF_SUMS,
    Normalisation,
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
from horsesense.stats.facets import Facets
from horsesense.stats.families import without_repeats
from horsesense.stats.resampling import Floats


@dataclass(frozen=True)
class Answered:
    """A probe as one model answered it."""

    part: Part
    probe: Probe
    spec: ScoringSpec
    answers: Sequence[Answer]
    """One an item, in the order of the probe."""
    replies: Sequence[Reply] = ()
    """What was said, where it was asked in letters or words."""

    @property
    def format(self) -> str:
        """How it was asked."""
        return self.part.format

    @property
    def items(self) -> Sequence[Item]:
        return self.probe.items

    def primary(self) -> Normalisation | None:
        """The normalisation that the card names; None: by the form of each item. PMI is a way of its own."""
        if self.format == "pmi":
            return "pmi"
        return parse_normalisation(self.probe.card.normalise) if self.probe.card.normalise else None

    @cached_property
    def columns(self) -> ItemColumns:
        """The items as arrays: a report asks for them hundreds of times."""
        return item_columns(self.items, self.probe.card.group)

    @cached_property
    def facets(self) -> Facets:
        """What the items can be sliced by."""
        return item_facets(self.items)

    @cached_property
    def stored(self) -> StoredAnswers:
        """The answers as columns."""
        return StoredAnswers.of(self.answers)

    def scores(self, how: Normalisation | None) -> Rows:
        return normalised_rows(self.stored, self.items, self.columns.forms, self.spec, how)

    def credits(self, how: Normalisation | None) -> Credits:
        earned = credits(self.scores(how), self.columns.golds, self.columns.ids)
        return nothing_for(earned, self.stored.first_flag_is(UNPARSED))

    @property
    def judged(self) -> bool:
        """Whether any item has a gold, so that there is an accuracy."""
        return bool(self.columns.judged.any())

    @property
    def units(self) -> NDArray[np.int64]:
        """The unit of dependence of each item, as a number."""
        return self.columns.units

    def estimate(self, earned: Credits) -> Estimate:
        """The primary figure: what the card names, or the share of items where units are too small for that."""
        return self.average(earned) or self.plain(earned)

    def plain(self, earned: Credits) -> Estimate:
        """Share of all items that are right."""
        return accuracy(earned.values, self.units, chance=self._chance)

    def average(self, earned: Credits) -> Estimate | None:
        """Average over units, where the card asks for it and units are large enough."""
        if self.probe.card.metric != UNIT_AVERAGE:
            return None
        return unit_average(earned.values, self.units, self.columns.families, self._chance)

    @property
    def _chance(self) -> float:
        return guessing(self.columns)

    def strict(self, earned: Credits) -> Estimate | None:
        """Share of families with every member right; None where every item stands alone."""
        columns = self.columns
        if not columns.in_families:
            return None
        # What is asked again under exchanged names (rica) is not one more thing to know.
        values = without_repeats(earned.values, columns.again)
        return family_accuracy(values, columns.families, option_counts=columns.options)[0].strict


def places_of_all(runs: Iterable[Answered]) -> NDArray[np.int64]:
    """The places, among the first one's items, of those that all were asked."""
    first, *others = (run.columns.ids for run in runs)
    known = [set(ids) for ids in others if ids is not first and ids != first]
    if not known:
        return np.arange(len(first))
    common = set.intersection(*known)
    return np.array([place for place, identity in enumerate(first) if identity in common], np.int64)


def earned_on(run: Answered, ids: Sequence[str], how: Normalisation | None) -> Floats:
    """What a model earned on the items of these ids, in their order."""
    earned = run.credits(how or run.primary()).values
    if run.columns.ids is ids or run.columns.ids == ids:
        return earned
    places = {identity: place for place, identity in enumerate(run.columns.ids)}
    return earned[[places[identity] for identity in ids]]


def guessing(columns: ItemColumns, places: NDArray[np.int64] | slice = slice(None)) -> float:
    """What guessing earns on the items that have a gold, or on those of them at some places."""
    judged = columns.guesses[places][columns.judged[places]]
    if not len(judged):
        raise UserError("chance needs at least one item with a gold")
    return float(np.mean(judged))


def kin_of_reader(answered: Answered) -> str:
    """A warning where the model that was asked is kin of the one that judged the probe sound; else empty.

    What both have learned from the same texts they take for true alike: such a reader misses the faults that such a
    model falls for.
    """
    sound, model = answered.probe.card.soundness, answered.part.model
    if sound is None or not sound.reader.is_model:
        return ""
    if lineage_of(model.name, model.found_by, model.architecture) != sound.reader.lineage:
        return ""
    return (
        f"the model {model.name} is of the lineage {sound.reader.lineage}, as is {sound.reader.name}, which read "
        f"{answered.part.probe.name}: it may take the same faults for sound"
    )


def nothing_for(earned: Credits, lost: NDArray[np.bool_]) -> Credits:
    """An item of which no reply could be made out earns nothing and chooses nothing: it is never guessed."""
    if not lost.any():
        return earned
    values, margins = earned.values.copy(), earned.margins.copy()
    ties = int((lost & ~np.isnan(values)).sum())
    values[lost & ~np.isnan(values)] = 0.0
    margins[lost] = np.nan
    predicted = tuple(() if gone else chosen for gone, chosen in zip(lost, earned.predicted, strict=True))
    return replace(earned, values=values, margins=margins, predicted=predicted, ties=earned.ties - ties)


def read_run(folder: Path, unfinished: bool = False) -> tuple[Manifest, list[Answered]]:
    """A run folder, whole: an unfinished part is an error, or left out where ``unfinished`` is expected.

    The folder of a control that was fitted under several seeds holds a run for each: they are one model a seed.
    """
    if seeds := _seeds(folder):
        return _read_seeds(seeds, unfinished)
    manifest = read_manifest(folder)
    if not manifest.parts:
        raise UserError("the run has no answers yet", file=folder, fix="run it to the end first")
    try:
        spec = spec_from_dict(manifest.spec)
    except UserError as error:
        raise error.at(manifest_path(folder)) from None
    asked = {part.probe.name: part.probe.items for part in manifest.parts}
    probes = {name: kept_probe(folder, name, count) for name, count in asked.items()}
    parts = [part for part in manifest.parts if not unfinished or is_finished(folder, part)]
    return manifest, [_answered(folder, part, probes[part.probe.name], spec) for part in parts]


def read_finished(folder: Path, alone: bool = True) -> tuple[Manifest, list[Answered], list[Part]]:
    """What of a run folder is whole, and the parts that are not.

    A folder in which nothing is whole is an error where it is ``alone``; beside others it has nothing to show.
    """
    if _seeds(folder):
        return *read_run(folder), []
    manifest = read_manifest(folder)
    rest = [part for part in manifest.parts if not is_finished(folder, part)]
    if len(rest) < len(manifest.parts):
        return manifest, read_run(folder, unfinished=True)[1], rest
    return (*read_run(folder), []) if alone else (manifest, [], rest)


def _seeds(folder: Path) -> list[Path]:
    """The runs beneath a folder that is none itself, by seed."""
    if manifest_path(folder).is_file():
        return []
    found = [path for path in folder.glob("seed-*") if manifest_path(path).is_file()]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def _read_seeds(folders: Sequence[Path], unfinished: bool) -> tuple[Manifest, list[Answered]]:
    read = [read_run(folder, unfinished) for folder in folders]
    runs = []
    for folder, (_, answered) in zip(folders, read, strict=True):
        for run in answered:
            model = run.part.model.model_copy(update={"name": f"{run.part.model.name} {folder.name}"})
            runs.append(replace(run, part=run.part.model_copy(update={"model": model})))
    return read[0][0].model_copy(update={"parts": tuple(run.part for run in runs)}), runs


def _answered(folder: Path, part: Part, probe: Probe, spec: ScoringSpec) -> Answered:
    answers = read_answers(folder, part, item_columns(probe.items, probe.card.group))
    return Answered(part, probe, get_prompt_format(part.format).spec(spec), answers, read_replies(folder, part))


def _meaning(answered: Answered) -> dict[str, Any]:
    """What a score means; of a log nothing is known but who wrote it."""
    model = answered.part.model
    return {"frame": model.frame} if model.kind == LOG else {**answered.spec.to_dict(), "frame": model.frame}


def _possible(answered: Answered) -> Sequence[Normalisation]:
    """The normalisations that the answers allow."""
    if answered.stored.has_tokens:
        return NORMALISATIONS
    return OF_SUMS if answered.stored.first_flag_is(NO_TOKENS).any() else ()


def results_of(answered: Iterable[Answered], how: Normalisation | None = None) -> tuple[Result, ...]:
    """Compute the results of a run from its answers; a probe without any gold answer has none."""
    return tuple(result_of(each, how) for each in answered if each.judged)


def result_of(answered: Answered, how: Normalisation | None = None) -> Result:
    """Compute the result of one model on one probe.

    Args:
        answered: The answers.
        how: Score normalisation. By default, the one of the probe's card, or of each item's form.
    """
    normalise = how or answered.primary()
    earned = answered.credits(normalise)
    other: dict[str, float] = {}
    # Letters and generation give one number per option, and there is nothing to normalise.
    for name in _possible(answered):
        if name != normalise and (name != "pmi" or answered.spec.baseline):
            other[name] = float(np.nanmean(answered.credits(name).values))
    averaged, plain = answered.average(earned), answered.plain(earned)
    estimate = averaged or plain
    return Result(
        model=answered.part.model.name,
        probe=answered.part.probe.name,
        metric="accuracy" if averaged is None else answered.probe.card.metric,
        normalise=normalise or "by form",
        n=estimate.n,
        accuracy=estimate.value,
        ci=estimate.ci,
        level=estimate.level,
        clusters=estimate.clusters,
        chance=estimate.chance,
        method=estimate.method,
        seed=estimate.seed,
        note=estimate.note,
        plain=None if averaged is None else plain,
        effective_units=effective_units(answered.units),
        strict=answered.strict(earned),
        ties=earned.ties,
        unjudged=earned.unjudged,
        sensitivity=other,
        spec=_meaning(answered),
        format=answered.format,
        asked=answered.part.asked,
        replies=reply_statistics(answered.columns, StoredReplies.of(answered.replies)) if answered.replies else None,
        soundness=answered.probe.card.soundness,
    )
