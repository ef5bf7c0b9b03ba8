"""Results as in table 3 of the paper: models, controls, and two scores of people; and all of them compared with votes.

In the comparison with votes, every row is scored on the same ones, not only on the majority label. For people, each
vote is compared with the distribution of the others on its triple, on triples with three votes (as most have), so that
the ceiling is that of two people for every triple. The published dataset leaves out triples whose votes all differ. The
rest are those on which people agree, so the ceiling is given with and without them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Literal

import numpy as np

from horsesense.core import Item, Judgement, Probe
from horsesense.core.document import Document
from horsesense.data import shipped_toml
from horsesense.errors import UserError, translate_errors
from horsesense.methods.ledger import printed_table
from horsesense.methods.partwhole.dataset import LABELS, ROLES, read_partwhole_votes
from horsesense.methods.partwhole.pairs import adjective_class
from horsesense.methods.published.reading import ReleasedVotes
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.runs.run import AnyRun, answered_of
from horsesense.stats import Estimate, accuracy, chance
from horsesense.stats.mistakes import Confusion, confusion
from horsesense.stats.ordinal import (
    Calibration,
    fit_calibration,
    leave_one_out,
    log_score,
    mean_absolute_error,
    novelty,
    quadratic_kappa,
    ranked_probability,
    softmax,
)
from horsesense.stats.resampling import Floats
from horsesense.stats.slices import by_facet

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


@dataclass(frozen=True, slots=True)
class RowSlice:
    """Items of a row that share the value of a facet."""

    where: str
    """The value."""
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of the table."""

    name: str
    kind: Literal["model", "people"]
    """Model, control or people."""
    seeds: int
    """Number of averaged runs of the same name; 1 for a model, 0 for people."""
    n: int
    """Number of triples, or of votes of people."""
    chance: float | None
    """Accuracy of guessing."""
    accuracy: Estimate
    mean_absolute_error: Estimate | None
    """In steps of the scale; None where the options are not ordered or there is not one gold label."""
    quadratic_kappa: Estimate | None
    """Quadratic-weighted, under the same conditions."""
    confusion: Confusion | None
    """Confusion matrix."""
    slices: Mapping[str, Sequence[RowSlice]]
    """Accuracy by adjective class, and by what is in the training set."""
    votes: Distributions | None = None
    """Comparison with the votes behind the labels; None without votes."""


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """A row of the paper's table 3."""

    name: str
    kind: Literal["model", "control", "people"]
    accuracy: float
    """As printed; the paper gives no interval."""


@dataclass(frozen=True, slots=True)
class PublishedResults:
    """Published rows."""

    source: str
    """The paper."""
    about: str
    """The triples and labels they are about."""
    same_triples: bool
    """Whether our rows are on the same triples, so that they are comparable."""
    rows: tuple[PublishedResult, ...]


@dataclass(frozen=True, slots=True)
class PartWholeTable(Document):
    """Models, controls and people, as in table 3 of the paper."""

    rows: tuple[TableRow, ...]
    """Models in the order of the runs, then people."""
    published: PublishedResults
    """The paper's own rows."""
    votes: VotesOfTriples | None = None
    """The votes behind the labels, and the agreement of people; None without votes."""


def partwhole_table(
    answered: Sequence[ProbeAnswers],
    train: Sequence[Item] = (),
    released: ReleasedVotes | None = None,
    dev: Sequence[ProbeAnswers] = (),
) -> PartWholeTable:
    """Compute the table: one row per model, people where votes are given, and the published rows.

    ``dev`` are answers of the same models on other triples, on which a preference for labels is fitted.
    """
    if not answered:
        raise UserError("there are no answers to sum up", fix="give run folders")
    items = answered[0].items
    votes = votes_of(released, items[0].options) if released and items[0].options == LABELS else None
    rows = table_rows(answered, train, votes, dev)
    if released:
        rows += human_rows(items, released.probe.items, released.judgements)
    return PartWholeTable(tuple(rows), published_results(items), None if votes is None else of_people(items, votes))


def published_results(items: Sequence[Item] = ()) -> PublishedResults:
    """Return table 3 of the paper; ``items`` are those it is compared with."""
    results = shipped_toml(Path(__file__).with_name("data") / "published.toml")
    tests = [item for item in items if item.facets.get("split") == "test" and item.options == LABELS]
    same = len(tests) == len(items) == results["triples"]
    rows = tuple(
        PublishedResult(accuracy=cells["Accuracy"], **results["rows"][row])
        for row, cells in printed_table("partwhole", "table 3").items()
    )
    return PublishedResults(results["source"], results["about"], same, rows)


def table_rows(
    answered: Sequence[ProbeAnswers],
    train: Sequence[Item] = (),
    votes: Votes | None = None,
    dev: Sequence[ProbeAnswers] = (),
) -> list[TableRow]:
    """Return one row per model, in the order of the runs; runs of one name on the same items (seeds) are averaged."""
    groups: dict[str, list[ProbeAnswers]] = {}
    for run in answered:
        groups.setdefault(_name(run), []).append(run)
    first = [item.id for item in answered[0].items] if answered else []
    for run in answered:
        if {item.id for item in run.items} != set(first):
            raise UserError(
                f"{run.part.model.name} answered other items than {answered[0].part.model.name}",
                fix="put runs on the same probe beside one another",
            )
        if not all(role in item.groups for item in run.items for role in ROLES):
            raise UserError("the items have no whole, part and adjective", fix="give runs on part-whole triples")
    return [
        replace(_row(name, runs, train), votes=of_model(runs, votes, dev) if votes else None)
        for name, runs in groups.items()
    ]


def _name(run: ProbeAnswers) -> str:
    """Return the name of a model, or of a control with its settings."""
    model = run.part.model
    return f"{model.name}: {model.frame}" if model.family == "control" else model.name


def _row(name: str, runs: Sequence[ProbeAnswers], train: Sequence[Item]) -> TableRow:
    judged = [item for item in runs[0].items if item.answer is not None]
    if not judged:
        raise UserError(f"no item that {name} answered has a gold", fix="have the triples judged first")
    earned, predicted = [], []
    for run in runs:
        credits = run.credits(run.primary())
        indices = {item.id: index for index, item in enumerate(run.items)}
        order = [indices[item.id] for item in judged]
        earned.append(credits.values[order])
        predicted.append([credits.predicted[index] for index in order])
    credit: Floats = np.mean(earned, axis=0)
    together = [tuple(option for options in predicted for option in options[index]) for index in range(len(judged))]
    wholes, parts = ([item.groups[role] for item in judged] for role in ("whole", "part"))
    guess = chance([len(item.options) for item in judged])
    error = kappa = None
    labels = len(judged[0].options)
    if all(item.ordered and item.options == judged[0].options for item in judged):
        golds = [item.answer for item in judged if item.answer is not None]
        error = mean_absolute_error(golds, together, labels, wholes, parts)
        kappa = quadratic_kappa(golds, together, labels, wholes, parts)
    right = accuracy(credit, wholes, guess, crossed=parts)
    return TableRow(
        name=name,
        kind="model",
        seeds=len(runs),
        n=right.n,
        chance=right.chance,
        accuracy=right,
        mean_absolute_error=_known(error),
        quadratic_kappa=_known(kappa),
        confusion=confusion(judged, together),
        slices=_slices(judged, credit, wholes, train),
    )


def _slices(
    items: Sequence[Item], credit: Floats, wholes: Sequence[str], train: Sequence[Item]
) -> dict[str, tuple[RowSlice, ...]]:
    facets: list[dict[str, str]] = [{"adjective class": adjective_class(item.groups["adjective"])} for item in items]
    if train:
        facets = [facet | dict(seen) for facet, seen in zip(facets, novelty(items, train, ROLES), strict=True)]
    slices = {name: by_facet(credit, wholes, facets, name).slices for name in facets[0]}
    return {name: tuple(RowSlice(str(each.where[0]), each.accuracy) for each in part) for name, part in slices.items()}


def _known(estimate: Estimate | None) -> Estimate | None:
    return None if estimate is None or isnan(estimate.value) else estimate


def human_rows(items: Sequence[Item], judged: Sequence[Item], judgements: Sequence[Judgement]) -> list[TableRow]:
    """Score people on the same triples by two measures, which must not be subtracted from each other.

    ``judged`` are the items of the votes. The paper publishes one vote against the label, which is inflated because the
    vote is part of the label. One vote against the majority of the others is not.
    """
    by_triple = {triple_of(item): item for item in items if item.answer is not None}
    about = {item.id: by_triple[triple_of(item)] for item in judged if triple_of(item) in by_triple}
    votes = [each for each in judgements if each.item in about and each.value in about[each.item].options]
    if not votes:
        raise UserError("no vote is about these triples", fix="give the votes that their labels were made of")
    targets = [about[each.item] for each in votes]
    wholes, parts = ([item.groups[role] for item in targets] for role in ("whole", "part"))
    golds = [item.answer for item in targets if item.answer is not None]
    voted = [(item.options.index(each.value),) for each, item in zip(votes, targets, strict=True)]
    labels = len(targets[0].options)
    right = [float(gold == vote[0]) for gold, vote in zip(golds, voted, strict=True)]
    with_label = accuracy(right, wholes, crossed=parts)
    with_others = accuracy(_against_others(votes), wholes, crossed=parts)
    return [
        _people_row(
            "people: one vote against the label that contains it",
            with_label,
            mean_absolute_error(golds, voted, labels, wholes, parts),
            quadratic_kappa(golds, voted, labels, wholes, parts),
        ),
        _people_row("people: one vote against the majority of the others", with_others),
    ]


def _people_row(name: str, right: Estimate, error: Estimate | None = None, kappa: Estimate | None = None) -> TableRow:
    return TableRow(
        name=name,
        kind="people",
        seeds=0,
        n=right.n,
        chance=right.chance,
        accuracy=right,
        mean_absolute_error=_known(error),
        quadratic_kappa=_known(kappa),
        confusion=None,
        slices={},
    )


def _against_others(votes: Sequence[Judgement]) -> list[float]:
    """Score each vote against the commonest other vote for its item; n ties count 1/n. Single votes are left out."""
    by_item: dict[str, list[str]] = {}
    for each in votes:
        by_item.setdefault(each.item, []).append(each.value)
    credit = []
    for each in votes:
        others = list(by_item[each.item])
        others.remove(each.value)
        most = max(map(others.count, others), default=0)
        best = {value for value in others if others.count(value) == most}
        credit.append((each.value in best) / len(best) if best else float("nan"))
    return credit


# Votes.


def votes_of(released: ReleasedVotes, labels: Sequence[str]) -> Votes:
    """Return the votes of each triple as label indices."""
    triples = {item.id: triple_of(item) for item in released.probe.items}
    votes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    nonsense = {triples[each.item] for each in released.judgements if each.value not in labels}
    for each in released.judgements:
        if triples[each.item] not in nonsense:
            votes[triples[each.item]].append(labels.index(each.value))
    return {triple: tuple(ratings) for triple, ratings in votes.items()}


def triple_of(item: Item) -> tuple[str, ...]:
    """Return whole, part and adjective."""
    return tuple(item.groups[role] for role in ROLES)


def of_model(runs: Sequence[ProbeAnswers], votes: Votes, dev: Sequence[ProbeAnswers] = ()) -> Distributions:
    """Score one model (seeds are averaged as distributions), calibrated where it was asked on dev too."""
    forecasts, items = [], list(runs[0].items)
    calibrations = [calibration_of(run, dev, votes) for run in runs]
    for run, calibration in zip(runs, calibrations, strict=True):
        by_item = dict(zip((item.id for item in run.items), _scores(run), strict=True))
        scores = np.array([by_item[item.id] for item in items])
        forecasts.append(calibration(scores) if calibration else softmax(scores))
    calibrated = any(calibrations)
    forecast: Floats = np.mean(forecasts, axis=0)
    rows = [(index, vote) for index, item in enumerate(items) for vote in _equal(votes.get(triple_of(item), ()))]
    if not rows:
        raise UserError("no vote is about these triples", fix="give the votes that their labels were made of")
    indices = [index for index, _ in rows]
    wholes, parts = ([items[index].groups[role] for index in indices] for role in ("whole", "part"))
    near = _measure(forecast[indices], [vote for _, vote in rows], wholes, parts, calibrated)
    return replace(near, accuracy=_right(forecast, items)) if calibrated else near


def _right(forecast: Floats, items: Sequence[Item]) -> Estimate:
    """Return the accuracy of the most probable label."""
    judged = [index for index, item in enumerate(items) if item.answer is not None]
    hits = [float(int(forecast[index].argmax()) == items[index].answer) for index in judged]
    wholes, parts = ([items[index].groups[role] for index in judged] for role in ("whole", "part"))
    return accuracy(hits, wholes, 1 / forecast.shape[1], crossed=parts)


def _equal(ratings: tuple[int, ...]) -> tuple[int, ...]:
    """Return the votes of a triple with three votes, else none: people and models are scored on the same ones."""
    return ratings if len(ratings) == VOTES else ()


def calibration_of(run: ProbeAnswers, dev: Sequence[ProbeAnswers], votes: Votes) -> Calibration | None:
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


def _scores(run: ProbeAnswers) -> Sequence[tuple[float, ...]]:
    scores = run.scores(run.primary())
    if len({len(row) for row in scores}) > 1:
        raise UserError("the triples have different numbers of labels", fix="give runs on one form of the task")
    return scores


def of_people(items: Sequence[Item], votes: Votes) -> VotesOfTriples:
    """Score people against each other on the triples of a table, and on all triples with votes."""
    labels = len(items[0].options)
    here = {triple_of(item): item for item in items if triple_of(item) in votes}
    numbers = Counter(len(votes[triple]) for triple in here)
    different = sum(len(ratings) >= 3 and len(set(ratings)) == len(ratings) for ratings in votes.values())
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
    equal = {triple: ratings for triple, ratings in votes.items() if _equal(ratings)}
    if not equal:
        return None
    forecast, held, indices = leave_one_out(list(equal.values()), labels)
    triples = list(equal)
    wholes, parts = ([triples[index][role] for index in indices] for role in (0, 1))
    return _measure(forecast, held, wholes, parts, False)


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


@translate_errors()
def paper_table(
    *runs: AnyRun,
    train: Probe | str | Path | None = None,
    vote_files: Sequence[str | Path] = (),
    dev: Sequence[AnyRun] = (),
) -> PartWholeTable:
    """Compute the paper's table: accuracy, mean absolute error, weighted kappa, with two-way clustered intervals.

    Args:
        runs: Run folders on the same triples; the seeds of a control are averaged. In Python, also a `Run`.
        train: Training set, to report triples by what it contains.
        vote_files: Published votes: adds people as rows, and compares every row with the votes as a distribution.
        dev: Run of the same models on other triples, on which label preferences are fitted and then removed.

    Returns:
        One row per model or control, rows for people, and the paper's rows.
    """
    from horsesense.core.catalogue import as_probe

    answered = answered_of([each for run in runs for each in _with_seeds(run)])
    others = answered_of([each for run in dev for each in _with_seeds(run)]) if dev else []
    votes = read_partwhole_votes([Path(file) for file in vote_files]) if vote_files else None
    return partwhole_table(answered, () if train is None else as_probe(train).items, votes, others)


def _with_seeds(run: AnyRun) -> Sequence[AnyRun]:
    """Return the run itself, or the runs of all seeds of a control in its folder."""
    return (sorted(Path(run).glob("seed-*")) or [run]) if isinstance(run, str | Path) else [run]
