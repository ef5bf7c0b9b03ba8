"""Charts of papers' tables, chosen by the shape of the table: hops, directions of models, a ladder of rungs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from horsesense.data import writing
from horsesense.drawing import BAR, MISS, SCALE, SOFT, need_pictures
from horsesense.errors import UserError, translate_errors
from horsesense.methods.suites.frame import HOPS, PaperTable
from horsesense.stats import Estimate

DIRECTIONS = ("unidirectional", "bidirectional")
RUNGS = {
    "fact": "the fact itself",
    "told": "inference, fact stated",
    "irrelevant": "inference, irrelevant fact stated",
    "inference": "inference",
    "reworded": "inference, rephrased",
}
"""Rungs of a ladder from a bare fact to an inference that needs it."""
_SERIES = ("fact known", "fact not known")
Rates = Mapping[str, Estimate]


def paper_chart(table: PaperTable) -> tuple[str, dict[str, Any]] | None:
    """Return the caption and the drawing of a table; None where it has no chart."""
    if {"fact", "inference"} <= set(table.columns):
        caption = "Accuracy on each rung, for known and for unknown facts. The dashed line is chance."
        return caption, _ladder_table(table)
    if any(HOPS in row.name for row in table.rows):
        return "Accuracy by number of hops, with 95% intervals.", hops_figure(table)
    drawing = direction_chart(table)
    if drawing is None:
        return None
    return "Accuracy on each set by the direction of the model. Open rings are published figures.", drawing


def hops_figure(table: PaperTable) -> dict[str, Any]:
    """Draw one panel per set: accuracy by hops, a series for each kind and distance of distractors."""
    import altair as alt

    marks = []
    for row in table.rows:
        name, _, hops = row.name.partition(HOPS)
        for column, cell in zip(table.columns, row.cells, strict=True):
            if hops and isinstance(cell, Estimate):
                value = {"set": name, "k": int(hops), "distractors": column, "accuracy": cell.value, "n": cell.n}
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
        .configure(background="transparent")
    )
    return _styled(chart)


def direction_chart(table: PaperTable) -> dict[str, Any] | None:
    """Draw one column per set, one mark per model; ours filled, published ones rings. None without directions."""
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
    return _styled(alt.layer(*layers).properties(width=560, height=240, background="transparent"))


def hops_chart(rows: Sequence[Mapping[str, Any]], title: str) -> Any:
    """Draw a line for each kind of distractors, with intervals and chance.

    Rows have k, distractors, accuracy, low, high, n and chance.
    """
    import altair as alt

    data: Any = {"values": [dict(row) for row in rows]}
    base = alt.Chart(data, title=title).encode(
        x=alt.X("k:O", title="hops k"), color=alt.Color("distractors:N", title="distractors, k′")
    )
    y = alt.Y("accuracy:Q", scale=alt.Scale(domain=[0, 1]), title="accuracy")
    bars = base.mark_errorbar().encode(y=alt.Y("low:Q", title="accuracy"), y2="high:Q")
    points = base.mark_line(point=True).encode(y=y, tooltip=["distractors:N", "k:O", "accuracy:Q", "n:Q"])
    chance = alt.Chart(data).mark_rule(strokeDash=[4, 4]).encode(y="mean(chance):Q")
    return bars + points + chance


@translate_errors()
def ladder_chart(panels: Sequence[tuple[str, Sequence[Rates]]]) -> Any:
    """Draw one panel per model: accuracy on each rung where the fact is known, and where it is not, with chance."""
    import altair as alt

    if not panels:
        raise UserError("there is no fact ladder among the probes", fix="build one with the task ladder, and run it")
    drawn = [_panel(title, rates) for title, rates in panels]
    return alt.hconcat(*drawn).configure_view(stroke=None) if len(drawn) > 1 else drawn[0]


def write_ladder(panels: Sequence[tuple[str, Sequence[Rates]]], path: Path) -> Path:
    """Write the ladder chart as SVG or PNG, by the ending of the file."""
    if path.suffix not in (".svg", ".png"):
        raise UserError(f"{path.suffix or 'no ending'!r} is not a kind of picture", file=path, fix="use .svg or .png")
    need_pictures()
    import vl_convert

    drawing = ladder_chart(panels).to_dict()
    with writing(path) as temporary:
        if path.suffix == ".svg":
            temporary.write_text(vl_convert.vegalite_to_svg(drawing), encoding="utf-8")
        else:
            temporary.write_bytes(vl_convert.vegalite_to_png(drawing, scale=SCALE))
    return path


def _ladder_table(table: PaperTable) -> dict[str, Any]:
    """Draw the ladder from its table, models one below the other."""
    import altair as alt

    models: dict[str, list[dict[str, Estimate]]] = {}
    for row in table.rows:
        cells = zip(table.columns, row.cells, strict=True)
        models.setdefault(row.group, []).append({rung: cell for rung, cell in cells if isinstance(cell, Estimate)})
    panels = [_panel(model, rates) for model, rates in models.items()]
    padding = {"left": 30, "right": 10, "top": 5, "bottom": 5}
    return _styled(alt.vconcat(*panels).properties(background="transparent", padding=padding))


def _panel(title: str, rates: Sequence[Rates]) -> Any:
    import altair as alt

    rows = [row for series, own in zip(_SERIES, rates, strict=True) for row in _rows(series, own)]
    base = alt.Chart({"values": rows}, title=title).encode(
        y=alt.Y("rung:N", title=None, sort=list(RUNGS.values()), axis=alt.Axis(labelLimit=240)),
        yOffset=alt.YOffset("kind:N", sort=list(_SERIES)),
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=list(_SERIES), range=[BAR, MISS]),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
    )
    across = alt.Scale(domain=[0, 1])
    low = alt.X("low:Q", scale=across, title="accuracy", axis=alt.Axis(format="%"))
    whiskers = base.mark_rule().encode(x=low, x2="high:Q")
    points = base.mark_point(filled=True, size=60).encode(x=alt.X("value:Q", scale=across))
    half = alt.Chart({"values": [{"at": 0.5}]}).encode(x=alt.X("at:Q", scale=across))
    chance = half.mark_rule(color=SOFT, strokeDash=[4, 4])
    return (chance + whiskers + points).properties(width=300, height=220)


def _rows(kind: str, rates: Rates) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "rung": RUNGS[rung], "value": e.value, "low": e.low, "high": e.high, "n": e.n}
        for rung, e in rates.items()
    ]


def _styled(chart: Any) -> dict[str, Any]:
    drawing: dict[str, Any] = (
        chart.configure_view(stroke=None)
        .configure_axis(labelColor=SOFT, titleColor=SOFT, domainColor=SOFT, tickColor=SOFT)
        .configure_legend(labelColor=SOFT, titleColor=SOFT)
        .configure_title(color=SOFT)
        .to_dict()
    )
    return drawing
