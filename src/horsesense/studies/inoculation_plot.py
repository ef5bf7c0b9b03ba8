"""The learning curves of an inoculation as a picture (WordNetQA, figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from horsesense.files import writing
from horsesense.studies.inoculation_kept import CurvePoint


def draw_curves(points: Sequence[CurvePoint], path: Path) -> None:
    """Accuracy over k: the probe with solid lines, the original task with dashed ones; SVG, PNG or JSON by ending."""
    chart = _chart(points)
    with writing(path) as temporary:
        if path.suffix == ".json":
            temporary.write_text(chart.to_json(), encoding="utf-8")
        else:
            chart.save(str(temporary), format="png" if path.suffix == ".png" else "svg")


def _chart(points: Sequence[CurvePoint]) -> Any:
    import altair

    rows = []
    for point in points:
        # The model as it was begins every curve.
        settings = sorted({one.setting for one in points if one.k}) if point.k == 0 else [point.setting]
        for setting in settings:
            for task, value in (("probe", point.new), ("original task", point.original)):
                rows.append({"setting": setting, "k": point.k, "task": task, "accuracy": value})
    return (
        altair.Chart({"values": rows})
        .mark_line(point=True)
        .encode(
            x=altair.X(
                "k:Q",
                scale=altair.Scale(type="symlog"),
                axis=altair.Axis(values=sorted({point.k for point in points}), grid=False),
                title="examples of the probe",
            ),
            y=altair.Y("accuracy:Q", scale=altair.Scale(domain=[0, 1])),
            color=altair.Color("setting:N"),
            strokeDash=altair.StrokeDash(
                "task:N", sort=["probe", "original task"], legend=altair.Legend(symbolType="stroke")
            ),
        )
        .properties(width=420, height=260)
    )
