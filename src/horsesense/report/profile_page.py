"""The page of a profile: one HTML file that opens from disk; its grid as SVG and PNG; the same as Markdown and JSON."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from horsesense.core.document import plain
from horsesense.data import writing
from horsesense.errors import UserError
from horsesense.profiling.document import ProfileDocument, ranged, signed
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.report import profile_wording, wording
from horsesense.report.drawing import SCALE
from horsesense.report.profile_grid import CHIPS, KINDS, MEANINGS, NOT_JUDGED, grid_svg, rows_of
from horsesense.report.profile_markdown import markdown
from horsesense.runs.folder import PROFILE

PAGE, SVG, PNG, MARKDOWN = "profile.html", "profile.svg", "profile.png", "profile.md"
RUNGS = {
    "fact": "the bare fact",
    "told": "the inference, with the fact told",
    "irrelevant": "the inference, with something else told",
    "inference": "the inference",
    "reworded": "the inference, in other words",
}
"""The rungs of the ladder from the bottom, in words."""

Written = TypeVar("Written", bound=ProfileDocument)


def write_profile(profile: Written, folder: Path, pictures: bool = True, progress: Progress = NO_PROGRESS) -> Written:
    """Write everything that shows a profile; the profile with where it lies."""
    drawn = [folder / SVG]
    svg = grid_svg(profile)
    _write(folder / SVG, svg.encode())
    if pictures and (png := _png(svg, progress)):
        _write(folder / PNG, png)
        drawn.append(folder / PNG)
    _write(folder / PAGE, page_html(profile).encode())
    _write(folder / MARKDOWN, markdown(profile).encode())
    written = replace(profile, out=folder, page=folder / PAGE, pictures=tuple(drawn), markdown=folder / MARKDOWN)
    _write(folder / PROFILE, orjson.dumps(plain(written), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return written


def _write(path: Path, content: bytes) -> None:
    with writing(path) as temporary:
        temporary.write_bytes(content)


def _png(svg: str, progress: Progress) -> bytes:
    """The picture as PNG; nothing where the library that draws it is not installed, and the progress is told."""
    from horsesense.report.drawing import need_pictures

    try:
        need_pictures()
    except UserError as missing:
        progress.log(f"there is no PNG: {missing}")
        return b""
    import vl_convert

    drawn: bytes = vl_convert.svg_to_png(svg, scale=SCALE)
    return drawn


def page_html(profile: ProfileDocument) -> str:
    """The page as one text."""
    environment = Environment(
        loader=PackageLoader("horsesense.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = wording.percent
    environment.globals["infinite"] = float("inf")
    rows = rows_of(profile)
    titles = {ability.name: ability.title for ability in profile.abilities}
    met = {cell.finding.verdict for row in rows for cell in row.cells if cell is not None}
    return environment.get_template("profile.html.j2").render(
        profile=profile,
        rows=rows,
        titles=titles,
        not_judged=NOT_JUDGED,
        key=[(verdict, KINDS[verdict], chip) for verdict, chip in CHIPS.items() if verdict in met],
        meanings=MEANINGS,
        rungs=RUNGS,
        mistakes={
            model.model: [(titles[name], list(own)) for name, own in groupby(model.mistakes, key=lambda m: m.ability)]
            for model in profile.models
        },
        twins=[row for row in rows if any(cell is not None and cell.finding.twin is not None for cell in row.cells)],
        say=profile_wording,
        ranged=ranged,
        signed=signed,
        style=_bundled("style.css"),
        extra=_bundled("profile.css"),
        scripts=[_bundled("grid.js"), _bundled("profile.js")],
    )


def _bundled(name: str) -> Markup:
    return Markup(files("horsesense.report").joinpath("templates", name).read_text(encoding="utf-8"))
