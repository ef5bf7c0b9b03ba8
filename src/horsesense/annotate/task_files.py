"""Task files: what people or a crowd platform fill in.

A filled task file is a file of judgements with the questions beside them, and is read as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from horsesense.annotate.answer_checks import typed_answers
from horsesense.annotate.instrument import Instrument
from horsesense.annotate.label_studio import write_label_studio
from horsesense.annotate.mturk import write_mturk
from horsesense.annotate.potato import write_potato
from horsesense.annotate.task import Assignment, Task, lettered
from horsesense.data import writing
from horsesense.data.tables import ending, write_rows
from horsesense.errors import UserError, argument, unknown

Format = Literal["table", "label-studio", "potato", "mturk"]
FORMATS: tuple[Format, ...] = ("table", "label-studio", "potato", "mturk")

_BEFORE = ("item", "instrument", "annotator", "round", "order", "question")


def write_tasks(
    path: Path, instrument: Instrument, assignments: Sequence[Assignment], round: int = 1, form: str = "table"
) -> list[Path]:
    """Write a task file, and what the platform needs beside it; the paths of all that was written."""
    if form not in FORMATS:
        raise unknown("format of task files", form, FORMATS)
    if form == "table":
        rows = [_row(assignment, instrument, round) for assignment in assignments]
        choices = max((len(assignment.task.choices) for assignment in assignments), default=0)
        letters = tuple(lettered([""] * choices))
        if ending(path) == ".jsonl":
            write_rows(path, ({k: v for k, v in row.items() if k not in letters} for row in rows), ())
        else:
            # Criteria are answered in columns of their own.
            answer = () if instrument.criteria else ("value",)
            write_rows(path, rows, (*_BEFORE, *letters, *instrument.criteria, *answer, "reason"))
        return [path, _write_instructions(path, instrument)]
    if any(assignment.annotator for assignment in assignments):
        raise UserError(f"{form} hands out tasks itself", fix=f"leave {argument('people')} out")
    tasks = [assignment.task for assignment in assignments]
    if form != "label-studio" and instrument.kind == "options":
        _check_letters(instrument, tasks)
    write = {"label-studio": write_label_studio, "potato": write_potato, "mturk": write_mturk}[form]
    return write(path, instrument, tasks, round)


def _check_letters(instrument: Instrument, tasks: Sequence[Task]) -> None:
    """Where options are sent as letters, no other answer may be one."""
    letters = lettered([""] * max((len(task.choices) for task in tasks), default=0))
    for name in instrument.beside:
        if name in letters:
            raise UserError(
                f"the answer {name!r} of the instrument is also the letter of an option", fix="give it another name"
            )


def _row(assignment: Assignment, instrument: Instrument, round: int) -> dict[str, Any]:
    task = assignment.task
    asked = chain(task.question.split("\n"), (f"{name}: {question}" for name, question in task.criteria.items()))
    values: dict[str, Any] = {
        "item": task.item,
        "instrument": instrument.name,
        "annotator": assignment.annotator,
        "round": round,
        "order": assignment.order,
        "question": "  ".join(asked),
    }
    values |= lettered(task.choices)
    if task.choices:
        values["choices"] = list(task.choices)
    values |= dict.fromkeys(task.criteria, "")
    return values | {"value": "", "reason": ""}


def _write_instructions(path: Path, instrument: Instrument) -> Path:
    """What people should read first, as Markdown beside the task file."""
    beside = path.with_name(f"{path.stem}.instructions.md")
    with writing(beside) as temporary:
        temporary.write_text(instructions_of(instrument), encoding="utf-8")
    return beside


def instructions_of(instrument: Instrument) -> str:
    """The instructions, the answers and the examples of an instrument."""
    parts = [f"# {instrument.title}", " ".join(instrument.instructions.split())]
    if instrument.kind == "criteria":
        parts.append("Answer yes or no in each column: " + ", ".join(instrument.criteria) + ".")
    else:
        parts.append(f"Answers: {typed_answers(instrument)}")
    if instrument.reasons:
        parts.append(f"Reasons, with {' or '.join(instrument.objections)}: {' | '.join(instrument.reasons)}")
    for name, examples in (("Good", instrument.good), ("Bad", instrument.bad)):
        parts += [f"{name}: {example}" for example in examples]
    return "\n\n".join(filter(None, parts)) + "\n"


def choices_of(row: dict[str, Any]) -> tuple[str, ...]:
    """The choices that a row of a task file shows; empty where it shows none."""
    listed = row.get("choices")
    if isinstance(listed, list) and all(isinstance(choice, str) for choice in listed):
        return tuple(listed)
    return tuple(_cells(row))


def _cells(row: dict[str, Any]) -> Iterator[str]:
    for name in lettered([""] * 26):
        if not isinstance(row.get(name), str) or not row[name]:
            return
        yield row[name]
