"""The abilities that a profile looks at: what each is, where its questions come from, and who stands behind the keys.

An ability counts in the one number where people stand behind its keys, or where they are proved. What only language
models have written and read is shown beside the others, is named so, and stays outside.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from scipy.special import betaincinv

from horsesense.errors import unknown
from horsesense.methods.profile.item_scores import HumanScore

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
    """The method it belongs to; methods weigh the same in the one number."""
    recipe: str
    """How its questions are made: a name of `recipes.RECIPES`."""
    options: Mapping[str, Any]
    """What the recipe is given."""
    why: str
    """Why it counts in the one number, or why not."""
    sizes: Mapping[str, tuple[int, int]]
    """By edition, how many families are asked: of the frozen half and of the twin."""
    judged: str = ""
    """Who stands behind the keys; empty where no person does, and then it stays outside the one number."""
    same_knowledge: bool = False
    """Whether who knows one member of a family knows them all."""
    reading: str = ""
    """The card under whose name a blind reading of such items is kept; empty where there is none."""
    people: HumanScore | None = None
    """How people do, where it is known."""
    source: str = ""
    """Where the figure of people is from."""

    @property
    def counts(self) -> bool:
        """Whether it is part of the one number."""
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
    plain = {key: values[key] for key in ("sentence", "title", "method", "recipe", "why")}
    figure = values.get("people")
    return Ability(
        name=name,
        **plain,
        options={key: values[key] for key in ("relation", "limit") if key in values},
        sizes={edition: (values[edition][0], values[edition][1]) for edition in EDITIONS},
        judged=values.get("judged", ""),
        same_knowledge=values.get("same_knowledge", False),
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
