"""The files of a profile: an HTML page that opens from disk, its grid as SVG and PNG, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from horsesense.core.document import plain
from horsesense.data import write_file
from horsesense.drawing import SCALE
from horsesense.errors import UserError
from horsesense.formatting import percent
from horsesense.methods.suites.charts import RUNGS
from horsesense.profiling.document import Profile
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.report import profile_view as view
from horsesense.report.charts import themed
from horsesense.report.ladder_page import ladder_svgs
from horsesense.report.page import bundled, environment
from horsesense.report.profile_picture import grid_svg
from horsesense.report.tables import TextTable, markdown_text
from horsesense.report.terms import TERMS
from horsesense.runs.store import PROFILE

PAGE, SVG, PNG, MARKDOWN = "profile.html", "profile.svg", "profile.png", "profile.md"


def write_profile(profile: Profile, folder: Path, progress: Progress = NO_PROGRESS) -> Profile:
    """Write all files of a profile; return it with their paths."""
    drawn = [folder / SVG]
    svg = grid_svg(profile)
    _write(folder / SVG, svg.encode())
    if png := _png(svg, progress):
        _write(folder / PNG, png)
        drawn.append(folder / PNG)
    _write(folder / PAGE, page_html(profile).encode())
    _write(folder / MARKDOWN, markdown(profile).encode())
    written = replace(profile, out=folder, page=folder / PAGE, pictures=tuple(drawn), markdown=folder / MARKDOWN)
    _write(folder / PROFILE, orjson.dumps(plain(written), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return written


def _write(path: Path, content: bytes) -> None:
    write_file(path, content)


def _png(svg: str, progress: Progress) -> bytes:
    """Render the picture as PNG; nothing where the library that draws it is not installed, with a message."""
    from horsesense.drawing import need_pictures

    try:
        need_pictures()
    except UserError as missing:
        progress.log(f"there is no PNG: {missing}")
        return b""
    import vl_convert

    drawn: bytes = vl_convert.svg_to_png(svg, scale=SCALE)
    return drawn


def page_html(profile: Profile) -> str:
    """Render the page."""
    rows = view.rows_of(profile)
    titles = {ability.name: ability.title for ability in profile.abilities}
    present = {cell.verdict for row in rows for cell in row.cells if cell is not None}
    values: dict[str, Any] = {
        "profile": profile,
        "rows": rows,
        "titles": titles,
        "notes": view.notes(profile),
        "conclusions": view.conclusions(profile),
        "headlines": [view.headline(model) for model in profile.models],
        "verdicts": {name: style for name, style in view.VERDICTS.items() if name in present},
        "rungs": RUNGS,
        "mistakes": {
            model.model: [(titles[name], list(own)) for name, own in groupby(model.mistakes, key=lambda m: m.ability)]
            for model in profile.models
        },
        "twins": [row for row in rows if any(cell is not None and cell.finding.twin is not None for cell in row.cells)],
        "contamination": view.contamination_table(profile),
        "withheld": view.withheld_table(profile),
        "chat": view.chat_table(profile),
        "ladders": view.ladder_table(profile),
        "ladder_charts": _ladder_charts(profile),
        "view": view,
        "style": bundled("style.css"),
        "extra": bundled("profile.css"),
        "scripts": [bundled("grid.js"), bundled("profile.js")],
    }
    return environment().get_template("profile.html.j2").render(values)


def _ladder_charts(profile: Profile) -> dict[str, str]:
    """Draw each ladder as SVG; nothing where the library that draws it is not installed."""
    return {} if profile.ladders is None else {name: themed(svg) for name, svg in ladder_svgs(profile.ladders).items()}


def markdown(profile: Profile) -> str:
    """Render the profile as Markdown, for a model card."""
    return "\n".join(_lines(profile)) + "\n"


def _lines(profile: Profile) -> Iterator[str]:
    yield f"# horsesense {view.edition_title(profile)}"
    for warning in filter(
        None, (view.partial_warning(profile), view.edition_warning(profile), profile.relatedness_note)
    ):
        yield f"\n{warning}"
    heads = [view.headline(model) for model in profile.models]
    summary = [
        [
            head.model,
            head.overall,
            ", ".join(f"{name} {n}" for name, _, n in head.counts),
            f"{head.items:,}",
            head.contamination,
            head.planted,
        ]
        for head in heads
    ]
    heading = ["model", "overall score [95% CI]", "verdicts", "items", "contamination", "moved by planted cues"]
    yield f"\n{TextTable(heading, summary).markdown()}"
    for name, text in (*view.conclusions(profile).items(), *view.notes(profile).items()):
        yield f"{name}: {text}.\n"
    columns = ["ability"]
    for model in profile.models:
        columns += [f"{model.model}: accuracy [95% CI]", "adjusted score", "verdict", "n"]
    rows = []
    for row in view.rows_of(profile):
        cells = [row.ability.title + ("" if row.ability.counts else " ¹")]
        for cell in row.cells:
            cells += ["–"] * 4 if cell is None else [*_cell(cell), f"{cell.finding.n:,}"]
        first = next((cell for cell in row.cells if cell is not None), None)
        beside = ("–", "–", "–") if first is None else tuple(map(_or_dash, (row.chance, first.cue, first.people)))
        rows.append([*cells, *beside])
    yield f"\n{TextTable([*columns, 'chance', 'best cue', 'human accuracy'], rows).markdown()}"
    yield view.error_control(profile).replace(" and thick lines", "")
    if any(cell.disagreeing for row in view.rows_of(profile) for cell in row.cells if cell is not None):
        yield "\n≠: the result differs between prompt formats, or with and without PMI (see the page)."
    if any(not ability.counts for ability in profile.abilities):
        yield f"\n¹ Not in the overall score: {view.UNJUDGED}."
    if any(cell.people is not None for row in view.rows_of(profile) for cell in row.cells if cell is not None):
        yield "\nHuman figures are from the papers and are for other items; the page states the kind of each."
    groups = [[f"{row.group}{'' if row.judged else ' ¹'}", *row.cells] for row in view.group_rows(profile)]
    groups.append(["overall score", *map(view.overall_text, profile.models)])
    names = [model.model for model in profile.models]
    yield f"\n{TextTable(['adjusted score by group', *names], groups).markdown()}"
    yield f"Adjusted score: {TERMS['Adjusted score']}"
    for sentence in view.comparisons(profile):
        yield f"\n{markdown_text(sentence)}"
    withheld, chat = view.withheld_table(profile), view.chat_table(profile)
    yield f"\nContamination:\n\n{view.contamination_table(profile).markdown()}"
    ladders = view.ladder_table(profile)
    for name, table in {"Options withheld": withheld, "Chat template": chat, "Ladders": ladders}.items():
        if table.rows:
            yield f"\n{name}:\n\n{table.markdown()}"
    yield f"\nMade by `{view.command(profile)}` (horsesense {profile.horsesense})."


def _cell(cell: view.ProfileCell) -> tuple[str, str, str]:
    mark = " ≠" if cell.disagreeing else ""
    return f"{cell.finding.accuracy:.0%}{mark}", view.adjusted_text(cell.adjusted), cell.verdict


def _or_dash(share: float | None) -> str:
    return "–" if share is None else percent(share, 0)
