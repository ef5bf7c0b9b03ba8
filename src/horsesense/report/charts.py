"""Charts of a run report: inside the page, and as SVG and PNG files for a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from horsesense.data import disk_errors, write_file
from horsesense.drawing import BAR, INK, MISS, SCALE, SOFT, curve_chart, style_chart
from horsesense.methods.suites.charts import paper_chart
from horsesense.report.collection import Collection
from horsesense.report.run_text import value_text
from horsesense.report.summary import Summary
from horsesense.training.training_results import Curve

PAPER = "#ffffff"
_THEMED = {INK: "var(--ink)", SOFT: "var(--soft)", BAR: "var(--bar)", MISS: "var(--miss)"}
TITLES = {
    "calibration": "Calibration",
    "families": "Whole families right, by size",
    "heat": "Accuracy by two facets",
}


def svg_of(drawing: Any) -> str:
    """Return a drawing as SVG."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(printable(drawing))
    return svg


def svg_charts(collected: Collection) -> dict[tuple[str, str], dict[str, str]]:
    """Draw the charts of the page, by probe and label, in the colours of its theme."""
    charts: dict[tuple[str, str], dict[str, str]] = {}
    for probe, summary in _all(collected):
        drawings = {"calibration": calibration(summary)}
        if len(summary.families) > 2:
            drawings["families"] = families(summary)
        charts[probe, summary.label] = {name: themed(svg_of(drawing)) for name, drawing in drawings.items()}
    return charts


def svg_curves(collected: Collection) -> list[str]:
    """Draw the learning curves of the page, in their order."""
    return [themed(svg_of(learning(curve))) for curve in collected.curves]


def svg_papers(collected: Collection) -> dict[str, tuple[str, str]]:
    """Return the caption and the chart of each paper's or method's table that has one, by its title."""
    return {title: (caption, themed(svg_of(each))) for title, caption, each in _table_charts(collected)}


def _table_charts(collected: Collection) -> list[tuple[str, str, dict[str, Any]]]:
    charts = ((table.title, paper_chart(table)) for table in (*collected.papers, *collected.methods))
    return [(title, *chart) for title, chart in charts if chart]


def write_charts(collected: Collection, folder: Path) -> list[Path]:
    """Write every chart as SVG and PNG; return their paths."""
    import vl_convert

    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    drawn = [(curve.title, learning(curve)) for curve in collected.curves]
    drawn += [(title, drawing) for title, _, drawing in _table_charts(collected)]
    for probe, summary in _all(collected):
        drawings = {"calibration": calibration(summary)}
        if summary.families:
            drawings["families"] = families(summary)
        if summary.heat:
            drawings["heat"] = heat(summary)
        drawings |= {f"by-{facet}": slices(summary, facet) for facet in summary.facets}
        about = [f"{summary.label} on {probe}", f"n = {summary.result.accuracy.n:,}; 95% intervals"]
        drawn += [
            (f"{probe}~{summary.label}~{name}", _titled(drawing, TITLES.get(name, name.replace("-", " ")), about))
            for name, drawing in drawings.items()
        ]
    written = []
    for name, transparent in drawn:
        drawing = printable(transparent) | {"background": PAPER}  # dark ink on nothing cannot be read on a dark screen
        stem = re.sub(r"[^\w.-]+", "_", name).strip("_.")
        for path, content in (
            (folder / f"{stem}.svg", vl_convert.vegalite_to_svg(drawing).encode()),
            (folder / f"{stem}.png", vl_convert.vegalite_to_png(drawing, scale=SCALE)),
        ):
            write_file(path, content)
            written.append(path)
    return written


def _titled(drawing: dict[str, Any], title: str, about: Sequence[str]) -> dict[str, Any]:
    """Add a title with model, probe and n to a chart that is a file of its own."""
    text = {"text": title, "subtitle": list(about), "anchor": "start", "offset": 12}
    colours = {"color": INK, "subtitleColor": SOFT, "fontSize": 14, "subtitleFontSize": 12}
    return drawing | {"title": text | colours}


def printable(drawing: Any) -> Any:
    """Replace characters in the texts of a drawing at which the chart library would end the process."""
    if isinstance(drawing, str):
        return value_text(drawing)
    if isinstance(drawing, dict):
        return {printable(name): printable(value) for name, value in drawing.items()}
    return [printable(each) for each in drawing] if isinstance(drawing, list | tuple) else drawing


def _all(collected: Collection) -> Iterator[tuple[str, Summary]]:
    for probe, summaries in collected.probes.items():
        for summary in summaries:
            if not summary.result.unanswered:
                yield probe, summary


def themed(svg: str) -> str:
    for colour, name in _THEMED.items():
        svg = svg.replace(colour, name)
    return svg


def calibration(summary: Summary) -> dict[str, Any]:
    """Draw accuracy by confidence; a calibrated model is on the diagonal."""
    import altair as alt

    rows = [{"confidence": b.confidence, **b.accuracy.columns()} for b in summary.calibration.bins]
    # Both axes are the same, so that the diagonal is one and a distance from it can be read off.
    least = min((min(b.confidence, b.accuracy.low) for b in summary.calibration.bins), default=0.0)
    start = max(0.0, int(least * 10) / 10)
    across = up = alt.Scale(domain=[start, 1])
    base = alt.Chart({"values": rows}).encode(
        x=alt.X(
            "confidence:Q", title="confidence", scale=across, axis=alt.Axis(format="%", tickCount=5, labelOverlap=True)
        )
    )
    y = alt.Y("value:Q", title="accuracy", scale=up, axis=alt.Axis(format="%"))
    diagonal = (
        alt.Chart({"values": [{"at": end} for end in (start, 1)]})
        .mark_line(color=SOFT, strokeDash=[4, 4])
        .encode(x=alt.X("at:Q", scale=across), y=alt.Y("at:Q", scale=up))
    )
    bars = base.mark_rule(color=BAR).encode(y=alt.Y("low:Q", scale=up), y2="high:Q")
    points = base.mark_point(color=BAR, filled=True, size=60).encode(y=y)
    return style_chart(diagonal + bars + points, 240, 240)


def families(summary: Summary) -> dict[str, Any]:
    """Draw the share of whole families right by their size, beside the share under independent errors."""
    import altair as alt

    rows = [
        {"size": str(row.size), "kind": kind, **estimate.columns()}
        for row in summary.families
        if row.size is not None
        for kind, estimate in (("observed", row.strict), ("independent errors", row.independent))
    ]
    order = [str(row.size) for row in summary.families if row.size is not None]
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=["observed", "independent errors"], range=[BAR, MISS]),
        legend=alt.Legend(title=None, orient="top"),
    )
    base = alt.Chart({"values": rows}).encode(
        x=alt.X("size:N", title="items per family", sort=order, axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("kind:N", sort=["observed", "independent errors"]),
        color=colour,
    )
    scale = alt.Scale(domain=[0, 1])
    points = base.mark_point(filled=True, size=60).encode(
        y=alt.Y("value:Q", title="whole families right", scale=scale), shape=alt.Shape("kind:N", legend=None)
    )
    bars = base.mark_rule().encode(y=alt.Y("low:Q", scale=scale), y2="high:Q")
    return style_chart(bars + points, max(200, 60 * len(order)), 220)


def heat(summary: Summary) -> dict[str, Any]:
    """Draw accuracy by two facets."""
    import altair as alt

    assert summary.heat is not None
    first, second = summary.heat.facets
    rows = [
        {"row": value_text(each.where[0]), "column": value_text(each.where[1]), **each.accuracy.columns()}
        for each in summary.heat.slices
    ]
    base = alt.Chart({"values": rows}).encode(
        x=alt.X("column:N", title=second, axis=alt.Axis(labelAngle=-30)), y=alt.Y("row:N", title=first)
    )
    shade = alt.Color("value:Q", scale=alt.Scale(domain=[0, 1], range=["#f4efe2", BAR]), title="accuracy")
    numbers = base.mark_text(fontSize=11).encode(
        text=alt.Text("value:Q", format=".2f"),
        color=alt.condition("datum.value > 0.6", alt.value("white"), alt.value(INK)),
    )
    return style_chart(base.mark_rect().encode(color=shade) + numbers, 380, 220)


def slices(summary: Summary, facet: str) -> dict[str, Any]:
    """Draw accuracy by one facet, with intervals and chance."""
    import altair as alt

    rows = [{"value of": value_text(each.where[0]), **each.accuracy.columns()} for each in summary.facets[facet].slices]
    order = [row["value of"] for row in rows]
    base = alt.Chart({"values": rows}).encode(y=alt.Y("value of:N", title=facet, sort=order))
    scale = alt.Scale(domain=[0, 1])
    dots = base.mark_point(color=BAR, filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", title="accuracy", scale=scale)
    )
    lines = base.mark_rule(color=BAR, strokeWidth=2).encode(x=alt.X("low:Q", scale=scale), x2="high:Q")
    marks = base.mark_tick(color=MISS, thickness=2).encode(x=alt.X("chance:Q", scale=scale))
    return style_chart(marks + lines + dots, 380, max(60, 22 * len(rows)))


def learning(curve: Curve) -> dict[str, Any]:
    """Draw accuracy over training-set size, or over steps."""
    return style_chart(curve_chart(curve), 420, 260)
