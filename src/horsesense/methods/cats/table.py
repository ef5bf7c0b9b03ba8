"""The rows of CATs' tables 3 and 6, measured and published.

Table 3 has accuracy on each set, and their average with an interval of its own; table 6 whether the two halves of a
pair are right or wrong together. Published figures are stored as data; averages are recomputed from their rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.data import shipped_toml
from horsesense.methods.ledger import printed_table
from horsesense.runs.probe_answers import ProbeAnswers, result_of
from horsesense.stats import Consistency, Estimate, consistency
from horsesense.stats.intervals import rate_interval, unit_note
from horsesense.stats.resampling import RESAMPLES, Floats, spread, totals

HUMAN, RANDOM = "HUMAN", "RANDOM"
_PLACES = {"accuracy": "table 3", "consistency": "table 6"}


_DIRECTIONS = {"left to right": "unidirectional", "both sides": "bidirectional"}
"""The paper's names of model directions."""


def direction_of(answered: ProbeAnswers) -> str:
    """Return the paper's name of a model's direction."""
    return _DIRECTIONS[answered.part.model.direction]


def accuracy_row(answered: Mapping[str, ProbeAnswers]) -> tuple[dict[str, Estimate], Estimate]:
    """Return the accuracy of one model by set, and the mean over these sets, each counting once."""
    sets = {name: result_of(run, None).accuracy for name, run in answered.items()}
    earned = {name: run.credits(run.primary()).values for name, run in answered.items()}
    # Names, not numbers: a cluster that two sets share must have one name.
    units = {name: [item.unit(run.probe.card.group) for item in run.items] for name, run in answered.items()}
    chances = [estimate.chance for estimate in sets.values()]
    guess = float(np.mean([chance for chance in chances if chance is not None]))
    return sets, average_of(earned, units, guess)


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


def pairs_of_set(answered: ProbeAnswers) -> Consistency:
    """Return whether the originals and their edited versions are right or wrong together."""
    return consistency(
        answered.credits(answered.primary()).values,
        [item.unit() for item in answered.items],
        [item.member for item in answered.items],
        [item.unit(answered.probe.card.group) for item in answered.items],
        [len(item.options) for item in answered.items],
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

    @property
    def human(self) -> bool:
        return self.model == HUMAN

    @property
    def average(self) -> float:
        """Return the mean over the sets."""
        return math.fsum(self.values.values()) / len(self.values)

    @property
    def follows(self) -> bool:
        """Return whether the printed average follows from the row, rounded or truncated to three digits.

        >>> PublishedRow("a", {"x": 0.5, "y": 0.6}, 0.55).follows, PublishedRow("b", {"x": 0.5}, 0.6).follows
        (True, False)
        """
        if self.printed is None:
            return True
        # Single values are rounded too, so half a unit of the last digit is tolerated.
        return abs(self.average - self.printed) < 0.001


def _published() -> dict[str, Any]:
    return shipped_toml(Path(__file__).with_name("published.toml"))


def published_rows(table: str) -> list[PublishedRow]:
    """Return the rows of a table: ``accuracy`` (table 3) or ``consistency`` (table 6)."""
    directions, sets = _published()["directions"], {title: name for name, title in titles().items()}
    rows = []
    for model, printed in printed_table("cats", _PLACES[table]).items():
        if model != RANDOM:
            values = {sets[title]: value for title, value in printed.items() if title in sets}
            rows.append(PublishedRow(model, values, printed.get("Average"), directions.get(model, "")))
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
