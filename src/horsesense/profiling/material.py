"""The material of a profile: per ability the frozen questions and their twin, random halves of one draw of one recipe.

A recipe makes a pool. Its groups (the concept, word or property that questions depend on) are shuffled and cut in the
middle: from one half the frozen questions are drawn, by turns of group, from the other the twin. So the two differ by
chance alone, and a seed draws the twin anew. One cut is used by everybody, and models have tastes in common (a network
of random weights likes short options): what chance does to lengths and the like would be taken for memory of all of
them. So of many cuts, and of many draws of a twin, that one is taken in which cues earn most nearly the same in both
(rerandomisation: Morgan and Rubin 2012), before any model is asked; the test stays valid and errs on the safe side.
``profile1.toml`` has everything that this depends on: the seed of the cut, the draw of the twin, the names of the cues
that halves were balanced by, and the hash of every pool and of both halves. A new cue changes nothing, and one changed
item is another version, and an error. A set that is published whole has no twin.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from horsesense.core import Item, Probe, read_probe, write_probe
from horsesense.cues.battery import Cue, battery
from horsesense.cues.search import prepare
from horsesense.cues.table import table_of
from horsesense.data.disk import cache_folder
from horsesense.errors import UserError
from horsesense.profiling.abilities import EDITIONS, Ability, Edition
from horsesense.profiling.recipes import pool_of
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask import content_of

VERSION = 1
"""Of the frozen questions; the number in the name of their file."""
SEED = 0
"""Of the recipes, and of the order in which families are frozen."""
CUTS = 400
"""Cuts into halves that one is chosen from."""
TWIN_SEED = 0
"""Whose twins are frozen by hash."""
DRAWS = 50
"""Draws of a twin that one is chosen from, for each seed."""


@dataclass(frozen=True, slots=True)
class FrozenPart:
    """What is frozen of an ability in one edition."""

    families: int
    items: int
    content: str
    """SHA-256 over the ids of the items, which are made of all that is asked."""


@dataclass(frozen=True, slots=True)
class FrozenTwin:
    """The twin of an ability in one edition, as seed 0 draws it."""

    draw: int
    """Which of `DRAWS` draws was the fairest."""
    part: FrozenPart


@dataclass(frozen=True, slots=True)
class FrozenAbility:
    """An ability as a version has it."""

    recipe: str
    """The recipe with what it is given, in words."""
    seed: int
    pool: FrozenPart
    """All that the recipe makes."""
    editions: Mapping[str, FrozenPart]
    """By edition, what is asked of the frozen half."""
    twins: Mapping[str, FrozenTwin]
    """By edition, what is asked of the twin half with twin seed 0; empty where there is no twin."""
    cut: int = 0
    """The seed that cuts the pool into halves; 0 also where there is no twin."""


@dataclass(frozen=True, slots=True)
class Material:
    """What is asked about one ability."""

    ability: Ability
    pool: Probe
    """All that the recipe makes: what cues are looked for in."""
    frozen: Probe
    """The same for everybody."""
    twin: Probe | None
    """Of the other half, never published; None where halves are not exchangeable, or none is asked."""


def material(
    ability: Ability, edition: Edition, twin_seed: int = 0, limit: int | None = None, progress: Progress = NO_PROGRESS
) -> Material:
    """The questions of an ability; ``limit`` asks fewer families, and then the frozen part is not the whole one."""
    pool = checked_pool(ability, progress)
    return drawn(ability, pool, edition, twin_seed, limit)


def drawn(ability: Ability, pool: Probe, edition: Edition, twin_seed: int = 0, limit: int | None = None) -> Material:
    """Frozen and twin out of a pool."""
    first, second = halves(pool, ability, frozen_list()[ability.name].cut)
    frozen, twin = ability.sizes[edition]
    if limit is not None:
        frozen, twin = min(frozen, limit), min(twin, limit)
    probe = _named(pool, ability.name, by_turns(first, pool.card.group, SEED)[:frozen])
    if limit is None or limit >= ability.sizes[edition][0]:
        _check(ability, edition, probe)
    if not twin:
        return Material(ability, pool, probe, None)
    frozen_twin = frozen_list()[ability.name].twins[edition] if twin_seed == TWIN_SEED else None
    draw = fairest_draw(pool, probe, second, twin_seed, twin) if frozen_twin is None else frozen_twin.draw
    other = _named(pool, f"{ability.name}-twin", twin_families(second, pool.card.group, twin_seed, draw)[:twin])
    if frozen_twin is not None and twin == ability.sizes[edition][1]:
        _compare(frozen_twin.part, part_of(other.items), f"{ability.name}, {edition}, twin,")
    return Material(ability, pool, probe, other)


def twin_families(half: Iterable[Item], group: str, twin_seed: int, draw: int) -> list[tuple[Item, ...]]:
    """Families of the twin half in the order of one draw."""
    return by_turns(half, group, f"{twin_seed} {draw}")


def fairest_draw(pool: Probe, frozen: Probe, half: Sequence[Item], twin_seed: int, size: int) -> int:
    """The draw of a twin that earns cues what the frozen questions earn them, most nearly."""
    earned = CueCredits(pool)

    def apart(draw: int) -> float:
        families = twin_families(half, pool.card.group, twin_seed, draw)[:size]
        return earned.apart(frozen.items, chain.from_iterable(families))

    return min(range(DRAWS), key=apart)


def halves(pool: Probe, ability: Ability, cut: int) -> tuple[list[Item], list[Item]]:
    """The two halves of a pool, by group and the seed of the cut; a set without a twin is all in the first."""
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
    """Families in a random order, one of each group by turns: however few are taken, they are of many groups.

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


def _named(pool: Probe, name: str, families: Sequence[Sequence[Item]]) -> Probe:
    """Some families as a probe, in the order of the pool."""
    inside = {item.id for family in families for item in family}
    items = [item for item in pool.items if item.id in inside]
    return Probe.of(items, replace(pool.card, name=name))


# What is frozen.


def frozen_path(version: int = VERSION) -> Path:
    return Path(__file__).with_name(f"profile{version}.toml")


@cache
def frozen_list(version: int = VERSION) -> Mapping[str, FrozenAbility]:
    """What a version consists of, by ability.

    >>> sorted(frozen_list()["kinds"].editions)
    ['full', 'quick']
    """
    values = tomllib.loads(frozen_path(version).read_text(encoding="utf-8"))
    return {
        name: FrozenAbility(
            recipe=kept["recipe"],
            seed=kept["seed"],
            pool=FrozenPart(**kept["pool"]),
            editions={edition: FrozenPart(**kept[edition]) for edition in EDITIONS},
            twins={edition: _frozen_twin(kept[f"{edition}_twin"]) for edition in EDITIONS if f"{edition}_twin" in kept},
            cut=kept["cut"],
        )
        for name, kept in values["abilities"].items()
    }


def _frozen_twin(kept: Mapping[str, Any]) -> FrozenTwin:
    values = dict(kept)
    return FrozenTwin(values.pop("draw"), FrozenPart(**values))


@cache
def balancing_cues(version: int = VERSION) -> tuple[str, ...]:
    """The cues that halves of a version are balanced by: those that were known when it was frozen, and no others."""
    return tuple(tomllib.loads(frozen_path(version).read_text(encoding="utf-8"))["cues"])


def part_of(items: Sequence[Item]) -> FrozenPart:
    """What would be written down of these items."""
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
            "figures of other items must not be called by this version",
        )


def checked_pool(ability: Ability, progress: Progress = NO_PROGRESS) -> Probe:
    """The pool of an ability: from the cache where it is there and whole, else built and kept there."""
    wanted = frozen_list()[ability.name].pool
    path = cache_folder("profile", str(VERSION), f"{ability.name}-{wanted.content[:16]}.parquet")
    if path.is_file():
        try:
            kept = read_probe(path)
        except UserError:
            progress.log(f"{path}: damaged, so it is built again")
        else:
            if part_of(kept.items) == wanted:
                return kept
    progress.log(f"building the questions of {ability.name}: {recipe_in_words(ability)}")
    pool = pool_of(ability, SEED)
    _compare(wanted, part_of(pool.items), ability.name)
    write_probe(path, pool)
    return read_probe(path)  # as the next call finds it, so that both keep the same bytes


def freeze() -> str:
    """The text of a version's file, from what the recipes make now; see tools/freeze_profile.py."""
    from horsesense.profiling.abilities import abilities

    lines = [
        f"# Profile {VERSION}: what is asked, by content hash. Made by tools/freeze_profile.py; never edited by hand.",
        "# A changed hash is another version: write a new file, and leave this one as it is.",
        f"version = {VERSION}",
        "# Halves are balanced by these cues; one that is added later takes no part.",
        "cues = [",
        *(f'    "{cue.name}",' for cue in battery()),
        "]",
    ]
    for ability in abilities().values():
        pool = pool_of(ability, SEED)
        cut = fairest_cut(pool, ability) if ability.has_twin else 0
        own, second = halves(pool, ability, cut)
        first = by_turns(own, pool.card.group, SEED)
        lines += ["", f"[abilities.{ability.name}]", f'recipe = "{recipe_in_words(ability)}"', f"seed = {SEED}"]
        lines += [f"cut = {cut}", f"pool = {_toml(part_of(pool.items))}", f'licence = "{pool.card.licence}"']
        for edition in EDITIONS:
            families = first[: ability.sizes[edition][0]]
            lines.append(f"{edition} = {_toml(part_of([item for family in families for item in family]))}")
            if ability.has_twin:
                size, frozen = ability.sizes[edition][1], _named(pool, ability.name, families)
                draw = fairest_draw(pool, frozen, second, TWIN_SEED, size)
                twin = twin_families(second, pool.card.group, TWIN_SEED, draw)[:size]
                part = _toml(part_of([item for family in twin for item in family]))
                lines.append(f"{edition}_twin = {{ draw = {draw}, {part.removeprefix('{ ')}")
    return "\n".join(lines) + "\n"


def fairest_cut(pool: Probe, ability: Ability) -> int:
    """The seed whose frozen questions, of either edition, earn cues what the other half earns them, most nearly."""
    earned = CueCredits(pool)

    def apart(cut: int) -> float:
        first, second = halves(pool, ability, cut)
        order = by_turns(first, pool.card.group, SEED)
        frozen = (order[: ability.sizes[edition][0]] for edition in EDITIONS)
        return sum(earned.apart(chain.from_iterable(families), second) for families in frozen)

    return min(range(CUTS), key=apart)


class CueCredits:
    """What every cue that is a number earns on each item of a pool, either way round: in this halves are alike."""

    def __init__(self, pool: Probe) -> None:
        judged = [i for i in pool.items if i.answer is not None and i.facets.get("rung", "inference") == "inference"]
        prepared = prepare(table_of(judged, pool.card.group, None), _balancing())
        credit = prepared.directed.astype(np.float64)
        self.spread = credit.var(axis=0)
        self.credit = credit[:, self.spread > 0] / np.sqrt(self.spread[self.spread > 0])
        self.place = {item.id: number for number, item in enumerate(prepared.table.items)}

    def apart(self, some: Iterable[Item], others: Iterable[Item]) -> float:
        """The mean square of the cues' differences between two sets, in standard errors; 0 where no cue has a say."""
        if not self.credit.shape[1]:
            return 0.0
        sides = [[self.place[item.id] for item in side if item.id in self.place] for side in (some, others)]
        one, other = (self.credit[side].mean(axis=0) for side in sides)
        return float(((one - other) ** 2).mean() / (1 / len(sides[0]) + 1 / len(sides[1])))


def _balancing() -> list[Cue]:
    """The cues of the list, in its order."""
    known = {cue.name: cue for cue in battery()}
    missing = [name for name in balancing_cues() if name not in known]
    if missing:
        raise UserError(
            f"the cues {', '.join(missing)}, which halves of profile {VERSION} are balanced by, are not in the battery",
            fix="use the version of horsesense that has them; another balance would be another version",
        )
    return [known[name] for name in balancing_cues()]


def _toml(part: FrozenPart) -> str:
    return f'{{ families = {part.families}, items = {part.items}, content = "{part.content}" }}'
