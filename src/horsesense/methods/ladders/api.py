"""Public functions: build ladders, and find the level at which models fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from annotated_types import Ge, Interval

from horsesense.core import Card, Probe
from horsesense.core.catalogue import load_probe, name_in_run
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.methods.ladders.thresholds import (
    FIRST,
    LadderResults,
    LadderThreshold,
    compare_thresholds,
    correct_families,
    family_chance,
    levels_to_ask,
    split_stages,
    threshold_of,
)
from horsesense.runs.ask import ask, default_folder
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.settings import chosen_models
from horsesense.signatures import extends

__all__ = ["build_ladder", "ladder"]

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
