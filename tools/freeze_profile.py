"""Write down what a version of the profile asks, by content hash.

python -m tools.freeze_profile                    all abilities
python -m tools.freeze_profile --ability kinds    one of them; the others stay as they are
python -m tools.freeze_profile --keep-cuts        only sizes have changed: the split into halves stays as it is
For a new version, raise `VERSION` in horsesense/profiling/material.py first; no older list is needed. It needs WordNet
and GCIDE as they are pinned (`horsesense fetch wordnet gcide`).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from horsesense.core import Probe
from horsesense.cues.battery import battery
from horsesense.profiling.abilities import (
    EDITIONS,
    Ability,
    abilities,
    chosen,
    pool_of,
)
from horsesense.profiling.material import (
    SEED,
    TWIN_SEED,
    VERSION,
    CueCredits,
    FrozenPart,
    TwinDraws,
    asked_of,
    by_turns,
    fairest_draw,
    frozen_list,
    frozen_path,
    halves,
    named_probe,
    part_of,
    recipe_in_words,
)

CUTS = 400
"""Number of candidate splits into halves."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ability", action="append", default=[])
    parser.add_argument("--keep-cuts", action="store_true")
    arguments = parser.parse_args()
    path = frozen_path()
    old = path.read_text(encoding="utf-8") if arguments.ability or arguments.keep_cuts else ""
    names = {ability.name for ability in chosen(arguments.ability)}
    head = old.partition("\n[abilities.")[0] if old else "\n".join(_head())
    blocks = [head.rstrip()]
    if not old:
        path.write_text(head + "\n", encoding="utf-8")  # the cues that the halves below are balanced by
    for name, ability in abilities().items():
        if name in names:
            blocks.append("\n".join(_frozen(ability, arguments.keep_cuts)))
        else:
            kept = re.search(rf"^\[abilities\.{name}\]\n(?:(?!\[).*\n?)*", old, re.MULTILINE)
            assert kept is not None, f"{name} is not in {path}"
            blocks.append(kept.group().rstrip())
    path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


def _head() -> Iterator[str]:
    yield f"# Profile {VERSION}: what is asked, by content hash. Made by tools/freeze_profile.py; never edited by hand."
    yield "# A changed hash is a different version: write a new file, and do not change this one."
    yield f"version = {VERSION}"
    yield "# Halves are balanced by these cues; one that is added later takes no part."
    yield "cues = ["
    yield from (f'    "{cue.name}",' for cue in battery())
    yield "]"


def _frozen(ability: Ability, keep_cut: bool) -> Iterator[str]:
    """Yield the lines of one ability."""
    pool = pool_of(ability, SEED)
    cut = frozen_list()[ability.name].cut if keep_cut else fairest_cut(pool, ability) if ability.has_twin else 0
    own, second = halves(pool, ability, cut)
    first = by_turns(own, pool.card.group, SEED)
    yield f"[abilities.{ability.name}]"
    yield f'recipe = "{recipe_in_words(ability)}"'
    yield f"seed = {SEED}"
    yield f"cut = {cut}"
    yield f"pool = {_toml(part_of(pool.items))}"
    yield f'licence = "{pool.card.licence}"'
    for edition in EDITIONS:
        families = asked_of(first[: ability.sizes[edition][0]], ability, edition)
        yield f"{edition} = {_toml(part_of([item for family in families for item in family]))}"
        if ability.has_twin:
            twins = TwinDraws(pool, ability, edition, second, TWIN_SEED, ability.sizes[edition][1])
            draw = fairest_draw(twins, named_probe(pool, ability.name, families))
            twin = [item for family in twins.families(draw) for item in family]
            part = replace(part_of(twin), draw=draw)
            yield f"{edition}_twin = {_toml(part)}"


def fairest_cut(pool: Probe, ability: Ability) -> int:
    """Return the seed whose frozen questions, in both editions, have cue accuracies closest to the other half."""
    earned = CueCredits(pool)

    def apart(cut: int) -> float:
        first, second = halves(pool, ability, cut)
        order = by_turns(first, pool.card.group, SEED)
        frozen = (asked_of(order[: ability.sizes[edition][0]], ability, edition) for edition in EDITIONS)
        return sum(earned.apart(chain.from_iterable(families), second) for families in frozen)

    return min(range(CUTS), key=apart)


def _toml(part: FrozenPart) -> str:
    draw = f"draw = {part.draw}, " if part.draw else ""
    return f'{{ {draw}families = {part.families}, items = {part.items}, content = "{part.content}" }}'


if __name__ == "__main__":
    main()
