"""The steps ladder: the level is the number of inference steps from what is stated to what is asked.

Two individuals of a novel kind are compared on one scale. A step is an is-a link (*every blork is a drond*) or a rule
of a kind (*if one drond is older than another, it is also heavier*), and each rule holds for the kind that the links
so far lead to. A second pair of another kind has as many links and rules, which lead to the opposite pole: without the
links, nothing says which rule applies. Both items of a family have the same sentences but for one comparison, which is
reversed, so that the same words have opposite keys.

The key follows by logic. Its derivation is stored with the item: one triple (rule, conclusion, grounds) per step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from horsesense.core import Item, Source
from horsesense.data import shipped_toml
from horsesense.errors import UserError

NAME = "steps"
FILE = "steps.toml"
MOST_STEPS = 36
"""The kinds are too few for more."""
LEVELS = (*range(8), 9, 12, 15, 20, 28, MOST_STEPS)
"""Levels by default."""
_FEW = 15
"""Steps up to which the first groups of scales are enough."""
DRAWS = {0: 1}
"""Which draw of a level is used: the first one on which sentence vectors are within 0.03 of chance at seed 0."""
IRRELEVANT = 2
"""Number of further premises about other things, beside those of the second pair."""
Triple = tuple[str, str, str]


_Scales = tuple[tuple[tuple[str, str], ...], ...]


@cache
def _words() -> tuple[tuple[str, ...], tuple[str, ...], _Scales, _Scales]:
    """Return individuals, kinds, and groups of scales: the first ones, and all."""
    table = shipped_toml(Path(__file__).with_name(FILE))
    first, further = (
        tuple(
            tuple((scale.partition("/")[0], scale.partition("/")[2]) for scale in line.split())
            for line in table[name].strip().splitlines()
        )
        for name in ("scales", "further")
    )
    return tuple(table["individuals"].split()), tuple(table["kinds"].split()), first, first + further


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two individuals, the kinds above them, and the poles that their rules lead through."""

    names: tuple[str, str]
    kinds: tuple[str, ...]
    """Their own kind, then one kind per link."""
    poles: tuple[str, ...]
    """The pole that is stated, then one per rule."""
    heights: tuple[int, ...]
    """For each rule, the index of the kind that it holds for."""
    wording: tuple[int, ...]
    """Wording of each rule."""

    def membership(self, height: int = 0) -> str:
        return f"{self.names[0]} and {self.names[1]} are {self.kinds[height]}s."

    def link(self, height: int) -> str:
        return f"Every {self.kinds[height - 1]} is a {self.kinds[height]}."

    def rule(self, i: int) -> str:
        kind, before, after = self.kinds[self.heights[i]], self.poles[i], self.poles[i + 1]
        if self.wording[i]:
            return f"Of any two {kind}s, the {before} one is the {after} one."
        return f"If one {kind} is {before} than another, it is also {after}."

    def comparison(self, i: int, swapped: bool) -> str:
        first, second = self.names[::-1] if swapped else self.names
        return f"{first} is {self.poles[i]} than {second}."

    def premises(self, swapped: bool) -> list[str]:
        """Everything that is stated about the pair."""
        links = [self.link(height) for height in range(1, len(self.kinds))]
        rules = [self.rule(i) for i in range(len(self.heights))]
        return [self.membership(), *links, *rules, self.comparison(0, swapped)]

    def derivation(self, swapped: bool) -> tuple[Triple, ...]:
        """Derive the comparison on the last scale: (rule, conclusion, grounds) for each step."""
        steps: list[Triple] = []
        height = 0
        for i, needed in enumerate(self.heights):
            while height < needed:
                height += 1
                steps.append(("is-a", self.membership(height), f"{self.membership(height - 1)} {self.link(height)}"))
            grounds = f"{self.comparison(i, swapped)} {self.membership(height)} {self.rule(i)}"
            steps.append(("rule", self.comparison(i + 1, swapped), grounds))
        return tuple(steps) or (("stated", self.comparison(0, swapped), self.comparison(0, swapped)),)


def steps_family(level: int, index: int, seed: int, irrelevant: int = IRRELEVANT) -> list[Item]:
    """Build a family: the same premises with the stated comparison one way and the other.

    >>> first, second = steps_family(2, 0, 0, irrelevant=0)
    >>> first.answer != second.answer, sorted(first.premise) == sorted(second.premise)
    (True, True)
    """
    if not 0 <= level <= MOST_STEPS:
        raise UserError(f"the steps ladder has no level {level}", fix=f"use levels from 0 to {MOST_STEPS}")
    rng = Random(f"{NAME} {seed} {level} {index} {DRAWS.get(level, 0)}")
    individuals, kinds, first_scales, all_scales = _words()
    scales = first_scales if level <= _FEW else all_scales
    # Rules are half of the steps or one more; a link always comes before the rule that needs it.
    rules = min(level, (level + 1) // 2 + index // 2 % 2)
    heights = sorted(rng.choices(range(rules), k=level - rules)) if rules else []
    at = tuple(sum(place <= i for place in heights) for i in range(rules))
    names, novel = rng.sample(individuals, 4), rng.sample(kinds, 2 * (level - rules + 1) + 1)
    groups = rng.sample(scales, rules + 2)
    *chain, spare = (rng.sample(rng.choice(group), 2) for group in groups)
    half, wording = level - rules + 1, tuple(rng.randrange(2) for _ in range(rules))
    asked = _Pair((names[0], names[1]), tuple(novel[:half]), tuple(scale[0] for scale in chain), at, wording)
    # The other pair starts from the same pole and ends at the opposite one.
    inner = [rng.choice(scale) for scale in chain[1:-1]]
    poles = (chain[0][0], *inner, chain[-1][1]) if rules else (chain[0][1],)
    other = _Pair((names[2], names[3]), tuple(novel[half : 2 * half]), poles, at, wording)
    beside = [
        f"{names[3]} is {spare[0]} than {names[2]}.",
        f"Every {other.kinds[-1]} is a {novel[-1]}.",
        *(f"Every {kind} is a {novel[-1]}." for kind in rng.sample([k for k in kinds if k not in novel], 8)),
    ][:irrelevant]
    turned = rng.random() < 0.5
    order = rng.sample(range(n := len(asked.premises(False)) + len(other.premises(False)) + len(beside)), n)
    opposite = index % 2 == 1
    pole = chain[-1][opposite]
    options = asked.names if rng.random() < 0.5 else asked.names[::-1]
    items = []
    for swapped in (False, True):
        stated = [*asked.premises(swapped), *other.premises(turned), *beside]
        winner = asked.names[swapped != opposite]
        conclusion = f"{winner} is {pole} than {asked.names[winner == asked.names[0]]}."
        derivation = asked.derivation(swapped)
        final: tuple[Triple, ...] = (("converse", conclusion, derivation[-1][1]),) if opposite else ()
        items.append(
            Item(
                f"ladder-{NAME}",
                "cloze",
                premise=" ".join(stated[i] for i in order),
                text=f"Of {options[0]} and {options[1]}, the {pole} one is ___.",
                options=options,
                answer=options.index(winner),
                family=f"{NAME}-{level}-{index}",
                member="ab"[swapped],
                facets={
                    "task": NAME,
                    "level": level,
                    "links": level - rules,
                    "rules": rules,
                    "premises": len(stated),
                    "asked": "opposite" if opposite else "derived",
                    "status": "proved",
                },
                source=Source(file=FILE, triples=(*derivation, *final), licence="CC0-1.0"),
            )
        )
    return items


def steps_items(levels: Sequence[int], families: int, seed: int, irrelevant: int = IRRELEVANT) -> list[Item]:
    """Build ``families`` families on each level."""
    return [
        item for level in levels for index in range(families) for item in steps_family(level, index, seed, irrelevant)
    ]
