"""Sentences of the first screen say no more than the intervals do."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.cues import WhereCuesFail, where_cues_fail
from horsesense.cues.artefact_control import Control
from horsesense.report.wording import artefacts, family_verdict
from horsesense.stats import Estimate, accuracy


def earned(right: int, n: int, chance: float) -> Estimate:
    return accuracy([float(place < right) for place in range(n)], np.arange(n), chance)


def where(n: int) -> WhereCuesFail:
    return where_cues_fail(np.ones(n), np.arange(n) % 2 == 0, np.arange(n), 0.5)


@pytest.mark.parametrize(
    ("cue", "model", "n", "chance", "told"),
    [
        (500, 900, 1000, 0.5, "such cues do not explain the score."),
        (40, 78, 80, 0.5, "such cues do not explain the score."),
        (3, 5, 5, 0.2, "with n = 5 it cannot be told whether such cues explain the score."),
        (500, 540, 1000, 0.5, "with n = 1,000 it cannot be told whether such cues explain the score."),
        (3, 2, 5, 0.2, "neither it nor the model has been shown to beat guessing."),
        (500, 400, 1000, 0.5, "neither it nor the model has been shown to beat guessing."),
    ],
)
def test_cues_explain_nothing_only_where_they_earn_less(cue: int, model: int, n: int, chance: float, told: str) -> None:
    control = Control(earned(cue, n, chance), earned(model, n, chance), where(n))
    assert not control.cue_works
    assert artefacts(control).endswith(f": {told}")


@pytest.mark.parametrize(
    ("right", "n", "told"),
    [
        (3, 5, "too few to be told from guessing"),
        (60, 300, "not to be told from guessing"),
        (290, 300, "more than guessing"),
        (9, 300, "less than guessing"),
    ],
)
def test_few_families_are_not_called_guessing(right: int, n: int, told: str) -> None:
    assert family_verdict(earned(right, n, 0.2)).endswith(f": {told}, which gets 20.0\N{NO-BREAK SPACE}%.")
