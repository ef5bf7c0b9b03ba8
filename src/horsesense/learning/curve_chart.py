"""A learning curve as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from horsesense.files import writing
from horsesense.learning.curves import Curve


def draw_curve(curve: Curve, path: Path) -> None:
    """Write the picture: SVG, PNG or Vega-Lite's JSON, by ending."""
    chart = curve_chart(curve)
    with writing(path) as temporary:
        if path.suffix == ".json":
            temporary.write_text(chart.to_json(), encoding="utf-8")
        else:
            chart.save(str(temporary), format="png" if path.suffix == ".png" else "svg")


def curve_chart(curve: Curve) -> Any:
    """Accuracy with its intervals over what the curve runs along; lines of one task are dashed alike."""
    import altair

    rows = [
        {"line": line.name, "setting": line.setting, "task": line.task, "x": mark.x, "accuracy": mark.value}
        | ({"low": mark.low, "high": mark.high} if mark.low is not None else {})
        for line in curve.lines
        for mark in line.marks
    ]
    tasks = list(dict.fromkeys(line.task for line in curve.lines))
    places = sorted({mark.x for line in curve.lines for mark in line.marks})
    # Doses grow by factors and begin with none at all; steps grow by themselves.
    if curve.along == "steps":
        scale, axis = altair.Scale(type="linear"), altair.Axis(grid=False, format="d", tickMinStep=1)
    else:
        scale, axis = altair.Scale(type="symlog"), altair.Axis(values=places, grid=False, labelOverlap=True)
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
    measured = any(mark.low is not None for line in curve.lines for mark in line.marks)
    return ((ends + lines) if measured else lines).properties(width=420, height=260)
