"""One HTML file that opens from disk and asks nothing of a network."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from horsesense import __version__
from horsesense.core import Card, ScoringSpec
from horsesense.data import writing
from horsesense.errors import UserError
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import provided
from horsesense.report import wording
from horsesense.report.collecting import Collected
from horsesense.report.grid import FEW_ITEMS, forest_of, grid_of, large_and_small
from horsesense.report.item_browser import fitting_data
from horsesense.report.paper_tables import counts as paper_counts
from horsesense.report.paper_tables import shown_cell, shown_interval
from horsesense.report.summary import errors_in_common
from horsesense.runs.manifest import LOG, Manifest, ModelRecord, ProbeRecord
from horsesense.runs.replies import in_words as replies_in_words
from horsesense.scoring.normalise import Normalisation
from horsesense.scoring.prompt_formats import PROMPT_FORMATS
from horsesense.stats.slices import heat_table

MANY_PARTS = 12
"""More models on probes than these are folded away under one line: the grid leads to each of them."""
SCRIPTS = ("grid.js", "unpack.js", "filter.js", "list.js", "taking.js", "detail.js", "browser.js")


def write_report(collected: Collected, path: Path, drawn: bool = True, progress: Progress = NO_PROGRESS) -> None:
    """Write the page; ``drawn`` adds the charts, which take seconds.

    Where the library that draws them is not installed, the page has none, and the progress is told.
    """
    charts: Mapping[tuple[str, str], Mapping[str, str]] = {}
    curves: list[str] = []
    paper_charts: Mapping[str, str] = {}
    if drawn:
        from horsesense.report.charts import svg_charts, svg_curves, svg_papers
        from horsesense.report.drawing import need_pictures

        try:
            need_pictures()
        except UserError as missing:
            progress.log(f"the page has no charts: {missing}")
        else:
            charts, curves = svg_charts(collected), svg_curves(collected)
            paper_charts = svg_papers(collected)
    environment = Environment(
        loader=PackageLoader("horsesense.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["logged"] = is_logged
    environment.filters["percent"] = wording.percent
    environment.filters["value"] = wording.value_text
    environment.filters["breakable"] = _breakable
    environment.filters["points"] = wording.points
    environment.globals["infinite"] = float("inf")
    items, tokens = fitting_data(collected)
    html = environment.get_template("page.html.j2").render(
        collected=collected,
        grid=grid_of(collected),
        forest=forest_of(collected.sides),
        one_model=len({summary.label for summary in collected.summaries}) == 1,
        many_parts=len(collected.summaries) > MANY_PARTS,
        large_and_small=large_and_small,
        few_items=FEW_ITEMS,
        counted=_counted(collected),
        made=_made(collected),
        charts=charts,
        curves=curves,
        paper_charts=paper_charts,
        paper_counts=paper_counts,
        shown_cell=shown_cell,
        shown_interval=shown_interval,
        wording=wording,
        heat_table=heat_table,
        errors_in_common=errors_in_common,
        repeat=repeat_command,
        is_logged=is_logged,
        replies_in_words=replies_in_words,
        formats=tuple(PROMPT_FORMATS),
        data=items,
        tokens=tokens,
        style=_bundled("style.css"),
        scripts=[_bundled(name) for name in SCRIPTS],
        version=__version__,
    )
    with writing(path) as temporary:
        temporary.write_text(html, encoding="utf-8")


def _breakable(name: str) -> Markup:
    """A long name breaks between its parts, not inside them."""
    return Markup("<wbr>").join(re.split(r"(?<=[_/.-])", name))


def _counted(collected: Collected) -> str:
    models = len({summary.label for summary in collected.summaries})
    questions = sum(max(s.result.estimate.n for s in summaries) for summaries in collected.probes.values())
    parts = [(models, "model"), (len(collected.probes), "probe"), (questions, "question")]
    return ", ".join(f"{count:,} {name}{'' if count == 1 else 's'}" for count, name in parts)


@dataclass(frozen=True, slots=True)
class Made:
    """Each model and each probe once, however many runs asked them."""

    models: Sequence[ModelRecord]
    probes: Sequence[ProbeRecord]
    cards: Mapping[str, Card]
    """Of the probes that somebody has judged, by name."""


def _made(collected: Collected) -> Made:
    parts = [part for manifest in collected.manifests.values() for part in manifest.parts]
    models = {(part.model.name, part.model.weights): part.model for part in parts}
    probes = {(part.probe.name, part.probe.content): part.probe for part in parts}
    cards = {name: summaries[0].answered.probe.card for name, summaries in collected.probes.items()}
    return Made(list(models.values()), list(probes.values()), cards)


def _bundled(name: str) -> Markup:
    """A style or script of ours, put into the page as it stands."""
    return Markup(files("horsesense.report").joinpath("templates", name).read_text(encoding="utf-8"))


def repeat_command(manifest: Manifest, how: Normalisation | None = None) -> str:
    """The command behind a manifest, and behind a page under a normalisation that was asked for."""
    words = ["horsesense", "run"]
    for flag, names in (
        ("-m", dict.fromkeys(_as_asked(part.model) for part in manifest.parts)),
        ("-p", dict.fromkeys(part.probe.name for part in manifest.parts)),
    ):
        for name in names:
            words += [flag, name if flag == "-m" or name in provided("probes") else f"{name}.jsonl"]
    if manifest.limit is not None:
        words += ["--limit", str(manifest.limit), "--seed", str(manifest.seed)]
    words += ["--budget", str(manifest.budget)]
    formats = tuple(dict.fromkeys(part.format for part in manifest.parts))
    if formats not in (("loglikelihood",), ()):
        words += ["--format", ",".join(formats)]
    settings = _changed_settings(manifest)
    if settings:
        words += ["--spec", ",".join(settings)]
    words += ["--normalise", how] if how else []
    return shlex.join(words)


def is_logged(manifest: Manifest) -> bool:
    """Whether the answers were read from another tool's log, so that nobody here can ask again."""
    return any(part.model.kind == LOG for part in manifest.parts)


def _as_asked(model: ModelRecord) -> str:
    return f"{model.name}={model.found_by}" if model.found_by else model.name


def _changed_settings(manifest: Manifest) -> Sequence[str]:
    usual = ScoringSpec().to_dict()
    changed = {name: value for name, value in manifest.spec.items() if value != usual.get(name)}
    return [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in changed.items()]
