"""The page of ladders: accuracy by level with the fitted curve, one line per model, and the thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from horsesense.core.document import plain
from horsesense.data import write_file
from horsesense.drawing import SOFT, can_draw, style_chart
from horsesense.errors import UserError
from horsesense.methods.ladders.thresholds import LadderResults, LadderThreshold, interval_text
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.report.charts import svg_of, themed
from horsesense.report.page import bundled, environment

PAGE, DATA = "ladder.html", "ladder.json"
POINTS = 101
"""Points of a fitted curve."""
_APART = 0.07
"""Levels between the dots of two models, so that intervals do not hide each other."""
_COLOURS = ("#2f6f5e", "#a8442a", "#3d5a98", "#8a6d1d", "#6b3f7a", "#1c7c99", "#99506a", "#5f5b54")


def ladder_chart(thresholds: Sequence[LadderThreshold]) -> Any:
    """Draw one ladder: a dot with its interval per level, the fitted curve, and chance; one colour per model."""
    import altair as alt

    if not thresholds:
        raise UserError("there is no such ladder among the results", fix="take a name from results.thresholds")
    names = [_label(each, thresholds) for each in thresholds]
    dots, lines = [], []
    for i, (name, each) in enumerate(zip(names, thresholds, strict=True)):
        beside = _APART * (i - (len(names) - 1) / 2)
        for at in each.levels:
            ends = {"low": at.correct.low, "high": at.correct.high}
            place = {"model": name, "level": at.level + beside}
            dots.append(place | {"correct": at.correct.value, "n": at.correct.n} | ends)
        along = np.linspace(each.levels[0].level, each.levels[-1].level, POINTS)
        shares = each.fit.curve(along)
        pairs = zip(along.tolist(), shares.tolist(), strict=True)
        lines += [{"model": name, "level": level, "correct": share} for level, share in pairs]
    levels = sorted({at.level for each in thresholds for at in each.levels})
    colour = alt.Color(
        "model:N",
        scale=alt.Scale(domain=names, range=[_COLOURS[i % len(_COLOURS)] for i in range(len(names))]),
        legend=alt.Legend(title=None, orient="top", labelLimit=300),
    )
    x = alt.X("level:Q", title="level", axis=alt.Axis(values=levels, format="d"))
    y = alt.Y("correct:Q", title="families correct", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    whole = alt.Scale(domain=[0, 1])
    base = alt.Chart({"values": dots}).encode(x=x, color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(y=y, tooltip=["model:N", "level:Q", "n:Q"])
    rules = base.mark_rule(opacity=0.5).encode(y=alt.Y("low:Q", scale=whole, title="families correct"), y2="high:Q")
    curves = alt.Chart({"values": lines}).mark_line().encode(x=x, y=y, color=colour)
    guess = alt.Chart({"values": [{"chance": thresholds[0].levels[0].correct.chance}]})
    chance = guess.mark_rule(color=SOFT, strokeDash=[4, 4]).encode(y=alt.Y("chance:Q", scale=whole))
    return chance + rules + curves + points


def _label(threshold: LadderThreshold, others: Sequence[LadderThreshold]) -> str:
    """Name a model, with its prompt format where it was asked in several."""
    several = sum(each.model == threshold.model for each in others) > 1
    return f"{threshold.model} ({threshold.format})" if several else threshold.model


def _by_ladder(results: LadderResults) -> dict[str, list[LadderThreshold]]:
    names = dict.fromkeys(each.ladder for each in results.thresholds)
    return {name: [each for each in results.thresholds if each.ladder == name] for name in names}


def ladder_svgs(results: LadderResults, progress: Progress = NO_PROGRESS) -> dict[str, str]:
    """Draw each ladder as SVG; nothing where the library that draws it is not installed, with a message."""
    if not can_draw(progress, "the page has no charts"):
        return {}
    return {name: svg_of(style_chart(ladder_chart(own), 460, 280)) for name, own in _by_ladder(results).items()}


def write_ladders(results: LadderResults, folder: Path, progress: Progress = NO_PROGRESS) -> LadderResults:
    """Write page, pictures and JSON; return the results with their paths."""
    ladders = _by_ladder(results)
    svgs = ladder_svgs(results, progress)
    pictures = {name: folder / f"ladder-{name}.svg" for name in svgs}
    for name, path in pictures.items():
        write_file(path, svgs[name])
    values = {
        "results": results,
        "ladders": {name: (own, [_label(each, own) for each in own]) for name, own in ladders.items()},
        "charts": {name: themed(svg) for name, svg in svgs.items()},
        "interval_text": interval_text,
        "style": bundled("style.css"),
    }
    write_file(folder / PAGE, environment().get_template("ladder.html.j2").render(values))
    written = replace(results, page=folder / PAGE, pictures=tuple(pictures.values()))
    write_file(folder / DATA, orjson.dumps(plain(written), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return written
