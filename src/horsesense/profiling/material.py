"""The material of a profile: frozen questions and their twin per ability, random halves of one draw of one recipe.

A recipe makes a pool. Its groups (the concept, word or property that questions depend on) are shuffled and split in
half: frozen questions are drawn from one half, the twin from the other, cycling through groups. So the two differ only
by chance, and a seed draws a new twin.

All users share one split, and models have preferences in common (a network of random weights prefers short options).
A chance imbalance of lengths and the like would look like contamination in all of them. So among many splits, and many
draws of a twin, the one is used in which cues have the most similar accuracy in both (rerandomisation: Morgan and Rubin
2012). This happens before any model is asked; the test stays valid and is conservative.

``profile3.toml`` records everything that this depends on: the seed of the split, the draw of the twin, the names of the
cues that halves were balanced by, and the hash of every pool and of both halves. A new cue changes nothing; a changed
item is a different version, and an error. A dataset published as a whole has no twin.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from random import Random

import numpy as np

from horsesense.core import Item, Probe, read_probe, write_probe
from horsesense.core.card import card_path
from horsesense.cues.battery import Cue, battery
from horsesense.cues.search import prepare
from horsesense.cues.table import table_of
from horsesense.data.disk import cache_folder
from horsesense.data.store import Store
from horsesense.errors import UserError
from horsesense.profiling.abilities import EDITIONS, Ability, Edition, pool_of
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask_models import content_of

VERSION = 3
"""Version of the frozen questions; the number in the name of their file."""
SEED = 0
"""Seed of the recipes, and of the order in which families are frozen."""
TWIN_SEED = 0
"""Seed whose twins are frozen by hash."""
DRAWS = 50
"""Number of candidate draws of a twin per seed."""


@dataclass(frozen=True, slots=True)
class FrozenPart:
    """Frozen part of an ability in one edition."""

    families: int
    items: int
    content: str
    """SHA-256 over the ids of the items, which depend on their whole content."""
    draw: int = 0
    """Index of the most balanced of `DRAWS` draws of a twin, for twin seed 0."""


@dataclass(frozen=True, slots=True)
class FrozenAbility:
    """An ability as frozen in a version."""

    pool: FrozenPart
    """All items of the recipe."""
    editions: Mapping[str, FrozenPart]
    """Frozen questions by edition."""
    twins: Mapping[str, FrozenPart]
    """Questions of the twin half with twin seed 0 by edition; empty without a twin."""
    cut: int = 0
    """Seed of the split into halves; 0 also without a twin."""


@dataclass(frozen=True, slots=True)
class Material:
    """Questions of one ability."""

    ability: Ability
    pool: Probe
    """All items of the recipe, on which cues are chosen."""
    frozen: Probe
    """Frozen questions, the same for all users."""
    twin: Probe | None
    """Questions of the other half, never published; None if halves are not exchangeable, or no twin is asked."""


def material(
    ability: Ability, edition: Edition, twin_seed: int = 0, limit: int | None = None, progress: Progress = NO_PROGRESS
) -> Material:
    """Return the questions of an ability; with ``limit`` fewer families, and an incomplete frozen part."""
    pool = checked_pool(ability, progress)
    return drawn(ability, pool, edition, twin_seed, limit)


def drawn(ability: Ability, pool: Probe, edition: Edition, twin_seed: int = 0, limit: int | None = None) -> Material:
    """Draw frozen questions and twin from a pool."""
    first, second = halves(pool, ability, frozen_list()[ability.name].cut)
    frozen, twin = ability.sizes[edition]
    if limit is not None:
        frozen, twin = min(frozen, limit), min(twin, limit)
    probe = named_probe(pool, ability.name, asked_of(by_turns(first, pool.card.group, SEED)[:frozen], ability, edition))
    if limit is None or limit >= ability.sizes[edition][0]:
        _check(ability, edition, probe)
    if not twin:
        return Material(ability, pool, probe, None)
    frozen_twin = frozen_list()[ability.name].twins[edition] if twin_seed == TWIN_SEED else None
    twins = TwinDraws(pool, ability, edition, second, twin_seed, twin)
    draw = fairest_draw(twins, probe) if frozen_twin is None else frozen_twin.draw
    other = named_probe(pool, f"{ability.name}-twin", twins.families(draw))
    if frozen_twin is not None and twin == ability.sizes[edition][1]:
        _compare(frozen_twin, replace(part_of(other.items), draw=draw), f"{ability.name}, {edition}, twin,")
    return Material(ability, pool, probe, other)


def asked_of(families: Sequence[tuple[Item, ...]], ability: Ability, edition: Edition) -> Sequence[tuple[Item, ...]]:
    """Return what is asked of some families: all items, or in the quick edition one item of each, drawn by its name.

    Pairs with opposite keys and other families that test one piece of knowledge stay whole. Where each item is a
    question of its own, a second one about the same concept says less than one about another concept.
    """
    if ability.same_knowledge or edition != "quick":
        return families
    return [(Random(f"{VERSION} {family[0].unit()}").choice(family),) for family in families]


@dataclass(frozen=True, slots=True)
class TwinDraws:
    """Draws of a twin of one size from the other half."""

    pool: Probe
    ability: Ability
    edition: Edition
    half: Sequence[Item]
    seed: int
    size: int

    def families(self, draw: int) -> Sequence[tuple[Item, ...]]:
        """Return what is asked in one draw."""
        order = by_turns(self.half, self.pool.card.group, f"{self.seed} {draw}")
        return asked_of(order[: self.size], self.ability, self.edition)


def fairest_draw(twins: TwinDraws, frozen: Probe) -> int:
    """Return the draw of a twin whose cue accuracies are closest to those of the frozen questions."""
    earned = CueCredits(twins.pool)

    def apart(draw: int) -> float:
        return earned.apart(frozen.items, chain.from_iterable(twins.families(draw)))

    return min(range(DRAWS), key=apart)


def halves(pool: Probe, ability: Ability, cut: int) -> tuple[list[Item], list[Item]]:
    """Split a pool in two halves by group and seed; without a twin all items are in the first."""
    if not ability.has_twin:
        return list(pool.items), []
    groups = sorted({item.unit(pool.card.group) for item in pool.items})
    Random(f"{VERSION} {ability.name} {cut}").shuffle(groups)
    first = set(groups[: (len(groups) + 1) // 2])
    inside = [item.unit(pool.card.group) in first for item in pool.items]
    return (
        [item for item, within in zip(pool.items, inside, strict=True) if within],
        [item for item, within in zip(pool.items, inside, strict=True) if not within],
    )


def by_turns(items: Iterable[Item], group: str, seed: int | str) -> list[tuple[Item, ...]]:
    """Return families in random order, cycling through groups, so that any prefix covers many groups.

    >>> pairs = [Item(probe="demo", form="choice", text=f"{n}?", options=("a",), family=str(n // 2),
    ...               groups={"noun": "x" if n < 8 else "y"}) for n in range(10)]
    >>> [sorted({item.groups["noun"] for item in family}) for family in by_turns(pairs, "noun", 0)][:2] in (
    ...     [["x"], ["y"]], [["y"], ["x"]])
    True
    """
    families: dict[str, list[Item]] = {}
    for item in items:
        families.setdefault(item.unit(), []).append(item)
    queues: dict[str, list[str]] = {}
    chance = Random(f"{VERSION} {seed}")
    for family in chance.sample(sorted(families), len(families)):
        queues.setdefault(families[family][0].unit(group), []).append(family)
    order = chance.sample(sorted(queues), len(queues))
    turns = zip_longest(*(queues[name] for name in order))
    return [tuple(families[family]) for turn in turns for family in turn if family is not None]


def named_probe(pool: Probe, name: str, families: Sequence[Sequence[Item]]) -> Probe:
    """Return some families as a probe, in the order of the pool."""
    inside = {item.id for family in families for item in family}
    items = [item for item in pool.items if item.id in inside]
    return Probe.of(items, replace(pool.card, name=name))


# The frozen version.


def frozen_path(version: int = VERSION) -> Path:
    return Path(__file__).with_name(f"profile{version}.toml")


@cache
def frozen_list(version: int = VERSION) -> Mapping[str, FrozenAbility]:
    """Return the frozen parts of a version by ability.

    >>> sorted(frozen_list()["kinds"].editions)
    ['full', 'quick']
    """
    values = tomllib.loads(frozen_path(version).read_text(encoding="utf-8"))
    return {
        name: FrozenAbility(
            pool=FrozenPart(**kept["pool"]),
            editions={edition: FrozenPart(**kept[edition]) for edition in EDITIONS},
            twins={e: FrozenPart(**kept[f"{e}_twin"]) for e in EDITIONS if f"{e}_twin" in kept},
            cut=kept["cut"],
        )
        for name, kept in values["abilities"].items()
    }


@cache
def balancing_cues(version: int = VERSION) -> tuple[str, ...]:
    """Return the cues that balance the halves of a version: only those that existed when it was frozen."""
    return tuple(tomllib.loads(frozen_path(version).read_text(encoding="utf-8"))["cues"])


def part_of(items: Sequence[Item]) -> FrozenPart:
    """Return the record of these items."""
    return FrozenPart(len({item.unit() for item in items}), len(items), content_of(items))


def recipe_in_words(ability: Ability) -> str:
    return " ".join([ability.recipe, *(f"{name}={value}" for name, value in ability.options.items())])


def _check(ability: Ability, edition: Edition, probe: Probe) -> None:
    _compare(frozen_list()[ability.name].editions[edition], part_of(probe.items), f"{ability.name}, {edition},")


def _compare(kept: FrozenPart, made: FrozenPart, what: str) -> None:
    if kept != made:
        raise UserError(
            f"the items of {what} are not those of profile {VERSION} ({made.items:,} with the content "
            f"{made.content[:12]}…, not {kept.items:,} with {kept.content[:12]}…)",
            fix="fetch the pinned knowledge by horsesense fetch wordnet gcide, with the libraries of constraints.txt; "
            "scores on other items must not be reported as this version",
        )


def checked_pool(ability: Ability, progress: Progress = NO_PROGRESS) -> Probe:
    """Return the pool of an ability: from the cache if it is there and intact, otherwise built and stored there."""
    wanted = frozen_list()[ability.name].pool
    path = cache_folder("profile", str(VERSION), f"{ability.name}-{wanted.content[:16]}.parquet")
    store, files = Store(path.parent), (path, card_path(path))
    if not all(store.has(file, recorded=True) for file in files):
        progress.log(f"building the questions about {ability.title!r}")
        pool = pool_of(ability, SEED)
        _compare(wanted, part_of(pool.items), ability.name)
        write_probe(path, pool)
        for file in files:
            store.record(file)
    return read_probe(path)  # also after building, so that every call returns the same bytes


class CueCredits:
    """Credit of every number cue on each item of a pool, in both directions, for balancing the halves."""

    def __init__(self, pool: Probe) -> None:
        judged = [i for i in pool.items if i.answer is not None and i.facets.get("rung", "inference") == "inference"]
        prepared = prepare(table_of(judged, pool.card.group, None), _balancing())
        credit = prepared.directed.astype(np.float64)
        self.spread = credit.var(axis=0)
        self.credit = credit[:, self.spread > 0] / np.sqrt(self.spread[self.spread > 0])
        self.place = {item.id: number for number, item in enumerate(prepared.table.items)}

    def apart(self, some: Iterable[Item], others: Iterable[Item]) -> float:
        """Return the mean squared difference of the cues between two sets, in standard errors; 0 if no cue applies."""
        if not self.credit.shape[1]:
            return 0.0
        sides = [[self.place[item.id] for item in side if item.id in self.place] for side in (some, others)]
        one, other = (self.credit[side].mean(axis=0) for side in sides)
        # Several splits may balance all cues exactly; rounding makes the first of them win on every machine.
        return round(float(((one - other) ** 2).mean() / (1 / len(sides[0]) + 1 / len(sides[1]))), 12)


def _balancing() -> list[Cue]:
    """Return the cues of the list, in order."""
    known = {cue.name: cue for cue in battery()}
    missing = [name for name in balancing_cues() if name not in known]
    if missing:
        raise UserError(
            f"the cues {', '.join(missing)}, which halves of profile {VERSION} are balanced by, are not in the battery",
            fix="use the version of horsesense that has them; a different balance would be a different version",
        )
    return [known[name] for name in balancing_cues()]
