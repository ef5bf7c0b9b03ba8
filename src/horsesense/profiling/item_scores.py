"""The scores of one model on the items of one ability, with everything that a verdict rests on.

Arrays are as long as the items and in their order. Where another condition, a fact or the model without the question
does not exist for an item, its entry is nan; ``right`` has no nan, so items without a key are left out beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from horsesense.errors import UserError
from horsesense.stats.resampling import Floats

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Strings = NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class ExplanationColumn:
    """A cue, or relatedness, that may explain the answers."""

    name: str
    """How to answer by it: "the option with the most hyponyms"."""
    right: Floats
    """What it is expected to earn on each item, 1/k where k options tie: chosen, turned and learnt on units without
    the item (`horsesense.cues.artefact_control.chosen_cue`), so that nothing is left of the optimism of the choice."""
    tried: int
    """Out of how many cues it was chosen; 1 where there was no choice."""


@dataclass(frozen=True, slots=True)
class HumanScore:
    """How people do on the same material."""

    value: float
    """Their accuracy."""
    ci: tuple[float, float]
    """Its interval."""
    n: int
    """Judgements or items that it rests on."""
    kind: str
    """What it is a figure of: a single person, a majority of five; kinds are never subtracted from one another."""


@dataclass(frozen=True, slots=True)
class BadShare:
    """The share of bad items that a blind reading found, and so the best that anybody can reach."""

    value: float
    """The share, corrected for the reader's own errors where that could be done."""
    ci: tuple[float, float]
    """Its interval."""
    n: int
    """Items that were read."""
    reader: str
    """Who read: people, or the name of a model."""

    @property
    def variance(self) -> float:
        """Of the share, from its interval.

        >>> round(BadShare(0.05, (0.02, 0.08), 300, "people").variance ** 0.5, 4)
        0.0153
        """
        return ((self.ci[1] - self.ci[0]) / (2 * 1.959964)) ** 2


@dataclass(frozen=True, slots=True)
class ItemScores:
    """One ability of one model, item by item."""

    model: str
    """The model's short name."""
    ability: str
    """What is asked: "hypernymy", "generics"; the same for all models."""
    method: str
    """The method that the items come from."""
    items: Strings
    """The items' ids, so that models are compared on the same ones."""
    right: Floats
    """What the main condition earns: 1, 0, or 1/k where k options tie for the best."""
    options: Ints
    """How many options each item has."""
    clusters: Strings
    """The cluster of each item (the probe's group); the same name in two abilities of a method is the same cluster."""
    group: str = ""
    """The group of abilities that it belongs to: "word knowledge"."""
    prompt_format: str = "loglikelihood"
    """The prompt format of the main condition."""
    crossed: Strings | None = None
    """A second grouping where two cross (parts × wholes)."""
    families: Strings | None = None
    """The family of each item, for the share of whole families."""
    same_knowledge: bool = False
    """Whether who knows one member of a family knows them all: rewordings and duals, not questions of one concept."""
    contrasts: Mapping[str, Strings] = field(default_factory=dict)
    """Pairs with opposite keys by kind ("reversal", "negation"): the pair of each item, empty where it is in none. Who
    gives the same answer to both members of a pair gets exactly one of them right."""
    cues: tuple[ExplanationColumn, ...] = ()
    """Surface cues that could explain the answers, the best first; often it is the only one."""
    relatedness: tuple[ExplanationColumn, ...] = ()
    """Picking the option nearest to the question, one column per encoder; empty where it was not controlled."""
    blind: Floats | None = None
    """What the same model earns without the question."""
    retest: Floats | None = None
    """What it earns in the retest: the same questions behind a neutral sentence or about other names."""
    formats: Mapping[str, Floats] = field(default_factory=dict)
    """What each other prompt format earns, by name, without the main one."""
    facts: Floats | None = None
    """For a ladder: what the model earns on the bare fact that the item rests on; nan where it rests on none."""
    fact_chance: Floats | None = None
    """What guessing earns on that fact: 1/2, or 1/4 where two forms have to be right."""
    twin: Bools | None = None
    """Whether the item is of the twin half, which is never published; None where halves are not exchangeable."""
    people: HumanScore | None = None
    """How people do, where it is known."""
    bad: BadShare | None = None
    """Bad items, where somebody has read a sample."""
    judged: str = ""
    """Who has judged the items: "people", "proved" (by logic or construction); empty where nobody has, and
    then the ability stays outside the overall score."""

    def __post_init__(self) -> None:
        for name, column in self.columns():
            if len(column) != len(self.items):
                raise UserError(f"{self.ability}: {name} has {len(column)} places for {len(self.items)} items")
        for name, column in self.earned():
            known = column[~np.isnan(column)]
            if len(known) and (known.min() < 0 or known.max() > 1):
                raise UserError(f"{self.ability}: {name} is not between 0 and 1")
        if np.isnan(self.right).any() or (len(self.options) and self.options.min() < 2):
            raise UserError(f"{self.ability}: an item has no gold or no choice", fix="leave it out")
        if (self.facts is None) != (self.fact_chance is None):
            raise UserError(f"{self.ability}: facts and fact_chance go together", fix="give both or none")

    def __len__(self) -> int:
        return len(self.items)

    @property
    def chance(self) -> Floats:
        """What guessing earns on each item."""
        guess: Floats = 1 / self.options.astype(np.float64)
        return guess

    def columns(self) -> Iterator[tuple[str, NDArray[np.generic]]]:
        """Every array with its name."""
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, np.ndarray):
                yield each.name, value
        yield from ((f"the explanation {each.name}", each.right) for each in (*self.cues, *self.relatedness))
        yield from ((f"the format {name}", right) for name, right in self.formats.items())
        yield from ((f"the contrast {name}", pairs) for name, pairs in self.contrasts.items())

    def earned(self) -> Iterator[tuple[str, Floats]]:
        """Every array that holds what is earned, with its name."""
        for name, column in self.columns():
            if column.dtype.kind == "f":
                yield name, column.astype(np.float64)

    def take(self, chosen: Bools | Ints) -> ItemScores:
        """The same ability on some of its items, by mask or by index."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        cut: dict[str, Any] = {name: value[chosen] for name, value in own.items() if isinstance(value, np.ndarray)}
        for name in ("cues", "relatedness"):
            cut[name] = tuple(replace(each, right=each.right[chosen]) for each in own[name])
        for name in ("formats", "contrasts"):
            cut[name] = {key: column[chosen] for key, column in own[name].items()}
        return replace(self, **cut)
