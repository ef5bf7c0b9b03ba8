"""Adjudication: one label per item from several judgements, or the reason for dropping the item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from horsesense.core import Judgement, Label
from horsesense.errors import UserError, argument, unknown
from horsesense.stats.raters import adjudication_rules as rules
from horsesense.stats.raters.adjudication_rules import Verdict
from horsesense.stats.raters.dawid_skene import dawid_skene
from horsesense.stats.raters.votes import Scale, ScaleOf, votes_on_scale

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
    "majority": Rule(rules.majority, 2),
    "median": Rule(rules.median, 2),
    "partwhole": Rule(rules.partwhole, 3),
    "winoventi": Rule(rules.winoventi, 2, criteria=True),
    "rica": Rule(rules.rica, 2, rounds=True),
    "dawid-skene": Rule(None, 2),
}


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
    ballots = _by_item(judged)
    check_rounds(judged, rule)
    scales = {item: scale_of(item) for item in ballots}
    for item, scale in scales.items():
        if bool(scale.criteria) != how.criteria:
            kind = "criteria" if scale.criteria else "labels"
            raise UserError(
                f"the rule {rule} does not adjudicate {kind} ({item})",
                fix="use the rule winoventi" if scale.criteria else "use another rule, such as majority",
            )
    asked = targets or {}
    needed = {item: min(how.fewest, asked.get(item, how.fewest)) if fewest is None else fewest for item in ballots}
    enough = {item: ballot for item, ballot in ballots.items() if len(rules.cast(ballot, scales[item])) >= needed[item]}
    settled = _together(enough, scales) if how.settle is None else _one_by_one(how.settle, enough, scales)
    labels = []
    for item, ballot in ballots.items():
        verdict, share = settled.get(item, (Verdict(None, f"fewer than {needed[item]} votes"), 0.0))
        counts = _counts(rules.cast(ballot, scales[item]), scales[item])
        about = item, ballot[0].instrument, rule
        labels.append(Label(*about, verdict.value, verdict.reason, counts, round(share, 9), verdict.tie))
    return labels


def find_rule(name: str) -> Rule:
    if name not in RULES:
        raise unknown("rule", name, RULES)
    return RULES[name]


def check_rounds(judgements: Iterable[Judgement], rule: str) -> None:
    """Raise an error for two rounds unless the rule combines them."""
    rounds = sorted({judgement.round for judgement in judgements})
    if len(rounds) > 1 and not find_rule(rule).rounds:
        raise UserError(
            f"the judgements are of rounds {' and '.join(map(str, rounds))}, which the rule {rule} would mix",
            fix=f"choose one ({argument('round')} {rounds[-1]}), or use the rule rica, "
            "where the second round decides disputed items",
        )


def reasons(labels: Iterable[Label]) -> dict[str, int]:
    """Count dropped items by reason, commonest first."""
    return dict(Counter(label.reason for label in labels if label.value is None).most_common())


def _by_item(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    ballots: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        ballots.setdefault(judgement.item, []).append(judgement)
    return ballots


def _counts(votes: Sequence[str], scale: Scale) -> dict[str, int]:
    """Count votes by label, in the order of the scale."""
    counts = Counter(votes)
    order = {label: place for place, label in enumerate((*scale.labels, *scale.objections))}
    return {value: counts[value] for value in sorted(counts, key=lambda value: (order.get(value, len(order)), value))}


Ballots = Mapping[str, Sequence[Judgement]]
Settled = dict[str, tuple[Verdict, float]]
"""Verdict and share of the votes by item."""


def _one_by_one(settle: Settle, ballots: Ballots, scales: Mapping[str, Scale]) -> Settled:
    settled: Settled = {}
    for item, ballot in ballots.items():
        verdict, votes = settle(ballot, scales[item]), rules.cast(ballot, scales[item])
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
            settled[item] = Verdict(None, rules.TIE, tie=True), 0.0
        elif best[0] in scales[item].objections:
            settled[item] = Verdict(None, rules.objected(best[0])), 0.0
        else:
            settled[item] = Verdict(best[0]), most / sum(likely.values())
    return settled
