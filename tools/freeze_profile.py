"""Write down what a version of the profile asks, by content hash.

python -m tools.freeze_profile                              all abilities
python -m tools.freeze_profile --ability kinds              one of them; the others stay as they are
python -m tools.freeze_profile --ability kinds --near FILE  its questions with near distractors are those of a probe
For a new version, raise `VERSION` in horsesense/profiling/material.py first. It needs WordNet and GCIDE as they are
pinned (`horsesense fetch wordnet gcide`), and to draw near distractors GloVe and MiniLM.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from horsesense.core import Probe, read_probe
from horsesense.cues.battery import battery
from horsesense.cues.relatedness import encoders
from horsesense.lexicons.sources import open_graph
from horsesense.methods.wordnetqa.builder import build_wordnetqa
from horsesense.methods.wordnetqa.stored_questions import store_questions
from horsesense.profiling.abilities import (
    EDITIONS,
    Ability,
    abilities,
    chosen,
    pool_of,
    stored_questions_of,
    word_plan,
)
from horsesense.profiling.material import (
    SEED,
    TWIN_SEED,
    VERSION,
    CueCredits,
    FrozenPart,
    by_turns,
    fairest_draw,
    frozen_path,
    halves,
    named_probe,
    part_of,
    recipe_in_words,
    twin_families,
)

CUTS = 400
"""Number of candidate splits into halves."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ability", action="append", default=[])
    parser.add_argument("--near", type=Path, help="a probe with the near questions of the ability")
    arguments = parser.parse_args()
    path = frozen_path()
    old = path.read_text(encoding="utf-8") if arguments.ability else ""
    names = {ability.name for ability in chosen(arguments.ability)}
    head = old.partition("\n[abilities.")[0] if old else "\n".join(_head())
    blocks = [head.rstrip()]
    for name, ability in abilities().items():
        if name in names:
            blocks.append("\n".join(_frozen(ability, arguments.near)))
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


def store_near(ability: Ability, near: Path | None) -> None:
    """Store the questions of an ability with near distractors, drawn now or those of a probe."""
    graph, plan = open_graph("wordnet"), word_plan(ability, SEED)
    probe = read_probe(near) if near else build_wordnetqa(graph, plan, encoders())
    store_questions(stored_questions_of(ability), replace(probe, items=probe.items[: plan.limit]), graph, plan)


def _frozen(ability: Ability, near: Path | None) -> Iterator[str]:
    """Yield the lines of one ability."""
    if ability.options.get("distractors", "random") != "random":
        store_near(ability, near)
    pool = pool_of(ability, SEED)
    cut = fairest_cut(pool, ability) if ability.has_twin else 0
    own, second = halves(pool, ability, cut)
    first = by_turns(own, pool.card.group, SEED)
    yield f"[abilities.{ability.name}]"
    yield f'recipe = "{recipe_in_words(ability)}"'
    yield f"seed = {SEED}"
    yield f"cut = {cut}"
    yield f"pool = {_toml(part_of(pool.items))}"
    yield f'licence = "{pool.card.licence}"'
    for edition in EDITIONS:
        families = first[: ability.sizes[edition][0]]
        yield f"{edition} = {_toml(part_of([item for family in families for item in family]))}"
        if ability.has_twin:
            size, frozen = ability.sizes[edition][1], named_probe(pool, ability.name, families)
            draw = fairest_draw(pool, frozen, second, TWIN_SEED, size)
            twin = twin_families(second, pool.card.group, TWIN_SEED, draw)[:size]
            part = replace(part_of([item for family in twin for item in family]), draw=draw)
            yield f"{edition}_twin = {_toml(part)}"


def fairest_cut(pool: Probe, ability: Ability) -> int:
    """Return the seed whose frozen questions, in both editions, have cue accuracies closest to the other half."""
    earned = CueCredits(pool)

    def apart(cut: int) -> float:
        first, second = halves(pool, ability, cut)
        order = by_turns(first, pool.card.group, SEED)
        frozen = (order[: ability.sizes[edition][0]] for edition in EDITIONS)
        return sum(earned.apart(chain.from_iterable(families), second) for families in frozen)

    return min(range(CUTS), key=apart)


def _toml(part: FrozenPart) -> str:
    draw = f"draw = {part.draw}, " if part.draw else ""
    return f'{{ {draw}families = {part.families}, items = {part.items}, content = "{part.content}" }}'


if __name__ == "__main__":
    main()
