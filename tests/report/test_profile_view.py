"""What a profile says: true in every case, and without contradicting the numbers beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import horsesense
from horsesense.formatting import points
from horsesense.profiling.document import ModelProfile
from horsesense.profiling.finding import AbilityFinding, Verdicts
from horsesense.profiling.verdicts import verdicts
from horsesense.report import profile_view as view
from horsesense.stats import Estimate, accuracy
from horsesense.stats.intervals import at_level
from tests.support.simulated_profiles import MODELS, PAGE, simulated_page


@pytest.fixture(scope="module")
def found() -> Verdicts:
    """A guesser on the abilities that have twins."""
    page = tuple(each for each in PAGE if each.twin)
    return verdicts(simulated_page(np.random.default_rng(0), MODELS[0], page, 0.2), resamples=50)


def _model(found: Verdicts) -> ModelProfile:
    return ModelProfile("m", ("", ""), found, None, None, (), None, (), None, (), "", "", None)


def _cell(finding: AbilityFinding, found: Verdicts) -> view.ProfileCell:
    return view._cell(_model(found), finding, "0-0")


def share(value: float, low: float, high: float, chance: float | None = 0.0) -> Estimate:
    return Estimate(value, (low, high), 100, 100, chance, 0.95, "", 0)


@pytest.mark.parametrize(
    ("is_found", "enough", "status"),
    [(True, True, "found"), (False, True, "not found"), (False, False, "inconclusive")],
)
def test_contamination_has_one_status_everywhere(found: Verdicts, is_found: bool, enough: bool, status: str) -> None:
    """A page that could not have detected it does not say that there is none."""
    test = replace(
        found.contamination,
        found=is_found,
        contaminated=("kinds",) if is_found else (),
        detectable=0.05 if enough else 0.3,
        p=0.004,
        level=0.001,
    )
    model = _model(replace(found, contamination=test))
    assert view.contamination_status(model) == status
    kinds = type("A", (), {"name": "kinds", "title": "what kind of thing"})
    (row,) = view.contamination_table(type("P", (), {"models": [model], "abilities": [kinds]})()).rows
    assert row[2] == "0.004"
    assert row[-1] == (f"{status} in what kind of thing" if is_found else status), "the title, not the name"


def test_contamination_that_was_not_tested_is_not_called_absent(found: Verdicts) -> None:
    nothing = replace(found.contamination, difference=None)
    assert view.contamination_status(_model(replace(found, contamination=nothing))) == "not tested"


def test_a_group_without_a_score_of_one_model_has_a_dash(found: Verdicts) -> None:
    """A contaminated model has no score for abilities without twins, so its groups are fewer or smaller."""
    first, second = found.groups[0], replace(found.groups[0], group="other")
    both = replace(first, abilities=("kinds", "parts"))
    models = [_model(replace(found, groups=groups)) for groups in ((first,), (both, second))]
    (one, other) = view.group_rows(type("P", (), {"models": models})())
    score = view.adjusted_text(first.adjusted)
    assert (one.abilities, other.cells) == ((*first.abilities, "kinds", "parts"), ("–", score))
    assert one.cells[0].startswith(f"{score} ({len(first.abilities)} of ")


def test_no_adjusted_score_exceeds_the_ceiling() -> None:
    """An interval up to 1.04 was printed as "60 % to 104 % of what can be known"."""
    assert view.adjusted_text(share(0.82, 0.6, 1.04)) == "0.82 [0.60, 1.00]"
    assert view.adjusted_text(share(-0.1, -0.3, 0.1)) == "−0.10 [−0.30, 0.10]", "below chance is possible"


def test_a_card_has_one_ceiling(found: Verdicts) -> None:
    """An audit of its own said "at best 98.7 %" beside "the best that can be reached is 100 %"."""
    from horsesense.profiling.document import ProfiledAbility

    one = found.findings[0]
    ability = ProfiledAbility(
        "a", "title", "does it", "m", "g", True, "", "why", "r", "l", 1, 1, "", 0, "", "",
        "bad items 0.0% [0.0%, 3.0%]; ceiling 98.7% [94.6%, 99.8%]",
    )  # fmt: skip
    facts = " ".join(f"{name} {sentence}" for name, sentence in view.facts_of(one, ability))
    assert len(re.findall(r"(?i)ceiling:? ?\d", facts)) <= 1
    assert "98.7" not in facts


@pytest.mark.parametrize(
    ("main", "other", "disagree"),
    [
        ((0.55, 0.5, 0.6), (0.54, 0.49, 0.59), False),
        ((0.9, 0.85, 0.95), (0.6, 0.55, 0.65), True),
        ((0.3, 0.15, 0.48), (0.55, 0.39, 0.71), True),
        ((0.25, 0.12, 0.40), (0.22, 0.10, 0.35), False),
    ],
)
def test_prompt_formats_that_disagree_are_marked(
    found: Verdicts, main: tuple[float, float, float], other: tuple[float, float, float], disagree: bool
) -> None:
    chance = 0.2 if main[0] < 0.5 else 0.45
    one = found.findings[0]
    second: Any = type("Other", (), {"name": "in the pmi format", "accuracy": share(*other, chance=chance)})
    again: Any = type("Other", (), {"name": "in the retest", "accuracy": share(0.0, 0.0, 0.01, chance=chance)})
    changed: Any = {"conditions": (second, again), "accuracy": share(*main, chance=chance)}
    cell = _cell(replace(one, **changed), found)
    assert cell.disagreeing == (("pmi",) if disagree else ())
    assert (f"{other[0]:.1%}" in cell.disagreement) == disagree


def test_the_thin_line_is_the_interval_of_the_verdict(found: Verdicts) -> None:
    """From the 95% interval to the stricter one, against resampling at that level."""
    rng = np.random.default_rng(1)
    values, units = (rng.random(300) < 0.7).astype(float), [str(place // 3) for place in range(300)]
    wide, strict = accuracy(values, units, 0.5), accuracy(values, units, 0.5, level=0.9975)
    assert at_level(wide, 0.9975).ci == pytest.approx(strict.ci, abs=1e-4)
    for edge in ([1.0] * 50, [0.0] * 50, [1.0] * 49 + [0.0]):
        rate = accuracy(edge, [str(place) for place in range(50)], 0.5)
        wider = at_level(rate, 0.99)
        assert wider.low <= rate.low <= rate.high <= wider.high
    cell = _cell(found.findings[0], found)
    assert cell.strict.level == pytest.approx(found.verdict_level)
    assert cell.strict.low <= cell.finding.accuracy.low


def test_every_verdict_has_its_own_colour() -> None:
    assert len({style.colour for style in view.VERDICTS.values()}) == len(view.VERDICTS)
    assert len({style.kind for style in view.VERDICTS.values()}) == len(view.VERDICTS)
    css = Path(horsesense.__file__).parent / "report" / "templates"
    sheets_ = (css / "profile.css").read_text("utf-8") + (css / "style.css").read_text("utf-8")
    for style in view.VERDICTS.values():
        assert f".chip.{style.kind} " in sheets_
        assert f".plot.{style.kind} " in sheets_


def test_nothing_that_rounds_to_zero_has_a_sign() -> None:
    e = share(-0.001, -0.004, 0.63)
    assert f"{e}" == "0.00 [0.00, 0.63]"
    assert f"{e:+.2f}" == "0.00 [0.00, +0.63]"
    assert points(-0.004) == "0"
