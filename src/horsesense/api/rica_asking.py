"""A RICA set asked in all its views, and what predictions on it rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.probes import PathLike, called, opened
from horsesense.core import FORMS, Probe
from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.methods.rica.views import VIEWS, ViewScore, in_view, statement_of, view_scores
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.compute_settings import ComputeSettings

if TYPE_CHECKING:
    from horsesense.core import ScoringSpec
    from horsesense.methods.rica.clue_sets import ClueSet
    from horsesense.models.protocol import Model
    from horsesense.scoring.saliency import Method

__all__ = ["AskedViews", "clues", "views"]


@dataclass(frozen=True, slots=True)
class AskedViews(Document):
    """A set of statements as masked words, as sentences and as entailment."""

    out: Path
    """The run: every view is a probe of it."""
    page: Path
    """The page."""
    scores: tuple[ViewScore, ...]
    """One a model and view that it can be asked in."""


@translate_errors()
def views(
    model: str | Path | Model | Sequence[str | Path | Model],
    probe: PathLike | Probe,
    out: PathLike,
    *,
    limit: int | None = None,
    seed: int = 0,
    spec: str | ScoringSpec = "default",
    device: str = "auto",
    progress: Progress = NO_PROGRESS,
) -> AskedViews:
    """Ask a RICA set in all three views, each model in those that it can be asked in.

    A language model is asked all three, entailment by a prompt; one with an entailment head is asked entailment alone.
    The same call goes on where it was stopped.

    Args:
        model: One or several: names, folders, or what `load_model` gave.
        probe: A RICA probe of masked words, built or imported.
        out: The folder of the run.
        limit: Ask about this many statements, whole axioms drawn by ``seed``; the same ones in every view.
        seed: Of the draw, and of which conclusion is the neutral one.
        spec: What a score means: a preset, or ``"field=value"`` by commas.
        device: Where models by name are put.
        progress: Told how far it has come.

    Returns:
        What each model gets in each view, how often the views agree, and where everything is.
    """
    from horsesense.api.asking import ask
    from horsesense.api.models import load_model
    from horsesense.api.reporting import write_report
    from horsesense.models.hf.language_model import LanguageModel
    from horsesense.runs.results import read_run
    from horsesense.runs.shards import draw

    whole, name = _rica(probe)
    drawn = {item.id for item in draw(whole.items, limit, seed)}
    asked = {}
    for view in VIEWS:
        made = in_view(whole, view, seed)  # of all, so that conclusions about something else are at hand
        asked[view] = replace(made, items=[item for item in made.items if statement_of(item) in drawn])
    named = {view: name if view == "masked" else f"{name}-{view}" for view in VIEWS}
    several = [model] if isinstance(model, str | Path) or not isinstance(model, Sequence) else model
    folder = Path(out)
    for each in several:
        known = load_model(each, device=device) if isinstance(each, str | Path) else each
        forms = known.family.forms if isinstance(known, LanguageModel) else FORMS
        able = {named[view]: asked[view] for view, form in VIEWS.items() if form in forms}
        if not able:
            raise UserError(f"{known.name} can be asked in no view of RICA", fix="give another model")
        for view in VIEWS:
            if named[view] not in able:
                progress.log(f"{known.name} cannot be asked as {view}, and is left out there")
        ask(known, able, out=folder, seed=seed, spec=spec, compute=ComputeSettings(device=device), progress=progress)
    page = write_report(folder, cues=False, pictures=False, progress=progress).out
    assert page is not None, "a page is always written"
    return AskedViews(folder, page, view_scores(read_run(folder)[1]).scores)


@translate_errors()
def clues(
    model: str | Path | Model,
    probe: PathLike | Probe,
    *,
    limit: int | None = None,
    entities: str = "novel",
    method: Method = "smoothgrad",
    steps: int = 10,
    draws: int = 5,
    seed: int = 0,
    spec: str | ScoringSpec = "default",
    device: str = "auto",
    progress: Progress = NO_PROGRESS,
) -> ClueSet:
    """Which words predictions on a RICA set rest on, whatever the things are called (RICA, appendix C).

    Args:
        model: A local model: a name, a folder, or what `load_model` gave.
        probe: A RICA probe of masked words, built or imported.
        limit: Explain this many statements, drawn by ``seed``, axiom by axiom in turn.
        entities: ``novel``, or ``names``, as in the paper.
        method: How gradients become values: gradient, smoothgrad (as in the paper) or integrated.
        steps: Steps of integration, or draws of noise.
        draws: Draws of names for each statement.
        seed: Of names, noise and the statements that are drawn.
        spec: What a score means.
        device: Where a model by name is put.
        progress: Told how far it has come.

    Returns:
        Clues a statement and arguments among them, each with its interval and what luck would give, and the words.
    """
    from horsesense.api.models import load_model
    from horsesense.core.spec import parse_spec
    from horsesense.methods.rica.clue_sets import clue_set
    from horsesense.models.hf.language_model import LanguageModel

    whole, name = _rica(probe)
    known = load_model(model, device=device) if isinstance(model, str | Path) else model
    if not isinstance(known, LanguageModel):
        raise UserError(f"{known.name} is served, and gradients need the weights", fix="use a local model")
    meaning = parse_spec(spec) if isinstance(spec, str) else spec
    return clue_set(known, whole, name, meaning, limit, entities, method, steps, draws, seed, progress)


def _rica(probe: PathLike | Probe) -> tuple[Probe, str]:
    """A RICA probe, and what it is called."""
    whole = opened(probe)
    if whole.card.method != "rica":
        named = None if isinstance(probe, Probe) else Path(probe)
        raise UserError("this is no RICA probe", file=named, fix="import or build one first")
    return whole, called(probe)
