"""Each rule by itself, and which comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from horsesense.profiling.finding import ContrastPairs
from horsesense.profiling.verdict_rules import Evidence, judge
from horsesense.stats.intervals import Estimate


def between(low: float, high: float, clusters: int = 200) -> Estimate:
    return Estimate((low + high) / 2, (low, high), 600, clusters, 0.0, 0.99, "made up", 0)


def pairs(same: tuple[float, float], margin: tuple[float, float], clusters: int = 80) -> ContrastPairs:
    """Pairs with opposite keys of which mostly one is right."""
    return ContrastPairs(
        "reversal", 80, 0.06, 0.06, 0.88, between(-0.1, 0.1), between(*same, clusters), between(*margin, clusters)
    )


GUESSER = Evidence(
    accuracy=0.21,
    chance=0.2,
    chance_corrected=between(-0.05, 0.07),
    adjusted=between(-0.06, 0.08),
    floor=-0.05,
    hint=-0.03,
    balance=between(-0.2, 0.2),
    strongest="picking the longest",
    followed={},
    retention={},
    retention_at_95={},
    contrasts=(),
    relatedness_controlled=True,
    power=0.95,
    level=0.99,
)
KNOWER = replace(
    GUESSER,
    accuracy=0.9,
    chance_corrected=between(0.82, 0.94),
    adjusted=between(0.75, 0.93),
    floor=0.76,
    hint=0.78,
    balance=between(-0.9, -0.7),
)
PARTIAL = replace(
    GUESSER,
    accuracy=0.5,
    chance_corrected=between(0.3, 0.45),
    adjusted=between(0.25, 0.45),
    floor=0.26,
    hint=0.3,
    balance=between(-0.5, -0.2),
)


def retested(evidence: Evidence, strict: tuple[float, float] | None, at_95: tuple[float, float]) -> Evidence:
    """The same with a retest: the interval at the level of the page, if it exists, and the one-sided one."""
    page = {} if strict is None else {"in the retest": between(*strict)}
    return replace(evidence, retention=page, retention_at_95={"in the retest": between(*at_95)})


READER = {"picking the longest": between(0.51, 0.9)}
SAME = pairs((0.51, 0.9), (0.1, 0.5))


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (GUESSER, "not above chance"),
        (KNOWER, "knows"),
        (PARTIAL, "partly"),
        (replace(KNOWER, adjusted=between(0.6, 0.99), floor=0.61), "partly"),
        (replace(KNOWER, adjusted=between(0.6, 1.01), floor=0.61), "inconclusive"),
        (replace(KNOWER, adjusted=between(0.6, 1.0 - 1e-13), floor=0.61), "inconclusive"),
        (replace(KNOWER, adjusted=between(0.75, 1.2)), "knows"),
        (replace(KNOWER, adjusted=between(0.65, 1.0), floor=0.67), "knows"),
        # Low power limits claims of absence, and no others.
        (replace(GUESSER, power=0.79), "inconclusive"),
        (replace(GUESSER, adjusted=between(-0.4, 0.5)), "inconclusive"),
        (replace(GUESSER, adjusted=between(-0.05, 0.45)), "inconclusive"),
        (replace(GUESSER, adjusted=between(-0.05, 0.39)), "not above chance"),
        (replace(GUESSER, adjusted=between(-0.02, 0.4), hint=0.03), "inconclusive"),
        (replace(KNOWER, power=0.0), "knows"),
        (replace(PARTIAL, power=0.0), "partly"),
        (replace(GUESSER, followed=READER, power=0.0), "reads cues"),
        (replace(GUESSER, contrasts=(SAME,), power=0.0), "same answer"),
        (replace(KNOWER, adjusted=between(0.75, 0.93, clusters=9)), "inconclusive"),
        # A few items with large weights lift the adjusted score; accuracy itself is not above chance.
        (replace(PARTIAL, chance_corrected=between(-0.01, 0.27)), "inconclusive"),
        (replace(KNOWER, adjusted=between(float("nan"), float("nan"))), "inconclusive"),
        # Cues: the score goes, it is below chance, or a cue is followed or avoided for nothing.
        (replace(GUESSER, chance_corrected=between(0.5, 0.6), balance=between(0.3, 0.7)), "reads cues"),
        (replace(PARTIAL, balance=between(0.01, 0.3)), "reads cues"),
        (replace(PARTIAL, balance=between(-0.01, 0.3)), "partly"),
        (replace(GUESSER, chance_corrected=between(0.01, 0.1)), "inconclusive"),
        (replace(GUESSER, chance_corrected=between(-0.2, -0.01)), "reads cues"),
        (replace(GUESSER, followed={"picking the longest": between(0.49, 0.9)}), "not above chance"),
        (replace(GUESSER, followed={"picking the longest": between(-0.25, -0.13)}), "reads cues"),
        (replace(GUESSER, followed={"picking the longest": between(-0.25, -0.12)}), "not above chance"),
        (replace(KNOWER, followed={"picking the longest": between(0.6, 0.9)}), "knows"),
        # The same answer whichever way it is asked; knowing two pairs of five and a habit for the rest is partly.
        (replace(GUESSER, contrasts=(SAME,)), "same answer"),
        (replace(GUESSER, contrasts=(pairs((0.49, 0.9), (0.1, 0.5)),)), "not above chance"),
        (replace(PARTIAL, contrasts=(pairs((0.51, 0.7), (-0.4, 0.0)),)), "partly"),
        (replace(GUESSER, contrasts=(SAME,), followed=READER), "reads cues"),
        (replace(GUESSER, contrasts=(SAME,), chance_corrected=between(-0.02, -0.01)), "same answer"),
        (replace(GUESSER, contrasts=(pairs((0.51, 0.9), (0.1, 0.5), clusters=9),)), "not above chance"),
        # Other conditions.
        (retested(KNOWER, (0.3, 0.66), (0.4, 0.6)), "not robust"),
        (retested(KNOWER, (0.3, 0.9), (0.4, 0.8)), "inconclusive"),
        (retested(KNOWER, (0.5, 0.9), (0.55, 0.85)), "knows"),
        # A retest of few questions may come out well by luck, or have no interval at the level of the page.
        (retested(KNOWER, (0.2, 1.2), (0.33, 1.07)), "inconclusive"),
        (retested(PARTIAL, (0.2, 1.2), (0.33, 1.07)), "inconclusive"),
        (retested(KNOWER, (0.2, 1.2), (0.34, 1.06)), "knows"),
        (retested(KNOWER, None, (0.0, 0.6)), "inconclusive"),
        (retested(GUESSER, (0.0, 0.1), (0.0, 0.1)), "not above chance"),
        # Without relatedness nothing is known; pairs with opposite keys are nearly immune to it.
        (replace(KNOWER, relatedness_controlled=False), "inconclusive"),
        (replace(PARTIAL, relatedness_controlled=False), "inconclusive"),
        (replace(GUESSER, relatedness_controlled=False), "not above chance"),
        (replace(KNOWER, relatedness_controlled=False, contrasts=(pairs((0.0, 0.1), (-2, -1)),)), "partly"),
    ],
)
def test_each_rule(evidence: Evidence, verdict: str) -> None:
    found = judge(evidence)
    assert found.verdict == verdict
    assert found.reason.endswith(".")
    assert "nan" not in found.reason


def test_same_answer_has_a_sentence_of_its_own() -> None:
    said = judge(replace(GUESSER, contrasts=(SAME,))).reason
    assert "88%" in said
    assert "80 reversal pairs" in said


def test_what_leans_to_another_verdict_is_stated_with_its_interval() -> None:
    """A share of same answers of 73% beside "not above chance" looks like a wrong verdict without the interval."""
    same = pairs((0.4, 0.9), (0.1, 0.5))
    leaning = judge(replace(GUESSER, contrasts=(same,)))
    assert leaning.verdict == "not above chance"
    assert "65% (99% interval [40%, 90%], which includes 50%) of reversal pairs" in leaning.reason
    assert "50%" not in judge(replace(GUESSER, contrasts=(pairs((0.1, 0.6), (0.1, 0.5)),))).reason
