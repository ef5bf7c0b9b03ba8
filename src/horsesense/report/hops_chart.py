"""Figure 3 of WordNetQA: accuracy by the hops k between question and answer, for each kind and distance k′."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horsesense.methods.wordnetqa.analysis import HopsCell


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
