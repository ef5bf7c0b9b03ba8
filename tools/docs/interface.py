"""Reference of Python and of the records: pages that name things, which mkdocstrings fills from their docstrings."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from dataclasses import MISSING, fields
from pathlib import Path
from types import ModuleType
from typing import Any

import horsesense
from horsesense.core import Answer, Card, Item, Probe, Reply, ScoringSpec
from horsesense.core.audit import LabelQuality
from horsesense.core.judgements import Judgement
from tools.docs.doctests import fenced

AREAS = {
    "asking": (
        "Models and runs",
        "load_model ask open_run Run compare runs.comparison.Comparison check_regression show "
        "report.item_answers.ItemAnswers "
        "profile profiling.document.Profile replicate replication.replication.Replication report.run.run "
        "report.run.run_suite methods.suites.ask.ask_suite ComputeSettings DesignSettings ServedSettings "
        "runs.engine.EngineSettings runs.engine.engine_named models.locate.LoadSettings "
        "progress.Progress progress.HorsesenseWarning",
    ),
    "probes": (
        "Probes",
        "load_probe read_release build exchange.formats.export import_log",
    ),
    "cues": (
        "Cues and controls",
        "cues.findings.find_cues cues.findings.Findings cues.harden.harden cues.harden.Hardened fit_control "
        "training.baselines.FittedControl training.baselines.ControlSettings",
    ),
    "learning": (
        "Training",
        "train training.training_results.Training training.training_record.TrainingSettings inoculate "
        "training.inoculation.Inoculation training.inoculation_trials.InoculationGrid",
    ),
    "texts": ("Texts", "score scoring.text_analysis.Scores fill scoring.text_analysis.Fills saliency"),
    "reporting": (
        "Reports and tables",
        "report.run_report.write_report report.run_report.Report report.run_report.export_run core.document.Frame",
    ),
    "serving": (
        "Annotation server",
        "annotation_server.administration.serve annotation_server.administration.serve_pipeline "
        "annotation_server.administration.invite annotation_server.administration.pause "
        "annotation_server.administration.resume annotation_server.administration.revoke "
        "annotation_server.administration.withdraw annotation_server.administration.codes",
    ),
    "keeping": (
        "Stored files",
        "fetch runs.verify.verify runs.verify.Verification cache.list_cache "
        "cache.CacheContents cache.CacheEntry cache.prune_cache "
        "cache.PrunedCache lexicons.sources.add_file lexicons.sources.stored_sources "
        "core.catalogue.list_plugins core.catalogue.InstalledPlugins UserError",
    ),
}
"""Page → its title and the names on it; what is nowhere here goes onto the page of the rest."""

RECORDS: tuple[Any, ...] = (Item, Card, Probe, ScoringSpec, Answer, Reply, Judgement, LabelQuality)


def write_interface(folder: Path) -> list[str]:
    """Write the pages of the API; their names, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    modules = [name for name in horsesense._PUBLIC if isinstance(getattr(horsesense, name), ModuleType)]
    where = {name: target.partition(":")[0] for name, target in horsesense._PUBLIC.items() if name not in modules}
    known = {name for _, names in AREAS.values() for name in names.split()} | {record.__name__ for record in RECORDS}
    rest = tuple(name for name in sorted(where) if name not in known)
    areas = {**AREAS, **({"more": ("More", " ".join(rest))} if rest else {})}
    text = "# Python\n\n`import horsesense as hs`. [The guide](../../guides/python.md) has examples; this reference"
    text += " has every name, from its docstring.\n\n| page | names |\n|---|---|\n"
    for page, (title, names) in areas.items():
        present = [name.rpartition(".")[2] for name in names.split()]
        full = [f"{where[name]}.{name}" if name in where else f"horsesense.{name}" for name in names.split()]
        lines = "".join(f"::: {name}\n    options:\n      heading_level: 2\n\n" for name in full)
        (folder / f"{page}.md").write_text(f"# {title}\n\n{lines}", encoding="utf-8")
        text += f"| [{title}]({page}.md) | {', '.join(f'`{name}`' for name in present)} |\n"
    for module in modules:
        package = getattr(horsesense, module)
        objects = {name: getattr(package, name) for name in package.__all__}
        lines = f"# hs.{module}\n\n" + "".join(
            f"::: {each.__module__}.{name}\n    options:\n      heading_level: 2\n\n" for name, each in objects.items()
        )
        (folder / f"{module}.md").write_text(lines, encoding="utf-8")
        text += f"| [hs.{module}]({module}.md) | {', '.join(f'`{name}`' for name in objects)} |\n"
    (folder / "index.md").write_text(text, encoding="utf-8")
    return [*areas, *modules]


def write_records(path: Path) -> None:
    """Write the page of the records: a table of fields for each."""
    text = "# Records\n\nThe fields of items, cards, specs, answers and judgements, from their dataclasses.\n\n"
    for record in RECORDS:
        description = fenced(inspect.cleandoc(record.__doc__ or ""))
        text += f"## {record.__name__}\n\n{description}\n\n| field | type | meaning |\n|---|---|---|\n"
        for field in fields(record):
            kind = str(field.type).replace("|", "\\|")
            text += f"| `{field.name}` | `{kind}` | {sentences(record).get(field.name, '')}{_default(field)} |\n"
        text += "\n"
    path.write_text(text, encoding="utf-8")


def sentences(record: type) -> dict[str, str]:
    """Field → the docstring below it."""
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(record))).body
    pairs = itertools.pairwise(made.body) if isinstance(made, ast.ClassDef) else ()
    return {
        field.target.id: " ".join(below.value.value.split()).replace("``", "`").replace("|", "\\|")
        for field, below in pairs
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }


def _default(field: Any) -> str:
    plain = field.default is not MISSING and field.default not in ("", None, ())
    return f" Default: `{field.default}`." if plain else ""
