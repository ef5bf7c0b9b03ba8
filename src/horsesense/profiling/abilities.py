"""The abilities of a profile: what each is, where its questions come from, and who stands behind the keys.

An ability counts in the overall score where people stand behind its keys, or where they are proved. What only language
models have written and audited is shown apart, is named so, and stays outside.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from scipy.special import betaincinv

from horsesense.errors import unknown
from horsesense.profiling.item_scores import HumanScore

Edition = Literal["quick", "full"]
EDITIONS: tuple[Edition, ...] = ("quick", "full")
LADDER = "ladder"
"""The recipe whose items are rungs."""


@dataclass(frozen=True, slots=True)
class Ability:
    """Something that a model can or cannot do, and the questions that tell."""

    name: str
    """One word, as ``--ability`` takes it."""
    sentence: str
    """What a model that has it does: "tells the senses of one word apart"."""
    title: str
    """The same as the head of a row."""
    method: str
    """The method that its questions come from."""
    group: str
    """The group of abilities that it belongs to; groups weigh the same in the overall score."""
    recipe: str
    """How its questions are made: a name of `recipes.RECIPES`."""
    options: Mapping[str, Any]
    """What the recipe is given."""
    why: str
    """Why it counts in the overall score, or why not."""
    sizes: Mapping[str, tuple[int, int]]
    """By edition, how many families are asked: of the frozen half and of the twin."""
    judged: str = ""
    """Who stands behind the keys; empty where no person does, and then it stays outside the overall score."""
    same_knowledge: bool = False
    """Whether who knows one member of a family knows them all."""
    contrast: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Pairs of a family with opposite keys, by what sets the two apart; with the facets that the two have in common."""
    reading: str = ""
    """The card under whose name a blind audit of such items is stored; empty where there is none."""
    people: HumanScore | None = None
    """How people do, where it is known."""
    source: str = ""
    """Where the figure of people is from."""

    @property
    def counts(self) -> bool:
        """Whether it is part of the overall score."""
        return bool(self.judged)

    @property
    def has_twin(self) -> bool:
        """Whether frozen and twin are random halves of one draw; a set that is published whole has no twin."""
        return any(twin for _, twin in self.sizes.values())


@cache
def abilities() -> Mapping[str, Ability]:
    """All abilities by name, in the order of the page.

    >>> abilities()["turned"].judged, abilities()["parts"].counts
    ('proved', False)
    """
    text = Path(__file__).with_name("abilities.toml").read_text(encoding="utf-8")
    return {name: _ability(name, values) for name, values in tomllib.loads(text).items()}


def chosen(names: Sequence[str]) -> tuple[Ability, ...]:
    """Abilities by name; all where none is named."""
    known = abilities()
    for name in names:
        if name not in known:
            raise unknown("ability", name, known)
    return tuple(each for name, each in known.items() if not names or name in names)


def _ability(name: str, values: Mapping[str, Any]) -> Ability:
    plain = {key: values[key] for key in ("sentence", "title", "method", "group", "recipe", "why")}
    figure = values.get("people")
    return Ability(
        name=name,
        **plain,
        options={key: values[key] for key in ("relation", "limit") if key in values},
        sizes={edition: (values[edition][0], values[edition][1]) for edition in EDITIONS},
        judged=values.get("judged", ""),
        same_knowledge=values.get("same_knowledge", False),
        contrast={kind: tuple(facets) for kind, facets in values.get("contrast", {}).items()},
        reading=values.get("reading", ""),
        people=None if figure is None else _judges(figure),
        source="" if figure is None else figure["source"],
    )


def _judges(figure: Mapping[str, Any]) -> HumanScore:
    """A published figure; its interval is Jeffreys' where the number of items is told, and otherwise says nothing."""
    value, n = float(figure["value"]), int(figure.get("n", 0))
    if not n:
        return HumanScore(value, (0.0, 1.0), 0, f"{figure['kind']}, n not told")
    right = value * n
    low, high = (float(betaincinv(right + 0.5, n - right + 0.5, tail)) for tail in (0.025, 0.975))
    return HumanScore(value, (low, high), n, figure["kind"])
