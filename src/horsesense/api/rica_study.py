"""RICA in one go: statements with their controls and the fact ladder, asked, analysed and shown, in one folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from horsesense.core import ScoringSpec
from horsesense.core.document import Document
from horsesense.data import check_json, read_text, writing
from horsesense.errors import UserError, argument
from horsesense.methods.rica.analysis import RunAnalysis
from horsesense.methods.rica.statements import fresh_number
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.compute_settings import ComputeSettings

SETTINGS = "study.json"
STATEMENTS, LADDER = "statements", "ladder"


@dataclass(frozen=True, slots=True)
class Study(Document):
    """What a study of RICA leaves behind."""

    out: Path
    """The folder: probes, answers, page and picture."""
    run: Path
    """The answers: a run like any other."""
    page: Path
    """The page."""
    picture: Path | None
    """The fact ladder as a picture; null where the extra ``pictures`` is not installed."""
    entities: str
    """Whom statements are about; fresh ones with the number that draws them again."""
    analysis: RunAnalysis
    """What the answers say."""


def study(
    model: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    statements: str | Path | None = None,
    limit: int | None = None,
    entities: str = "novel",
    seed: int = 0,
    spec: str | ScoringSpec = "default",
    device: str = "auto",
    progress: Progress = NO_PROGRESS,
) -> Study:
    """Build or take statements, add their controls and the fact ladder, ask, analyse and show.

    The same call goes on where it was stopped.

    Args:
        model: One or several: names or folders.
        out: The folder of the study.
        statements: A RICA probe to ask instead of a built one.
        limit: Items of the statements, and of the ladder; whole axioms are drawn.
        entities: ``novel``; or ``fresh``: drawn for this study, so that no training set can have met them.
        seed: Of what is drawn.
        spec: What a score means: a preset, ``"field=value"`` by commas, or a `ScoringSpec`.
        device: Where models are put.
        progress: Told how far it has come.

    Returns:
        Where everything is, and what the answers say.
    """
    from horsesense.api.asking import ask
    from horsesense.api.rica import analyse, controls, plot_ladder

    folder = Path(out)
    whom = _begin(folder, _Settings(str(statements or ""), limit, entities, seed))
    probes = [folder / f"{STATEMENTS}.jsonl", folder / f"{LADDER}.jsonl"]
    _lay_down(probes, statements, limit, whom, seed, progress)
    probes[1:1] = [written.out for written in controls(probes[0]).controls.values()]
    run = ask(
        model,
        probes,
        out=folder / "run",
        seed=seed,
        spec=spec,
        compute=ComputeSettings(device=device),
        progress=progress,
    )
    page = run.report(folder / "report.html", progress=progress)
    analysis = analyse(folder / "run")
    picture: Path | None = folder / "ladder.svg"
    try:
        plot_ladder(analysis, picture)
    except UserError as error:  # the extra is not installed, and all the rest is there
        progress.log(str(error))
        picture = None
    return Study(folder, folder / "run", page, picture, whom, analysis)


@dataclass(frozen=True, slots=True)
class _Settings:
    """What a study was begun with."""

    statements: str
    """A probe that was given; empty where one is built."""
    limit: int | None
    entities: str
    """What was asked for."""
    seed: int
    whom: str = ""
    """What they are: fresh ones with their number."""


def _begin(folder: Path, wanted: _Settings) -> str:
    """Whom statements are about: as the folder has it, or as is wanted of a new one."""
    path = folder / SETTINGS
    if path.exists():
        kept = check_json(_Settings, read_text(path), lambda problem: _refused(path, f"damaged: {problem.message}"))
        for name in ("statements", "limit", "entities", "seed"):
            before, now = getattr(kept, name), getattr(wanted, name)
            if before != now:
                raise _refused(path, f"the study was begun with {argument(name, before)}")
        return kept.whom
    whom = f"fresh:{fresh_number()}" if wanted.entities == "fresh" else wanted.entities
    folder.mkdir(parents=True, exist_ok=True)
    with writing(path) as temporary:
        temporary.write_text(json.dumps(asdict(replace(wanted, whom=whom)), indent=2) + "\n", encoding="utf-8")
    return whom


def _refused(path: Path, why: str) -> UserError:
    return UserError(why, file=path, fix="give another folder")


def _lay_down(
    probes: Sequence[Path], given: str | Path | None, limit: int | None, whom: str, seed: int, progress: Progress
) -> None:
    """The statements and the ladder, where they are not there yet."""
    from horsesense.api.probes import build, load_probe
    from horsesense.core import card_path, write_probe

    for path, task in zip(probes, ("masked", "ladder"), strict=True):
        if path.exists() and card_path(path).exists():  # the card is written last
            continue
        if task == "masked" and given is not None:
            probe = load_probe(given)
            if probe.card.method != "rica":
                raise UserError("this is no RICA probe", file=Path(given), fix="import or build one first")
        else:
            probe = build("rica", task=task, entities=whom, limit=limit, seed=seed, progress=progress)
        write_probe(path, probe)
