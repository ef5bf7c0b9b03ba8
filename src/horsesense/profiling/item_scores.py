"""Item scores of one model on one ability, with all inputs of a verdict.

Arrays have one entry per item, in order. If an item lacks another condition, a fact or a score without the question,
its entry is nan; ``right`` has no nan, so items without a key are left out beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from horsesense.errors import UserError
from horsesense.stats.resampling import Floats

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Strings = NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class ExplanationColumn:
    """A possible explanation of a score other than knowledge."""

    name: str
    """Answering rule: "the option with the most hyponyms"."""
    right: Floats
    """Expected credit on each item, 1/k if k options tie. Choice, direction and learning use clusters without the item
    (`horsesense.cues.artefact_control.chosen_cue`), so there is no selection bias."""
    tried: int = 1
    """Number of cues it was chosen from; 1 without a choice."""
    kind: Literal["cue", "relatedness", "blind"] = "cue"
    """A surface cue, the option nearest to the question, or the model without the question."""


@dataclass(frozen=True, slots=True)
class HumanReference:
    """Human performance on the same material."""

    value: float
    """Accuracy."""
    ci: tuple[float, float]
    """Interval of the accuracy."""
    n: int
    """Number of judgements or items."""
    kind: str
    """Kind of the figure: a single person, a majority of five; different kinds are never subtracted."""


@dataclass(frozen=True, slots=True)
class BadShare:
    """Share of bad items found by a blind audit, which determines the ceiling."""

    value: float
    """Share of bad items, corrected for the auditor's errors if possible."""
    ci: tuple[float, float]
    """Interval of the share."""
    n: int
    """Number of items audited."""
    reader: str
    """Auditor: people, or the name of a model."""

    @property
    def variance(self) -> float:
        """Variance of the share, from its interval.

        >>> round(BadShare(0.05, (0.02, 0.08), 300, "people").variance ** 0.5, 4)
        0.0153
        """
        return ((self.ci[1] - self.ci[0]) / (2 * 1.959964)) ** 2


@dataclass(frozen=True, slots=True)
class ItemScores:
    """Item scores of one model on one ability."""

    model: str
    """Short name of the model."""
    ability: str
    """Name of the ability, such as "hypernymy"; the same for all models."""
    method: str
    """Method that the items come from."""
    items: Strings
    """Ids of the items, so that models are compared on the same ones."""
    right: Floats
    """Credit in the main condition: 1, 0, or 1/k if k options tie for the highest score."""
    options: Ints
    """Number of options per item."""
    clusters: Strings
    """Cluster of each item (the probe's group); the same name in two abilities of a method is the same cluster."""
    group: str = ""
    """The group of abilities that it belongs to: "word knowledge"."""
    prompt_format: str = "loglikelihood"
    """The prompt format of the main condition."""
    answered: float = 1.0
    """Share of the questions that were answered; the others earn what a guess does."""
    crossed: Strings | None = None
    """Second grouping if two are crossed (parts × wholes)."""
    families: Strings | None = None
    """Family of each item, for whole-family accuracy."""
    same_knowledge: bool = False
    """Whether knowledge of one member of a family implies all: rewordings and duals, not questions of one concept."""
    contrasts: Mapping[str, Strings] = field(default_factory=dict)
    """Contrast pairs by kind ("reversal", "negation"): the pair of each item, empty without one. Giving the same answer
    to both members of a pair gets exactly one of them right."""
    cues: tuple[ExplanationColumn, ...] = ()
    """Surface cues that may explain the answers, best first; often a single one."""
    relatedness: tuple[ExplanationColumn, ...] = ()
    """Picking the option nearest to the question, one column per encoder; empty if not controlled."""
    blind: Floats | None = None
    """Credit of the same model without the question."""
    retest: Floats | None = None
    """Credit in the retest: the same questions after a neutral sentence or about other names."""
    formats: Mapping[str, Floats] = field(default_factory=dict)
    """Credit in each other prompt format, by name, without the main one."""
    facts: Floats | None = None
    """Credit on the fact underlying each item of a ladder; nan for items without one."""
    fact_chance: Floats | None = None
    """Chance level of that fact: 1/2, or 1/4 if two forms have to be right."""
    twin: Bools | None = None
    """Whether the item is in the twin half, which is never published; None if halves are not exchangeable."""
    people: HumanReference | None = None
    """Human performance, if known."""
    bad: BadShare | None = None
    """Share of bad items, if a sample was audited."""
    judged: str = ""
    """Validation of the items: "people", "proved" (by logic or construction); empty without validation, which excludes
    the ability from the overall score."""

    def __post_init__(self) -> None:
        for name, column in self.columns():
            if len(column) != len(self.items):
                raise UserError(f"{self.ability}: {name} has {len(column)} entries for {len(self.items)} items")
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
        """Chance level of each item."""
        guess: Floats = 1 / self.options.astype(np.float64)
        return guess

    def columns(self) -> Iterator[tuple[str, NDArray[np.generic]]]:
        """Yield every array with its name."""
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, np.ndarray):
                yield each.name, value
        yield from ((f"the explanation {each.name}", each.right) for each in (*self.cues, *self.relatedness))
        yield from ((f"the format {name}", right) for name, right in self.formats.items())
        yield from ((f"the contrast {name}", pairs) for name, pairs in self.contrasts.items())

    def earned(self) -> Iterator[tuple[str, Floats]]:
        """Yield every array of credits with its name."""
        for name, column in self.columns():
            if column.dtype.kind == "f":
                yield name, column.astype(np.float64)

    def take(self, chosen: Bools | Ints) -> ItemScores:
        """Select items by mask or by index."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        cut: dict[str, Any] = {name: value[chosen] for name, value in own.items() if isinstance(value, np.ndarray)}
        for name in ("cues", "relatedness"):
            cut[name] = tuple(replace(each, right=each.right[chosen]) for each in own[name])
        for name in ("formats", "contrasts"):
            cut[name] = {key: column[chosen] for key, column in own[name].items()}
        return replace(self, **cut)
