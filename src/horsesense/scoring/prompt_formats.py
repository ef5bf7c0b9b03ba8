"""What a way of asking is, which there are, and which of them a model can be asked in."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from horsesense.core import Answer, Item, Reply, ScoringSpec
from horsesense.errors import UserError, argument, unknown
from horsesense.models.protocol import Ability, Likelihood, Model
from horsesense.progress import Progress

AUTO = "auto"
WAYS = {
    "options": "horsesense.scoring.loglikelihood",
    "pmi": "horsesense.scoring.loglikelihood",
    "letters": "horsesense.scoring.letters",
    "words": "horsesense.scoring.generate",
}
"""Way → the module that has it, as a `Way` of its name in capitals."""

_FALLS_BACK = ("options", "letters", "words")
"""What ``auto`` tries of a server, in this order."""


class Memory(Protocol):
    """What was computed before, by content."""

    served: bool
    """Whether all that was last asked was there."""

    def likelihoods(self, readings: Sequence[Any]) -> list[Likelihood] | None:
        """Of all that is asked, or None where any is missing."""

    def remember(self, readings: Sequence[Any], scored: Sequence[Likelihood]) -> None: ...


@dataclass(frozen=True, slots=True)
class Call:
    """How the questions of a part are put."""

    model: Model
    spec: ScoringSpec
    budget: int
    progress: Progress
    memory: Memory | None = None


Answers = tuple[list[Answer], list[Reply]]


@dataclass(frozen=True, slots=True)
class Way:
    """One way of asking."""

    name: str
    needs: Ability
    """What a model must be able to do for it."""
    spec: Callable[[ScoringSpec], ScoringSpec]
    """What a score means in this way; a field that makes no sense in it is an error."""
    prepare: Callable[[Model, Sequence[Item], ScoringSpec, Sequence[Item]], list[Any]]
    """Items as they will be asked; the last argument is where examples are drawn from."""
    answer: Callable[[Sequence[Any], Call], Answers]
    """Ask: an answer an item, and what was said."""
    in_words: Callable[[Model, ScoringSpec], str]
    """What a manifest says of it."""


def way_named(name: str) -> Way:
    if name not in WAYS:
        raise unknown("way of asking", name, [*WAYS, AUTO])
    return cast(Way, getattr(importlib.import_module(WAYS[name]), name.upper()))


def parse_ways(text: str) -> tuple[str, ...]:
    """Ways by commas.

    >>> parse_ways("options, letters")
    ('options', 'letters')
    """
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name != AUTO:
            way_named(name)
    if not names or (AUTO in names and len(names) > 1):
        raise UserError(f"the ways {text!r} cannot be asked", fix=f"name {', '.join(WAYS)} by commas, or {AUTO} alone")
    return names


def ways_of(model: Model, wanted: Sequence[str]) -> list[tuple[Way, str]]:
    """The ways that a model is asked in, each with what was fallen back from in words.

    Only ``auto`` falls back; a way that was asked for and cannot be had is an error.
    """
    if list(wanted) == [AUTO]:
        return [_first_of(model)]
    ways = [way_named(name) for name in wanted]
    for way in ways:
        if not model.can(way.needs):
            raise UserError(
                f"{model.name} cannot be asked by {way.name}: {model.why_not(way.needs)}",
                fix=f"leave it out of {argument('ways')}, or use {argument('ways', AUTO)}",
            )
    return [(way, "") for way in ways]


def _first_of(model: Model) -> tuple[Way, str]:
    if model.who.kind != "server":
        return way_named("options"), ""
    left: list[str] = []
    for name in _FALLS_BACK:
        way = way_named(name)
        if model.can(way.needs):
            return way, "; ".join(left)
        left.append(f"not by {name}: {model.why_not(way.needs)}")
    raise UserError(f"{model.name} can be asked in no way ({'; '.join(left)})", fix="check the server")


def same_spec(spec: ScoringSpec) -> ScoringSpec:
    return spec
