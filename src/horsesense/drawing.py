"""What all charts share: colours, style and files; and two public charts, learning curves and dot plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.data import writing
from horsesense.errors import UserError, need, translate_errors
from horsesense.progress import Progress

if TYPE_CHECKING:
    from horsesense.training.training_results import Curve

INK, SOFT, BAR, MISS = "#1c1b19", "#5f5b54", "#2f6f5e", "#a8442a"
SCALE = 2
"""Scale of a PNG: sharp in print."""


def need_pictures() -> None:
    """Raise an error where a library that charts need is not installed."""
    need("vl_convert")
    need("altair")


def can_draw(progress: Progress, missing: str) -> bool:
    """Whether the libraries that charts need are installed; if not, a message says what is ``missing``."""
    try:
        need_pictures()
    except UserError as error:
        progress.log(f"{missing}: {error}")
        return False
    return True


def check_drawing(path: Path) -> None:
    """Raise an error where the library of a picture is not installed, before anything is computed."""
    if path.suffix == ".json":
        need("altair")
    else:
        need_pictures()


def write_chart(chart: Any, path: Path) -> None:
    """Write a picture as SVG, PNG or Vega-Lite JSON, by the ending of the file."""
    check_drawing(path)
    with writing(path) as temporary:
        if path.suffix == ".json":
            temporary.write_text(chart.to_json(), encoding="utf-8")
        else:
            chart.save(str(temporary), format="png" if path.suffix == ".png" else "svg")


@translate_errors()
def curve_chart(curve: Curve) -> Any:
    """Draw accuracy with intervals over training-set size or steps; lines of one task share a dash pattern."""
    import altair

    rows = [
        {"line": line.name, "setting": line.setting, "task": line.task, "x": mark.x, "accuracy": mark.value}
        | ({"low": mark.low, "high": mark.high} if mark.low is not None else {})
        for line in curve.lines
        for mark in line.points
    ]
    tasks = list(dict.fromkeys(line.task for line in curve.lines))
    ticks = sorted({mark.x for line in curve.lines for mark in line.points})
    # Training-set sizes grow by factors and begin at 0; steps are linear.
    if curve.along == "steps":
        scale, axis = altair.Scale(type="linear"), altair.Axis(grid=False, format="d", tickMinStep=1)
    else:
        scale, axis = altair.Scale(type="symlog"), altair.Axis(values=ticks, grid=False, labelOverlap=True)
    names = [line.name for line in curve.lines]
    above = altair.Legend(
        title=None, orient="top", labelLimit=400, columns=2, columnPadding=24, symbolType="circle", symbolOpacity=1
    )
    colours = altair.Color("line:N", sort=names, legend=above)
    base = altair.Chart({"values": rows}).encode(
        x=altair.X("x:Q", scale=scale, axis=axis, title=curve.along), color=colours
    )
    whole = altair.Scale(domain=[0, 1])
    dash = altair.StrokeDash("task:N", sort=tasks, legend=None)
    lines = base.mark_line(point=True).encode(y=altair.Y("accuracy:Q", scale=whole, title="accuracy"), strokeDash=dash)
    ends = base.mark_rule(opacity=0.5).encode(y=altair.Y("low:Q", scale=whole, title="accuracy"), y2="high:Q")
    measured = any(mark.low is not None for line in curve.lines for mark in line.points)
    return ((ends + lines) if measured else lines).properties(width=420, height=260)


@translate_errors()
def accuracies(rows: Sequence[Mapping[str, Any]], title: str) -> Any:
    """Draw a dot and whisker per row, with a tick at chance; rows have label, model, accuracy, low, high and chance."""
    import altair

    order = list(dict.fromkeys(row["label"] for row in rows))
    named = ("label", "model", "accuracy", "low", "high", "chance", "n")
    values = [{name: row[name] for name in named} for row in rows]
    scale = altair.Scale(domain=[min([0.0, *(row["low"] for row in rows)]), 1])
    axis = altair.Axis(labelLimit=400)  # a cue says in words how to pick by it
    base = altair.Chart({"values": values}).encode(y=altair.Y("label:N", title=None, sort=order, axis=axis))
    dots = base.mark_point(filled=True, size=70, opacity=1, color=BAR).encode(
        x=altair.X("accuracy:Q", title=title, scale=scale), tooltip=["label:N", "accuracy:Q", "n:Q"]
    )
    if len({row["model"] for row in rows}) > 1 and len(order) < len(rows):
        base = base.encode(yOffset=altair.YOffset("model:N"))
        dots = dots.encode(
            yOffset=altair.YOffset("model:N"),
            color=altair.Color("model:N", legend=altair.Legend(title=None, orient="top")),
        )
    lines = base.mark_rule(color=INK).encode(x=altair.X("low:Q", scale=scale), x2="high:Q")
    marks = base.mark_tick(color=MISS, thickness=2).encode(x=altair.X("chance:Q", scale=scale))
    return (marks + lines + dots).properties(width=420)


def style_chart(chart: Any, width: int, height: int) -> dict[str, Any]:
    """Apply the common style, and return the chart as Vega-Lite JSON."""
    text = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    drawing: dict[str, Any] = (
        chart.properties(width=width, height=height, background="transparent")
        .configure_axis(grid=False, domainColor=SOFT, tickColor=SOFT, **text)
        .configure_legend(**text)
        .configure_view(stroke=None)
        .to_dict()
    )
    return drawing
