"""The grid of a profile, abilities × models: as values for the page, and as one picture for a paper or a model card."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import isnan
from typing import Literal

from horsesense.profiling.document import ModelProfile, ProfiledAbility, ProfileDocument, ranged
from horsesense.profiling.finding import Finding, Verdict
from horsesense.report.drawing import BAR, INK, SOFT

Kind = Literal["above", "part", "cue", "like", "open"]
KINDS: dict[Verdict, Kind] = {
    "knows": "above",
    "partly": "part",
    "not robust": "cue",
    "same answer": "cue",
    "reads cues": "cue",
    "contaminated": "cue",
    "not above chance": "like",
    "inconclusive": "open",
}
"""How a verdict is coloured."""
CHIPS: dict[Verdict, str] = {verdict: verdict for verdict in KINDS}
"""What a chip says."""
MEANINGS: dict[Verdict, str] = {
    "knows": "significantly more than two thirds of what can be known, beyond all controls",
    "partly": "something is known beyond all controls, and significantly not everything",
    "not robust": "something is known, and significantly less than two thirds of it in another condition",
    "same answer": "it gives the same answer whichever way it is asked: negation, reversal or context is ignored",
    "reads cues": "answers follow a surface cue, relatedness or the bare options, whether that pays or not",
    "contaminated": "the frozen questions are right significantly more often than their twins",
    "not above chance": "nothing significant is left beyond the controls; a model that knew half would have been found",
    "inconclusive": "the interval is wide or the power low, so neither knowledge nor its absence is shown",
}
"""What a chip means, in short; docs/concepts/verdicts.md has the rules."""
NOT_JUDGED = "no person has judged these items"


@dataclass(frozen=True, slots=True)
class ProfileCell:
    """One ability of one model."""

    model: ModelProfile
    finding: Finding
    key: str
    """What its card is called in the page."""
    kind: Kind
    chip: str
    cue: float | None
    """What the best cue gets."""
    people: float | None
    """What people get."""


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One ability of all models."""

    ability: ProfiledAbility
    cells: tuple[ProfileCell | None, ...]

    @property
    def chance(self) -> float | None:
        """What guessing gives, where it gives everybody the same."""
        return next((cell.finding.accuracy.chance for cell in self.cells if cell is not None), None)


def rows_of(profile: ProfileDocument) -> list[ProfileRow]:
    """A row an ability, those of the overall score first."""
    rows = []
    for number, ability in enumerate(sorted(profile.abilities, key=lambda each: not each.counts)):
        cells = []
        for column, model in enumerate(profile.models):
            found = next((each for each in model.verdicts.findings if each.ability == ability.name), None)
            cells.append(None if found is None else _cell(model, found, f"{number}-{column}"))
        rows.append(ProfileRow(ability, tuple(cells)))
    return rows


def _cell(model: ModelProfile, found: Finding, key: str) -> ProfileCell:
    cue = next((each.accuracy.value for each in found.explanations if each.kind == "cue"), None)
    people = None if found.people is None else found.people.value
    return ProfileCell(model, found, key, KINDS[found.verdict], CHIPS[found.verdict], cue, people)


# The picture.

_HEAD, _ROW, _LEFT, _WIDE, _FOOT = 128, 58, 322, 252, 66
_SANS = "'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif"
_CUE, _LINE, _PART = "#8a5a0c", "#dcd7cb", "#6f9a3c"
_HUES: dict[Kind, str] = {"above": BAR, "part": _PART, "cue": _CUE, "like": SOFT, "open": "#a8a294"}
_PAD = 14
"""From the edge of a cell to its scale."""


def grid_svg(profile: ProfileDocument) -> str:
    """The whole grid as one SVG that needs nothing else."""
    rows = rows_of(profile)
    names = escape(", ".join(model.model for model in profile.models))
    width = _LEFT + _WIDE * len(profile.models) + 16
    outside = any(not row.ability.counts for row in rows)
    height = _HEAD + _ROW * len(rows) + _FOOT + (26 if outside else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="{_SANS}" role="img" aria-label="Profile of {names}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(16, 32, "Common sense, or clever Hans?", 17, INK, weight=600),
        _text(
            16,
            82,
            f"horsesense profile {profile.version}, {profile.edition}{'' if profile.complete else ', a part of it'}",
            12,
            SOFT,
        ),
    ]
    for column, model in enumerate(profile.models):
        parts += _heading(model, _LEFT + column * _WIDE)
    top, said = _HEAD, False
    for row in rows:
        if not row.ability.counts and not said:
            parts.append(_text(16, top + 17, f"outside the overall score: {NOT_JUDGED}", 11, _CUE))
            top, said = top + 26, True
        parts.append(f'<line x1="16" x2="{width - 16}" y1="{top}" y2="{top}" stroke="{_LINE}"/>')
        parts.append(_text(16, top + 26, row.ability.title, 13, INK, weight=600))
        parts.append(_text(16, top + 43, _shortened(row.ability.sentence, 56), 10.5, SOFT))
        for column, cell in enumerate(row.cells):
            if cell is not None:
                parts += _drawn(cell, _LEFT + column * _WIDE, top)
        top += _ROW
    parts += _legend(top + 22, width)
    return "\n".join([*parts, "</svg>"])


def _heading(model: ModelProfile, x: float) -> list[str]:
    overall = model.verdicts.overall
    told = "no overall score" if overall is None else f"overall {ranged(overall.value)}"
    scale = [_text(x + _PAD + place * (_WIDE - 2 * _PAD), _HEAD - 9, label, 9.5, SOFT, anchor=anchor)
             for place, label, anchor in ((0, "0", "start"), (0.5, "50", "middle"), (1, "100 %", "end"))]  # fmt: skip
    return [
        _text(x + _PAD, 66, _shortened(model.model, 28), 14, INK, weight=600),
        _text(x + _PAD, 85, told, 12, SOFT),
        *scale,
    ]


def _drawn(cell: ProfileCell, x: float, top: float) -> list[str]:
    """Value and chip, and below them the scale: interval, dot, guessing, best cue and people."""
    e, hue = cell.finding.accuracy, _HUES[cell.kind]
    left, wide, middle = x + _PAD, _WIDE - 2 * _PAD, top + 42

    def at(value: float) -> float:
        return round(left + wide * value, 1)

    chip = 6.3 * len(cell.chip) + 16
    marks = [
        _text(left, top + 24, f"{100 * e.value:.0f} %", 14, INK, weight=600),
        _text(left + 48, top + 24, f"n {cell.finding.n:,}", 10, SOFT),
        f'<rect x="{x + _WIDE - _PAD - chip:.1f}" y="{top + 9}" width="{chip:.1f}" height="19" rx="9.5" fill="{hue}" '
        f'fill-opacity="0.14"/>',
        _text(x + _WIDE - _PAD - chip / 2, top + 22.5, cell.chip, 11, hue, anchor="middle", weight=600),
        f'<line x1="{left}" x2="{left + wide}" y1="{middle}" y2="{middle}" stroke="{_LINE}"/>',
    ]
    if e.chance is not None:
        place = at(e.chance)
        marks.append(
            f'<line x1="{place}" x2="{place}" y1="{middle - 9}" y2="{middle + 9}" stroke="{SOFT}" stroke-width="1.4" '
            f'stroke-dasharray="3 2"/>'
        )
    marks.append(
        f'<line x1="{at(e.low)}" x2="{at(e.high)}" y1="{middle}" y2="{middle}" stroke="{hue}" stroke-width="3.4" '
        f'stroke-linecap="round" stroke-opacity="0.75"/>'
    )
    if cell.cue is not None:
        place = at(cell.cue)
        marks.append(
            f'<path d="M{place - 5} {middle + 10} L{place + 5} {middle + 10} L{place} {middle + 3} Z" fill="{_CUE}"/>'
        )
    if cell.people is not None and not isnan(cell.people):
        place = at(cell.people)
        marks.append(
            f'<rect x="{place - 4}" y="{middle - 4}" width="8" height="8" fill="#ffffff" stroke="{INK}" '
            f'stroke-width="1.4" transform="rotate(45 {place} {middle})"/>'
        )
    hollow = cell.kind == "open"
    marks.append(
        f'<circle cx="{at(e.value)}" cy="{middle}" r="5.4" fill="{"#ffffff" if hollow else hue}" '
        f'stroke="{hue if hollow else "#ffffff"}" stroke-width="2"/>'
    )
    return marks


def _legend(y: float, width: float) -> list[str]:
    lines = [
        "● share right with its 95 % interval    ┆ guessing    ▲ the best cue, which understands nothing    ◇ people",
        "Overall score: what is known beyond all controls, from 0 (guessing) to 1 (ceiling).",
    ]
    if width < 620:
        lines = [
            "● share right, 95 % interval   ┆ guessing   ▲ the best cue   ◇ people",
            "Overall score: beyond all controls, from 0 (guessing) to 1.",
        ]
    return [_text(16, y + 20 * place, line, 10.5, SOFT) for place, line in enumerate(lines)]


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _text(x: float, y: float, text: str, size: float, fill: str, *, anchor: str = "start", weight: int = 400) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )
