"""The fact ladder as a picture: what is right on each rung, of facts that are known and of those that are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from horsesense.data import writing
from horsesense.errors import UserError, translate_errors
from horsesense.methods.rica.analysis import LADDER, Analysis
from horsesense.methods.rica.ladder import LadderAnalysis
from horsesense.methods.suites.frame import PaperTable
from horsesense.report.drawing import BAR, MISS, SCALE, SOFT, need_pictures
from horsesense.stats import Estimate

_NAMES = {
    "fact": "the bare fact",
    "told": "fact told",
    "irrelevant": "told something else",
    "inference": "inference",
    "reworded": "in other words",
}
_SERIES = ("fact known", "fact not known")


@translate_errors()
def ladder_chart(results: Sequence[Analysis]) -> Any:
    """One panel a model: share right on each rung with its interval, and what guessing gives."""
    import altair as alt

    climbed = [(result, result.ladder) for result in results if result.ladder is not None]
    if not climbed:
        raise UserError("there is no fact ladder among the probes", fix="build one with the task ladder, and ask it")
    panels = [
        _panel(f"{result.model}: {_known(ladder)}", (ladder.given_known, ladder.given_unknown))
        for result, ladder in climbed
    ]
    return alt.hconcat(*panels).configure_view(stroke=None) if len(panels) > 1 else panels[0]


def write_ladder(results: Sequence[Analysis], path: Path) -> Path:
    """The picture as a file, SVG or PNG by its ending."""
    if path.suffix not in (".svg", ".png"):
        raise UserError(f"{path.suffix or 'no ending'!r} is no kind of picture", file=path, fix="use .svg or .png")
    need_pictures()
    import vl_convert

    drawing = ladder_chart(results).to_dict()
    with writing(path) as temporary:
        if path.suffix == ".svg":
            temporary.write_text(vl_convert.vegalite_to_svg(drawing), encoding="utf-8")
        else:
            temporary.write_bytes(vl_convert.vegalite_to_png(drawing, scale=SCALE))
    return path


def ladder_of_table(table: PaperTable) -> dict[str, Any] | None:
    """The picture for the page, from the ladder's table: models one below the other. None for another table."""
    import altair as alt

    if table.title != LADDER:
        return None
    models: dict[str, list[dict[str, Estimate]]] = {}
    for row in table.rows:
        cells = zip(table.columns, row.cells, strict=True)
        models.setdefault(row.group, []).append({rung: cell for rung, cell in cells if isinstance(cell, Estimate)})
    panels = [_panel(model, rates) for model, rates in models.items()]
    chart = (
        alt.vconcat(*panels)
        .properties(background="transparent", padding={"left": 30, "right": 10, "top": 5, "bottom": 5})
        .configure_view(stroke=None)
    )
    chart = chart.configure_axis(labelColor=SOFT, titleColor=SOFT, domainColor=SOFT, tickColor=SOFT)
    drawing: dict[str, Any] = chart.configure_legend(labelColor=SOFT).configure_title(color=SOFT).to_dict()
    return drawing


def _known(ladder: LadderAnalysis) -> str:
    return f"{ladder.known.value:.0%} of {ladder.facts:,} facts known"


def _panel(title: str, rates: Sequence[Mapping[str, Estimate]]) -> Any:
    import altair as alt

    rows = [row for series, of in zip(_SERIES, rates, strict=True) for row in _rows(series, of)]
    base = alt.Chart({"values": rows}, title=title).encode(
        y=alt.Y("rung:N", title=None, sort=list(_NAMES.values()), axis=alt.Axis(labelLimit=240)),
        yOffset=alt.YOffset("kind:N", sort=list(_SERIES)),
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=list(_SERIES), range=[BAR, MISS]),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
    )
    across = alt.Scale(domain=[0, 1])
    low = alt.X("low:Q", scale=across, title="share right", axis=alt.Axis(format="%"))
    whiskers = base.mark_rule().encode(x=low, x2="high:Q")
    points = base.mark_point(filled=True, size=60).encode(x=alt.X("value:Q", scale=across))
    half = alt.Chart({"values": [{"at": 0.5}]}).encode(x=alt.X("at:Q", scale=across))
    guessing = half.mark_rule(color=SOFT, strokeDash=[4, 4])
    return (guessing + whiskers + points).properties(width=300, height=220)


def _rows(kind: str, rates: Mapping[str, Estimate]) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "rung": _NAMES[rung], "value": e.value, "low": e.low, "high": e.high, "n": e.n}
        for rung, e in rates.items()
    ]
