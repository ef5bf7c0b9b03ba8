"""Instruments: the question and the possible answers, each a small data file (TOML)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from horsesense.core import FORMS
from horsesense.data import FieldProblem, NonBlank, Positive, check_fields, read_text
from horsesense.errors import UserError, unknown
from horsesense.registry import methods
from horsesense.stats.raters.adjudication import find_rule, rule_for_criteria
from horsesense.stats.raters.votes import Scale

Kind = Literal["labels", "options", "each", "criteria", "words", "pair"]
WRITTEN = ("words", "pair")
"""Kinds whose answers are written, not chosen: no rule adjudicates them."""
NO_ONE_LABEL = (*WRITTEN, "criteria", "each")
"""Kinds that do not give an item a single label."""
Unit = Literal["item", "family"]
Effect = Literal["answer", "facet", "filter", "none"]

Text = Annotated[str, NonBlank()]
"""A text that is not blank."""

_NAME = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Instrument:
    """A question to people about an item, with its possible answers."""

    name: Text
    title: Text
    """The heading of every task."""
    kind: Kind
    """``labels``: one of its own labels; ``options``: one of the item's options; ``each``: one of its labels to each
    of the item's options; ``criteria``: yes or no to each; ``words``: written by the person; ``pair``: two texts that
    differ in one word."""
    question: Text
    """The question; ``{name}`` is replaced by a part of the item (see `horsesense.annotate.task`)."""
    instructions: Text = ""
    """Instructions before the first item."""
    good: tuple[Text, ...] = ()
    """Examples of good answers, with why."""
    bad: tuple[Text, ...] = ()
    """Examples of bad answers, with why."""
    form: Text = ""
    """The form in which an item is shown; empty: its own."""
    unit: Unit = "item"
    """Whether an item or a whole family is judged."""
    labels: tuple[Text, ...] = ()
    ordered: bool = False
    """Whether the labels are a scale."""
    objections: tuple[Text, ...] = ()
    """Answers that say the question is bad."""
    abstentions: tuple[Text, ...] = ()
    """Answers that do not count as votes."""
    reasons: tuple[Text, ...] = ()
    """Possible reasons of an objection; empty: no reason is needed."""
    wording: Mapping[str, Text] = field(default_factory=dict)
    """How an answer or a reason is shown, if not by its name."""
    criteria: Mapping[str, Text] = field(default_factory=dict)
    """Question of each criterion, by name; yes is an objection."""
    words: Annotated[int, Positive()] = 3
    """Maximum number of written words."""
    judgements: Annotated[int, Positive()] = 3
    """Number of people per item."""
    rule: Text = "majority"
    """The adjudication rule."""
    effect: Effect = "answer"
    """What a label does to an item: it sets its ``answer`` or a ``facet``, or decides whether it stays (``filter``).
    With the kind ``options``, a family stays if people choose the key of each of its items."""
    accepted: tuple[Text, ...] = ()
    """Labels with which an item stays, if the effect is ``filter``."""

    def scale(self, options: tuple[str, ...] = (), ordered: bool = False) -> Scale:
        """Return the possible answers to an item with these options."""
        by_option = self.kind == "options"
        return Scale(
            labels=options if by_option else self.labels,
            ordered=ordered if by_option else self.ordered,
            objections=self.objections,
            abstentions=self.abstentions,
            criteria=tuple(self.criteria),
        )

    @property
    def by_key(self) -> bool:
        """Whether people answer items without seeing the key, and a family stays if they choose all of its keys."""
        return self.kind == "options" and self.effect == "filter"

    @property
    def beside(self) -> tuple[str, ...]:
        """Objections and abstentions: answers that are not among an item's options."""
        return (*self.objections, *self.abstentions)

    def check_options(self, item: str, options: Sequence[str]) -> None:
        """Raise an error if an option has the name of an objection or abstention."""
        names = self.beside
        beside = {text.casefold() for name in names for text in (name, self.wording.get(name, name))}
        for option in options if self.kind == "options" else ():
            if " ".join(option.split()).casefold() in beside:
                raise UserError(
                    f"{item} has the option {option!r}, which is also an answer of the instrument {self.name}",
                    fix="leave the item out, or use an instrument of your own (.toml) with another name for its answer",
                )


@cache
def built_in() -> Mapping[str, Instrument]:
    """Return the built-in instruments by name."""
    packages = ["horsesense.annotate", *(method.instruments for method in methods().values() if method.instruments)]
    instruments = {}
    for package in packages:
        for entry in files(package).joinpath("instruments").iterdir():
            if entry.name.endswith(".toml"):
                instrument = _parsed(entry.read_text(encoding="utf-8"), entry.name)
                instruments[instrument.name] = instrument
    return dict(sorted(instruments.items()))


def find_instrument(name: str) -> Instrument:
    """Return an instrument by name, or by its .toml file.

    >>> find_instrument("audit").labels[0]
    'true'
    """
    if name.endswith(".toml"):
        return _parsed(read_text(name), name)
    if name not in built_in():
        raise unknown("instrument", name, built_in())
    return built_in()[name]


def _parsed(text: str, file: str | Path) -> Instrument:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"this is not TOML: {error}", file=file, fix="repair the instrument") from None
    try:
        return instrument_of(values)
    except UserError as error:
        raise error.at(file) from None


def instrument_of(values: Mapping[str, Any]) -> Instrument:
    """Make an instrument from plain values, checked."""
    instrument = check_fields(Instrument, values, _bad_field)
    _check(instrument)
    if instrument.kind == "criteria" and "rule" not in values:
        instrument = replace(instrument, rule=rule_for_criteria())
    return instrument


def _bad_field(problem: FieldProblem) -> UserError:
    if problem.kind == "unknown":
        return unknown("field of an instrument", problem.field, [field.name for field in fields(Instrument)])
    if problem.kind == "missing":
        return UserError(f"the instrument has no {problem.field!r}")
    if problem.allowed and isinstance(problem.value, str):
        return unknown(f"{problem.field} of instrument", problem.value, problem.allowed)
    return UserError(f"the field {problem.field!r} of the instrument has the wrong kind of value")


def _check(instrument: Instrument) -> None:
    """Check what no single field shows."""
    if not _NAME.fullmatch(instrument.name):
        raise UserError(f"the name {instrument.name!r} is not usable", fix="use small letters, digits and dashes")
    if instrument.form and instrument.form not in FORMS:
        raise unknown("form", instrument.form, FORMS)
    find_rule(instrument.rule)
    answers = (*instrument.labels, *instrument.beside)
    if len(set(answers)) < len(answers):
        raise UserError("two answers of the instrument are the same")
    if instrument.kind == "labels" and len(instrument.labels) < 2:
        raise UserError("an instrument of the kind 'labels' needs at least two")
    if instrument.kind == "each":
        letters = [answer[0].upper() for answer in (*instrument.labels, *instrument.objections)]
        if len(instrument.labels) < 2 or len(set(letters)) < len(letters):
            raise UserError("an instrument of the kind 'each' needs labels that begin with different letters")
    if instrument.kind == "criteria" and not instrument.criteria:
        raise UserError("an instrument of the kind 'criteria' needs at least one")
    if instrument.effect == "filter" and instrument.kind == "labels" and not instrument.accepted:
        raise UserError("an instrument that filters needs labels that are 'accepted'")
