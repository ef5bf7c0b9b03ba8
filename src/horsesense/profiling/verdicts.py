"""From sheets to findings: every number with its interval, and one verdict an ability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from horsesense.errors import UserError
from horsesense.profiling.askings import second_askings, shown, use_of_facts, whole_families
from horsesense.profiling.finding import Explanation, Finding, Memory, Verdicts
from horsesense.profiling.memory import frozen_less_twin, memory
from horsesense.profiling.number import differences, one_number
from horsesense.profiling.rules import Evidence, judge
from horsesense.profiling.sheet import Bools, Sheet
from horsesense.profiling.surplus import (
    BLIND,
    Linear,
    Split,
    beyond_all,
    explanations,
    leaning,
    leaves,
    linear,
    side_masks,
    split,
)
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate
from horsesense.stats.resampling import RESAMPLES, Floats

__all__ = ["differences", "finding", "one_number", "verdicts"]

ALPHA = 0.05
"""How often a whole page may be wrong somewhere."""
NAN = float("nan")


def verdicts(sheets: Sequence[Sheet], level: float = 0.95, seed: int = 0, resamples: int = RESAMPLES) -> Verdicts:
    """All that is found of one model: its abilities, its memory of the frozen halves, its one number."""
    if not sheets:
        raise UserError("there is nothing to judge", fix="give one sheet an ability")
    if len({sheet.model for sheet in sheets}) > 1:
        raise UserError("the sheets are of several models", fix="judge one model at a time")
    for sheet in sheets:
        if not len(sheet):
            raise UserError(f"{sheet.ability} has no items", fix="leave it out of the page")
    remembered = memory(sheets, level)
    sure = page_level(len(sheets))
    judged = [judged_half(sheet, remembered, sure) for sheet in sheets]
    findings = tuple(
        finding(used, whole, sure, level, seed, resamples) for used, whole in zip(judged, sheets, strict=True)
    )
    number = one_number(judged, level, seed, resamples)
    return Verdicts(sheets[0].model, findings, remembered, number, level, sure)


def page_level(abilities: int) -> float:
    """How sure each claim has to be: two are made of an ability, that it reads and that it knows (Bonferroni).

    >>> round(page_level(6), 4)
    0.9958
    """
    return 1 - ALPHA / (2 * abilities)


def judged_half(sheet: Sheet, remembered: Memory, sure: float) -> Sheet:
    """The sheet, or its twin half where the frozen one is remembered, in all abilities together or in this one."""
    own = frozen_less_twin([sheet], sure)
    if sheet.twin is None or own is None or not remembered.told or not (remembered.found or own.low > 0):
        return sheet
    return sheet.take(sheet.twin)


def finding(
    sheet: Sheet, whole: Sheet, sure: float, level: float, seed: int = 0, resamples: int = RESAMPLES
) -> Finding:
    """One ability: ``sheet`` is what the verdict rests on, ``whole`` has both halves."""
    surpluses = Surpluses(sheet, seed, resamples)
    surplus, chance = surpluses.plain, float(sheet.chance.mean())
    found = judge(evidence(surpluses, sure))
    told = tuple(_explanation(name, surpluses, level) for name in surpluses.columns)
    return Finding(
        model=sheet.model,
        ability=sheet.ability,
        method=sheet.method,
        n=len(sheet),
        half="all" if len(sheet) == len(whole) else "twin",
        accuracy=_rate(sheet, np.ones(len(sheet), dtype=bool), sheet.right, level, seed, resamples),
        reachable=1.0 if sheet.bad is None else 1 - sheet.bad.value * (1 - chance),
        surplus=surplus.estimate(level, seed),
        beyond=surpluses.estimate(0, 1, level),
        explanations=told,
        askings=shown(sheet, level, seed, resamples),
        families=whole_families(sheet, level, seed, resamples),
        facts=use_of_facts(sheet, level, seed, resamples),
        twin=frozen_less_twin([whole], level),
        people=sheet.people,
        bad=sheet.bad,
        judged=sheet.judged,
        verdict=found.verdict,
        reasons=(found.reason, *_remarks(sheet, whole)),
        power=found.power,
    )


class Surpluses:
    """The surplus of a sheet, what is left beyond all explanations at once, and beyond each by itself."""

    def __init__(self, sheet: Sheet, seed: int = 0, resamples: int = RESAMPLES) -> None:
        self.sheet, self.seed, self.resamples = sheet, seed, resamples
        self.columns = explanations(sheet)
        self.plain = self._rates(split(sheet))
        self.beyond = beyond_all(sheet)
        self.rates = self._rates(self.beyond)

    def _rates(self, part: Split) -> Linear:
        return linear([(part, part.plain)], self.seed, self.resamples)

    def alone(self, name: str) -> tuple[Linear, Split]:
        """The rates on the sides of one explanation."""
        part = split(self.sheet, self.columns[name][0])
        return self._rates(part), part

    def estimate(self, plain: float, left: float, level: float, of: tuple[Linear, Split] | None = None) -> Estimate:
        """So many times the plain surplus plus so many times what is left; nan where nobody knows."""
        rates, part = (self.rates, self.beyond) if of is None else of
        if part.left is None:
            note = "a cue is right wherever it speaks, so nothing can be told beyond it"
            return Estimate(NAN, (NAN, NAN), len(self.sheet), self.plain.units, 0.0, level, "none", self.seed, note)
        return rates.weighed(plain * part.plain + left * part.left).estimate(level, self.seed)

    def followed(self, name: str, level: float) -> Estimate | None:
        """The share of answers that follow an explanation, below 0 where they avoid it; None where it has one side.

        Whoever knows some items, answers others by a cue and guesses the rest, is more often right where the cue is
        right than where it is wrong by the share that is answered by the cue.
        """
        rates, part = self.alone(name)
        column, chance = self.columns[name][0], self.sheet.chance
        earned = np.array([column[mask].mean() for mask in part.masks])
        gains = np.array([leaning(column[mask], chance[mask]) for mask in part.masks])
        if not ((gains > 0).any() and (gains < 0).any()):
            return None
        weights = np.sign(gains) / (earned[gains > 0][0] - earned[gains < 0][0])
        return replace(rates, weights=weights, chance=np.zeros(len(gains)), bad=np.zeros(1)).estimate(level, self.seed)

    def strongest(self) -> str:
        """The explanation that leaves least, as the reader is told; empty where there is none."""
        values = {name: leaves(split(self.sheet, column)) for name, (column, _) in self.columns.items()}
        return min(values, key=lambda name: values[name], default="")


def evidence(surpluses: Surpluses, sure: float) -> Evidence:
    """What the rules look at, at the level that keeps the page right; what is searched pays for the search."""
    sheet, seed, resamples = surpluses.sheet, surpluses.seed, surpluses.resamples
    seconds = second_askings(sheet)
    strict = 1 - (1 - sure) / max(1, len(seconds))
    shares = {second.name: second.kept(sheet, strict) for second in seconds}
    facts = use_of_facts(sheet, sure, seed, resamples)
    beyond = surpluses.estimate(0, 1, sure)
    # What is followed matters where nothing is left beyond; not for the model without the question, as whoever does
    # not know an answer falls back on what it would say anyway.
    cues = [name for name in surpluses.columns if name != BLIND and not beyond.low > 0]
    follows = {name: surpluses.followed(name, 1 - (1 - sure) / len(cues)) for name in cues}
    return Evidence(
        accuracy=float(sheet.right.mean()),
        chance=float(sheet.chance.mean()),
        surplus=surpluses.plain.estimate(sure, seed),
        beyond=beyond,
        balance=surpluses.estimate(1, -2, sure),
        strongest=surpluses.strongest(),
        followed={name: share for name, share in follows.items() if share is not None},
        kept={name: share for name, share in shares.items() if share is not None},
        facts=None if facts is None else facts.surplus,
        used=None if facts is None else facts.used,
        level=sure,
    )


def _explanation(name: str, surpluses: Surpluses, level: float) -> Explanation:
    sheet, seed, resamples = surpluses.sheet, surpluses.seed, surpluses.resamples
    column, tried = surpluses.columns[name]
    right, wrong, _ = side_masks(column, sheet.chance)
    alone = surpluses.alone(name)
    return Explanation(
        name=name,
        tried=tried,
        accuracy=_rate(sheet, np.ones(len(sheet), dtype=bool), column, level, seed, resamples),
        where_right=_rate(sheet, right, sheet.right, level, seed, resamples) if right.any() else None,
        where_wrong=_rate(sheet, wrong, sheet.right, level, seed, resamples) if wrong.any() else None,
        left=surpluses.estimate(0, 1, level, alone),
        gone=surpluses.estimate(1, -1, level, alone),
        followed=surpluses.followed(name, level),
    )


def _rate(sheet: Sheet, mask: Bools, earned: Floats, level: float, seed: int, resamples: int) -> Estimate:
    crossed = None if sheet.crossed is None else sheet.crossed[mask]
    chance = float(sheet.chance[mask].mean())
    return accuracy(earned[mask], sheet.units[mask], chance, level, seed, resamples, crossed)


def _remarks(sheet: Sheet, whole: Sheet) -> tuple[str, ...]:
    """What else has to be known beside a verdict."""
    said = []
    if len(sheet) < len(whole):
        said.append("The frozen half does better than its twin, so the twin half alone is judged.")
    elif whole.twin is None:
        said.append("There is no twin half here, so memory of the items cannot be told from knowledge.")
    if not sheet.cues:
        said.append("No cue was held against it.")
    if not second_askings(sheet):
        said.append("It was asked once and in one way, so robustness was not looked at.")
    if not sheet.judged:
        said.append("Nobody has judged these items, so they stay outside the one number.")
    return tuple(said)
