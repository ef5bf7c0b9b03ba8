"""Accuracy by family: mean, strict, and the consistency of duals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from horsesense.stats.combined import combined_interval, rates_of
from horsesense.stats.intervals import Estimate, check_level, rate_interval
from horsesense.stats.resampling import RESAMPLES, Floats, Names, spread, totals, unit_array

MOST_ROLES = 200


@dataclass(frozen=True, slots=True)
class Families:
    """Credits by family, sorted by name; items without a gold are left out."""

    names: NDArray[Any]
    sizes: NDArray[np.int64]
    """Number of members with a gold."""
    means: Floats
    """Mean credit of the members (Zhou et al. 2021, figure 7)."""
    strict: NDArray[np.bool_]
    """Whether every member is correct; a tie is not."""
    units: NDArray[Any]
    """Cluster of each family: the family itself unless a coarser grouping was passed."""
    members: NDArray[np.int64]
    """Index of each judged item's family in ``names``."""


@dataclass(frozen=True, slots=True)
class FamilyAccuracy:
    """Accuracy by family, over all families or those of one size; ``n`` counts families."""

    size: int | None
    """Members per family; None for all sizes together."""
    mean: Estimate
    """Mean over families of mean credit: a large family counts once."""
    strict: Estimate
    """Share of families with every member correct."""
    independent: Estimate
    """Expected strict accuracy under independent errors."""
    excess: Estimate
    """Strict minus independent: positive if errors are concentrated in few families."""


def by_family(values: Floats | Sequence[float], families: Names, units: Names | None = None) -> Families:
    """Group items by family name or number.

    >>> gathered = by_family([1, 0.5, 1, 1], ["ice", "ice", "fire", "fire"])
    >>> gathered.names.tolist(), gathered.means.tolist(), gathered.strict.tolist()
    (['fire', 'ice'], [1.0, 0.75], [True, False])
    """
    credit = np.asarray(values, dtype=np.float64)
    if not len(credit) == len(families) == len(families if units is None else units):
        raise UserError(f"there are {len(credit)} values for {len(families)} items")
    judged = ~np.isnan(credit)
    if not judged.any():
        raise UserError("no item has a gold answer, so there is no accuracy")
    credit = credit[judged]
    names, first, members, sizes = np.unique(
        unit_array(families)[judged], return_index=True, return_inverse=True, return_counts=True
    )
    if units is None:
        coarser = names
    else:
        item_units = unit_array(units)[judged]
        coarser = item_units[first]
        if (torn := coarser[members] != item_units).any():
            name = str(names[members[int(np.argmax(torn))]])
            raise UserError(f"the family {name!r} is in several clusters", fix="use clusters of whole families")
    return Families(
        names=names,
        sizes=sizes.astype(np.int64),
        means=np.minimum(np.bincount(members, weights=credit) / sizes, 1.0),
        strict=np.bincount(members, weights=credit == 1) == sizes,
        units=coarser,
        members=members.astype(np.int64),
    )


def family_accuracy(
    values: Floats | Sequence[float],
    families: Names,
    roles: Sequence[str] | None = None,
    units: Names | None = None,
    option_counts: Sequence[int] | NDArray[np.int64] | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[FamilyAccuracy]:
    """Estimate mean and strict accuracy over all families, then over those of each size.

    Independence multiplies accuracies: that of all members, or that of each of the ``roles`` (an item's ``member``)
    where roles mean the same in every family. Accuracy here is the share of fully correct items among the families of
    the same row. ``units`` name clusters of whole families; by default each family is its own cluster.
    ``option_counts`` give chance.

    >>> everything, pairs = family_accuracy([1, 1, 0, 0] * 10, [str(i // 2) for i in range(40)])
    >>> pairs.size, pairs.mean.value, pairs.strict.value, pairs.independent.value, pairs.excess.value
    (2, 0.5, 0.5, 0.25, 0.25)
    """
    check_level(level)
    gathered = by_family(values, families, units)
    for column, what in ((roles, "roles"), (option_counts, "option counts")):
        if column is not None and len(column) != len(families):
            raise UserError(f"there are {len(column)} {what} for {len(families)} items")
    judged = ~np.isnan(np.asarray(values, dtype=np.float64))
    right = np.asarray(values, dtype=np.float64)[judged] == 1
    labels = (np.zeros(len(judged), np.int64) if roles is None else np.asarray(roles, dtype=str))[judged]
    guess = None if option_counts is None else 1 / np.asarray(option_counts, dtype=np.float64)[judged]
    if len(kinds := np.unique(labels)) > MOST_ROLES:
        raise UserError(f"there are {len(kinds)} roles", fix="leave roles out where they differ from family to family")
    rows = []
    for size in (None, *np.unique(gathered.sizes).tolist()):
        here = np.ones(len(gathered.names), dtype=bool) if size is None else gathered.sizes == size
        items = here[gathered.members]
        members = (np.cumsum(here) - 1)[gathered.members[items]]
        names = gathered.units[here]
        expected = _Independence(right[items], labels[items], members)
        mean_chance, strict_chance = _chances(None if guess is None else guess[items], members)
        strict = accuracy(gathered.strict[here], names, strict_chance, level, seed, resamples)
        independent, excess = expected.estimates(gathered.strict[here], names, strict, resamples)
        mean = accuracy(gathered.means[here], names, mean_chance, level, seed, resamples)
        rows.append(FamilyAccuracy(size, mean, strict, independent, excess))
    return rows


def strict_accuracy(items: Sequence[Item], values: Floats) -> Estimate | None:
    """Estimate the share of whole families right; None without families.

    >>> pair = [Item("demo", "choice", text=str(n), options=("a", "b"), answer=0, family="x") for n in range(2)]
    >>> strict_accuracy(pair, np.array([1.0, 0.0])).value
    0.0
    """
    if not any(item.family for item in items):
        return None
    counts = [len(item.options) for item in items]
    return family_accuracy(values, [item.unit() for item in items], option_counts=counts)[0].strict


def without_repeats(values: Floats | Sequence[float], again: Sequence[bool] | NDArray[np.bool_]) -> Floats:
    """Mask repeated questions with nan, so that strict accuracy counts a question once.

    >>> without_repeats([1, 0], [False, True]).tolist()
    [1.0, nan]
    """
    credit = np.array(values, dtype=np.float64)
    credit[np.asarray(again, dtype=bool)] = np.nan
    return credit


def _chances(guess: Floats | None, members: NDArray[np.int64]) -> tuple[float | None, float | None]:
    if guess is None:
        return None, None
    mean = np.bincount(members, weights=guess) / np.bincount(members)
    strict = np.exp(np.bincount(members, weights=np.log(guess)))
    return float(mean.mean()), float(strict.mean())


class _Independence:
    """Strict accuracy under independence, as a function of the accuracy in each role."""

    def __init__(self, right: NDArray[np.bool_], labels: NDArray[Any], members: NDArray[np.int64]) -> None:
        roles, codes = np.unique(labels, return_inverse=True)
        number, families = len(roles), int(members.max()) + 1
        asked = np.bincount(members * number + codes, minlength=families * number).reshape(families, number)
        # Families with the same roles share one product; there are few such combinations.
        self.make_ups, counts = np.unique(asked, axis=0, return_counts=True)
        self.shares = counts / families
        self.by_role = [codes == role for role in range(number)]
        self.right, self.members = right.astype(np.float64), members

    def __call__(self, rates: Floats) -> Floats:
        """Return the expected share of fully correct families for accuracies with one column per role."""
        products = np.stack([(rates**make_up).prod(axis=1) for make_up in self.make_ups], axis=1)
        together: Floats = products @ self.shares
        return together

    def estimates(
        self, whole: NDArray[np.bool_], units: Names, strict: Estimate, resamples: int
    ) -> tuple[Estimate, Estimate]:
        """Return the accuracy expected under independence, and the excess of strict accuracy over it."""
        names = unit_array(units)
        credits = [self.right[role] for role in self.by_role]
        indices = [names[self.members[role]] for role in self.by_role]
        roles = rates_of(credits, indices, strict.seed, resamples)
        value = float(self(roles.values[None, :])[0])
        independent = replace(
            strict,
            value=value,
            ci=combined_interval(self, roles, strict.level),
            chance=None,
            method="intervals of accuracy by role, combined",
        )
        both = rates_of([*credits, whole.astype(np.float64)], [*indices, names], strict.seed, resamples)
        excess = replace(
            independent,
            value=strict.value - value,
            ci=combined_interval(lambda rates: rates[:, -1] - self(rates[:, :-1]), both, strict.level),
            method="intervals of strict accuracy and of accuracy by role, combined",
        )
        return independent, excess


# A fixed number of questions per concept.


SIZES = (2, 4)


@dataclass(frozen=True, slots=True)
class StrictAt:
    """Strict accuracy at one size; ``n`` counts families."""

    level: str
    """``concept``: questions of a concept; ``same question``: forms of a question that differ in their distractors."""
    size: int
    """Number of questions or forms that must be correct."""
    strict: Estimate
    """Probability that ``size`` of them, drawn from one family, are all correct; ``chance`` is the chance level."""
    independent: Estimate
    """Expected value under independent errors: the accuracy in these families to that power."""


def all_right(credits: Sequence[float], size: int) -> float:
    """Average the product of ``size`` credits over all subsets of that size.

    >>> all_right([1, 1, 0], 2), all_right([1, 0.5], 2)
    (0.3333333333333333, 0.5)
    """
    sums = np.zeros(size + 1)
    sums[0] = 1.0
    ways = np.zeros(size + 1)
    ways[0] = 1.0
    for credit in credits:
        sums[1:] += credit * sums[:-1]
        ways[1:] += ways[:-1].copy()
    return float(sums[size] / ways[size])


def strict_at_sizes(
    values: Floats | Sequence[float],
    concepts: Sequence[str],
    questions: Sequence[str],
    option_counts: Sequence[int],
    sizes: Sequence[int] = SIZES,
) -> list[StrictAt]:
    """Estimate both levels at each size that some family has; items without a gold (nan) are left out.

    ``questions`` identify questions irrespective of their distractors; a tie counts as wrong.
    """
    credit = np.asarray(values, dtype=np.float64)
    forms: dict[tuple[str, str], list[float]] = {}
    guesses: list[float] = []
    for value, concept, question, count in zip(credit, concepts, questions, option_counts, strict=True):
        if not np.isnan(value):
            forms.setdefault((concept, question), []).append(float(value == 1))
            guesses.append(1 / count)
    chance = float(np.mean(guesses)) if guesses else 0.0
    of_concept: dict[str, list[float]] = {}
    for (concept, _), earned in forms.items():
        of_concept.setdefault(concept, []).append(float(np.mean(earned)))
    same = {f"{concept}\0{question}": earned for (concept, question), earned in forms.items()}
    units = {name: name.partition("\0")[0] for name in same}
    rows = []
    for level, families in (("concept", of_concept), ("same question", same)):
        for size in sizes:
            large = {name: earned for name, earned in families.items() if len(earned) >= size}
            if len(large) > 1:
                rows.append(_at(level, size, large, units, chance**size))
    return rows


def _at(level: str, size: int, families: dict[str, list[float]], units: dict[str, str], chance: float) -> StrictAt:
    names = [units.get(name, name) for name in families]
    strict = accuracy([all_right(e, size) for e in families.values()], names, chance)
    means = np.array([float(np.mean(earned)) for earned in families.values()])

    def power(drawn: Floats) -> Floats:
        raised: Floats = (drawn[:, 0] / drawn[:, 1]) ** size
        return raised

    table = totals([means, np.ones(len(means))], names)
    value = float(power(table.total[None, :])[0])
    ends = rate_interval(value, spread(power, table), table.number, strict.level)
    return StrictAt(level, size, strict, replace(strict, value=value, ci=ends, chance=None))


@dataclass(frozen=True, slots=True)
class Consistency:
    """Agreement of the two members of each pair. A tie counts as wrong. ``n`` counts pairs."""

    consistent: Estimate
    """Share of pairs with both members correct or both wrong (Zhou et al. 2020: "consistent")."""
    both: Estimate
    """Share of pairs with both members correct, as knowledge predicts."""
    expected: Estimate
    """Expected share of consistent pairs under independence: pq + (1 - p)(1 - q)."""
    excess: Estimate
    """Consistent minus expected: negative if a correct member makes its partner more likely to be wrong."""
    first: tuple[str, Estimate]
    """Role of the first member, and its accuracy."""
    second: tuple[str, Estimate]
    """Role of the second member, and its accuracy."""
    unpaired: int
    """Number of items with a gold but no partner, which are left out."""


def consistency(
    values: Floats | Sequence[float],
    families: Sequence[str],
    roles: Sequence[str],
    units: Sequence[str] | None = None,
    option_counts: Sequence[int] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Consistency:
    """Estimate the consistency of pairs: families in which each of two ``roles`` (an item's ``member``) occurs once.

    ``units`` name the clusters; by default each pair is its own cluster.

    >>> pairs = consistency([1, 1, 0, 0, 1, 0, 1, 0], list("wwxxyyzz"), ["a", "b"] * 4)
    >>> pairs.consistent.value, pairs.both.value, pairs.expected.value
    (0.5, 0.25, 0.375)
    """
    credit = np.asarray(values, dtype=np.float64)
    if not len(credit) == len(families) == len(roles) == len(families if units is None else units):
        raise UserError(f"there are {len(credit)} values for {len(families)} items")
    pairs, unpaired = _pairs(credit, families, roles)
    kinds = sorted({role for pair in pairs for role in pair})
    if len(kinds) != 2:
        raise UserError(
            f"pairs need two roles, but there are {len(kinds)}" + (f" ({', '.join(kinds[:5])} …)" if kinds else ""),
            fix="keep the items of two roles",
        )
    rows = np.array([[pair[kind] for kind in kinds] for pair in pairs])
    right = (credit[rows] == 1).astype(np.float64)
    names = [str((families if units is None else units)[row[0]]) for row in rows]
    guess = None if option_counts is None else 1 / np.asarray(option_counts, dtype=np.float64)[rows]

    def rate(flags: Floats, chance: float | None) -> Estimate:
        return accuracy(flags, names, chance, seed=seed, resamples=resamples)

    p, q = right.T
    g = None if guess is None else guess.T
    same = p * q + (1 - p) * (1 - q)
    consistent = rate(same, None if g is None else float(np.mean(1 - g[0] - g[1] + 2 * g[0] * g[1])))
    rates = rates_of([p, q, same], [names] * 3, seed, resamples)
    value = float(_expected(rates.values[None, :])[0])
    return Consistency(
        consistent=consistent,
        both=rate(p * q, None if g is None else float(np.mean(g[0] * g[1]))),
        expected=replace(
            consistent,
            value=value,
            ci=combined_interval(_expected, rates.only(0, 1)),
            chance=None,
            method="intervals of both roles, combined",
        ),
        excess=replace(
            consistent,
            value=consistent.value - value,
            ci=combined_interval(_excess, rates),
            chance=None,
            method="intervals of consistency and of both roles, combined",
        ),
        first=(kinds[0], rate(p, None if g is None else float(g[0].mean()))),
        second=(kinds[1], rate(q, None if g is None else float(g[1].mean()))),
        unpaired=unpaired,
    )


def _pairs(credit: Floats, families: Sequence[str], roles: Sequence[str]) -> tuple[list[dict[str, int]], int]:
    """Return the item indices of each complete pair by role, and the number of judged items without a pair."""
    members: dict[str, list[int]] = {}
    judged = np.flatnonzero(~np.isnan(credit)).tolist()
    for index in judged:
        members.setdefault(families[index], []).append(index)
    by_role = [
        {str(roles[index]): index for index in indices} for _, indices in sorted(members.items()) if len(indices) == 2
    ]
    pairs = [pair for pair in by_role if len(pair) == 2]
    return pairs, len(judged) - 2 * len(pairs)


def _expected(rates: Floats) -> Floats:
    p, q = rates[:, 0], rates[:, 1]
    expected: Floats = p * q + (1 - p) * (1 - q)
    return expected


def _excess(rates: Floats) -> Floats:
    excess: Floats = rates[:, 2] - _expected(rates)
    return excess
