"""Task files: tables for people or files for a crowd platform, to be filled in.

A filled task file is a file of judgements with the questions beside them, and is read as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, get_args

from annotated_types import Ge

from horsesense.annotate.answer_checks import typed_answers
from horsesense.annotate.instrument import Instrument, find_instrument
from horsesense.annotate.platforms import write_label_studio, write_mturk, write_potato
from horsesense.annotate.task import Assignment, Task, assign, lettered, tasks_of
from horsesense.core import Probe
from horsesense.core.document import Document
from horsesense.data import write_file
from horsesense.data.tables import ending, write_rows
from horsesense.errors import UserError, argument, translate_errors, unknown

TaskFormat = Literal["table", "label-studio", "potato", "mturk"]
FORMATS: tuple[TaskFormat, ...] = get_args(TaskFormat)

_BEFORE = ("item", "instrument", "annotator", "round", "order", "question")


@dataclass(frozen=True, slots=True)
class NewTasks(Document):
    """Tasks for people, in a task file or in the folder of a study."""

    out: Path
    """The task file or the folder."""
    files: tuple[Path, ...]
    """All files."""
    instrument: str
    """Name of the instrument."""
    items: int
    """Number of items to judge."""
    tasks: int
    """Number of judgements asked for."""
    people: int
    """Number of people named; 0 if tasks name nobody."""


@translate_errors()
def new_tasks(
    probe: Probe | str | Path,
    *,
    instrument: str,
    out: str | Path,
    people: Sequence[str] = (),
    per_item: Annotated[int, Ge(1)] | None = None,
    round: Annotated[int, Ge(1)] = 1,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: int = 0,
    format: TaskFormat = "table",
) -> NewTasks:
    """Write a task file to be filled in, one row per question.

    Args:
        probe: Probe to be judged: name or file. In Python, also a `Probe`.
        instrument: Name of an instrument (choice, naturalness …), or its .toml file.
        out: Task file: .csv, .tsv, .jsonl or .json.
        people: Names or ids of the annotators. By default, tasks are not assigned.
        per_item: Annotators per item. By default, as many as the instrument says.
        round: Number of the annotation round.
        limit: Maximum number of items, drawn by seed.
        seed: Random seed for sampling, assignment and order.
        format: File format: a table to fill in, or the files of a platform.

    Returns:
        The files, and the number of tasks in them.
    """
    from horsesense.core.catalogue import as_probe

    path = Path(out)
    check_not_overwritten(path, [probe], "the tasks would overwrite the probe")
    asked = find_instrument(instrument)
    tasks = tasks_of(as_probe(probe), asked)
    if limit is not None and limit < len(tasks):
        drawn = Random(seed).sample(range(len(tasks)), limit)
        tasks = [tasks[i] for i in sorted(drawn)]
    names = [name.strip() for each in people for name in each.split(",") if name.strip()]
    assignments = assign(tasks, names, min(asked.judgements, len(names)) if per_item is None else per_item, seed)
    files = write_tasks(path, asked, assignments, round, format)
    return NewTasks(path, tuple(files), asked.name, len(tasks), len(assignments), len(names))


def write_tasks(
    path: Path, instrument: Instrument, assignments: Sequence[Assignment], round: int = 1, form: str = "table"
) -> list[Path]:
    """Write a task file and what the platform needs besides; return the paths."""
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
        raise UserError(f"{form} assigns tasks itself", fix=f"leave {argument('people')} out")
    tasks = [assignment.task for assignment in assignments]
    if form != "label-studio" and instrument.kind == "options":
        _check_letters(instrument, tasks)
    write = {"label-studio": write_label_studio, "potato": write_potato, "mturk": write_mturk}[form]
    return write(path, instrument, tasks, round)


def _check_letters(instrument: Instrument, tasks: Sequence[Task]) -> None:
    """Raise an error if an answer of the instrument is also the letter of an option."""
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
    """Write the instructions as Markdown beside the task file."""
    beside = path.with_name(f"{path.stem}.instructions.md")
    write_file(beside, instructions_of(instrument))
    return beside


def instructions_of(instrument: Instrument) -> str:
    """Return the instructions, answers and examples of an instrument."""
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
    """Return the choices in a row of a task file."""
    listed = row.get("choices")
    if isinstance(listed, list) and all(isinstance(choice, str) for choice in listed):
        return tuple(listed)
    return tuple(_cells(row))


def _cells(row: dict[str, Any]) -> Iterator[str]:
    for name in lettered([""] * 26):
        if not isinstance(row.get(name), str) or not row[name]:
            return
        yield row[name]


def check_not_overwritten(out: Path, sources: Sequence[str | Path | Probe], problem: str) -> None:
    """Raise an error if a result would overwrite one of its sources."""
    if any(Path(source).resolve() == out.resolve() for source in sources if not isinstance(source, Probe)):
        raise UserError(problem, file=out, fix="choose another name")
