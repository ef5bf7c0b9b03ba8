"""How well part-whole triples are answered: a model's row of table 3 of the paper, and people's two ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from horsesense.analysis import Estimate, accuracy, chance
from horsesense.analysis.mistakes import Confusion, confusion
from horsesense.analysis.ordinal import mean_absolute_error, novelty, quadratic_kappa
from horsesense.analysis.resampling import Floats
from horsesense.analysis.slices import Slice, by_facet
from horsesense.errors import UserError
from horsesense.probes.partwhole.lexicon import adjective_class
from horsesense.records import Item, Judgement

ROLES = ("whole", "part", "adjective")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    name: str
    seeds: int
    """Runs of the same name that were put together; 1 for a model, 0 for people."""
    accuracy: Estimate
    error: Estimate | None
    """Mean absolute error in steps of the scale; None where options are no scale, or the gold is not one label."""
    kappa: Estimate | None
    """Quadratic-weighted."""
    confusion: Confusion | None
    slices: Mapping[str, Sequence[Slice]]
    """By adjective class, and by what training has seen."""


def model_row(
    name: str,
    items: Sequence[Item],
    earned: Sequence[Floats],
    chosen: Sequence[Sequence[tuple[int, ...]]],
    train: Sequence[Item] = (),
) -> Row:
    """One model on items that have a gold; ``earned`` and ``chosen`` are what each seed got and picked on them."""
    credit: Floats = np.mean(earned, axis=0)
    together = [tuple(option for each in chosen for option in each[place]) for place in range(len(items))]
    wholes, parts = ([item.groups[role] for item in items] for role in ("whole", "part"))
    guess = chance([len(item.options) for item in items])
    error = kappa = None
    labels = len(items[0].options)
    if all(item.ordered and item.options == items[0].options for item in items):
        golds = [item.answer for item in items if item.answer is not None]
        error = mean_absolute_error(golds, together, labels, wholes, parts)
        kappa = quadratic_kappa(golds, together, labels, wholes, parts)
    return Row(
        name=name,
        seeds=len(earned),
        accuracy=accuracy(credit, wholes, guess, crossed=parts),
        error=error,
        kappa=kappa,
        confusion=confusion(items, together),
        slices=_slices(items, credit, wholes, train),
    )


def _slices(
    items: Sequence[Item], credit: Floats, wholes: Sequence[str], train: Sequence[Item]
) -> dict[str, tuple[Slice, ...]]:
    facets: list[dict[str, str]] = [{"adjective class": adjective_class(item.groups["adjective"])} for item in items]
    if train:
        facets = [known | dict(seen) for known, seen in zip(facets, novelty(items, train, ROLES), strict=True)]
    return {name: by_facet(credit, wholes, facets, name).slices for name in facets[0]}


def human_rows(items: Sequence[Item], judged: Sequence[Item], judgements: Sequence[Judgement]) -> list[Row]:
    """People on the same triples, two ways that are never subtracted from one another.

    ``judged`` are the items that the judgements are about. One vote against the label that contains it is what the
    paper publishes; it is helped by being part of the label. One vote against the majority of the others is not.
    """
    asked = {_triple(item): item for item in items if item.answer is not None}
    about = {item.id: asked[_triple(item)] for item in judged if _triple(item) in asked}
    votes = [each for each in judgements if each.item in about and each.value in about[each.item].options]
    if not votes:
        raise UserError("no vote is about these triples", fix="give the votes that their labels were made of")
    targets = [about[each.item] for each in votes]
    wholes, parts = ([item.groups[role] for item in targets] for role in ("whole", "part"))
    golds = [item.answer for item in targets if item.answer is not None]
    given = [(item.options.index(each.value),) for each, item in zip(votes, targets, strict=True)]
    labels = len(targets[0].options)
    right = [float(gold == vote[0]) for gold, vote in zip(golds, given, strict=True)]
    first = Row(
        name="people: one vote against the label that contains it",
        seeds=0,
        accuracy=accuracy(right, wholes, crossed=parts),
        error=mean_absolute_error(golds, given, labels, wholes, parts),
        kappa=quadratic_kappa(golds, given, labels, wholes, parts),
        confusion=None,
        slices={},
    )
    credit = _against_others(votes)
    name = "people: one vote against the majority of the others"
    second = replace(first, name=name, accuracy=accuracy(credit, wholes, crossed=parts), error=None, kappa=None)
    return [first, second]


def _triple(item: Item) -> tuple[str, ...]:
    return tuple(item.groups[role] for role in ROLES)


def _against_others(votes: Sequence[Judgement]) -> list[float]:
    """Each vote against the commonest of the other votes for its item; of n that tie, 1/n. A vote alone is left out."""
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
