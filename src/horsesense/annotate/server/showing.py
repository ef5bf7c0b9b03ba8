"""A task as a page shows it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from horsesense.annotate.form import answers_of_task
from horsesense.annotate.instrument import Instrument
from horsesense.annotate.pictures import Picture
from horsesense.annotate.server.people import NEW, Person
from horsesense.annotate.server.queue import Lease
from horsesense.annotate.server.served import Served
from horsesense.annotate.task import Task


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
    """Name of the field, and the question."""
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


def show(served: Served, person: Person, lease: Lease, entered: Mapping[str, str] | None = None) -> Shown:
    """The task of a lease as this person sees it, also after a reload."""
    task, instrument = served.tasks[lease.purpose][lease.name], served.instrument
    trial = person.state == NEW
    return Shown(
        task=task,
        lease=lease.key,
        answers=_answers(task, instrument, lease.key),
        criteria=[(f"criterion-{place}", asked) for place, asked in enumerate(task.criteria.values())],
        reasons=[told(instrument, name) for name in instrument.reasons],
        # Attention items are among the others and count like them, or they would give themselves away.
        done=lease.number - 1,
        of=len(served.tasks["gold"]) if trial else 0,
        trial=trial,
        pictures=served.pictures.get(lease.name, ()),
        entered=entered or {},
    )


def told(instrument: Instrument, name: str) -> str:
    """How an answer is put to people."""
    return instrument.told.get(name, name)


def _answers(task: Task, instrument: Instrument, lease: str) -> list[Answer]:
    every = answers_of_task(task, instrument)
    own = len(task.choices)
    found = [
        Answer(
            number,
            told(instrument, text) if instrument.kind == "labels" or number >= own else text,
            number >= own,
            text in instrument.objections and number >= own and bool(instrument.reasons),
        )
        for number, text in enumerate(every)
    ]
    if instrument.kind == "options" and not task.scale.ordered:
        # Each person has an order of their own, or the first option would gain by being first.
        found[:own] = random.Random(lease).sample(found[:own], own)
    return found
