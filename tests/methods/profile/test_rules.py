"""Each rule by itself, and which comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from horsesense.analysis.intervals import Estimate
from horsesense.methods.profile.rules import Evidence, judge


def between(low: float, high: float, clusters: int = 200) -> Estimate:
    return Estimate((low + high) / 2, (low, high), 600, clusters, 0.0, 0.99, "made up", 0)


GUESSER = Evidence(
    accuracy=0.21,
    chance=0.2,
    surplus=between(-0.05, 0.07),
    beyond=between(-0.06, 0.08),
    balance=between(-0.2, 0.2),
    strongest="picking the longest",
    followed={},
    kept={},
    facts=None,
    used=None,
    level=0.99,
)
KNOWER = replace(
    GUESSER, accuracy=0.9, surplus=between(0.82, 0.94), beyond=between(0.75, 0.93), balance=between(-0.9, -0.7)
)
PARTIAL = replace(
    GUESSER, accuracy=0.5, surplus=between(0.3, 0.45), beyond=between(0.25, 0.45), balance=between(-0.5, -0.2)
)


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (GUESSER, "not to be told from guessing"),
        (KNOWER, "knows"),
        (PARTIAL, "partly"),
        (replace(KNOWER, beyond=between(0.6, 0.99)), "partly"),
        (replace(KNOWER, beyond=between(0.6, 1.01)), "too few items"),
        (replace(KNOWER, beyond=between(0.75, 1.2)), "knows"),
        # Power: a model that knows half has to be found in four draws of five.
        (replace(GUESSER, beyond=between(-0.37, 0.37)), "not to be told from guessing"),
        (replace(GUESSER, beyond=between(-0.39, 0.39)), "too few items"),
        (replace(KNOWER, beyond=between(0.75, 0.93, clusters=9)), "too few items"),
        (replace(KNOWER, beyond=between(float("nan"), float("nan"))), "too few items"),
        # Cues: the surplus goes, it is below chance, or a cue is followed or avoided for nothing.
        (replace(GUESSER, surplus=between(0.5, 0.6), balance=between(0.3, 0.7)), "reads cues"),
        (replace(PARTIAL, balance=between(0.01, 0.3)), "reads cues"),
        (replace(PARTIAL, balance=between(-0.01, 0.3)), "partly"),
        (replace(GUESSER, surplus=between(0.01, 0.1)), "too few items"),
        (replace(GUESSER, surplus=between(-0.2, -0.01)), "reads cues"),
        (replace(GUESSER, followed={"picking the longest": between(0.51, 0.9)}), "reads cues"),
        (replace(GUESSER, followed={"picking the longest": between(0.49, 0.9)}), "not to be told from guessing"),
        (replace(GUESSER, followed={"picking the longest": between(-0.25, -0.13)}), "reads cues"),
        (replace(GUESSER, followed={"picking the longest": between(-0.25, -0.12)}), "not to be told from guessing"),
        (replace(KNOWER, followed={"picking the longest": between(0.6, 0.9)}), "knows"),
        # Other conditions, and facts.
        (replace(KNOWER, kept={"when asked again": between(0.3, 0.66)}), "not robust"),
        (replace(KNOWER, kept={"when asked again": between(0.3, 0.67)}), "knows"),
        (replace(GUESSER, kept={"when asked again": between(0.0, 0.1)}), "not to be told from guessing"),
        (replace(GUESSER, facts=between(0.51, 0.9), used=between(-0.1, 0.49)), "knows the facts but does not use them"),
        (replace(GUESSER, facts=between(0.49, 0.9), used=between(-0.1, 0.2)), "not to be told from guessing"),
        (replace(PARTIAL, facts=between(0.8, 0.9), used=between(0.3, 0.51)), "partly"),
    ],
)
def test_each_rule(evidence: Evidence, verdict: str) -> None:
    found = judge(evidence)
    assert found.verdict == verdict
    assert found.reason.endswith(".")
    assert "nan" not in found.reason
