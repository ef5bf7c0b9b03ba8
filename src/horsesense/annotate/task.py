"""Tasks: one question to one person, made from an item or a family by an instrument, and their assignment."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from horsesense.annotate.instrument import WRITTEN, Instrument
from horsesense.core import BLANK, Form, Item, Probe, view
from horsesense.errors import UserError
from horsesense.stats.raters.votes import Scale, letter

PROPOSAL = "proposal"
"""The facet with a machine's proposal, for written answers."""

_PART = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Task:
    """What a person sees, without the gold answer."""

    item: str
    """Id of the item, or the name of the family."""
    question: str
    choices: tuple[str, ...] = ()
    """Possible choices; empty for criteria and words."""
    criteria: Mapping[str, str] = field(default_factory=dict)
    """The criteria with their questions."""
    scale: Scale = field(default_factory=Scale)
    """The possible answers."""
    proposal: str = ""
    """A machine's proposal, to be accepted or changed; empty: none."""


def tasks_of(probe: Probe, instrument: Instrument) -> list[Task]:
    """Make one task per item, or per family if the instrument judges families, in the order of the probe."""
    if instrument.unit == "item":
        return [_of_item(item, instrument) for item in probe.items]
    families: dict[str, list[Item]] = {}
    for item in probe.items:
        if not item.family:
            raise UserError(
                f"the instrument {instrument.name} judges families, and {item.id} has none", fix="use another probe"
            )
        families.setdefault(item.family, []).append(item)
    return [_of_family(name, members, instrument) for name, members in families.items()]


def _of_item(item: Item, instrument: Instrument) -> Task:
    form = item if not instrument.form else view(item, cast(Form, instrument.form))
    if form is None:
        raise UserError(f"{item.id} cannot be shown in the form {instrument.form}", fix="use another instrument")
    by_option = instrument.kind in ("options", "each")
    instrument.check_options(item.id, form.options)
    if instrument.effect == "answer" and not by_option and set(instrument.labels) - set(item.options):
        raise UserError(
            f"{item.id} does not have the options {', '.join(instrument.labels)}",
            fix="use the instrument choice, or a probe that has them",
        )
    # Sentences that are the choices are not repeated in the question.
    text = form.text or ("" if by_option else " / ".join(form.options))
    parts = _facets_and_groups(item) | {"premise": form.premise, "text": text} | _with_options(form)
    scale = instrument.scale(form.options, form.ordered)
    return Task(
        item=item.id,
        question=_filled(instrument.question, parts, item.id, instrument) or instrument.title,
        choices=form.options if by_option else () if instrument.kind in ("criteria", *WRITTEN) else scale.labels,
        criteria=_criteria(instrument, parts, item.id),
        scale=scale,
        proposal=str(item.facets.get(PROPOSAL, "")) if instrument.kind in WRITTEN else "",
    )


def _with_options(item: Item) -> dict[str, str]:
    """Return the text with each option in its blank, for questions that quote it."""
    if item.form != "cloze":
        return {}
    return {f"with_{i}": item.text.replace(BLANK, option) for i, option in enumerate(item.options, start=1)}


def _of_family(name: str, members: Sequence[Item], instrument: Instrument) -> Task:
    parts: dict[str, str] = {}
    for item in members:
        parts[item.member] = " ".join(filter(None, (item.premise, item.text))) or " / ".join(item.options)
        parts |= {f"{item.member}_{key}": value for key, value in _facets_and_groups(item).items()}
    scale = instrument.scale()
    return Task(
        item=name,
        question=_filled(instrument.question, parts, name, instrument),
        choices=scale.labels,
        criteria=_criteria(instrument, parts, name),
        scale=scale,
    )


def _facets_and_groups(item: Item) -> dict[str, str]:
    """Return the facets and groups that a question can refer to."""
    return {**item.groups, **{name: str(value) for name, value in item.facets.items()}}


def _criteria(instrument: Instrument, parts: Mapping[str, str], item: str) -> dict[str, str]:
    return {name: _filled(asked, parts, item, instrument) for name, asked in instrument.criteria.items()}


def _filled(template: str, parts: Mapping[str, str], item: str, instrument: Instrument) -> str:
    missing = [name for name in _PART.findall(template) if name not in parts]
    if missing:
        kind, _, index = missing[0].partition("_")
        named = f"the text with option {index} in its blank" if kind == "with" else repr(missing[0])
        raise UserError(
            f"the instrument {instrument.name} refers to {named}, which {item} does not have",
            fix="use another instrument, or a probe with that facet, group or member",
        )
    # Line breaks of the instrument's question are kept, those of an item's text are not.
    lines = (_PART.sub(lambda part: parts[part[1]], line) for line in template.strip().split("\n"))
    return "\n".join(" ".join(line.split()) for line in lines)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task and the person who is to do it."""

    task: Task
    annotator: str = ""
    """Empty: the person who fills in the row names themselves."""
    order: int = 0
    """Position in the person's own sequence, from 1; 0 if nobody is named."""


def assign(tasks: Sequence[Task], people: Sequence[str], each: int, seed: int = 0) -> list[Assignment]:
    """Assign every task to ``each`` people, evenly; every person has the tasks in a random order of their own.

    >>> assignments = assign([Task(str(k), "?") for k in range(4)], ["ann", "ben", "cid"], each=2)
    >>> sorted(a.annotator for a in assignments)
    ['ann', 'ann', 'ann', 'ben', 'ben', 'ben', 'cid', 'cid']
    """
    if not people:
        return [Assignment(task) for task in tasks]
    if len(set(people)) < len(people):
        raise UserError("a person is named twice", fix="give each a code of their own")
    if each > len(people):
        raise UserError(
            f"{each} people should judge each item, but only {len(people)} are named", fix="name more people"
        )
    tasks_of_person: dict[str, list[Task]] = {name: [] for name in people}
    turns = [people[i % len(people)] for i in range(len(tasks) * each)]
    for i, task in enumerate(random.Random(seed).sample(list(tasks), len(tasks))):
        for name in turns[i * each : (i + 1) * each]:
            tasks_of_person[name].append(task)
    return [
        Assignment(task, name, order)
        for name, mine in tasks_of_person.items()
        for order, task in enumerate(random.Random(f"{seed} {name}").sample(mine, len(mine)), start=1)
    ]


def fields_of_options(tasks: Sequence[Task], instrument: Instrument) -> tuple[str, ...]:
    """Return the form fields of the options; all tasks of one form must have the same number of options."""
    if instrument.kind != "each":
        return ()
    numbers = sorted({len(task.choices) for task in tasks})
    if len(numbers) > 1:
        raise UserError(
            f"some items have {numbers[0]} options and some {numbers[-1]}, but one form cannot ask about both",
            fix="split the probe, write a table, or serve the study",
        )
    return tuple(f"{JUDGED}{name}" for name in lettered([""] * (numbers[0] if numbers else 0)))


JUDGED = "judged-"
"""Prefix of the field with the judgement of one option, such as ``judged-A``."""


def lettered(choices: Sequence[str]) -> dict[str, str]:
    """Return choices by letter, as in the columns of a task file.

    >>> lettered(["hot", "cold"])
    {'A': 'hot', 'B': 'cold'}
    """
    return {letter(i): choice for i, choice in enumerate(choices)}
