"""Adjudication: one label per item from several judgements, or the reason for dropping the item.

Rules label one item at a time. The model of Dawid and Skene (1979) labels all together, for annotators of different
skill: each has a confusion matrix, and labels and matrices are estimated jointly by EM, starting from vote shares, so
the result is deterministic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from horsesense.core import Judgement, Label
from horsesense.errors import UserError, argument, unknown
from horsesense.registry import load, provided
from horsesense.stats.raters.votes import Scale, ScaleOf, Votes, judgements_by_item, votes_on_scale
from horsesense.stats.resampling import Floats

STEPS = 1000
"""Maximum number of EM steps."""
SETTLED = 1e-10
"""Relative gain of the log-likelihood below which EM stops."""
_LEAST = 1e-300


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """Fitted model."""

    posterior: Floats
    """Probability of each label for each item: one row per item."""
    prior: Floats
    """Prevalence of each label."""
    errors: Floats
    """Confusion matrix per annotator, true labels in rows; the row of a label without items is 0."""
    likelihoods: tuple[float, ...]
    """Log-likelihood after each step; it never decreases."""


def dawid_skene(votes: Votes, steps: int = STEPS) -> DawidSkene:
    """Fit the model. An annotator may have judged an item more than once, as in the paper's example.

    >>> from horsesense.stats.raters.votes import tabulate
    >>> given = [(str(i), who, "yn"[i % 2]) for i in range(20) for who in ("ann", "ben")]
    >>> given += [(str(i), "cid", "yn"[i % 3 == 0]) for i in range(20)]  # cid guesses
    >>> model = dawid_skene(tabulate(given, "yn"))
    >>> model.posterior[0].round(2).tolist(), model.prior.round(2).tolist()
    ([1.0, 0.0], [0.5, 0.5])
    """
    if not votes.number:
        raise UserError("there are no votes to adjudicate")
    if not votes.people:
        raise UserError(
            "it is not known whose votes these are, so no annotator's errors can be estimated",
            fix="use the rule majority",
        )
    counts = votes.counts()
    posterior = counts / counts.sum(axis=1, keepdims=True)
    likelihoods: list[float] = []
    for _ in range(steps):
        prior, errors = _maximise(votes, posterior)
        posterior, likelihood = _expect(votes, prior, errors)
        likelihoods.append(likelihood)
        if len(likelihoods) > 1 and likelihood - likelihoods[-2] <= SETTLED * abs(likelihood):
            break
    return DawidSkene(posterior, prior, errors, tuple(likelihoods))


def _maximise(votes: Votes, posterior: Floats) -> tuple[Floats, Floats]:
    """Estimate label prevalence and confusion matrices from the posterior (equations 2.3 and 2.4)."""
    called = np.zeros((len(votes.annotators), len(votes.labels), len(votes.labels)))
    np.add.at(called, (votes.annotator, votes.label), posterior[votes.item])
    errors = called.transpose(0, 2, 1)
    met = errors.sum(axis=2, keepdims=True)
    return posterior.mean(axis=0), np.divide(errors, met, out=np.zeros_like(errors), where=met > 0)


def _expect(votes: Votes, prior: Floats, errors: Floats) -> tuple[Floats, float]:
    """Compute the posterior of the labels (equation 2.5) and the log-likelihood (equation 2.7)."""
    logs = np.log(np.maximum(errors, _LEAST))
    joint = np.tile(np.log(np.maximum(prior, _LEAST)), (len(votes.items), 1))
    np.add.at(joint, votes.item, logs[votes.annotator, :, votes.label])
    highest = joint.max(axis=1, keepdims=True)
    weight = np.exp(joint - highest)
    total = weight.sum(axis=1, keepdims=True)
    return weight / total, float((highest + np.log(total)).sum())


# Rules.


Ties = Literal["upper", "lower", "drop"]

PASS = "pass"
"""Value of a judgement without objections, and label of items that pass."""
TIE = "tie"
NO_VOTES = "no votes"
ALL_DIFFER = "all votes differ"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Decision of a rule on one item."""

    value: str | None
    """Label; None for a dropped item."""
    reason: str = ""
    """Reason for dropping the item."""
    tie: bool = False
    """Whether the votes were tied."""


def cast(judgements: Sequence[Judgement], scale: Scale) -> list[str]:
    """Return the values that count as votes; abstentions do not."""
    return [judgement.value for judgement in judgements if judgement.value not in scale.abstentions]


def objected(value: str) -> str:
    """Return the reason for dropping an item with objections."""
    return f"judged {value}"


def majority(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """Return the label with most votes; a tie or a majority of objections drops the item.

    >>> votes = [Judgement("i", who, "demo", value) for who, value in zip("abc", ["yes", "yes", "no"])]
    >>> majority(votes, Scale(("no", "yes")))
    Verdict(value='yes', reason='', tie=False)
    """
    counts = Counter(cast(judgements, scale))
    most = max(counts.values(), default=0)
    best = [value for value, count in counts.items() if count == most]
    if len(best) != 1:
        return Verdict(None, TIE if best else NO_VOTES, tie=bool(best))
    return Verdict(None, objected(best[0])) if best[0] in scale.objections else Verdict(best[0])


def median(judgements: Sequence[Judgement], scale: Scale, ties: Ties = "upper") -> Verdict:
    """Return the median label of a scale.

    With two middle labels ``ties`` takes the upper, the lower or neither. Objections are not on the scale: a majority
    of them drops the item.
    """
    if not scale.ordered:
        raise UserError("a median needs ordinal labels", fix="use the rule majority")
    values = cast(judgements, scale)
    objections = [value for value in values if value in scale.objections]
    if 2 * len(objections) > len(values):
        return Verdict(None, objected(objections[0]))
    ranks = sorted(scale.labels.index(value) for value in values if value not in scale.objections)
    if not ranks:
        return Verdict(None, NO_VOTES)
    lower, upper = ranks[(len(ranks) - 1) // 2], ranks[len(ranks) // 2]
    if lower != upper and ties == "drop":
        return Verdict(None, TIE, tie=True)
    return Verdict(scale.labels[lower if ties == "lower" else upper], tie=lower != upper)


def median_without_objections(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """Return the median; any objection drops the item, and so do votes that all differ.

    As in Mullenbach et al. (2019, section 4.3). We take the upper of two middle votes; the published dataset
    is not consistent. A single vote, if a study collects only one, is accepted.
    """
    values = cast(judgements, scale)
    objections = [value for value in values if value in scale.objections]
    if objections:
        return Verdict(None, objected(objections[0]))
    if len(set(values)) == len(values) > 1:
        return Verdict(None, ALL_DIFFER)
    return median(judgements, scale)


def criteria(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """Drop a schema if more than half of its judges object on the same criterion (Do and Pavlick 2021, section 2.6).

    With two judges, as in the published dataset, both must object; with three, as in the paper, two.
    """
    values = cast(judgements, scale)
    objections = Counter(name for value in values for name in failing(value))
    failed = [name for name in scale.criteria if 2 * objections[name] > len(values)]
    return Verdict(None, "fails " + "+".join(failed)) if failed else Verdict(PASS)


def failing(value: str) -> list[str]:
    """Return the failed criteria of a judgement.

    >>> failing("synonym+ambiguous"), failing("pass")
    (['synonym', 'ambiguous'], [])
    """
    return [] if value == PASS else value.split("+")


def two_rounds(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """Combine two rounds: a unanimous first round decides, otherwise the majority of the second one.

    As in Zhou et al. (2021, section 3.2). Items without a second round are dropped.
    """
    rounds: Mapping[int, list[Judgement]] = {
        number: [judgement for judgement in judgements if judgement.round == number] for number in (1, 2)
    }
    values = cast(rounds[1], scale)
    if len(values) > 1 and len(set(values)) == 1:
        return majority(rounds[1], scale)
    if not rounds[2]:
        return Verdict(None, "open after the first round", tie=len(values) > 1)
    return majority(rounds[2], scale)


Settle = Callable[[Sequence[Judgement], Scale], Verdict]


@dataclass(frozen=True, slots=True)
class Rule:
    """Adjudication rule."""

    settle: Settle | None
    """Function from the judgements of one item to its verdict; None if all items are adjudicated jointly."""
    fewest: int
    """Minimum number of votes per item; items with fewer are dropped."""
    rounds: bool = False
    """Whether the rule supports a second round."""
    criteria: bool = False
    """Whether the rule adjudicates criteria instead of labels."""


RULES: Mapping[str, Rule] = {
    "majority": Rule(majority, 2),
    "median": Rule(median, 2),
    "dawid-skene": Rule(None, 2),
}
"""Rules of no paper; methods add theirs by ``METHOD.rules``."""
MEDIAN_WITHOUT_OBJECTIONS = Rule(median_without_objections, 3)
CRITERIA = Rule(criteria, 2, criteria=True)
TWO_ROUNDS = Rule(two_rounds, 2, rounds=True)


def adjudicate(
    judgements: Iterable[Judgement],
    rule: str,
    scale_of: ScaleOf,
    fewest: int | None = None,
    targets: Mapping[str, int] | None = None,
) -> list[Label]:
    """Return one label per item, in the order in which items first occur.

    ``fewest`` is the minimum number of votes per item; by default the rule's own number, or the item's target if that
    is smaller, since no further votes will be collected.

    >>> votes = [Judgement("i", who, "demo", value) for who, value in zip("abc", ["yes", "yes", "no"])]
    >>> adjudicate(votes, "majority", lambda item: Scale(("no", "yes")))[0].votes
    {'no': 1, 'yes': 2}
    """
    how, judged = find_rule(rule), list(judgements)
    ballots = judgements_by_item(judged)
    check_rounds(judged, rule)
    scales = {item: scale_of(item) for item in ballots}
    for item, scale in scales.items():
        if bool(scale.criteria) != how.criteria:
            kind = "criteria" if scale.criteria else "labels"
            raise UserError(
                f"the rule {rule} does not adjudicate {kind} ({item})",
                fix=f"use the rule {rule_for_criteria() if scale.criteria else 'majority'}",
            )
    asked = targets or {}
    needed = {item: min(how.fewest, asked.get(item, how.fewest)) if fewest is None else fewest for item in ballots}
    enough = {item: ballot for item, ballot in ballots.items() if len(cast(ballot, scales[item])) >= needed[item]}
    settled = _together(enough, scales) if how.settle is None else _one_by_one(how.settle, enough, scales)
    labels = []
    for item, ballot in ballots.items():
        verdict, share = settled.get(item, (Verdict(None, f"fewer than {needed[item]} votes"), 0.0))
        counts = _counts(cast(ballot, scales[item]), scales[item])
        about = item, ballot[0].instrument, rule
        labels.append(Label(*about, verdict.value, verdict.reason, counts, round(share, 9), verdict.tie))
    return labels


def find_rule(name: str) -> Rule:
    """Return a rule by name: one of this module's, or a method's."""
    if name in RULES:
        return RULES[name]
    of_methods = provided("rules")
    if name not in of_methods:
        raise unknown("rule", name, [*RULES, *of_methods])
    rule: Rule = load(of_methods[name])
    return rule


def rule_for_criteria() -> str:
    """Return the name of the rule that adjudicates criteria."""
    return next(name for name in provided("rules") if find_rule(name).criteria)


def check_rounds(judgements: Iterable[Judgement], rule: str) -> None:
    """Raise an error for two rounds unless the rule combines them."""
    rounds = sorted({judgement.round for judgement in judgements})
    if len(rounds) > 1 and not find_rule(rule).rounds:
        combining = next(name for name in provided("rules") if find_rule(name).rounds)
        raise UserError(
            f"the judgements are of rounds {' and '.join(map(str, rounds))}, which the rule {rule} would mix",
            fix=f"choose one ({argument('round')} {rounds[-1]}), or use the rule {combining}, "
            "where the second round decides disputed items",
        )


def reasons(labels: Iterable[Label]) -> dict[str, int]:
    """Count dropped items by reason, commonest first."""
    return dict(Counter(label.reason for label in labels if label.value is None).most_common())


def _counts(votes: Sequence[str], scale: Scale) -> dict[str, int]:
    """Count votes by label, in the order of the scale."""
    counts = Counter(votes)
    order = {label: rank for rank, label in enumerate((*scale.labels, *scale.objections))}
    return {value: counts[value] for value in sorted(counts, key=lambda value: (order.get(value, len(order)), value))}


Ballots = Mapping[str, Sequence[Judgement]]
Settled = dict[str, tuple[Verdict, float]]
"""Verdict and share of the votes by item."""


def _one_by_one(settle: Settle, ballots: Ballots, scales: Mapping[str, Scale]) -> Settled:
    settled: Settled = {}
    for item, ballot in ballots.items():
        verdict, votes = settle(ballot, scales[item]), cast(ballot, scales[item])
        settled[item] = verdict, votes.count(verdict.value) / len(votes) if verdict.value is not None else 0.0
    return settled


def _together(ballots: Ballots, scales: Mapping[str, Scale]) -> Settled:
    """Fit Dawid and Skene's model to all items; objections are treated as labels."""
    if not ballots:
        return {}
    votes = votes_on_scale(chain.from_iterable(ballots.values()), scales.__getitem__, objections=True)
    settled: Settled = {}
    for item, chances in zip(votes.items, dawid_skene(votes).posterior, strict=True):
        # Labels of the table are option indices if items have their own options; items may have different numbers.
        label_of = dict(zip(votes.labels, scales[item].labels, strict=False))
        label_of |= {name: name for name in scales[item].objections}
        likely = {
            label_of[name]: float(chance)
            for name, chance in zip(votes.labels, chances, strict=True)
            if name in label_of
        }
        most = max(likely.values())
        best = [name for name, chance in likely.items() if chance >= most - 1e-9]
        if len(best) > 1:
            settled[item] = Verdict(None, TIE, tie=True), 0.0
        elif best[0] in scales[item].objections:
            settled[item] = Verdict(None, objected(best[0])), 0.0
        else:
            settled[item] = Verdict(best[0]), most / sum(likely.values())
    return settled
