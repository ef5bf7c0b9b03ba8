"""The grid of a profile, abilities by models, as one SVG for a paper, a README or a model card."""

from __future__ import annotations

from html import escape
from textwrap import wrap

from horsesense.drawing import INK, SOFT
from horsesense.profiling.document import ModelProfile, Profile
from horsesense.report.profile_view import (
    UNJUDGED,
    VERDICTS,
    ProfileCell,
    adjusted_text,
    contamination_status,
    edition_title,
    overall_text,
    rows_of,
)

_TOP, _ROW, _LEFT, _WIDE, _LEGEND = 62, 64, 264, 264, 26
_SANS = "'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif"
_CUE, _LINE = VERDICTS["reads cues"].colour, "#dcd7cb"
_PAD = 14
"""From the edge of a cell to its scale."""
_CHARACTER = 6.9
"""Width of a character of small text."""
_NOTES = (
    "Percentages: accuracy. adj: adjusted score; 0 is chance or a shortcut, 1 is the ceiling. ≠: formats disagree.",
    "Overall: mean over groups of abilities of the adjusted score. Stricter interval: Bonferroni-corrected.",
)


def grid_svg(profile: Profile) -> str:
    """Draw the whole grid as one SVG without external resources."""
    rows = rows_of(profile)
    names = escape(", ".join(model.model for model in profile.models))
    width = _LEFT + _WIDE * len(profile.models) + 16
    legend = _legend(width)
    head = _TOP + _LEGEND * len(legend) + 86
    outside = any(not row.ability.counts for row in rows)
    notes = [line for note in _NOTES for line in wrap(note, int((width - 32) / _CHARACTER))]
    height = head + _ROW * len(rows) + 26 + 20 * len(notes) + (26 if outside else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="{_SANS}" role="img" aria-label="Profile of {names}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(16, 28, "Commonsense profile", 18, INK, weight=600),
        _text(16, 48, f"horsesense {edition_title(profile)}", 13, SOFT),
    ]
    for line, marks in enumerate(legend):
        parts += _legend_line(marks, _TOP + 12 + _LEGEND * line)
    for column, model in enumerate(profile.models):
        parts += _heading(model, _LEFT + column * _WIDE, head)
    top, apart = head, False
    for row in rows:
        if not row.ability.counts and not apart:
            parts.append(_text(16, top + 17, f"Not in the overall score: {UNJUDGED}", 12.5, _CUE))
            top, apart = top + 26, True
        parts.append(f'<line x1="16" x2="{width - 16}" y1="{top}" y2="{top}" stroke="{_LINE}"/>')
        parts.append(_text(16, top + 28, row.ability.title, 14.5, INK, weight=600))
        if row.chance is not None:
            parts.append(_text(16, top + 47, f"chance {100 * row.chance:.0f}%, n = {row.sizes}", 12, SOFT))
        for column, cell in enumerate(row.cells):
            if cell is not None:
                parts += _drawn(cell, _LEFT + column * _WIDE, top)
        top += _ROW
    parts += [_text(16, top + 24 + 20 * line, note, 12, SOFT) for line, note in enumerate(notes)]
    return "\n".join([*parts, "</svg>"])


def _heading(model: ModelProfile, x: float, head: float) -> list[str]:
    scale = [_text(x + _PAD + place * (_WIDE - 2 * _PAD), head - 9, label, 11, SOFT, anchor=anchor)
             for place, label, anchor in ((0, "0", "start"), (0.5, "50", "middle"), (1, "100%", "end"))]  # fmt: skip
    return [
        _text(x + _PAD, head - 62, _shortened(model.model, 24), 15.5, INK, weight=600),
        _text(x + _PAD, head - 44, f"overall {overall_text(model)}", 13, SOFT),
        _text(x + _PAD, head - 27, f"contamination: {contamination_status(model)}", 12, SOFT),
        *scale,
    ]


def _drawn(cell: ProfileCell, x: float, top: float) -> list[str]:
    """Draw accuracy, adjusted score and verdict, and below them the scale with its marks."""
    e, hue = cell.finding.accuracy, cell.style.colour
    left, wide, middle = x + _PAD, _WIDE - 2 * _PAD, top + 46

    def at(value: float) -> float:
        return round(left + wide * min(1.0, max(0.0, value)), 1)

    chip = 6.8 * len(cell.verdict) + 16
    open_ = cell.style.kind == "open"
    score = adjusted_text(cell.adjusted).partition(" ")[0]
    marks = [
        _text(left, top + 26, f"{100 * e.value:.0f}%", 15, INK, weight=600),
        _text(left + 52, top + 26, f"adj {score}{' ≠' if cell.disagreeing else ''}", 11.5, SOFT),
        f'<rect x="{x + _WIDE - _PAD - chip:.1f}" y="{top + 10}" width="{chip:.1f}" height="20" rx="10" '
        + (f'fill="none" stroke="{hue}"/>' if open_ else f'fill="{hue}" fill-opacity="0.14"/>'),
        _text(x + _WIDE - _PAD - chip / 2, top + 24, cell.verdict, 11.5, hue, anchor="middle", weight=600),
        f'<line x1="{left}" x2="{left + wide}" y1="{middle}" y2="{middle}" stroke="{_LINE}"/>',
    ]
    if e.chance is not None:
        marks.append(_chance(at(e.chance), middle))
    marks += _thin(at(cell.strict.low), at(cell.strict.high), middle, hue)
    marks.append(_thick(at(e.low), at(e.high), middle, hue))
    if cell.cue is not None:
        marks.append(_wedge(at(cell.cue), middle))
    if cell.people is not None:
        marks.append(_diamond(at(cell.people), middle))
    marks.append(_dot(at(e.value), middle, hue, open_))
    return marks


def _chance(x: float, y: float) -> str:
    return (
        f'<line x1="{x}" x2="{x}" y1="{y - 9}" y2="{y + 9}" stroke="{SOFT}" stroke-width="1.4" stroke-dasharray="3 2"/>'
    )


def _thin(low: float, high: float, y: float, hue: str) -> list[str]:
    ends = [f'<line x1="{x}" x2="{x}" y1="{y - 3.5}" y2="{y + 3.5}" stroke="{hue}"/>' for x in (low, high)]
    return [f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="{hue}"/>', *ends]


def _thick(low: float, high: float, y: float, hue: str) -> str:
    line = f'x1="{low}" x2="{high}" y1="{y}" y2="{y}"'
    return f'<line {line} stroke="{hue}" stroke-width="3.4" stroke-linecap="round" stroke-opacity="0.75"/>'


def _wedge(x: float, y: float) -> str:
    return f'<path d="M{x - 5} {y + 14} L{x + 5} {y + 14} L{x} {y + 7} Z" fill="{_CUE}"/>'


def _diamond(x: float, y: float) -> str:
    return (
        f'<rect x="{x - 4}" y="{y - 4}" width="8" height="8" fill="#ffffff" stroke="{INK}" '
        f'stroke-width="1.4" transform="rotate(45 {x} {y})"/>'
    )


def _dot(x: float, y: float, hue: str, hollow: bool) -> str:
    fill, stroke = ("#ffffff", hue) if hollow else (hue, "#ffffff")
    return f'<circle cx="{x}" cy="{y}" r="5.4" fill="{fill}" stroke="{stroke}" stroke-width="2"/>'


_MARKS = (
    ("dot", "accuracy"),
    ("thick", "95% interval"),
    ("thin", "stricter interval"),
    ("chance", "chance"),
    ("wedge", "best surface cue"),
    ("diamond", "human accuracy"),
)


def _legend(width: float) -> list[list[tuple[str, str]]]:
    """Break the legend into lines that fit."""
    lines: list[list[tuple[str, str]]] = [[]]
    room = width - 32
    for kind, label in _MARKS:
        wide = 42 + _CHARACTER * len(label)
        if wide > room and lines[-1]:
            lines.append([])
            room = width - 32
        lines[-1].append((kind, label))
        room -= wide
    return lines


def _legend_line(marks: list[tuple[str, str]], y: float) -> list[str]:
    parts, x = [], 24.0
    for kind, label in marks:
        match kind:
            case "dot":
                parts.append(_dot(x, y, SOFT, False))
            case "thick":
                parts.append(_thick(x - 8, x + 8, y, SOFT))
            case "thin":
                parts += _thin(x - 9, x + 9, y, SOFT)
            case "chance":
                parts.append(_chance(x, y))
            case "wedge":
                parts.append(_wedge(x, y - 10))
            case _:
                parts.append(_diamond(x, y))
        parts.append(_text(x + 14, y + 4, label, 12, SOFT))
        x += 42 + _CHARACTER * len(label)
    return parts


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _text(x: float, y: float, text: str, size: float, fill: str, *, anchor: str = "start", weight: int = 400) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )
