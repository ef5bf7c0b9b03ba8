"""The page of an item analysis: a map of difficulty and discrimination, suspects with their curves, and the models."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import scipy.special
from markupsafe import Markup

from horsesense.data import write_file
from horsesense.formatting import number
from horsesense.item_analysis.analysis import ItemAnalyses, ItemAnalysis, ItemStatistics, SuspectItem
from horsesense.report.page import bundled, environment

_WIDE, _HIGH, _LEFT, _FOOT = 760, 400, 52, 44
_CURVE_WIDE, _CURVE_HIGH, _TOP = 260, 116, 12
_MOST_DOTS = 6_000
"""Items on the map; of more, every k-th is drawn, and every suspect."""


def write_page(analyses: ItemAnalyses, path: Path) -> Path:
    """Write one HTML file that opens from disk and needs no network."""
    probes = [
        {
            "analysis": each,
            "map": Markup(item_map(each)),
            "curves": [Markup(item_curve(each, suspect)) for suspect in each.suspects],
            "anchors": [_anchor(each, rank) for rank in range(len(each.suspects))],
        }
        for each in analyses.probes
    ]
    values: dict[str, Any] = {
        "analyses": analyses,
        "probes": probes,
        "number": number,
        "style": bundled("style.css"),
        "extra": bundled("item_analysis.css"),
    }
    html = environment().get_template("item_analysis.html.j2").render(values)
    write_file(path, html)
    return path


def _axes(analysis: ItemAnalysis) -> tuple[str, str, list[tuple[float, float]]]:
    """Return the titles of both axes of the map, and the position of each item on them."""
    if analysis.method == "2PL":
        points = [(each.difficulty or 0.0, each.discrimination or 0.0) for each in analysis.items]
        return "difficulty (log odds of a wrong answer)", "discrimination", points
    points = [(1 - each.share, each.item_rest) for each in analysis.items]
    return "share of models that are wrong", "item-rest correlation", points


def item_map(analysis: ItemAnalysis) -> str:
    """Draw all items by difficulty and discrimination; suspects are links to their evidence."""
    across, up, points = _axes(analysis)
    known = np.array([point for point in points if point[1] == point[1]])
    if len(known) < 2:
        return ""
    low, high = known.min(0), known.max(0)
    low, high = np.where(high > low, low, low - 0.5), np.where(high > low, high, high + 0.5)

    def place(point: tuple[float, float]) -> tuple[float, float]:
        x, y = (np.array(point) - low) / (high - low)
        return _LEFT + float(x) * (_WIDE - _LEFT - 12), 10 + (1 - float(y)) * (_HIGH - _FOOT - 14)

    suspects = {each.item: (i, each) for i, each in enumerate(analysis.suspects)}
    every = max(1, len(points) // _MOST_DOTS)
    dots, links = [], []
    for i, (item, point) in enumerate(zip(analysis.items, points, strict=True)):
        if point[1] != point[1]:
            continue
        x, y = place(point)
        if item.item in suspects:
            rank, suspect = suspects[item.item]
            title = escape(suspect.text)
            links.append(
                f'<a href="#{_anchor(analysis, rank)}"><circle class="suspect" cx="{x:.1f}" cy="{y:.1f}" r="4.5">'
                f"<title>{title}</title></circle></a>"
            )
        elif i % every == 0:
            dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2"/>')
    ticks = _ticks(low, high, place)
    return (
        f'<svg class="map" viewBox="0 0 {_WIDE} {_HIGH}" role="group" aria-label="{across} and {up} of '
        f'{len(points):,} items">{ticks}<g class="dots">{"".join(dots)}</g>{"".join(links)}'
        f'<text x="{(_LEFT + _WIDE) / 2}" y="{_HIGH - 6}" text-anchor="middle">{across}</text>'
        f'<text transform="translate(13 {_HIGH / 2 - 15}) rotate(-90)" text-anchor="middle">{up}</text></svg>'
    )


def _ticks(low: Any, high: Any, place: Any) -> str:
    parts = []
    for axis in (0, 1):
        for value in _round_values(float(low[axis]), float(high[axis])):
            point = (value, float(low[1])) if axis == 0 else (float(low[0]), value)
            x, y = place(point)
            label = number(value, ".1f")
            if axis == 0:
                parts.append(f'<text x="{x:.1f}" y="{_HIGH - _FOOT + 18}" text-anchor="middle">{label}</text>')
            else:
                parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
                kind = "zero" if abs(value) < 1e-9 else "line"
                parts.append(f'<line class="{kind}" x1="{_LEFT}" x2="{_WIDE - 12}" y1="{y:.1f}" y2="{y:.1f}"/>')
    return "".join(parts)


def _round_values(low: float, high: float) -> Sequence[float]:
    """Return about five round numbers between two ends.

    >>> _round_values(-1.2, 3.1)
    [-1.0, 0.0, 1.0, 2.0, 3.0]
    """
    step = next((s for s in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0) if (high - low) / s <= 7), 100.0)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [round(i * step, 6) for i in range(first, last + 1)]


def item_curve(analysis: ItemAnalysis, suspect: SuspectItem) -> str:
    """Draw the fitted curve of an item over ability; empty without an item response model."""
    item = next(each for each in analysis.items if each.item == suspect.item)
    abilities = [each.ability for each in analysis.responders if each.ability is not None]
    if item.discrimination is None or item.difficulty is None or not abilities:
        return ""
    low, high = min(abilities) - 0.2, max(abilities) + 0.2
    x = np.linspace(low, high, 40)
    curve = _rates(analysis, item, suspect, x)
    to_x, to_y = (_CURVE_WIDE - 48) / (high - low), _CURVE_HIGH - _TOP - 20
    path = " ".join(f"{42 + (a - low) * to_x:.1f},{_TOP + (1 - p) * to_y:.1f}" for a, p in zip(x, curve, strict=True))
    ends = "".join(f'<text x="38" y="{_TOP + 2 + (1 - p) * to_y}" text-anchor="end">{p:.0%}</text>' for p in (0, 1))
    marks = "".join(
        f'<line class="rug" x1="{42 + (a - low) * to_x:.1f}" x2="{42 + (a - low) * to_x:.1f}" '
        f'y1="{_TOP + to_y}" y2="{_TOP + to_y + 5}"/>'
        for a in abilities
    )
    label = f"Probability of the key over ability, falling from able models: slope {item.discrimination:.2f}"
    if item.discrimination >= 0:
        label = f"Probability of the key over ability: slope {item.discrimination:.2f}"
    return (
        f'<svg class="curve" viewBox="0 0 {_CURVE_WIDE} {_CURVE_HIGH}" role="img" aria-label="{label}">{ends}'
        f'<line class="line" x1="42" x2="{_CURVE_WIDE - 6}" y1="{_TOP + to_y}" y2="{_TOP + to_y}"/>{marks}'
        f'<polyline points="{path}"/><text x="{_CURVE_WIDE / 2 + 14}" y="{_CURVE_HIGH - 3}" text-anchor="middle">'
        "ability of the models</text></svg>"
    )


def _rates(analysis: ItemAnalysis, item: ItemStatistics, suspect: SuspectItem, ability: Any) -> Any:
    floor = 1 / len(suspect.options) if analysis.guessing == "chance" else 0.0
    return floor + (1 - floor) * scipy.special.expit((item.discrimination or 0) * ability - (item.difficulty or 0))


def _anchor(analysis: ItemAnalysis, rank: int) -> str:
    name = "".join(letter if letter.isalnum() else "-" for letter in analysis.probe)
    return f"suspect-{name}-{rank + 1}"
