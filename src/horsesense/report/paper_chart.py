"""Figures of papers made of their tables: figure 1 of CATs (directions), figure 3 of WordNetQA (hops)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horsesense.methods.suites.frame import HOPS, PaperTable
from horsesense.methods.wordnetqa.analysis import HopsCell
from horsesense.report.drawing import BAR, MISS, SOFT
from horsesense.stats import Estimate

DIRECTIONS = ("unidirectional", "bidirectional")


def paper_chart(table: PaperTable) -> dict[str, Any] | None:
    """The figure that a table is drawn as, where it has one."""
    return hops_figure(table) if any(HOPS in row.name for row in table.rows) else direction_chart(table)


def hops_figure(table: PaperTable) -> dict[str, Any]:
    """A panel a set: accuracy by hops, a line for each kind and distance of distractors, with intervals."""
    import altair as alt

    marks = []
    for row in table.rows:
        of, _, hops = row.name.partition(HOPS)
        for column, cell in zip(table.columns, row.cells, strict=True):
            if hops and isinstance(cell, Estimate):
                value = {"set": of, "k": int(hops), "distractors": column, "accuracy": cell.value, "n": cell.n}
                marks.append(value | {"low": cell.low, "high": cell.high})
    base = alt.Chart().encode(
        x=alt.X("k:O", title="hops k", axis=alt.Axis(labelAngle=0)),
        color=alt.Color("distractors:N", title="distractors, k′"),
        xOffset="distractors:N",
    )
    bars = base.mark_rule().encode(y=alt.Y("low:Q", title="accuracy", scale=alt.Scale(domain=[0, 1])), y2="high:Q")
    points = base.mark_point(filled=True, size=45).encode(y="accuracy:Q", tooltip=["distractors:N", "k:O", "n:Q"])
    chart = (
        alt.layer(bars, points, data=alt.InlineData(values=marks))
        .properties(width=260, height=240)
        .facet(column=alt.Column("set:N", title=None))
        .configure_view(stroke=None)
        .configure_axis(labelColor=SOFT, titleColor=SOFT, domainColor=SOFT, tickColor=SOFT)
        .configure_legend(labelColor=SOFT, titleColor=SOFT)
        .configure(background="transparent")
    )
    drawing: dict[str, Any] = chart.to_dict()
    return drawing


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


def hops_chart(cells: Sequence[HopsCell], title: str) -> Any:
    """A line for each kind of distractors, with intervals and chance."""
    import altair as alt

    rows = [
        {
            "k": cell.hops,
            "distractors": name_of(cell),
            "accuracy": cell.accuracy.value,
            "low": cell.accuracy.low,
            "high": cell.accuracy.high,
            "n": cell.accuracy.n,
            "chance": cell.accuracy.chance,
        }
        for cell in cells
    ]
    data: Any = {"values": rows}
    base = alt.Chart(data, title=title).encode(
        x=alt.X("k:O", title="hops k"), color=alt.Color("distractors:N", title="distractors, k′")
    )
    y = alt.Y("accuracy:Q", scale=alt.Scale(domain=[0, 1]), title="accuracy")
    bars = base.mark_errorbar().encode(y=alt.Y("low:Q", title="accuracy"), y2="high:Q")
    points = base.mark_line(point=True).encode(y=y, tooltip=["distractors:N", "k:O", "accuracy:Q", "n:Q"])
    chance = alt.Chart(data).mark_rule(strokeDash=[4, 4]).encode(y="mean(chance):Q")
    return bars + points + chance


def name_of(cell: HopsCell) -> str:
    """How a kind of distractors is told: "sister, k′ 2", "3 aunts"."""
    if cell.near is not None:
        return f"{cell.near} {cell.kind}{'s' if cell.near > 1 else ''}" if cell.near else "none near"
    return f"{cell.kind}, k′ {cell.distance}" if cell.distance else cell.kind
