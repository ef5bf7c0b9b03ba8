"""A RICA study in one folder: statements, their controls and the fact ladder, run, analysed and reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from horsesense.core import ScoringSpec, card_path, write_probe
from horsesense.core.document import Document
from horsesense.data import disk_errors
from horsesense.data.store import bind_folder
from horsesense.errors import UserError, translate_errors
from horsesense.methods.rica.analysis import RunAnalysis, analyse, plot_ladder
from horsesense.methods.rica.builder import Task, build
from horsesense.methods.rica.controls import write_controls
from horsesense.methods.rica.english_statements import random_seed
from horsesense.methods.rica.views import open_rica
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import ComputeSettings
from horsesense.runs.shards import draw
from horsesense.settings import chosen_models

SETTINGS = "study.json"
STATEMENTS, LADDER = "statements", "ladder"


@dataclass(frozen=True, slots=True)
class RicaStudy(Document):
    """The files and results of a study."""

    out: Path
    """Folder of the study."""
    run: Path
    """Run folder with the answers."""
    page: Path
    """HTML report."""
    picture: Path | None
    """Chart of the fact ladder; null if the extra ``pictures`` is not installed."""
    entities: str
    """Kind of entities; for fresh ones with the seed that draws them again."""
    analysis: RunAnalysis
    """Analysis of the answers."""


@translate_errors()
def run_study(
    *,
    model: str | Path | Sequence[str | Path] = (),
    out: str | Path,
    probe: str | Path | None = None,
    limit: Annotated[int, Ge(1)] | None = None,
    entities: str = "novel",
    seed: Annotated[int, Ge(0)] = 0,
    spec: str | ScoringSpec = "default",
    device: str = "auto",
    progress: Progress = NO_PROGRESS,
) -> RicaStudy:
    """Run statements, their controls and the fact ladder, and write the analysis, a report and a chart.

    The same call resumes a stopped study.

    Args:
        model: Model name, folder, GGUF file or server. By default, the models in horsesense.toml.
        out: Folder of the study.
        probe: Name or file of a RICA probe. By default, one is built.
        limit: Maximum number of items, of the statements and of the ladder; whole axioms are drawn.
        entities: Names of the entities: novel, or fresh (drawn for this study, so that no training set has them).
        seed: Random seed.
        spec: Scoring spec.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        progress: Progress callback.

    Returns:
        The files, and the analysis of the answers.
    """
    from horsesense.runs.ask import ask

    folder = Path(out)
    models: Sequence[str | Path] = chosen_models(model)
    settings = {"probe": str(probe or ""), "limit": limit, "entities": entities, "seed": seed}
    drawn = f"fresh:{random_seed()}" if entities == "fresh" else entities
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    names = bind_folder(folder / SETTINGS, "a study", settings, decided={"names": drawn})["names"]
    probes = [folder / f"{STATEMENTS}.jsonl", folder / f"{LADDER}.jsonl"]
    write_probes(probes, probe, limit, names, seed)
    probes[1:1] = [written.out for written in write_controls(probes[0]).controls.values()]
    compute = ComputeSettings(device=device)
    run = ask(models, probes, out=folder / "run", seed=seed, spec=spec, compute=compute, progress=progress)
    page = run.report(folder / "report.html", progress=progress)
    analysis = analyse(folder / "run")
    picture: Path | None = folder / "ladder.svg"
    try:
        plot_ladder(analysis, picture)
    except UserError as error:  # the extra is not installed; all other files are complete
        progress.log(str(error))
        picture = None
    return RicaStudy(folder, folder / "run", page, picture, names, analysis)


def write_probes(probes: Sequence[Path], file: str | Path | None, limit: int | None, entities: str, seed: int) -> None:
    """Write the statements and the ladder, unless they exist."""
    tasks: tuple[Task, ...] = ("masked", "ladder")
    for path, task in zip(probes, tasks, strict=True):
        if path.exists() and card_path(path).exists():  # the card is written last
            continue
        if task == "masked" and file is not None:
            probe = open_rica(file)[0]
            probe = replace(probe, items=draw(probe.items, limit, seed))
        else:
            probe = build(task=task, entities=entities, limit=limit, seed=seed)
        write_probe(path, probe)
