"""The plan of a set of questions: relation, size, seed, and the wording of questions in a language."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeVar, get_args

from horsesense.data import FieldProblem, check_fields, read_text, shipped_toml
from horsesense.errors import UserError, argument, unknown

T = TypeVar("T")

SHIPPED = "en"


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of one language; missing entries are as in English."""

    language: str
    """Its code, such as de."""
    templates: Mapping[str, Mapping[str, str]]
    """Relation → name → template, with {sentence}, {word} or {definition} in it."""
    others: str = " (or {words})"
    """Further words for a concept."""
    event: str = " event"
    """Follows a verb that is offered as a kind of action."""
    defined: str = "{name}, defined as '{definition}'"
    """A concept as an option, where it needs more than its words or its definition."""
    endings: tuple[str, ...] = ()
    """Endings that inflected words have, including an empty one where a word may be uninflected; none at all:
    English, whose inflections are known."""


def find_wording(name: str) -> Wording:
    """The wording of a language that comes with the program, or of a file (.toml).

    >>> sorted(find_wording("en").templates)[0]
    'definitions'
    """
    if name == SHIPPED:
        return _english()
    if not name.endswith(".toml"):
        raise UserError(
            f"there is no wording of questions in the language {name!r}",
            fix=f"write one as a .toml file and give it with {argument('wording', 'FILE')} (docs/methods/wordnetqa.md)",
        )
    return _read(name)


@cache
def _english() -> Wording:
    return Wording("en", _data("templates.toml"))


@lru_cache(maxsize=8)
def _read(file: str) -> Wording:
    try:
        values = tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"this is not TOML: {error}", file=file, fix="repair the wording") from None
    try:
        wording = check_fields(Wording, values, _bad_field)
        _check(wording)
    except UserError as error:
        raise error.at(file) from None
    return wording


def _check(wording: Wording) -> None:
    """Check that a template has its slots."""
    for relation, templates in wording.templates.items():
        for name, template in templates.items():
            if "{definition}" not in template and not ("{sentence}" in template and "{word}" in template):
                raise UserError(
                    f"the template {name!r} of {relation} has neither {{definition}} nor {{sentence}} and {{word}}",
                    fix="put into it what is asked about",
                )
    if "{name}" not in wording.defined or "{definition}" not in wording.defined:
        raise UserError("'defined' needs {name} and {definition}")


def _bad_field(problem: FieldProblem) -> UserError:
    if problem.kind == "unknown":
        return unknown("field of a wording", problem.field, [field.name for field in fields(Wording)])
    if problem.kind == "missing":
        return UserError(f"the wording has no {problem.field!r}", fix="add it (docs/methods/wordnetqa.md)")
    return UserError(f"the field {problem.where!r} of the wording has the wrong kind of value")


Distractors = Literal["random", "near", "mixed"]
Relation = Literal["definitions", "synonymy", "hypernymy", "hyponymy"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)

KINDS = {
    "definitions": ("sister", "hypernym", "hyponym"),
    "synonymy": ("sister", "hypernym", "hyponym"),
    "hypernymy": ("sister", "hyponym"),
    "hyponymy": ("sister", "hypernym"),
}
"""Relation → kinds of near distractors that can be false; every relation has random ones too."""

OPTIONS = 5
"""Default number of options per question."""
MOST_HOPS = 5
"""Footnote 6 of the paper: most synsets have no more."""
NO_LIMIT = 1_000_000
FEWEST_SPLIT = 1000
"""A controlled set with a smaller limit is one test set: over three splits, its answers could not be balanced."""


_NEAR_SPLITS = (("train", 0.4), ("dev", 0.5), ("test", 1.0))
"""Splits of near questions whose answer is theirs alone, and where each ends."""


def near_split(asked: str, limit: int | None) -> str:
    """Return the split of a concept's near questions, the same in every set; a small set is one test set."""
    if limit is not None and limit < FEWEST_SPLIT:
        return "test"
    place = Random(f"near split {asked}").random()
    return next(name for name, end in _NEAR_SPLITS if place < end)


def first_of_each_split(members: Sequence[T], limit: int, split: Callable[[T], str]) -> list[T]:
    """Return at most ``limit`` of the members; each split keeps its share of them.

    >>> first_of_each_split(["train 1", "train 2", "train 3", "train 4", "test 1", "test 2"], 3, lambda name: name[:2])
    ['train 1', 'train 2', 'test 1']
    """
    kept: list[T] = []
    begin, of_all = 0, max(len(members), limit)
    for name in dict.fromkeys(map(split, members)):
        same = [member for member in members if split(member) == name]
        # Ends are rounded down, so that the shares add up to the limit.
        kept += same[: (begin + len(same)) * limit // of_all - begin * limit // of_all]
        begin += len(same)
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPlan:
    """Settings of a set of questions from any source."""

    seed: int = 0
    limit: int | None = None
    """Maximum number of items; whole clusters are drawn."""
    as_paper: bool = False
    """Use the paper's kinds of distractors, without control of cues."""
    options: int = OPTIONS
    """Number of options per question."""
    distractors: Distractors = "random"
    """Near distractors, random ones, or half of the questions with either; not for the paper's sets."""
    one_split: bool = False
    """Put all items into the test split."""
    exact: bool = False
    """Return exactly ``limit`` items; otherwise at most, with random distractors that are exactly balanced."""

    @property
    def near_limit(self) -> int | None:
        """Maximum number of items with near distractors: all, or half of them."""
        return self.limit if self.limit is None or self.distractors == "near" else (self.limit + 1) // 2

    def random_limit(self, near: int | None) -> int | None:
        """Maximum number of items with random distractors beside so many near ones; None for no near ones."""
        return near if near is not None and self.limit is None else self.limit and self.limit - (near or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordNetPlan(SetPlan):
    """One set of questions about a relation."""

    relation: str = field(kw_only=False)
    wording: str = ""
    """Language of the questions, or a file (.toml) with their wording; empty for that of the source."""
    common: bool = False
    """Ask about words that are not rare, and give the frequency of the asked word as a facet."""
    more: bool = False
    """Use all near questions of the package, not only those that the profile asks."""

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise unknown("relation", self.relation, RELATIONS)
        if self.options < 2:
            raise UserError(f"{self.options} options are not a choice", fix="request two or more")

    @property
    def size(self) -> dict[str, int]:
        """Numbers of concepts, answers and perturbations: see scale.toml."""
        sizes: dict[str, int] = _data("scale.toml")["paper" if self.as_paper else "controlled"][self.relation]
        return sizes

    def most(self, what: str, pos: str) -> int:
        """Return the maximum of hops, senses, concepts below, or sense number in a controlled set: see scale.toml."""
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
    def word_templates(self) -> dict[str, str]:
        """Templates that ask about a word by itself, for hypernymy and definitions with near distractors."""
        return dict(self.words.templates.get(f"{self.relation}_word", {}))

    def template(self, name: str) -> str:
        """Return a template by its name."""
        return (self.templates | self.word_templates)[name]

    @property
    def words(self) -> Wording:
        """Wording of questions and options."""
        return find_wording(self.wording or SHIPPED)

    @property
    def by_definition(self) -> bool:
        """Whether questions quote the definition of the asked concept, not an example of its word."""
        return all("{definition}" in template for template in self.templates.values())

    def rng(self, *what: object) -> Random:
        """Return a generator that depends on the seed and its purpose, not on what was drawn before."""
        return Random("|".join(map(str, (self.seed, self.relation, *what))))


def _data(name: str) -> dict[str, Any]:
    return shipped_toml(Path(__file__).with_name(name))
