"""Human accuracy, with the kind of the figure recorded: single person or majority, filtered or not.

A majority of five is right more often than one person. A vote agrees more with a label that it contributed to than with
the other votes. A filtered dataset contains only items that people get right. Figures of different kinds are therefore
never subtracted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from horsesense.core import Judgement, Label
from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate
from horsesense.stats.raters.votes import ScaleOf, judgements_by_item

Kind = Literal["single person", "majority"]
Against = Literal["gold", "own label", "others"]


@dataclass(frozen=True, slots=True)
class HumanAccuracy(Document):
    """Human accuracy, and its kind."""

    name: str = field(init=False)
    """The kind in words, shown next to the figure."""
    kind: Kind
    """``single person``: each judgement on its own; ``majority``: the majority of an item's judgements."""
    against: Against
    """``gold``: an independent answer; ``own label``: a label that the vote contributed to; ``others``: the majority of
    the other votes for the item."""
    filtered: bool
    """Whether items that people get wrong were dropped before."""
    people: int
    """Number of annotators; 0 if unknown."""
    votes: int
    """Number of judgements."""
    votes_per_item: tuple[int, int]
    """Minimum and maximum number of judgements per item."""
    ties: int
    """Number of items with a tied majority, which score 1/n like a model's ties."""
    estimate: Estimate
    """Accuracy."""
    slice: str | None
    """Value of the facet; null for all items."""

    def __post_init__(self) -> None:
        fewest, most = self.votes_per_item
        number = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        kind = f"majority of {number}" if self.kind == "majority" else self.kind
        against = {"gold": "", "own label": ", against the label it is part of", "others": ", against the others"}
        name = kind + against[self.against] + (", filtered" if self.filtered else "")
        object.__setattr__(self, "name", name)


def difference(first: HumanAccuracy, second: HumanAccuracy) -> float:
    """Subtract two figures of the same kind; raise an error for different kinds."""
    if (first.kind, first.against, first.filtered) != (second.kind, second.against, second.filtered):
        raise UserError(
            f"'{first.name}' and '{second.name}' are figures of different kinds, which are not subtracted",
            fix="compare figures of the same kind",
        )
    return first.estimate.value - second.estimate.value


def single_person(
    judgements: Iterable[Judgement],
    gold: Mapping[str, str],
    scale_of: ScaleOf,
    units: Mapping[str, str] | None = None,
    against: Against = "gold",
    filtered: bool = False,
    chance: float | None = None,
) -> HumanAccuracy:
    """Score each judgement against the gold. Answers other than labels (nonsense, I don't know) count as wrong.

    ``units`` map items to clusters; by default each item is its own cluster.
    """
    judged = _with_gold(judgements, gold)
    credits = [(each.item, float(each.value == gold[each.item] and _is_label(each, scale_of))) for each in judged]
    return _score("single person", judged, credits, units, against, filtered, chance)


def majority_of_people(
    judgements: Iterable[Judgement],
    gold: Mapping[str, str],
    units: Mapping[str, str] | None = None,
    filtered: bool = False,
    chance: float | None = None,
) -> HumanAccuracy:
    """Score the most frequent answer of each item against the gold; a tie of n scores 1/n if it includes the gold."""
    judged = _with_gold(judgements, gold)
    best = {item: _commonest([each.value for each in ballot]) for item, ballot in judgements_by_item(judged).items()}
    credits = [(item, (gold[item] in names) / len(names)) for item, names in best.items()]
    ties = sum(len(names) > 1 for names in best.values())
    return replace(_score("majority", judged, credits, units, "gold", filtered, chance), ties=ties)


def against_the_others(judgements: Iterable[Judgement], units: Mapping[str, str] | None = None) -> HumanAccuracy:
    """Score each vote against the majority of the other votes for its item."""
    ballots = {item: ballot for item, ballot in judgements_by_item(judgements).items() if len(ballot) > 1}
    if not ballots:
        raise UserError("no item was judged twice, so votes cannot be compared with the others")
    credits = []
    for item, ballot in ballots.items():
        for index, each in enumerate(ballot):
            names = _commonest([other.value for other in (*ballot[:index], *ballot[index + 1 :])])
            credits.append((item, (each.value in names) / len(names)))
    judged = [each for ballot in ballots.values() for each in ballot]
    return _score("single person", judged, credits, units, "others", False, None)


def missed(labels: Iterable[Label], gold: Mapping[str, str]) -> list[str]:
    """Return the items whose adjudicated label is not the gold, which a gold filter drops.

    >>> given = [Label("i", "choice", "majority", "hot"), Label("j", "choice", "majority", None, "tie")]
    >>> missed(given, {"i": "hot", "j": "wet", "k": "far"})
    ['j']
    """
    return [label.item for label in labels if label.item in gold and label.value != gold[label.item]]


def _commonest(values: Sequence[str]) -> list[str]:
    counts = Counter(values)
    most = max(counts.values())
    return [value for value, count in counts.items() if count == most]


def _is_label(judgement: Judgement, scale_of: ScaleOf) -> bool:
    scale = scale_of(judgement.item)
    return judgement.value not in (*scale.objections, *scale.abstentions)


def _with_gold(judgements: Iterable[Judgement], gold: Mapping[str, str]) -> list[Judgement]:
    judged = [each for each in judgements if each.item in gold]
    if not judged:
        raise UserError("no judged item has a gold answer, so there is no human performance")
    return judged


def _score(
    kind: Kind,
    judged: Sequence[Judgement],
    credits: Sequence[tuple[str, float]],
    units: Mapping[str, str] | None,
    against: Against,
    filtered: bool,
    chance: float | None,
) -> HumanAccuracy:
    names = [item if units is None else units.get(item, item) for item, _ in credits]
    per_item = Counter(each.item for each in judged)
    nobody = any(each.anonymous for each in judged)
    return HumanAccuracy(
        kind=kind,
        against=against,
        filtered=filtered,
        people=0 if nobody else len({each.annotator for each in judged}),
        votes=len(judged),
        votes_per_item=(min(per_item.values()), max(per_item.values())),
        ties=0,
        estimate=accuracy([credit for _, credit in credits], names, chance),
        slice=None,
    )
