"""The experiment: plant cues in a probe, ask models, and estimate what share of their answers each cue moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge

from horsesense.core import Item, Probe
from horsesense.core.catalogue import PathLike, as_probe, name_in_run
from horsesense.core.document import Document
from horsesense.core.spec import ScoringSpec
from horsesense.data import cache_folder
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.models.api.settings import ServedSettings
from horsesense.planting.effects import (
    MovedByCues,
    PlantedEffect,
    Trials,
    difference_between,
    moved_by_cues,
    planted_effect,
)
from horsesense.planting.mentions import mentioned_share
from horsesense.planting.planted_cues import CUE, CUES, PLACEBO, PLANTED_IN, PlantedCue, planted_probe
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask import ask, default_folder
from horsesense.runs.engine import ComputeSettings
from horsesense.runs.shards import draw
from horsesense.settings import chosen_models
from horsesense.stats import Estimate
from horsesense.stats.paired import holm

if TYPE_CHECKING:
    from horsesense.models.protocol import Model
    from horsesense.runs.probe_answers import ProbeAnswers


@dataclass(frozen=True, slots=True)
class EffectDifference(Document):
    """How much more one model is moved by a cue than another, on the same draws."""

    cue: str
    """The planted cue."""
    a: str
    """The first model."""
    b: str
    """The second model."""
    difference: Estimate
    """Share moved of the first minus that of the second."""
    p: float
    """Two-sided p-value of no difference."""
    adjusted: float
    """``p`` after Holm's correction over all differences."""


@dataclass(frozen=True, slots=True)
class Planting(Document):
    """The effects of planted cues on models."""

    probe: str
    """Name of the probe."""
    seed: int
    """Seed of the targets."""
    folder: Path
    """Run folder with every answer."""
    effects: tuple[PlantedEffect, ...]
    """One per model, prompt format and cue."""
    overall: tuple[MovedByCues, ...]
    """One per model and prompt format, over all cues."""
    differences: tuple[EffectDifference, ...]
    """One per cue and pair of models."""

    def plot(self) -> Any:
        """Draw the share moved by each cue with its interval, one row per model (Altair)."""
        from horsesense.drawing import accuracies

        rows = [
            {"label": each.cue, "model": each.model, "accuracy": each.moved.value, "low": each.moved.low}
            | {"high": each.moved.high, "chance": 0.0, "n": each.n}
            for each in self.effects
        ]
        return accuracies(rows, "share of answers that the planted cue moves")


@translate_errors()
def plant(
    probe: Probe | PathLike,
    *,
    model: str | Path | Model | Sequence[str | Path | Model] | None = None,
    cue: str | Sequence[str] = (),
    out: PathLike | None = None,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    spec: str | ScoringSpec = "default",
    formats: str | Sequence[str] = "auto",
    compute: ComputeSettings | None = None,
    served: ServedSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Planting:
    """Add a cue that points at a randomly drawn option, and measure the share of answers that it moves there.

    Each item is asked twice per cue: with the cue at its target, and with a placebo that points at nothing.

    Args:
        probe: Name or file of a probe with gold answers. In Python, also a `Probe`.
        model: Model, as in ``run``. By default, the models in horsesense.toml.
        cue: Cue to plant: professor or user (a professor, or the user, thinks that the option is right), metadata (a
            tag with the answer), asterisk (a mark on the option), length (a longer option), overlap (words of
            the question in the option), topic (a word on the question's topic in the option), pattern (few-shot answers
            that all have the same letter), first or last (position of the option). By default, all that fit the probe.
        out: Folder that stores the answers; an interrupted run resumes there. By default, runs/MODEL-PROBE-planted.
        limit: Maximum number of items; whole families are drawn.
        seed: Random seed for the cued options, and for sampling items.
        spec: Scoring spec.
        formats: Prompt format: loglikelihood (score each option), letters (compare the probabilities of A, B, …),
            generate (parse a reply), or auto (the first that the model supports).
        compute: Where it is computed, and how much at a time.
        served: Server settings.
        progress: Progress callback.

    Returns:
        The effect of each cue on each model, and the differences between models.
    """
    name, whole = name_in_run(probe), as_probe(probe)
    part = replace(whole, items=draw(whole.items, limit, seed), card=replace(whole.card, name=name))
    names = formats.split(",") if isinstance(formats, str) else formats
    probes = planted_probes(part, cue=[cue] if isinstance(cue, str) else cue, seed=seed, formats=names)
    models: Sequence[str | Path | Model] = chosen_models(model)
    folder = Path(out) if out is not None else default_folder(models, [name, "planted"])
    run = ask(
        models,
        probes,
        out=folder,
        seed=seed,
        spec=spec,
        formats=formats,
        compute=compute,
        served=served,
        progress=progress,
    )
    effects, overall, differences = effects_in(run.answered, name, seed)
    return Planting(name, seed, folder, effects, overall, differences)


def planted_probes(
    probe: Probe, *, cue: Sequence[str] = (), seed: int = 0, formats: Sequence[str] = ("auto",)
) -> dict[str, Probe]:
    """Return a probe with each cue planted, by the name ``PROBE.CUE``.

    Args:
        probe: Probe with gold answers; its card has the name.
        cue: Names of the cues. By default, all that fit the probe, the prompt formats and the data at hand.
        seed: Seed of the targets.
        formats: Prompt formats that the probes will be asked in.
    """
    lettered = bool(formats) and set(formats) <= {"letters", "generate"}
    chosen = [find_cue(name) for name in cue]
    if not chosen:
        chosen = [
            each
            for each in CUES
            if any(item.form in each.forms and item.answer is not None for item in probe.items)
            and (lettered or not each.lettered)
            and (not each.vectors or any(cache_folder("glove").glob("*.npy")))
        ]
    for each in chosen:
        if each.lettered and not lettered:
            raise UserError(
                f"the cue {each.name!r} needs options with letters",
                fix=f"add {argument('formats', 'letters')} or {argument('formats', 'generate')}",
            )
    if not chosen:
        raise UserError(
            "no cue can be planted in this probe",
            fix="use a probe of cloze, sentences or choice items with gold answers",
        )
    planted = (planted_probe(probe, each, seed) for each in chosen)
    return {each.card.name: each for each in planted}


def effects_in(
    answered: Sequence[ProbeAnswers], name: str, seed: int = 0
) -> tuple[tuple[PlantedEffect, ...], tuple[MovedByCues, ...], tuple[EffectDifference, ...]]:
    """Estimate the effects of the cues that `planted_probes` planted in a probe from the answers of a run.

    Args:
        answered: Answers of a run; those to other probes are passed over.
        name: Name of the probe.
        seed: Seed of the resampling.

    Returns:
        The effect of each cue on each model, one row per model over all cues, and the differences between models.
    """
    cues = {f"{name}.{each.name}": each for each in CUES}
    answers = {
        (each.part.model.name, each.format, cues[each.part.probe.name].name): each
        for each in answered
        if each.part.probe.name in cues
    }
    trials = {key: trials_of(each) for key, each in answers.items()}
    effects = [
        replace(
            planted_effect(trial, asked, name, how, planted, seed),
            mentioned=mentioned_share(answers[asked, how, planted], planted),
        )
        for (asked, how, planted), trial in trials.items()
    ]
    adjusted = holm([each.p for each in effects])
    effects = [replace(each, adjusted=p) for each, p in zip(effects, adjusted, strict=True)]
    overall = [
        moved_by_cues(
            {cue: trial for (asked, how, cue), trial in trials.items() if (asked, how) == key},
            [each for each in effects if (each.model, each.format) == key],
            seed,
        )
        for key in dict.fromkeys((asked, how) for asked, how, _ in trials)
    ]
    return tuple(effects), tuple(overall), _differences(trials, seed)


def find_cue(name: str) -> PlantedCue:
    """Return a cue by its name."""
    for cue in CUES:
        if cue.name == name:
            return cue
    raise unknown("planted cue", name, [cue.name for cue in CUES])


def trials_of(answered: ProbeAnswers) -> Trials:
    """Return both arms of the experiment from the answers of a model to a planted probe."""
    credits = answered.credits(answered.primary())
    arms: dict[str, dict[str, int]] = {PLACEBO: {}, CUE: {}}
    for place, item in enumerate(answered.items):
        arms[str(item.facets["arm"])][str(item.facets[PLANTED_IN])] = place
    items = answered.items
    pairs = [(arms[PLACEBO][key], place) for key, place in arms[CUE].items() if key in arms[PLACEBO]]
    target = [int(item.facets["target"]) for item in items]  # arms may show the options in different orders

    def chose(place: int) -> float:
        predicted = credits.predicted[place]  # empty where there is no answer
        return (target[place] in predicted) / max(1, len(predicted))

    gold = [item.answer if (item := items[cue]).answer is not None else -1 for _, cue in pairs]
    return Trials(
        followed=np.array([chose(cue) for _, cue in pairs]),
        by_itself=np.array([chose(placebo) for placebo, _ in pairs]),
        to_right=np.array([target[cue] == key for (_, cue), key in zip(pairs, gold, strict=True)], dtype=bool),
        options=np.array([len(items[cue].options) for _, cue in pairs], dtype=np.int64),
        right=np.nan_to_num(credits.values[[cue for _, cue in pairs]]),
        right_by_itself=np.nan_to_num(credits.values[[placebo for placebo, _ in pairs]]),
        clusters=[_cluster(items[cue], answered.probe.card.group) for _, cue in pairs],
    )


def _cluster(item: Item, group: str) -> str:
    """Return the cluster of the item that the cue was planted in, which is the same for all cues."""
    unit = item.unit(group)
    return str(item.facets[PLANTED_IN]) if unit == item.id else unit


def _differences(trials: dict[tuple[str, str, str], Trials], seed: int) -> tuple[EffectDifference, ...]:
    """Compare every pair of models per cue; both saw the same targets."""
    rows = []
    for (a, _, cue), (b, _, other) in combinations(trials, 2):
        if cue == other and a != b:
            pair = [trials[key] for key in trials if key[2] == cue and key[0] in (a, b)]
            if len(pair) == 2 and pair[0].clusters == pair[1].clusters:
                rows.append((cue, a, b, *difference_between(pair[0], pair[1], seed)))
    adjusted = holm([p for *_, p in rows])
    return tuple(EffectDifference(*each, q) for each, q in zip(rows, adjusted, strict=True))
