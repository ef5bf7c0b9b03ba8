"""What a profile says in sentences: true in every case, and without contradicting the numbers beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import horsesense
from horsesense.analysis import Estimate
from horsesense.methods.profile.abilities import abilities
from horsesense.methods.profile.document import ModelProfile, ranged, signed, summary
from horsesense.methods.profile.finding import Verdict, Verdicts
from horsesense.methods.profile.contamination import memory
from horsesense.methods.profile.conditions import Forecast
from horsesense.methods.profile.verdicts import verdicts
from horsesense.report.profile_wording import is_doubted, memory_sentence
from horsesense.report.wording import points
from tests.support.simulated_profiles import MODELS, PAGE, sheets


@pytest.fixture(scope="module")
def found() -> Verdicts:
    """A guesser on the abilities that have twins."""
    page = tuple(each for each in PAGE if each.twin)
    return verdicts(sheets(np.random.default_rng(0), MODELS[0], page, 0.2), resamples=50)


def _model(found: Verdicts) -> ModelProfile:
    return ModelProfile("m", ("", ""), found, None, None, (), "", "", None)


def test_what_is_said_of_memory_agrees_with_its_numbers(found: Verdicts) -> None:
    """Guessers and such as remember a little, on few groups and on many."""
    twins = tuple(each for each in PAGE if each.twin)
    kinds = set()
    for seed in range(60):
        model = replace(MODELS[0], remembers=(0.0, 0.1, 0.3)[seed % 3])
        own = sheets(np.random.default_rng(seed), model, twins, (0.05, 0.1, 0.2, 1.0)[seed % 4])
        seen = memory(own[: 1 + seed % 2])
        said = memory_sentence(_model(replace(found, memory=seen)))
        assert seen.difference is not None
        assert ("over 1 ability (p" in said) == (len(seen.abilities) == 1)
        assert "1 abilities" not in said
        for least in re.findall(r"difference of ([\d.]+)", said):
            assert float(least) > round(seen.difference.value, 2), said
        claims = [
            "It has met the frozen questions" in said,
            "Nothing says" in said,
            "not called memory" in said,
            "So few groups do not tell" in said,
        ]
        assert sum(claims) == 1, said
        kinds.add(claims.index(True))
        if not seen.found and seen.p < 0.025:
            assert "enough of them to find one of 0.10" in said, "why p alone does not settle it"
        if seen.told and not seen.found and seen.p < 0.05:
            assert "p would have to be below 0.025" in said
    assert kinds == {0, 1, 2, 3}


def test_p_below_one_in_twenty_that_is_not_called_memory_names_its_level(found: Verdicts) -> None:
    assert found.memory.difference is not None
    near = replace(found.memory.difference, value=0.03, ci=(-0.001, 0.061))
    seen = replace(found.memory, difference=near, p=0.029, told=True, found=False, detectable=0.044)
    said = memory_sentence(_model(replace(found, memory=seen)))
    assert said.endswith("before: p would have to be below 0.025; a difference of 0.04 would be found.")


def _summary(found: Verdicts, *given: Verdict) -> str:
    some = list(abilities())
    own = [
        replace(found.findings[0], ability=name, verdict=verdict) for name, verdict in zip(some, given, strict=False)
    ]
    return " ".join(summary(replace(found, findings=tuple(own)), abilities()))


def test_what_was_hardly_asked_is_not_called_a_lack_of_sense(found: Verdicts) -> None:
    few: Verdict = "too few items"
    guesses: Verdict = "not to be told from guessing"
    assert "So too little was asked to tell sense from guessing" in _summary(found, few, few, guesses)
    assert "So no common sense is shown where enough was asked" in _summary(found, few, guesses, guesses)
    assert "So no common sense is shown, and" in _summary(found, guesses, guesses, guesses)


def test_one_ability_is_called_by_its_name(found: Verdicts) -> None:
    title = next(iter(abilities().values())).title
    for verdict in ("not to be told from guessing", "too few items", "partly"):
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
    guesses: Verdict = "not to be told from guessing"
    assert is_doubted(replace(one, accuracy=outside, verdict=guesses))
    assert not is_doubted(replace(one, accuracy=inside, verdict=guesses))
    assert not is_doubted(replace(one, accuracy=outside, verdict="partly"))


def test_a_forecast_says_what_it_covers() -> None:
    assert (
        "asking them takes about 7 s, loading and verdicts come on top"
        in Forecast("m", 36, 900, 7.0, None, None).in_words()
    )
