"""What a profile says in sentences: true in every case, and without contradicting the numbers beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import horsesense
from horsesense.profiling.abilities import abilities
from horsesense.profiling.conditions import Forecast
from horsesense.profiling.contamination import TELLING, contamination
from horsesense.profiling.document import ModelProfile, ranged, signed, summary
from horsesense.profiling.finding import Verdict, Verdicts
from horsesense.profiling.verdicts import verdicts
from horsesense.report.profile_wording import contamination_sentence, is_doubted
from horsesense.report.wording import points
from horsesense.stats import Estimate
from tests.support.simulated_profiles import MODELS, PAGE, simulated_page


@pytest.fixture(scope="module")
def found() -> Verdicts:
    """A guesser on the abilities that have twins."""
    page = tuple(each for each in PAGE if each.twin)
    return verdicts(simulated_page(np.random.default_rng(0), MODELS[0], page, 0.2), resamples=50)


def _model(found: Verdicts) -> ModelProfile:
    return ModelProfile("m", ("", ""), found, None, None, (), "", "", None)


def test_what_is_said_of_contamination_agrees_with_its_numbers(found: Verdicts) -> None:
    """Guessers and such as have memorised a little, on few clusters and on many."""
    twins = tuple(each for each in PAGE if each.twin)
    kinds = set()
    for seed in range(60):
        model = replace(MODELS[0], memorised=(0.0, 0.1, 0.5)[seed % 3])
        own = simulated_page(np.random.default_rng(seed), model, twins, (0.05, 0.1, 0.2, 3.0)[seed % 4])
        seen = contamination(own[: 1 + seed % 2])
        said = contamination_sentence(_model(replace(found, contamination=seen)))
        assert seen.difference is not None
        assert ("over 1 ability (p" in said) == (len(seen.abilities) == 1)
        assert "1 abilities" not in said
        for least in re.findall(r"difference of ([\d.]+)", said):
            assert float(least) > round(seen.difference.value, 2), said
        claims = [
            "it has met the frozen questions" in said,
            "No contamination was found" in said,
            "to exclude contamination" in said,
        ]
        assert sum(claims) == 1, said
        kinds.add(claims.index(True))
        assert claims[0] == (seen.found or bool(seen.contaminated)), "low power limits only claims of absence"
        assert not claims[1] or (seen.detectable or 1) <= TELLING
    assert kinds == {0, 1, 2}


def _summary(found: Verdicts, *given: Verdict) -> str:
    some = list(abilities())
    own = [
        replace(found.findings[0], ability=name, verdict=verdict) for name, verdict in zip(some, given, strict=False)
    ]
    return " ".join(summary(replace(found, findings=tuple(own)), abilities()))


def test_what_was_hardly_asked_is_not_called_a_lack_of_sense(found: Verdicts) -> None:
    few: Verdict = "inconclusive"
    guesses: Verdict = "not above chance"
    assert "Too few questions were asked to separate knowledge from guessing" in _summary(found, few, few, guesses)
    assert "No knowledge is shown where enough was asked" in _summary(found, few, guesses, guesses)
    assert "No knowledge is shown;" in _summary(found, guesses, guesses, guesses)


def test_one_ability_is_called_by_its_name(found: Verdicts) -> None:
    title = next(iter(abilities().values())).title
    for verdict in ("not above chance", "inconclusive", "partly"):
        said = _summary(found, verdict)
        assert title in said
        assert "abilities" not in said


def test_nothing_that_rounds_to_zero_has_a_minus() -> None:
    e = Estimate(-0.001, (-0.004, 0.63), 10, 10, 0.0, 0.95, "", 0)
    assert ranged(e) == "0.00 (0.00 to 0.63)"
    assert signed(e) == "+0.00 (+0.00 to +0.63)"
    assert ranged(replace(e, ci=(-0.006, 0.63))) == "0.00 (−0.01 to 0.63)"
    assert points(-0.004) == "0"
    source = Path(horsesense.__file__).parent
    bare = [path.name for path in source.rglob("*.py") if re.search(r":\+\d*\.\df\}", path.read_text("utf-8"))]
    assert bare == [], "a format with a sign has a z too"


def test_an_interval_that_leaves_guessing_out_beside_a_verdict_of_guessing_is_seen(found: Verdicts) -> None:
    one = found.findings[0]
    inside = replace(one.accuracy, value=0.6, ci=(0.45, 0.7), chance=0.5)
    outside = replace(inside, value=0.64, ci=(0.55, 0.73))
    guesses: Verdict = "not above chance"
    assert is_doubted(replace(one, accuracy=outside, verdict=guesses))
    assert not is_doubted(replace(one, accuracy=inside, verdict=guesses))
    assert not is_doubted(replace(one, accuracy=outside, verdict="partly"))


def test_a_forecast_says_what_it_covers() -> None:
    assert (
        "asking them takes about 7 s, loading and verdicts come on top"
        in Forecast("m", 36, 900, 7.0, None, None).in_words()
    )
