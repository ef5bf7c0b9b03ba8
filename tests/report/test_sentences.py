"""Sentences of the first screen say no more than the intervals do."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.cues import WhereCuesFail, where_cues_fail
from horsesense.cues.artefact_control import ArtefactControl
from horsesense.report.run_text import cue_control, family_verdict, verdict_label
from horsesense.runs.result import Result
from horsesense.stats import Estimate, accuracy
from horsesense.stats.intervals import against_chance


def earned(right: int, n: int, chance: float) -> Estimate:
    return accuracy([float(place < right) for place in range(n)], np.arange(n), chance)


def where(n: int) -> WhereCuesFail:
    return where_cues_fail(np.ones(n), np.arange(n) % 2 == 0, np.arange(n), 0.5)


@pytest.mark.parametrize(
    ("cue", "model", "n", "chance", "claim"),
    [
        (500, 900, 1000, 0.5, "do not explain"),
        (40, 78, 80, 0.5, "do not explain"),
        (3, 5, 5, 0.2, "inconclusive (n = 5)"),
        (500, 540, 1000, 0.5, "inconclusive (n = 1,000)"),
        (3, 2, 5, 0.2, "significantly above chance"),
        (500, 400, 1000, 0.5, "significantly above chance"),
    ],
)
def test_cues_explain_nothing_only_where_they_earn_less(
    cue: int, model: int, n: int, chance: float, claim: str
) -> None:
    control = ArtefactControl(earned(cue, n, chance), earned(model, n, chance), where(n))
    assert not control.cue_works
    claims = [
        each
        for each in ("do not explain", "inconclusive", "significantly above chance")
        if each in cue_control(control)
    ]
    assert claims == [claim.partition(" (")[0]]
    assert claim in cue_control(control)


@pytest.mark.parametrize(
    ("right", "n", "verdict"),
    [
        (3, 5, "inconclusive (n = 5)"),
        (60, 300, "near chance"),
        (290, 300, "above chance"),
        (9, 300, "below chance"),
    ],
)
def test_few_families_are_inconclusive(right: int, n: int, verdict: str) -> None:
    assert f" families: {verdict}. Chance" in family_verdict(earned(right, n, 0.2))


@pytest.mark.parametrize(
    ("right", "n", "chance", "verdict"),
    [
        (14, 20, 0.5, "inconclusive"),  # 70% [49%, 86%]
        (7, 20, 0.2, "inconclusive"),
        (300, 600, 0.5, "near chance"),
        (120, 600, 0.2, "near chance"),
        (360, 600, 0.5, "above chance"),
        (240, 600, 0.5, "below chance"),
    ],
)
def test_absence_of_evidence_is_inconclusive(right: int, n: int, chance: float, verdict: str) -> None:
    """Not above chance needs an interval that excludes a model that knows a quarter and guesses the rest."""
    e = earned(right, n, chance)
    assert against_chance(e) == verdict
    quarter = chance + (1 - chance) / 4
    includes = e.low <= chance <= e.high, e.low <= quarter <= e.high
    assert (verdict == "inconclusive") == (includes == (True, True))
    label = verdict_label(result(e))
    assert label == (f"inconclusive (n = {n})" if verdict == "inconclusive" else verdict)


def result(e: Estimate) -> Result:
    return Result(
        model="m",
        probe="p",
        metric="accuracy",
        normalise="mean",
        accuracy=e,
        plain=None,
        effective_units=float(e.clusters),
        strict=None,
        ties=0,
        unjudged=0,
        sensitivity={},
        spec={},
        format="loglikelihood",
        asked="",
    )
