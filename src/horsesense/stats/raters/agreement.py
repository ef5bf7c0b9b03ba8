"""Chance-corrected agreement: percent agreement, Fleiss' kappa, Krippendorff's alpha, Cohen's kappa; and statistics by
annotator and by item: deviating annotators and disputed items.

Agreement is based on pairs of votes for the same item; an item with one vote contributes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate, difference_interval, unit_note
from horsesense.stats.raters.votes import Votes
from horsesense.stats.resampling import NOTHING, RESAMPLES, Floats, Statistic, resample, totals

Metric = Literal["nominal", "ordinal", "interval"]

NO_VALUE = "all votes are for one label, so the coefficient is undefined"

FEWEST = 10
"""Minimum number of clusters for an interval: with 5 items its coverage was 80% (docs/results/intervals.md)."""
FEWEST_FOR_KAPPA = 20
"""The same for kappa, whose chance term has no small-sample correction: coverage was 88% with 12 items."""
ENOUGH = 30
"""Number of clusters from which the interval on the log scale alone is wide enough."""
TOO_FEW = "{} clusters only: too few for an interval of agreement"


def percent_agreement(votes: Votes, resamples: int = RESAMPLES, units: Sequence[str] | None = None) -> Estimate:
    """Estimate the share of agreeing pairs of votes, averaged over items, without a correction for chance.

    ``units`` name the cluster of each item of ``votes``; by default each item is its own cluster.
    """
    counts, names = _judged_twice(votes, units)
    return accuracy(_pairs_that_agree(counts), names, resamples=resamples)


def fleiss_kappa(votes: Votes, resamples: int = RESAMPLES, units: Sequence[str] | None = None) -> Estimate:
    """Estimate Fleiss' kappa (1971). With unequal numbers of votes each item counts once and each vote once."""
    counts, names = _judged_twice(votes, units)

    def kappa(drawn: Floats) -> Floats:
        observed = drawn[:, 0] / drawn[:, 1]
        shares = drawn[:, 2:] / drawn[:, 2:].sum(axis=1, keepdims=True)
        expected = (shares**2).sum(axis=1)
        return _quotient(observed - expected, 1 - expected)

    columns = [_pairs_that_agree(counts), np.ones(len(counts)), *counts.T]
    return bootstrap_agreement(kappa, columns, names, resamples)


def krippendorff_alpha(
    votes: Votes,
    metric: Metric = "nominal",
    resamples: int = RESAMPLES,
    units: Sequence[str] | None = None,
) -> Estimate:
    """Estimate Krippendorff's alpha; votes may be missing, and labels nominal, ordinal or interval (0, 1, 2 …).

    >>> from horsesense.stats.raters.votes import tabulate
    >>> given = [(str(i), who, "ab"[(i + (i == 3) * place) % 2]) for i in range(9) for place, who in enumerate("pq")]
    >>> votes = tabulate(given, "ab")
    >>> round(krippendorff_alpha(votes).value, 3)
    0.779
    """
    counts, names = _judged_twice(votes, units)
    size = len(votes.labels)
    # Each item contributes its pairs of votes, weighted so that every vote counts once (Krippendorff 2011, step 2).
    pairs = _pairs(counts) / (counts.sum(axis=1) - 1)[:, None, None]

    def alpha(drawn: Floats) -> Floats:
        table = drawn.reshape(-1, size, size)
        margins = table.sum(axis=2)
        number = margins.sum(axis=1)
        apart = _apart(margins, metric)
        observed = (table * apart).sum(axis=(1, 2)) / number
        expected = (margins[:, :, None] * margins[:, None, :] * apart).sum(axis=(1, 2)) / (number * (number - 1))
        return 1 - _quotient(observed, expected)

    return bootstrap_agreement(alpha, list(pairs.reshape(len(pairs), -1).T), names, resamples, FEWEST)


def _apart(margins: Floats, metric: Metric) -> Floats:
    """Return the squared distances of labels for each row of margins."""
    size = margins.shape[1]
    if metric == "nominal":
        return np.broadcast_to(1 - np.eye(size), (len(margins), size, size))
    # Ordinal: a label is at the mid-rank of its votes, so neighbouring labels need not be equally far.
    rank = np.cumsum(margins, axis=1) - margins / 2 if metric == "ordinal" else np.arange(size)[None, :] + 0 * margins
    apart: Floats = (rank[:, :, None] - rank[:, None, :]) ** 2
    return apart


def bootstrap_agreement(
    statistic: Statistic,
    columns: Sequence[Floats],
    names: Sequence[str],
    resamples: int,
    fewest: int = FEWEST_FOR_KAPPA,
) -> Estimate:
    """Estimate a statistic of totals over clusters with its interval; nan with a note if it is undefined."""
    table = totals(columns, names)
    value = float(statistic(table.total[None, :])[0])
    note = unit_note(table.number)
    low = high = float("nan")
    if np.isnan(value):
        note = NO_VALUE
    elif table.number < fewest:
        note = TOO_FEW.format(table.number)
    else:
        drawn = statistic(resample(table, 0, resamples))
        # A resample whose items all have one label is undefined and left out.
        drawn = drawn[~np.isnan(drawn)]
        variance = float(np.var(drawn)) * table.number / (table.number - 1) if len(drawn) > 1 else 0.0
        low, high = agreement_interval(value, variance, table.number)
    return Estimate(
        n=len(names),
        clusters=table.number,
        value=value,
        ci=(low, high),
        chance=0.0,
        method="bootstrap over items, t on log disagreement",
        note=note,
    )


def agreement_interval(value: float, variance: float, units: int) -> tuple[float, float]:
    """Compute Student's interval on the log of the disagreement, which is more symmetric near 1."""
    left = 1 - value
    if variance < NOTHING or left < NOTHING:
        return difference_interval(value, variance, units)
    reach = float(scipy.special.stdtrit(units - 1, 0.975)) * variance**0.5 / left
    low, high = 1 - left * float(np.exp(reach)), 1 - left * float(np.exp(-reach))
    if units < ENOUGH:
        # With few items the log interval is too short above; take the wider limit of it and the plain interval.
        plain = difference_interval(value, variance, units)
        low, high = min(low, plain[0]), max(high, plain[1])
    return max(-1.0, low), min(1.0, high)


def _quotient(above: Floats, below: Floats) -> Floats:
    """Divide; nan for a denominator of 0."""
    small = np.abs(below) < NOTHING**0.5
    quotient: Floats = np.where(small, np.nan, above / np.where(small, 1, below))
    return quotient


def _pairs(counts: Floats) -> Floats:
    """Count the ordered pairs of votes for each item, by their labels."""
    pairs: Floats = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    return pairs


def _pairs_that_agree(counts: Floats) -> Floats:
    number = counts.sum(axis=1)
    share: Floats = (counts * (counts - 1)).sum(axis=1) / (number * (number - 1))
    return share


def _judged_twice(votes: Votes, units: Sequence[str] | None) -> tuple[Floats, list[str]]:
    """Return the vote counts of items with at least two votes, and their clusters."""
    counts = votes.counts()
    twice = np.flatnonzero(counts.sum(axis=1) > 1)
    if not len(twice):
        raise UserError(
            "no item was judged twice, so there is no agreement", fix="have at least some items judged by two people"
        )
    names = votes.items if units is None else units
    return counts[twice], [names[index] for index in twice.tolist()]


Weights = Literal["none", "linear", "quadratic"]


def kappa_of(tables: Floats, weights: Weights = "none") -> Floats:
    """Compute kappa of each contingency table (one annotator's labels in rows, the other's in columns).

    >>> kappa_of(np.array([[[20.0, 5.0], [10.0, 15.0]]])).round(3).tolist()
    [0.4]
    """
    size = tables.shape[-1]
    steps = np.abs(np.arange(size)[:, None] - np.arange(size)[None, :])
    cost = {"none": steps > 0, "linear": steps, "quadratic": steps**2}[weights].astype(np.float64)
    down, across = tables.sum(axis=2), tables.sum(axis=1)
    expected = (down[:, :, None] * across[:, None, :] * cost).sum(axis=(1, 2)) / down.sum(axis=1)
    return 1 - _quotient((tables * cost).sum(axis=(1, 2)), expected)


def pair_kappa(
    votes: Votes,
    weights: Weights = "none",
    resamples: int = RESAMPLES,
    units: Sequence[str] | None = None,
) -> Estimate:
    """Estimate kappa over all pairs of votes for the same item, each in both orders.

    This is possible without annotator identities (Mullenbach et al. 2019, section 4.3). Taking both orders gives the
    two sides the same margins, as in Scott's pi.
    """
    counts, names = _judged_twice(votes, units)
    return _table_kappa(_pairs(counts), names, weights, resamples)


def _table_kappa(tables: Floats, names: Sequence[str], weights: Weights, resamples: int) -> Estimate:
    """Estimate the kappa of the sum of contingency tables, one per item."""
    size = tables.shape[-1]
    columns = list(tables.reshape(len(tables), -1).T)
    return bootstrap_agreement(
        lambda drawn: kappa_of(drawn.reshape(-1, size, size), weights), columns, names, resamples
    )


# Annotators and items.


@dataclass(frozen=True, slots=True)
class Annotator:
    """One annotator compared with the others."""

    annotator: str
    votes: int
    shared: int
    """Votes for items that others judged too."""
    agrees: float | None
    """Mean share of the others' votes on the same items that agree; None without shared items."""
    kappa: Estimate | None
    """Weighted kappa of own votes and the others' votes on the same items; None without shared items."""
    favourite: str
    """Most frequent label of this annotator."""
    favourite_share: float
    """Share of that label; near 1 for constant answers."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """Agreement on one item."""

    item: str
    votes: dict[str, int]
    agree: float
    """Share of pairs of votes that agree."""


def by_annotator(votes: Votes, weights: Weights = "none", resamples: int = RESAMPLES) -> list[Annotator]:
    """Compare each annotator with the others, in order of names."""
    if not votes.people:
        raise UserError("it is not known whose votes these are, so there are no statistics by annotator")
    counts = votes.counts()
    annotators = []
    for index in np.argsort(np.array(votes.annotators, dtype=str)).tolist():
        mine = np.flatnonzero(votes.annotator == index)
        items, labels = votes.item[mine], votes.label[mine]
        others = counts[items]
        others[np.arange(len(mine)), labels] -= 1
        label_counts = Counter(votes.labels[label] for label in labels.tolist())
        favourite, times = min(label_counts.items(), key=lambda entry: (-entry[1], entry[0]))
        shared = np.flatnonzero(others.sum(axis=1) > 0)
        agrees, kappa = None, None
        if len(shared):
            others, labels = others[shared], labels[shared]
            # Each own vote counts once, divided among the others' votes for the item.
            shares = others / others.sum(axis=1, keepdims=True)
            agrees = float(shares[np.arange(len(shared)), labels].mean())
            tables = np.zeros((len(labels), others.shape[1], others.shape[1]))
            tables[np.arange(len(labels)), labels] = shares
            kappa = _table_kappa(tables, [votes.items[item] for item in items[shared]], weights, resamples)
        annotators.append(
            Annotator(votes.annotators[index], len(mine), len(shared), agrees, kappa, favourite, times / len(mine))
        )
    return annotators


def by_item(votes: Votes) -> list[Dispute]:
    """Return items with at least two votes, most disputed first."""
    counts = votes.counts()
    number = counts.sum(axis=1)
    disputes = []
    for index in np.flatnonzero(number > 1).tolist():
        row = counts[index]
        agree = float((row * (row - 1)).sum() / (number[index] * (number[index] - 1)))
        label_counts = {name: int(count) for name, count in zip(votes.labels, row, strict=True) if count}
        disputes.append(Dispute(votes.items[index], label_counts, agree))
    return sorted(disputes, key=lambda dispute: (dispute.agree, dispute.item))
