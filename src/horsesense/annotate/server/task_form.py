"""A task as a page shows it, and what a person filled in, checked and turned into an answer."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from horsesense.annotate.answer_checks import (
    BETWEEN,
    beside_alike,
    checked_value,
    folded_criteria,
    folded_each,
    joined_pair,
)
from horsesense.annotate.instrument import Instrument
from horsesense.annotate.pictures import Picture
from horsesense.annotate.server.participants import NEW, Person
from horsesense.annotate.server.queue import Lease
from horsesense.annotate.server.served_study import Served
from horsesense.annotate.task import JUDGED, Task, lettered
from horsesense.errors import UserError

LONGEST_WORD = 60
SENSELESS = "objection"
"""The field by which a person objects instead of writing."""

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer that can be chosen."""

    number: int
    """What the form sends: its place among the answers, however they are shown."""
    text: str
    beside: bool = False
    """Whether it is an objection or an abstention."""
    objects: bool = False
    """Whether a reason goes with it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """All that the page of a task needs."""

    task: Task
    lease: str
    answers: Sequence[Answer]
    criteria: Sequence[tuple[str, str]]
    """Name of the field, and the question; or an option that is judged by itself."""
    reasons: Sequence[str]
    done: int
    of: int
    """0 where it is not known how many there will be."""
    trial: bool
    """Whether these are the questions before the work."""
    pictures: Sequence[Picture] = ()
    entered: Mapping[str, str] = field(default_factory=dict)
    """What was filled in before, where it was not right."""
    problem: str = ""
    proposed: bool = False
    """Whether what stands in the form is a machine's proposal."""


def show(served: Served, person: Person, lease: Lease, entered: Mapping[str, str] | None = None) -> Shown:
    """The task of a lease as this person sees it, also after a reload."""
    task, instrument = served.tasks[lease.purpose][lease.name], served.instrument
    trial = person.state == NEW
    return Shown(
        task=task,
        lease=lease.key,
        answers=_answers(task, instrument, lease.key),
        criteria=_parts(task, instrument),
        reasons=[wording(instrument, name) for name in instrument.reasons],
        # Attention items are among the others and count like them, or they would give themselves away.
        done=lease.number - 1,
        of=len(served.tasks["gold"]) if trial else 0,
        trial=trial,
        pictures=served.pictures.get(lease.name, ()),
        entered=_proposed(task, instrument) if entered is None else entered,
        proposed=bool(task.proposal) and entered is None,
    )


def _proposed(task: Task, instrument: Instrument) -> dict[str, str]:
    """A machine's proposal as a person would have filled it in."""
    if not task.proposal:
        return {}
    if instrument.kind == "pair":
        return dict(zip(("first", "second"), task.proposal.split(BETWEEN), strict=False))
    words = [word.strip() for word in task.proposal.split(",")]
    return {f"word-{place}": word for place, word in enumerate(words[: instrument.words])}


def _parts(task: Task, instrument: Instrument) -> list[tuple[str, str]]:
    if instrument.kind == "each":
        return [(f"{JUDGED}{name}", option) for name, option in lettered(task.choices).items()]
    return [(f"criterion-{place}", asked) for place, asked in enumerate(task.criteria.values())]


def wording(instrument: Instrument, name: str) -> str:
    """How an answer is put to people."""
    return instrument.told.get(name, name)


def _answers(task: Task, instrument: Instrument, lease: str) -> list[Answer]:
    every = answers_of_task(task, instrument)
    first_beside = len(task.choices)
    answers = [
        Answer(
            number,
            wording(instrument, text) if instrument.kind == "labels" or number >= first_beside else text,
            number >= first_beside,
            text in instrument.objections and number >= first_beside and bool(instrument.reasons),
        )
        for number, text in enumerate(every)
    ]
    if instrument.kind == "options" and not task.scale.ordered:
        # Each person has an order of their own, or the first option would gain by being first.
        answers[:first_beside] = random.Random(lease).sample(answers[:first_beside], first_beside)
    return answers


def answers_of_task(task: Task, instrument: Instrument) -> tuple[str, ...]:
    """All that can be chosen, in the order in which it is shown."""
    return (*task.choices, *instrument.beside)


def answer_from(fields: Fields, task: Task, instrument: Instrument) -> tuple[str, str]:
    """The answer and its reason, from the fields of the form.

    >>> from horsesense.annotate.instrument import find_instrument
    >>> answer_from({"value": "1"}, Task("i", "?", ("hot", "cold")), find_instrument("choice"))
    ('cold', '')
    """
    for text in fields.values():
        check_text(text)
    if instrument.kind in ("labels", "options"):
        value = _chosen(fields.get("value", ""), answers_of_task(task, instrument))
        return value, _reason(fields, value, instrument)
    if instrument.kind == "criteria":
        given = {name: fields.get(f"criterion-{place}", "") for place, name in enumerate(instrument.criteria)}
        if not any(given.values()):
            raise UserError("no question is answered", fix="answer yes or no to each")
        return folded_criteria(instrument, given), ""
    if fields.get(SENSELESS) and instrument.objections:
        value = _chosen(fields[SENSELESS], instrument.objections)
        return value, _reason(fields, value, instrument)
    if instrument.kind == "each":
        given = {f"{JUDGED}{name}": fields.get(f"{JUDGED}{name}", "") for name in lettered(task.choices)}
        if not any(given.values()):
            raise UserError("no answer is judged", fix="judge each of them")
        return folded_each(instrument, given), ""
    if instrument.kind == "pair":
        return joined_pair(fields.get("first", ""), fields.get("second", "")), ""
    return _words(fields, instrument), ""


def check_text(text: str) -> None:
    """Text that no person types is refused: a database would choke on it, a reader would not see it."""
    if any(unicodedata.category(sign) in ("Cc", "Cs", "Cf", "Co", "Cn") and sign not in "\t\r\n‍‌" for sign in text):
        raise UserError("the text holds signs that cannot be read", fix="type it again")


def _chosen(given: str, answers: tuple[str, ...]) -> str:
    if not given:
        raise UserError("nothing is chosen", fix="choose an answer")
    if not (given.isascii() and given.isdigit() and len(given) < 4 and int(given) < len(answers)):
        raise UserError("there is no such answer", fix="choose one of those that are shown")
    return answers[int(given)]


def _reason(fields: Fields, value: str, instrument: Instrument) -> str:
    if value not in instrument.objections or not instrument.reasons:
        return ""
    if not fields.get("reason"):
        raise UserError("the reason is missing", fix="say why it cannot be answered")
    return _chosen(fields["reason"], instrument.reasons)


def _words(fields: Fields, instrument: Instrument) -> str:
    given = [" ".join(fields.get(f"word-{place}", "").split()) for place in range(instrument.words)]
    written = [word for word in given if word]
    if not written:
        raise UserError("nothing is written", fix="write at least one word")
    for word in written:
        if len(word) > LONGEST_WORD:
            raise UserError(f"a word is longer than {LONGEST_WORD} characters", fix="keep it short")
        # A sign in front would be a formula in somebody's spreadsheet.
        if not word[0].isalpha() or "," in word or ";" in word:
            raise UserError(f"{word!r} is not a word", fix="write one word in each field")
        if beside_alike(instrument, word):
            raise UserError(f"{word!r} is an answer of its own", fix="tick its box instead")
    return checked_value(instrument, ", ".join(written))
