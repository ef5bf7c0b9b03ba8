"""Annotator qualification by agreement with gold items that cover all labels (Mullenbach et al. 2019, section 4.2)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.core import Judgement
from horsesense.errors import UserError
from horsesense.stats.raters.agreement import Weights, kappa_of

KAPPA = 0.7
"""Default minimum kappa with the gold."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """Requirements for an annotator."""

    kappa: float | None = KAPPA
    """Minimum weighted kappa with the gold; None for no minimum."""
    accuracy: float = 0.0
    """Minimum accuracy on gold items."""
    items: int = 0
    """Minimum number of gold items answered; 0 for all."""
    weights: Weights = "quadratic"
    """Weighting of the distance of labels."""


DEFAULT = Threshold()
"""The part-whole study: quadratic-weighted kappa of at least 0.7, two gold items per class."""


@dataclass(frozen=True, slots=True)
class Qualification:
    """Result of one annotator on the gold items."""

    annotator: str
    items: int
    """Number of gold items answered."""
    kappa: float | None
    """None if undefined: golds and answers all have the same label."""
    accuracy: float
    passed: bool
    reason: str = ""
    """Reason if the annotator did not pass."""


def qualify(
    judgements: Iterable[Judgement], gold: Mapping[str, str], labels: Sequence[str], threshold: Threshold = DEFAULT
) -> list[Qualification]:
    """Check each annotator's answers to the gold items against the thresholds, in order of names.

    An answer other than a label ("makes no sense") counts as wrong and is left out of the kappa.

    >>> gold = {"i": "low", "j": "mid", "k": "high"}
    >>> given = [Judgement(item, "ann", "demo", label) for item, label in gold.items()]
    >>> qualify(given, gold, ["low", "mid", "high"])[0].passed
    True
    """
    index_of = {label: index for index, label in enumerate(labels)}
    strange = sorted(set(gold.values()) - index_of.keys())
    if strange:
        raise UserError(f"the gold {strange[0]!r} is not a label", fix=f"the labels are {', '.join(labels)}")
    answers: dict[str, dict[str, str]] = {}
    for judgement in judgements:
        if judgement.anonymous:
            raise UserError("it is not known whose votes these are, so nobody can qualify")
        if judgement.item in gold:
            answers.setdefault(judgement.annotator, {})[judgement.item] = judgement.value
    if not answers:
        raise UserError("nobody judged a gold item", fix="check that the gold items are those that were asked")
    return [_qualified(name, answers[name], gold, index_of, threshold) for name in sorted(answers)]


def _qualified(
    name: str, answers: Mapping[str, str], gold: Mapping[str, str], places: Mapping[str, int], threshold: Threshold
) -> Qualification:
    table = np.zeros((1, len(places), len(places)))
    right = 0
    for item, value in answers.items():
        right += value == gold[item]
        if value in places:
            table[0, places[gold[item]], places[value]] += 1
    weighted = float(kappa_of(table, threshold.weights)[0]) if table.any() else float("nan")
    kappa = None if np.isnan(weighted) else weighted
    share = right / len(answers)
    needed = threshold.items or len(gold)
    reason = ""
    if len(answers) < needed:
        reason = f"answered {len(answers)} of {needed} gold items"
    elif threshold.kappa is not None and kappa is None:
        reason = "kappa is undefined: too few different labels"
    elif threshold.kappa is not None and kappa is not None and kappa < threshold.kappa:
        reason = f"kappa {kappa:.2f} is below {threshold.kappa:.2f}"
    elif share < threshold.accuracy:
        reason = f"accuracy {share:.2f} is below {threshold.accuracy:.2f}"
    return Qualification(name, len(answers), kappa, share, not reason, reason)


def choose_gold(agreed: Mapping[str, str], labels: Sequence[str], each: int = 2, seed: int = 0) -> list[str]:
    """Draw ``each`` qualification items per label from those whose label the authors agree on.

    A label with fewer items is an error: the test would pass annotators who never use that label.

    >>> choose_gold({"i": "low", "j": "high"}, ["low", "high"], each=1)
    ['i', 'j']
    """
    chosen = []
    for label in labels:
        having = sorted(item for item, value in agreed.items() if value == label)
        if len(having) < each:
            raise UserError(
                f"{len(having)} items are agreed to be {label!r}, and {each} are needed",
                fix="agree on more items, or ask for fewer of each label",
            )
        chosen += random.Random(f"{seed} {label}").sample(having, each)
    return chosen
