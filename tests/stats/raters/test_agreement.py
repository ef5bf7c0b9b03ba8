"""Agreement against scikit-learn, statsmodels and published worked examples."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as reference_fleiss

from horsesense.core import Judgement
from horsesense.errors import UserError
from horsesense.stats.raters.agreement import (
    NO_VALUE,
    Metric,
    Weights,
    by_annotator,
    fleiss_kappa,
    kappa_of,
    krippendorff_alpha,
    pair_kappa,
    percent_agreement,
)
from horsesense.stats.raters.votes import Scale, Votes, tabulate, votes_on_scale
from tests.support.votes import triples


def table(rows: list[str], labels: str) -> Votes:
    """Votes from one string a person, one character an item; a dot is a missing vote."""
    judgements = [
        Judgement(f"i{place}", f"p{person}", "demo", value)
        for person, row in enumerate(rows)
        for place, value in enumerate(row)
        if value != "."
    ]
    return tabulate(triples(judgements), labels)


def counted(rows: list[list[int]]) -> Votes:
    """Votes from counts of labels, one row an item."""
    judgements = []
    for item, row in enumerate(rows):
        values = [str(label) for label, count in enumerate(row) for _ in range(count)]
        judgements += [Judgement(f"i{item}", f"#{place + 1}", "demo", value) for place, value in enumerate(values)]
    return tabulate(triples(judgements), [str(label) for label in range(len(rows[0]))])


# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): four observers, twelve units, missing data.
CANONICAL = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


@pytest.mark.parametrize(("metric", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_canonical(metric: Metric, alpha: float) -> None:
    found = krippendorff_alpha(table(CANONICAL, "12345"), metric, resamples=50)
    assert found.value == pytest.approx(alpha, abs=0.0005)
    assert found.n == 11, "the unit with one value pairs with nothing"


def test_krippendorff_binary_example() -> None:
    """The two-observer binary example of the same text (A): alpha 0.095."""
    assert krippendorff_alpha(table(["0100000010", "1110010000"], "01")).value == pytest.approx(0.095, abs=0.0005)


def test_fleiss_published_example() -> None:
    """Fourteen raters, ten subjects, five categories (Fleiss 1971, as retold in textbooks): 0.210."""
    rows = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]]
    rows += [[7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]
    assert fleiss_kappa(counted(rows)).value == pytest.approx(0.210, abs=0.0005)


@settings(max_examples=40, deadline=None)
@given(
    labels=st.integers(2, 5),
    rows=st.integers(2, 30),
    people=st.integers(2, 5),
    seed=st.integers(0, 10_000),
)
def test_fleiss_equals_statsmodels(labels: int, rows: int, people: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(people, rng.dirichlet(np.ones(labels)), rows)
    votes = counted(counts.tolist())
    if (counts.sum(axis=0) > 0).sum() < 2:
        assert math.isnan(fleiss_kappa(votes, resamples=10).value)
        return
    assert fleiss_kappa(votes, resamples=10).value == pytest.approx(reference_fleiss(counts), abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40),
    weights=st.sampled_from(["none", "linear", "quadratic"]),
)
def test_cohen_equals_scikit_learn(pairs: list[tuple[int, int]], weights: Weights) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    counts = np.zeros((1, 5, 5))
    np.add.at(counts, (0, one, other), 1)
    (kappa,) = kappa_of(counts, weights)
    if len(set(one + other)) == 1:
        assert math.isnan(kappa)
        return
    reference = cohen_kappa_score(one, other, labels=range(5), weights=None if weights == "none" else weights)
    assert kappa == pytest.approx(reference, abs=1e-8)


def test_pair_kappa_is_cohen_over_all_pairs_both_ways() -> None:
    votes = table(["00112", "0101.", "02112"], "012")
    ballots = [[0, 0, 0], [0, 1, 2], [1, 0, 1], [1, 1, 1], [2, 2]]
    pairs = [pair for ballot in ballots for pair in itertools.permutations(ballot, 2)]
    reference = cohen_kappa_score([a for a, _ in pairs], [b for _, b in pairs], weights="quadratic")
    assert pair_kappa(votes, "quadratic").value == pytest.approx(reference)


def test_percent_agreement_by_hand() -> None:
    # Pairs that agree: 1 of 3, 3 of 3, 0 of 1; the last item has one vote.
    found = percent_agreement(table(["001.", "100.", "10.1"], "01"))
    assert found.value == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert found.n == 3


@settings(max_examples=25, deadline=None)
@given(rows=st.lists(st.text("abc.", min_size=6, max_size=6), min_size=2, max_size=4), seed=st.integers(0, 99))
def test_order_and_names_do_not_matter(rows: list[str], seed: int) -> None:
    """Alpha is blind to the order of items and people; by name, also to what the labels are called."""
    try:
        first = krippendorff_alpha(table(rows, "abc"), "nominal", resamples=20)
    except UserError:
        return
    order = random.Random(seed).sample(range(6), 6)
    swapped = [("".join(row[place] for place in order)).translate(str.maketrans("abc", "bca")) for row in rows[::-1]]
    other = krippendorff_alpha(table(swapped, "abc"), "nominal", resamples=20)
    assert other.value == pytest.approx(first.value, abs=1e-8, nan_ok=True)


def test_interval_against_a_bootstrap_by_hand() -> None:
    """The spread is that of drawing whole items again, computed here one draw at a time."""
    rng = random.Random(3)
    truth = [rng.choice("abc") for _ in range(60)]
    rows = ["".join(value if rng.random() < 0.7 else rng.choice("abc") for value in truth) for _ in range(3)]
    found = krippendorff_alpha(table(rows, "abc"), "ordinal", resamples=2000)
    drawn = []
    for _ in range(300):
        places = rng.choices(range(60), k=60)
        drawn.append(
            krippendorff_alpha(
                table(["".join(r[p] for p in places) for r in rows], "abc"), "ordinal", resamples=2
            ).value
        )
    spread = float(np.std(drawn)) * math.sqrt(60 / 59)
    left = 1 - found.value
    # Student's t with 59 degrees of freedom is 2.00, on the log of the disagreement that is left.
    assert math.log((1 - found.low) / left) == pytest.approx(2.0 * spread / left, rel=0.15)
    assert math.log(left / (1 - found.high)) == pytest.approx(2.0 * spread / left, rel=0.15)


@pytest.mark.parametrize("skill", [0.5, 0.95])
def test_intervals_hold_the_true_value(skill: float) -> None:
    """Of 150 simulated studies of 60 items, about 95 % of the intervals hold what 100,000 items give."""

    def study(rng: np.random.Generator, items: int) -> Votes:
        truth = rng.choice(3, items, p=(0.5, 0.3, 0.2))
        guess = rng.choice(3, (items, 3), p=(0.5, 0.3, 0.2))
        label = np.where(rng.random((items, 3)) < skill, truth[:, None], guess)
        places = np.arange(items)
        names = tuple(map(str, range(items)))
        return Votes(
            names, tuple("abc"), tuple("xyz"), np.repeat(places, 3), np.tile(np.arange(3), items), label.ravel()
        )

    true = krippendorff_alpha(study(np.random.default_rng(1), 100_000), resamples=2).value
    rng = np.random.default_rng(2)
    found = [krippendorff_alpha(study(rng, 60), resamples=300) for _ in range(150)]
    assert 0.90 <= sum(e.low <= true <= e.high for e in found) / 150 <= 0.99


def test_units_widen_the_interval() -> None:
    rows = ["aabb" * 10, "abab" * 10]
    votes = table(rows, "ab")
    alone = percent_agreement(votes)
    together = percent_agreement(votes, units=[str(place % 4) for place in range(40)])
    assert together.value == alone.value
    assert together.high - together.low > alone.high - alone.low
    assert together.clusters == 4


def test_one_label_has_no_kappa() -> None:
    votes = table(["aaa", "aaa"], "ab")
    for found in (fleiss_kappa(votes), krippendorff_alpha(votes), pair_kappa(votes)):
        assert math.isnan(found.value)
        assert found.note == NO_VALUE
    assert percent_agreement(votes).value == 1


@pytest.mark.parametrize("figure", [percent_agreement, fleiss_kappa, krippendorff_alpha, pair_kappa])
def test_no_overlap(figure: Any) -> None:
    with pytest.raises(UserError, match="no item was judged twice"):
        figure(table(["aa..", "..bb"], "ab"))


def test_unknown_label() -> None:
    with pytest.raises(UserError, match=r"'c' of i0 is not a label"):
        table(["c"], "ab")


def test_whose_votes_is_not_known() -> None:
    votes = counted([[2, 1], [0, 3]])
    assert votes.people == 0
    with pytest.raises(UserError, match="not known whose votes"):
        by_annotator(votes)


def test_objections_and_abstentions() -> None:
    scale = Scale(("lo", "hi"), True, ("nonsense",), ("unknown",))
    given = ["lo", "nonsense", "unknown", "hi"]
    judgements = [Judgement("i", f"p{place}", "demo", value) for place, value in enumerate(given)]
    assert votes_on_scale(judgements, lambda item: scale).number == 2
    both = votes_on_scale(judgements, lambda item: scale, objections=True)
    assert (both.number, both.labels) == (3, ("lo", "hi", "nonsense"))
