"""Reference of Python and of the records: pages that name things, which mkdocstrings fills from their docstrings."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import horsesense
from horsesense.core import Answer, Card, Item, Probe, Reply, ScoringSpec
from horsesense.core.audit import LabelQuality
from horsesense.core.judgements import Judgement
from tools.docs.doctests import fenced

AREAS = {
    "asking": (
        "Models and runs",
        "load_model ask run ask_suite run_suite profile api.profile.Profile replicate "
        "replication.replication.Replication engine open_run "
        "Run compare EngineSettings "
        "api.results.Comparison check_regression show api.showing.ShownAnswers ComputeSettings LoadSettings "
        "ServedSettings Progress HorsesenseWarning",
    ),
    "probes": ("Probes", "load_probe read_release build overview export import_log"),
    "cues": (
        "Cues and controls",
        "find_cues api.cues.CueFindings harden api.cues.HardenedProbe fit_control "
        "training.baselines.FittedControl ControlSettings",
    ),
    "learning": (
        "Training",
        "train training.training_results.Training TrainingSettings inoculate "
        "training.inoculation.Inoculation InoculationGrid",
    ),
    "texts": ("Texts", "score api.texts.Scores fill api.texts.Fills saliency"),
    "reporting": ("Reports and tables", "write_report api.reporting.Report export_run api.frames.Frame"),
    "keeping": (
        "Fetching and keeping",
        "fetch add_source list_sources list_cache api.cache.CacheContents api.cache.CacheEntry prune_cache "
        "api.cache.PrunedCache verify api.verify.Verified list_plugins api.keeping.InstalledPlugins UserError",
    ),
}
"""Page → its title and the names on it; what is nowhere here goes onto the page of the rest."""

RECORDS: tuple[Any, ...] = (Item, Card, Probe, ScoringSpec, Answer, Reply, Judgement, LabelQuality)


def write_interface(folder: Path) -> list[str]:
    """Write the pages of the API; their names, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    where = {name: f"horsesense.{module}" for module, names in horsesense._WHERE.items() for name in names}
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
    for module in horsesense._MODULES:
        names = tuple(getattr(horsesense, module).__all__)
        objects = {name: getattr(getattr(horsesense, module), name) for name in names}
        lines = f"# hs.{module}\n\n" + "".join(
            f"::: {each.__module__}.{name}\n    options:\n      heading_level: 2\n\n" for name, each in objects.items()
        )
        (folder / f"{module}.md").write_text(lines, encoding="utf-8")
        text += f"| [hs.{module}]({module}.md) | {', '.join(f'`{name}`' for name in names)} |\n"
    (folder / "index.md").write_text(text, encoding="utf-8")
    return [*areas, *horsesense._MODULES]


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
