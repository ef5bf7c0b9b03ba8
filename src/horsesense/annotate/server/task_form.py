"""Forms of tasks: what the page shows, and the checked answer from its fields."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from horsesense.annotate.answer_checks import (
    BETWEEN,
    beside_alike,
    check_value,
    join_criteria,
    join_each,
    join_pair,
)
from horsesense.annotate.instrument import Instrument
from horsesense.annotate.pictures import Picture
from horsesense.annotate.server.participants import NEW, Person
from horsesense.annotate.server.queue import Lease
from horsesense.annotate.server.served_study import ServedStudy
from horsesense.annotate.task import JUDGED, Task, lettered
from horsesense.errors import UserError

LONGEST_WORD = 60
SENSELESS = "objection"
"""The field of an objection to a written task."""

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """One choice."""

    number: int
    """Value in the form: its index among the answers, whatever their order."""
    text: str
    beside: bool = False
    """Whether it is an objection or an abstention."""
    objects: bool = False
    """Whether it needs a reason."""


@dataclass(frozen=True, slots=True)
class ShownTask:
    """Everything that the page of a task needs."""

    task: Task
    lease: str
    answers: Sequence[AnswerChoice]
    criteria: Sequence[tuple[str, str]]
    """Name of the field, and the question; or an option that is judged by itself."""
    reasons: Sequence[str]
    done: int
    of: int
    """0 if the number is not known."""
    trial: bool
    """Whether this is the qualification."""
    pictures: Sequence[Picture] = ()
    entered: Mapping[str, str] = field(default_factory=dict)
    """Fields of a rejected form."""
    problem: str = ""
    proposed: bool = False
    """Whether the form has a machine's proposal."""


def show(served: ServedStudy, person: Person, lease: Lease, entered: Mapping[str, str] | None = None) -> ShownTask:
    """Return the task of a lease as this person sees it, the same after a reload."""
    task, instrument = served.tasks[lease.purpose][lease.name], served.instrument
    trial = person.state == NEW
    return ShownTask(
        task=task,
        lease=lease.key,
        answers=_answers(task, instrument, lease.key),
        criteria=_parts(task, instrument),
        reasons=[wording(instrument, name) for name in instrument.reasons],
        # Attention checks count like other items, or people would recognise them.
        done=lease.number - 1,
        of=len(served.tasks["gold"]) if trial else 0,
        trial=trial,
        pictures=served.pictures.get(lease.name, ()),
        entered=_proposed(task, instrument) if entered is None else entered,
        proposed=bool(task.proposal) and entered is None,
    )


def _proposed(task: Task, instrument: Instrument) -> dict[str, str]:
    """Return the fields of a machine's proposal."""
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
    """Return the wording of an answer."""
    return instrument.wording.get(name, name)


def _answers(task: Task, instrument: Instrument, lease: str) -> list[AnswerChoice]:
    every = answers_of_task(task, instrument)
    first_beside = len(task.choices)
    answers = [
        AnswerChoice(
            number,
            wording(instrument, text) if instrument.kind == "labels" or number >= first_beside else text,
            number >= first_beside,
            text in instrument.objections and number >= first_beside and bool(instrument.reasons),
        )
        for number, text in enumerate(every)
    ]
    if instrument.kind == "options" and not task.scale.ordered:
        # Each person has their own order of options, against position bias.
        answers[:first_beside] = random.Random(lease).sample(answers[:first_beside], first_beside)
    return answers


def answers_of_task(task: Task, instrument: Instrument) -> tuple[str, ...]:
    """Return all choices in the order in which they are shown."""
    return (*task.choices, *instrument.beside)


def answer_from(fields: Fields, task: Task, instrument: Instrument) -> tuple[str, str]:
    """Return the answer and its reason from the fields of the form.

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
        return join_criteria(instrument, given), ""
    if fields.get(SENSELESS) and instrument.objections:
        value = _chosen(fields[SENSELESS], instrument.objections)
        return value, _reason(fields, value, instrument)
    if instrument.kind == "each":
        given = {f"{JUDGED}{name}": fields.get(f"{JUDGED}{name}", "") for name in lettered(task.choices)}
        if not any(given.values()):
            raise UserError("no answer is judged", fix="judge each of them")
        return join_each(instrument, given), ""
    if instrument.kind == "pair":
        return join_pair(fields.get("first", ""), fields.get("second", "")), ""
    return _words(fields, instrument), ""


def check_text(text: str) -> None:
    """Raise an error for control characters, which nobody types."""
    if any(unicodedata.category(sign) in ("Cc", "Cs", "Cf", "Co", "Cn") and sign not in "\t\r\n‍‌" for sign in text):
        raise UserError("the text contains unreadable characters", fix="type it again")


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
        # A leading = or + would be a formula in a spreadsheet.
        if not word[0].isalpha() or "," in word or ";" in word:
            raise UserError(f"{word!r} is not a word", fix="write one word in each field")
        if beside_alike(instrument, word):
            raise UserError(f"{word!r} is an answer of its own", fix="tick its box instead")
    return check_value(instrument, ", ".join(written))
