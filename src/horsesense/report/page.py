"""A run report: one HTML file that opens from disk and needs no network."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from horsesense import __version__
from horsesense.core import ScoringSpec
from horsesense.core.spec import Normalisation
from horsesense.cues.battery import battery
from horsesense.data import write_file
from horsesense.formatting import count, interval, p_value, percent, points
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import provided
from horsesense.report import run_text, tables
from horsesense.report.collection import Collection
from horsesense.report.grid import FEW_ITEMS, KINDS, forest_of, grid_of, large_and_small, named_by_words
from horsesense.report.item_browser import fitting_data
from horsesense.report.run_text import value_text
from horsesense.report.summary import errors_in_common
from horsesense.report.terms import terms
from horsesense.runs.ask import Withheld
from horsesense.runs.manifest import LOG, Manifest, ModelRecord
from horsesense.runs.probe_answers import requested
from horsesense.runs.replies import in_words as replies_in_words
from horsesense.runs.replies import position_in_words
from horsesense.scoring.prompt_formats import PROMPT_FORMATS
from horsesense.stats import Estimate, Slice
from horsesense.stats.intervals import against_chance
from horsesense.stats.slices import heat_table

MANY_PARTS = 12
"""More combinations of model and probe than these are folded under one line: the grid links to each of them."""
SCRIPTS = ("grid.js", "unpack.js", "filter.js", "list.js", "export.js", "detail.js", "browser.js")


def environment() -> Environment:
    """Return the templates of all pages, with the number formatter as filters."""
    env = Environment(
        loader=PackageLoader("horsesense.report"),
        autoescape=select_autoescape(("html.j2",), default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {
        "fmt": format,
        "percent": percent,
        "points": points,
        "p_value": p_value,
        "level": lambda level: f"{100 * level:.4g}%",
        "value": value_text,
        "standing": _standing,
        "breakable": _breakable,
        "capitalised": lambda text: text[:1].upper() + text[1:],
        "slice_rows": _slice_rows,
        "logged": is_logged,
    }
    env.tests["in_words"] = named_by_words
    env.globals["terms"] = terms
    return env


def bundled(name: str) -> Markup:
    """Return a style or script of ours, which goes into the page unescaped."""
    return Markup(files("horsesense.report").joinpath("templates", name).read_text(encoding="utf-8"))


def write_report(collected: Collection, path: Path, drawn: bool = True, progress: Progress = NO_PROGRESS) -> None:
    """Write the page; ``drawn`` adds the charts, which take seconds.

    Without the library that draws them, the page has none, and the progress gets a message.
    """
    charts: Mapping[tuple[str, str], Mapping[str, str]] = {}
    curves: list[str] = []
    paper_charts: Mapping[str, tuple[str, str]] = {}
    if drawn:
        from horsesense.drawing import can_draw
        from horsesense.report.charts import svg_charts, svg_curves, svg_papers

        if can_draw(progress, "the page has no charts"):
            charts, curves = svg_charts(collected), svg_curves(collected)
            paper_charts = svg_papers(collected)
    items, tokens = fitting_data(collected)
    values: dict[str, Any] = {
        "collected": collected,
        "title": title_of(collected),
        "formats": list(dict.fromkeys(s.result.format for s in collected.summaries)),
        "grid": grid_of(collected),
        "forest": forest_of(collected.sides),
        "many_parts": len(collected.summaries) > MANY_PARTS,
        "large_and_small": large_and_small,
        "few_items": FEW_ITEMS,
        "cue_count": len(battery()),
        "counted": _counted(collected),
        "provenance": _provenance(collected),
        "charts": charts,
        "curves": curves,
        "paper_charts": paper_charts,
        "tables_of": tables,
        "text": run_text,
        "ends": interval,
        "heat_table": heat_table,
        "errors_in_common": errors_in_common,
        "repeat": repeat_command,
        "is_logged": is_logged,
        "changed_settings": _changed_settings,
        "replies_in_words": replies_in_words,
        "position_in_words": position_in_words,
        "prompt_formats": tuple(PROMPT_FORMATS),
        "data": items,
        "tokens": tokens,
        "style": bundled("style.css"),
        "scripts": [bundled(name) for name in SCRIPTS],
        "version": __version__,
    }
    html = environment().get_template("page.html.j2").render(values)
    write_file(path, html)


def title_of(collected: Collection) -> str:
    """Name the models and probes of a report where they are few."""
    models = list(dict.fromkeys(summary.label for summary in collected.summaries))
    models = models or list(dict.fromkeys(label for label, _ in collected.unjudged))
    probes = list(collected.probes) or list(dict.fromkeys(probe for _, probe in collected.unjudged))
    if not models:
        return "Schema pipeline" if collected.pipelines else "Learning curves"
    return f"{_few(models, 'model')} on {_few(probes, 'probe')}"


def _few(names: Sequence[str], noun: str) -> str:
    return ", ".join(names) if len(names) <= 3 else count(len(names), noun)


def _standing(e: Estimate) -> str:
    """Return the colour of a score by how it compares with chance; a limit that is printed as chance includes it."""
    low, high = (round(end, 3) for end in e.ci)
    return KINDS.get(against_chance(replace(e, ci=(low, high))) or "", "above")


def _slice_rows(slices: Sequence[Slice]) -> list[tuple[str, Estimate]]:
    return [(value_text(each.where[0]), each.accuracy) for each in slices]


def _breakable(name: str) -> Markup:
    """Let a long name break between its parts, not inside them."""
    return Markup("<wbr>").join(re.split(r"(?<=[_/.-])", name))


def _counted(collected: Collection) -> str:
    models = len({summary.label for summary in collected.summaries})
    items = sum(max(s.result.asked_items for s in summaries) for summaries in collected.probes.values())
    return ", ".join((count(models, "model"), count(len(collected.probes), "probe"), count(items, "item")))


def _provenance(collected: Collection) -> dict[str, Any]:
    """Return each model and each probe once, however many runs they are part of, and the cards of the probes."""
    parts = [part for manifest in collected.manifests.values() for part in manifest.parts]
    return {
        "models": list({(part.model.name, part.model.weights): part.model for part in parts}.values()),
        "probes": list({(part.probe.name, part.probe.content): part.probe for part in parts}.values()),
        "cards": {name: summaries[0].answered.probe.card for name, summaries in collected.probes.items()},
        "judged": {
            name: int(summaries[0].answered.columns.judged.sum()) for name, summaries in collected.probes.items()
        },
    }


def repeat_command(manifest: Manifest, how: Normalisation | None = None) -> str:
    """Return the command that a manifest records, with the normalisation that was requested."""
    words = ["horsesense", "run"]
    probes = dict.fromkeys(part.probe.name for part in manifest.parts)
    variants = {f"{name}.no-{withheld}": withheld for name in probes for withheld in get_args(Withheld)}
    for flag, names in (
        ("-m", dict.fromkeys(_model_argument(part.model) for part in manifest.parts)),
        ("-p", [name for name in probes if name not in variants]),
    ):
        for name in names:
            words += [flag, name if flag == "-m" or name in provided("probes") else f"{name}.jsonl"]
    for withheld in dict.fromkeys(variants[name] for name in probes if name in variants):
        words += ["--withhold", withheld]
    if manifest.limit is not None:
        words += ["--limit", str(manifest.limit), "--seed", str(manifest.seed)]
    words += ["--batch-tokens", str(manifest.budget)]
    formats = tuple(dict.fromkeys(part.format for part in manifest.parts))
    if formats not in (("loglikelihood",), ()):
        words += [word for prompt_format in formats for word in ("--format", prompt_format)]
    settings = _changed_settings(manifest)
    if settings:
        words += ["--spec", ",".join(settings)]
    how = how or requested(manifest.normalise)
    words += ["--normalise", how] if how else []
    return shlex.join(words)


def is_logged(manifest: Manifest) -> bool:
    """Say whether the answers were imported from another tool, so that the run cannot be repeated here."""
    return any(part.model.kind == LOG for part in manifest.parts)


def _model_argument(model: ModelRecord) -> str:
    return f"{model.name}={model.found_by}" if model.found_by else model.name


def _changed_settings(manifest: Manifest) -> Sequence[str]:
    usual = ScoringSpec().to_dict()
    changed = {name: value for name, value in manifest.spec.items() if value != usual.get(name)}
    return [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in changed.items()]
