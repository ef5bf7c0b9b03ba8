"""The rows of CATs' tables 3 and 6, measured and published.

Table 3 has accuracy on each set, and their average with an interval of its own; table 6 whether the two halves of a
pair are right or wrong together. Published figures are stored as data; averages are recomputed from their rows.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from horsesense.core.spec import Normalisation
from horsesense.methods.ledger import printed_table
from horsesense.runs.probe_answers import ProbeAnswers, result_of
from horsesense.stats import Consistency, Estimate, consistency
from horsesense.stats.intervals import rate_interval, unit_note
from horsesense.stats.resampling import RESAMPLES, Floats, spread, totals

HUMAN, RANDOM = "HUMAN", "RANDOM"
_PLACES = {"accuracy": "table 3", "consistency": "table 6"}


_DIRECTIONS = {"left to right": "unidirectional", "both sides": "bidirectional"}
"""The paper's names of model directions."""


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """One model on the sets that were asked."""

    model: str
    kind: Literal["measured"]
    """Not published: measured here."""
    direction: str
    """unidirectional or bidirectional."""
    parameters: int
    """Number of parameters."""
    sets: Mapping[str, Estimate]
    """Accuracy by set."""
    average: Estimate
    """Mean over these sets, each counting once."""
    sets_averaged: int
    """Number of sets in the average."""


def accuracy_row(answered: Mapping[str, ProbeAnswers], how: Normalisation | None = None) -> AccuracyRow:
    """Compute the row of one model from its answers by set."""
    sets = {name: result_of(run, how).accuracy for name, run in answered.items()}
    first = next(iter(answered.values()))
    record = first.part.model
    earned = {name: run.credits(how or run.primary()).values for name, run in answered.items()}
    # Names, not numbers: a cluster that two sets share must have one name.
    units = {name: [item.unit(run.probe.card.group) for item in run.items] for name, run in answered.items()}
    chances = [estimate.chance for estimate in sets.values()]
    guess = float(np.mean([chance for chance in chances if chance is not None]))
    average = average_of(earned, units, guess)
    return AccuracyRow(
        record.name, "measured", _DIRECTIONS[record.direction], record.parameters, sets, average, len(sets)
    )


def average_of(
    credits: Mapping[str, Floats],
    units: Mapping[str, Sequence[str]],
    chance: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Return the mean accuracy over several sets, whose items may share clusters.

    Clusters are resampled once for all sets, so that a statement in two of them is drawn for both.

    >>> sets = {"a": np.array([1.0, 1.0, 0.0, 1.0]), "b": np.array([0.0, 1.0])}
    >>> average = average_of(sets, {"a": list("wxyz"), "b": list("wx")})
    >>> average.value, average.n, average.clusters
    (0.625, 6, 4)
    """
    names = list(credits)
    judged = {name: ~np.isnan(credits[name]) for name in names}
    rows = [(name, place) for name in names for place in np.flatnonzero(judged[name]).tolist()]
    columns = []
    for wanted in names:
        right = [credits[name][place] if name == wanted else 0.0 for name, place in rows]
        count = [1.0 if name == wanted else 0.0 for name, _ in rows]
        columns += [np.array(right), np.array(count)]
    table = totals(columns, [units[name][place] for name, place in rows])
    value = float(_mean(table.total[None, :])[0])
    ends = rate_interval(value, spread(_mean, table, seed, resamples), table.number, level)
    return Estimate(
        n=len(rows),
        clusters=table.number,
        value=value,
        ci=ends,
        level=level,
        chance=chance,
        method="cluster bootstrap over all sets, beta",
        seed=seed,
        note=unit_note(table.number),
    )


def _mean(drawn: Floats) -> Floats:
    right, count = drawn[:, 0::2], drawn[:, 1::2]
    # A resample without any item of a small set leaves the set out of its mean.
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.nanmean(np.where(count > 0, right / count, np.nan), axis=1)
    return means


# Table 6.


@dataclass(frozen=True, slots=True)
class PairsOfSet:
    """The pairs of one set, each an original and its edited version. Right means fully right."""

    consistent: Estimate
    """Share of pairs with both right or both wrong."""
    both_right: Estimate
    """Share of pairs with both right, which knowledge predicts."""
    expected: Estimate
    """Expected share of consistent pairs if the two were independent."""
    excess: Estimate
    """Consistent minus expected."""
    accuracy_a: Estimate
    """Accuracy on the originals."""
    accuracy_b: Estimate
    """Accuracy on the edited versions."""
    pairs: int
    """Number of pairs."""
    unpaired: int
    """Labelled items without a partner, which are left out."""


@dataclass(frozen=True, slots=True)
class ConsistencyRow:
    """One model on the robust sets that were asked."""

    model: str
    kind: Literal["measured"]
    """Not published: measured here."""
    direction: str
    """unidirectional or bidirectional."""
    parameters: int
    """Number of parameters."""
    sets: Mapping[str, PairsOfSet]
    """By set."""


def consistency_row(answered: Mapping[str, ProbeAnswers], how: Normalisation | None = None) -> ConsistencyRow:
    """Compute the row of one model from its pairs by set."""
    record = next(iter(answered.values())).part.model
    sets = {}
    for name, run in answered.items():
        sets[name] = _pairs_of_set(
            consistency(
                run.credits(how or run.primary()).values,
                [item.unit() for item in run.items],
                [item.member for item in run.items],
                [item.unit(run.probe.card.group) for item in run.items],
                [len(item.options) for item in run.items],
            )
        )
    return ConsistencyRow(record.name, "measured", _DIRECTIONS[record.direction], record.parameters, sets)


def _pairs_of_set(pairs: Consistency) -> PairsOfSet:
    return PairsOfSet(
        consistent=pairs.consistent,
        both_right=pairs.both,
        expected=pairs.expected,
        excess=pairs.excess,
        accuracy_a=pairs.first[1],
        accuracy_b=pairs.second[1],
        pairs=pairs.consistent.n,
        unpaired=pairs.unpaired,
    )


# Published rows.


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a published table."""

    model: str
    values: Mapping[str, float]
    """By set, as printed."""
    printed: float | None
    """The average as printed; None where the table has none."""
    direction: str = ""
    """unidirectional or bidirectional; empty where it is not a model."""
    parameters: int | None = None
    """In millions, where the paper says."""
    text: str = ""
    """Training text, in the units of the paper."""

    @property
    def human(self) -> bool:
        return self.model == HUMAN

    def average(self, sets: Sequence[str] | None = None) -> float:
        """Return the mean over the given sets, or over all."""
        values = [self.values[name] for name in (self.values if sets is None else sets)]
        return math.fsum(values) / len(values)

    @property
    def follows(self) -> bool:
        """Return whether the printed average follows from the row, rounded or truncated to three digits.

        >>> PublishedRow("a", {"x": 0.5, "y": 0.6}, 0.55).follows, PublishedRow("b", {"x": 0.5}, 0.6).follows
        (True, False)
        """
        if self.printed is None:
            return True
        # Single values are rounded too, so half a unit of the last digit is tolerated.
        return abs(self.average() - self.printed) < 0.001


@cache
def _published() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("published.toml").read_text(encoding="utf-8"))


def published_rows(table: str) -> list[PublishedRow]:
    """Return the rows of a table: ``accuracy`` (table 3) or ``consistency`` (table 6)."""
    models, sets = _published()["models"], {title: name for name, title in titles().items()}
    rows = []
    for model, printed in printed_table("cats", _PLACES[table]).items():
        if model != RANDOM:
            values = {sets[title]: value for title, value in printed.items() if title in sets}
            rows.append(PublishedRow(model, values, printed.get("Average"), **models.get(model, {})))
    return rows


def titles() -> dict[str, str]:
    """Return the paper's name of each set."""
    return dict(_published()["titles"])


def released_counts() -> dict[str, int]:
    """Return the number of instances per published set; a robust line counts as two."""
    return dict(_published()["released"])


def source() -> str:
    """Return the citation of the figures."""
    return str(_published()["source"])
