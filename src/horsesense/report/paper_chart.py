"""Figure 1 of CATs: accuracy on each set, models of one direction beside those of the other."""

from __future__ import annotations

from typing import Any

from horsesense.analysis import Estimate
from horsesense.methods.suites.frame import PaperTable
from horsesense.report.charts import BAR, MISS, SOFT

DIRECTIONS = ("unidirectional", "bidirectional")


def direction_chart(table: PaperTable) -> dict[str, Any] | None:
    """One column a set, one mark a model; ours filled, published ones rings. None where rows have no direction."""
    import altair as alt

    marks = [
        {
            "set": column,
            "accuracy": cell.value if isinstance(cell, Estimate) else cell,
            "model": row.name,
            "direction": row.group,
            "whose": "measured here" if row.kind == "ours" else "published",
        }
        for row in table.rows
        if row.group in DIRECTIONS
        for column, cell in zip(table.columns, row.cells, strict=True)
        if cell is not None
    ]
    if len({mark["direction"] for mark in marks}) < 2:
        return None
    colour = alt.Color(
        "direction:N",
        scale=alt.Scale(domain=list(DIRECTIONS), range=[MISS, BAR]),
        legend=alt.Legend(orient="top", title=None),
    )
    layers = [
        alt.Chart({"values": [mark for mark in marks if mark["whose"] == whose]})
        .mark_point(size=60, filled=whose == "measured here")
        .encode(
            x=alt.X("set:N", title=None, sort=list(table.columns), axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("direction:N", scale=alt.Scale(domain=list(DIRECTIONS))),
            y=alt.Y("accuracy:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
            color=colour,
        )
        for whose in ("published", "measured here")
    ]
    chart = (
        alt.layer(*layers)
        .properties(width=560, height=240, background="transparent")
        .configure_view(stroke=None)
        .configure_axis(labelColor=SOFT, titleColor=SOFT, domainColor=SOFT, tickColor=SOFT)
        .configure_legend(labelColor=SOFT)
    )
    drawing: dict[str, Any] = chart.to_dict()
    return drawing
