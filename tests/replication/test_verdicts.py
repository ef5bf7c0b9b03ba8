"""Rules for verdicts, and rules about the inside of a paper, against plain counting and planted faults."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.methods.ledger import PAPERS, by_name
from horsesense.replication.consistency import (
    average_follows,
    check_consistency,
    contradictions,
    difference_follows,
    exchanged,
    is_count,
    lies_between,
    sum_follows,
    weighted_range,
)
from horsesense.replication.verdicts import CUT, Computed, binomial, drawn, is_cut, is_rounded, judge, one_more

FIGURE = by_name("partwhole")["table 3 | Majority baseline | Accuracy"]  # 0.430
PER_CENT = by_name("winoventi")["table 6 | BERT-base | all generic"]  # 83.0


@pytest.mark.parametrize(
    ("computed", "verdict"),
    [
        (Computed(0.4302, "data"), "same"),
        (Computed(0.4308, "data"), "same"),  # cut off
        (Computed(0.4312, "data"), "differs"),
        (Computed(0.4292, "data"), "differs"),
        (Computed(0.4312, "data", 900, 0.40, 0.46), "within error"),
        (Computed(0.4312, "data", part=True), "on a part"),
        (Computed(0.4400, "asked here", 2733), "differs"),
        (Computed(0.4340, "asked here", 2733), "within error"),
        (Computed(0.4400, "asked here", 100), "within error"),  # one item of a hundred
        (Computed(0.44, "trained here", 2733, 0.42, 0.46), "within error"),
        (Computed(0.47, "trained here", 2733, 0.45, 0.49), "differs"),
        (Computed(0.44, "trained here", 2733), "no verdict"),  # one training
        (Computed(0.43, "the authors' published results"), "as published"),
        (Computed(0.47, "the authors' published results"), "differs"),
        (Computed(float("nan"), "data"), "no verdict"),
    ],
)
def test_rules_by_kind(computed: Computed, verdict: str) -> None:
    assert judge(FIGURE, computed).verdict == verdict


def test_what_is_said_beside_a_verdict() -> None:
    assert judge(FIGURE, Computed(0.4308, "data")).reason == CUT
    assert judge(FIGURE, Computed(0.5, "data", 10, 0.2, 0.8, part=True)).fits is True
    assert judge(FIGURE, Computed(0.5, "data", 10, 0.45, 0.8, part=True)).fits is False
    assert judge(FIGURE, Computed(0.5, "data", part=True)).fits is None
    assert judge(PER_CENT, Computed(83.4, "asked here", 2176)).verdict == "within error"
    assert judge(PER_CENT, Computed(83.7, "asked here", 2176)).verdict == "differs"


def test_rough_figures_leave_half_of_their_last_digit() -> None:
    about = replace(FIGURE, value="2000", sense="about")
    assert judge(about, Computed(2254, "data")).verdict == "same"
    assert judge(about, Computed(2510, "data")).verdict == "differs"
    over = replace(FIGURE, value="10k", sense="over")
    assert judge(over, Computed(10_216, "data")).verdict == "same"
    assert judge(over, Computed(9_999, "data")).verdict == "differs"


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_what_is_rounded_or_cut_from_a_value_is_the_same(value: int, digits: int) -> None:
    exact = value / 9999
    rounded, cut = round(exact, digits), int(exact * 10**digits) / 10**digits
    step = 10.0**-digits
    assert is_rounded(rounded, step, exact)
    assert is_cut(cut, step, exact) or is_rounded(cut, step, exact)
    assert not is_rounded(rounded + 2 * step, step, exact)
    assert not is_cut(rounded + 2 * step, step, exact)


def test_intervals_hold_what_they_should() -> None:
    from scipy.stats import binom

    low, high = binomial(90, 100)
    assert binom.sf(89, 100, low) == pytest.approx(0.025, abs=1e-6)
    assert binom.cdf(90, 100, high) == pytest.approx(0.025, abs=1e-6)
    assert binomial(0, 5)[0] == 0
    assert binomial(5, 5)[1] == 1
    low, high = drawn(0.2, 500)
    assert binom.cdf(high * 500, 500, 0.2) - binom.cdf(low * 500 - 1, 500, 0.2) >= 0.95
    ends = one_more([0.60, 0.62, 0.64])
    assert ends is not None
    assert ends[0] < 0.58
    assert ends[1] > 0.66
    assert one_more([0.6]) is None


# Inside a paper.


@given(st.integers(1, 60), st.integers(0, 99))
def test_whole_counts_by_trying_all_of_them(n: int, hundredths: int) -> None:
    printed = hundredths / 100
    shares = [right / n for right in range(n + 1)]
    possible = any(round(share + 1e-12, 2) == printed or round(share - 1e-12, 2) == printed for share in shares)
    possible |= any(int(share * 100 + 1e-9) == hundredths for share in shares)
    assert is_count((printed, 0.01), n) == possible


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=9), st.integers(-30, 30))
def test_an_average_follows_unless_something_is_added(thousandths: list[int], added: int) -> None:
    exact = [each / 1000 for each in thousandths]
    cells = [(round(each, 2), 0.01) for each in exact]
    average = round(sum(exact) / len(exact), 3)
    assert average_follows(cells, (average, 0.001))
    if abs(added) > 11:
        assert not average_follows(cells, (average + added / 1000, 0.001))


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(1, 50), st.integers(1, 50))
def test_both_sets_together_lie_between_them(one: int, other: int, n: int, m: int) -> None:
    ends = [(one / 10, 0.1), (other / 10, 0.1)]
    together = (one * n + other * m) / (n + m) / 10
    assert lies_between((round(together, 2), 0.01), ends)
    low, high = weighted_range(ends, (n, m))
    assert low <= together <= high
    assert not lies_between((max(one, other) / 10 + 0.2, 0.01), ends)


def test_planted_faults_are_found() -> None:
    assert not sum_follows([(331, 1), (780, 1)], (1112, 1))
    assert not difference_follows((54.0, 0.1), (77.7, 0.1), (-23.2, 0.1))
    assert exchanged({"a": 1, "b": 2, "c": 3}, {"a": 2, "b": 1, "c": 3}) == (("a", "b"),)
    assert exchanged({"a": 1, "b": 2}, {"a": 1, "b": 2}) == ()
    assert contradictions({"x": 1, "y": 1}) == ()


def test_what_is_known_not_to_fit() -> None:
    faults = {paper: check_consistency(paper)[1] for paper in PAPERS}
    averages = [fault.problem.split()[3] for fault in faults["cats"] if fault.check == "average"]
    assert averages == ["XLNet-base", "RoBERTa-base", "HUMAN"]
    assert [fault.problem.split(",")[0] for fault in faults["rica"]] == ["RoBERTa-base", "RoBERTa-large"]
    counts = [fault.problem for fault in faults["winoventi"] if fault.check == "whole counts"]
    assert len([told for told in counts if "intersection" in told]) == 12
    assert sum("both are of 229" in told for told in counts) == 11
    assert [fault.check for fault in faults["wordnetqa"]] == ["difference"] * 3 + ["name"]
    assert faults["partwhole"] == ()
