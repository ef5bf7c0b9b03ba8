"""What to build: relation, size, seed; and the data that templates and sizes are read from."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args

from horsesense.errors import UserError, unknown
from horsesense.methods.wordnetqa.wording import SHIPPED, Wording, find_wording

Relation = Literal["definitions", "synonymy", "hypernymy", "hyponymy"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)

KINDS = {
    "definitions": ("sister", "hypernym", "hyponym"),
    "synonymy": ("sister", "hypernym", "hyponym"),
    "hypernymy": ("sister", "hyponym"),
    "hyponymy": ("sister", "hypernym"),
}
"""Relation → distractors that lie near the asked concept and can be false; every relation has random ones too."""

MOST_HOPS = 5
"""Footnote 6 of the paper: most synsets have no more."""
NO_LIMIT = 1_000_000
FEWEST_SPLIT = 1000
"""A controlled set with a smaller limit is one test set: dealt to three splits, its answers could not be balanced."""


@dataclass(frozen=True, slots=True)
class WordNetPlan:
    """One set of questions."""

    relation: str
    seed: int = 0
    limit: int | None = None
    """Most items; whole clusters are drawn."""
    as_paper: bool = False
    """The paper's pure kinds of distractors, without control of giveaways."""
    ways: int = 5
    """Options of a question."""
    wording: str = ""
    """The language of the questions, or a file (.toml) that has their wording; empty: as the source's."""
    one_split: bool = False
    """Whether all items are of the test split."""

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise unknown("relation", self.relation, RELATIONS)
        if self.ways < 2:
            raise UserError(f"{self.ways} options are no choice", fix="ask for two or more")

    @property
    def size(self) -> dict[str, int]:
        """concepts, answers, perturbations: see scale.toml."""
        sizes: dict[str, int] = _data("scale.toml")["paper" if self.as_paper else "controlled"][self.relation]
        return sizes

    def most(self, what: str, pos: str) -> int:
        """Most hops, senses or concepts below, or the last sense, in a controlled set: see scale.toml."""
        most: dict[str, int] = _data("scale.toml")[f"most_{what}"].get(self.relation, {})
        return most.get(pos, MOST_HOPS if what == "hops" else NO_LIMIT)

    @property
    def templates(self) -> dict[str, str]:
        every = self.words.templates
        if self.relation not in every:
            raise unknown("relation of this wording", self.relation, every)
        controlled = None if self.as_paper else every.get(f"{self.relation}_controlled")
        return dict(controlled or every[self.relation])

    @property
    def words(self) -> Wording:
        """How questions and options read."""
        return find_wording(self.wording or SHIPPED)

    @property
    def by_definition(self) -> bool:
        """Whether questions quote what the asked concept means, and not an example of its word."""
        return all("{definition}" in template for template in self.templates.values())

    def chance(self, *what: object) -> Random:
        """Random numbers that depend on the seed and on what they are for, not on what was drawn before."""
        return Random("|".join(map(str, (self.seed, self.relation, *what))))


@cache
def _data(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
