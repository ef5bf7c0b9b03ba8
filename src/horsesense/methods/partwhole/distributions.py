"""Compare models with the votes of people, not only with the majority label.

Every row is scored on the same votes. For people, each vote is compared with the distribution of the others on its
triple, on triples with three votes (as most have), so that the ceiling is that of two people for every triple. The
published dataset leaves out triples whose votes all differ. The rest are those on which people agree, so the ceiling
is given with and without them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.methods.published.votes import ReleasedVotes
from horsesense.runs.results import Answered
from horsesense.stats import Estimate
from horsesense.stats.accuracy import accuracy
from horsesense.stats.ordinal import (
    Calibration,
    fit_calibration,
    leave_one_out,
    log_score,
    ranked_probability,
    softmax,
)
from horsesense.stats.resampling import Floats

Votes = Mapping[tuple[str, ...], tuple[int, ...]]
"""Labels by triple; triples that someone called nonsense are left out."""

VOTES = 3
"""Number of votes of 96% of the published triples."""


@dataclass(frozen=True, slots=True)
class Distributions:
    """Distance of one row from the votes."""

    ranked_probability: Estimate
    """Ranked probability score, mean over votes: 0 is best."""
    log_score: Estimate
    """Minus the log-probability of a vote, smoothed: 0 is best."""
    calibrated: bool
    """Whether a preference for labels was removed, by a calibration fitted on other triples."""
    votes: int
    """Votes it is measured on."""
    accuracy: Estimate | None = None
    """For a calibrated model: accuracy of its most probable label."""


@dataclass(frozen=True, slots=True)
class VotesOfTriples:
    """Number of votes, and the effect of leaving out triples without a majority."""

    triples: int
    """Triples of the table that have votes."""
    votes: int
    """Votes for them."""
    by_number: Mapping[int, int]
    """Number of triples by number of votes."""
    all_different: int
    """Triples whose votes all differ and that nobody called nonsense; the published dataset leaves them out."""
    ceiling: Distributions | None
    """Score of one vote against the others, on triples of the table with three votes."""
    ceiling_with_dropped: Distributions | None
    """The same on all triples of the file with three votes, including those that all differ."""


def votes_of(released: ReleasedVotes, labels: Sequence[str]) -> Votes:
    """Return the votes of each triple as label indices."""
    triples = {item.id: triple_of(item) for item in released.probe.items}
    votes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    nonsense = {triples[each.item] for each in released.judgements if each.value not in labels}
    for each in released.judgements:
        if triples[each.item] not in nonsense:
            votes[triples[each.item]].append(labels.index(each.value))
    return {triple: tuple(given) for triple, given in votes.items()}


def triple_of(item: Item) -> tuple[str, ...]:
    return tuple(item.groups[role] for role in ("whole", "part", "adjective"))


def of_model(runs: Sequence[Answered], votes: Votes, dev: Sequence[Answered] = ()) -> Distributions:
    """Score one model (seeds are averaged as distributions), calibrated where it was asked on dev too."""
    forecasts, items = [], list(runs[0].items)
    for run in runs:
        calibration = calibration_of(run, dev, votes)
        by_item = dict(zip((item.id for item in run.items), _scores(run), strict=True))
        scores = np.array([by_item[item.id] for item in items])
        forecasts.append(calibration(scores) if calibration else softmax(scores))
    calibrated = any(calibration_of(run, dev, votes) for run in runs)
    forecast: Floats = np.mean(forecasts, axis=0)
    rows = [(place, vote) for place, item in enumerate(items) for vote in _equal(votes.get(triple_of(item), ()))]
    if not rows:
        raise UserError("no vote is about these triples", fix="give the votes that their labels were made of")
    places = [place for place, _ in rows]
    near = _measured(forecast[places], [vote for _, vote in rows], [items[place] for place in places], calibrated)
    return replace(near, accuracy=_right(forecast, items)) if calibrated else near


def _right(forecast: Floats, items: Sequence[Item]) -> Estimate:
    """Return the accuracy of the most probable label."""
    judged = [place for place, item in enumerate(items) if item.answer is not None]
    hits = [float(int(forecast[place].argmax()) == items[place].answer) for place in judged]
    wholes, parts = ([items[place].groups[role] for place in judged] for role in ("whole", "part"))
    return accuracy(hits, wholes, 1 / forecast.shape[1], crossed=parts)


def _equal(given: tuple[int, ...]) -> tuple[int, ...]:
    """Return the votes of a triple with three votes, else none: people and models are scored on the same ones."""
    return given if len(given) == VOTES else ()


def calibration_of(run: Answered, dev: Sequence[Answered], votes: Votes) -> Calibration | None:
    """Fit a calibration on the answers of the same model (and seed) on dev, never on triples of the table."""
    same = [each for each in dev if each.part.model.name == run.part.model.name]
    asked = {triple_of(item) for item in run.items}
    rows = [
        (score, vote)
        for each in same[:1]
        for item, score in zip(each.items, _scores(each), strict=True)
        if triple_of(item) not in asked
        for vote in votes.get(triple_of(item), ())
    ]
    return fit_calibration(np.array([score for score, _ in rows]), [vote for _, vote in rows]) if rows else None


def _scores(run: Answered) -> Sequence[tuple[float, ...]]:
    scores = run.scores(run.primary())
    if len({len(row) for row in scores}) > 1:
        raise UserError("the triples have different numbers of labels", fix="give runs on one form of the task")
    return scores


def of_people(items: Sequence[Item], votes: Votes) -> VotesOfTriples:
    """Score people against each other on the triples of a table, and on all triples with votes."""
    labels = len(items[0].options)
    here = {triple_of(item): item for item in items if triple_of(item) in votes}
    numbers = Counter(len(votes[triple]) for triple in here)
    different = sum(len(given) >= 3 and len(set(given)) == len(given) for given in votes.values())
    return VotesOfTriples(
        triples=len(here),
        votes=sum(len(votes[triple]) for triple in here),
        by_number=dict(sorted(numbers.items())),
        all_different=different,
        ceiling=_ceiling({triple: votes[triple] for triple in here}, labels),
        ceiling_with_dropped=_ceiling(votes, labels),
    )


def _ceiling(votes: Votes, labels: int) -> Distributions | None:
    """Score one vote against the others on its triple, on triples with three votes."""
    kept = {triple: given for triple, given in votes.items() if _equal(given)}
    if not kept:
        return None
    forecast, held, places = leave_one_out(list(kept.values()), labels)
    triples = list(kept)
    wholes, parts = ([triples[place][role] for place in places] for role in (0, 1))
    return _measure(forecast, held, wholes, parts, False)


def _measured(forecast: Floats, votes: Sequence[int], items: Sequence[Item], calibrated: bool) -> Distributions:
    wholes, parts = ([item.groups[role] for item in items] for role in ("whole", "part"))
    return _measure(forecast, votes, wholes, parts, calibrated)


def _measure(
    forecast: Floats, votes: Sequence[int], wholes: Sequence[str], parts: Sequence[str], calibrated: bool
) -> Distributions:
    ranked = accuracy(ranked_probability(forecast, votes), wholes, crossed=parts)
    surprise = log_score(forecast, votes)
    most = float(surprise.max()) or 1.0
    # Divided by the largest possible value it is between 0 and 1, like an accuracy.
    shares = accuracy(surprise / most, wholes, crossed=parts)
    logs = replace(shares, value=float(surprise.mean()), ci=(shares.low * most, shares.high * most))
    return Distributions(ranked, logs, calibrated, len(votes))
