"""Sense making, and sense making with reasons, from the files of SemEval-2020 task 4 (subtasks A and B).

Wang and others 2019, 2020; CATs, sections "Sense Making (SM)" and "Sense Making with Reasoning (SMR)".
Subtask A: ``id,sent0,sent1``; subtask B: ``id,FalseSent,OptionA,OptionB,OptionC``; answers in a file of their own
without a header. The answer to A is the statement *against* common sense (the starting kit's page says the
opposite of what its files hold), so the sensible one is the other.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import numbered_lines
from horsesense.probes.cats.joining import joined, spaced
from horsesense.probes.cats.reframed import Reframing
from horsesense.probes.cats.rows import Row, given, rows_of
from horsesense.probes.released.reading import Reading, check_columns
from horsesense.records import Probe

Answers = dict[str, tuple[str, int]]
"""By id, the answer and its line."""

_REASONS = ("OptionA", "OptionB", "OptionC")


def read_sense_making(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Subtask A: two statements, of which the sensible one is right."""
    questions, answers = paths
    reframing, golds = Reframing(Reading(skip_bad), "sm"), _answers(answers)
    for line, row in rows_of(reframing.reading, questions, ("id", "sent0", "sent1")):
        with reframing.reading.line(questions, line):
            nonsense = _gold(golds, row, answers, {"0": 0, "1": 1})
            statements = [spaced(given(row, name)) for name in ("sent0", "sent1")]
            reframing.add(statements, 1 - nonsense, questions, line, identity=row["id"].strip())
    return reframing.probe(paths, "the statements stand as they are")


def read_sense_reasons(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Subtask B: a nonsense statement with each of three reasons."""
    questions, answers = paths
    reframing, golds = Reframing(Reading(skip_bad), "smr"), _answers(answers)
    for line, row in rows_of(reframing.reading, questions, ("id", "FalseSent", *_REASONS)):
        with reframing.reading.line(questions, line):
            gold = _gold(golds, row, answers, {"A": 0, "B": 1, "C": 2})
            statement = spaced(given(row, "FalseSent")).rstrip(" .")
            reasons = [spaced(given(row, name)).rstrip(" .") for name in _REASONS]
            options = [joined("smr", place, statement=statement, reason=each) for place, each in enumerate(reasons)]
            reframing.add(options, gold, questions, line, identity=row["id"].strip())
    return reframing.probe(paths, "the statement is said to be against common sense because of each reason")


def _answers(path: Path) -> Answers:
    """The answer to each id; a file with a header line has it left out."""
    found: Answers = {}
    for number, line in numbered_lines(path):
        fields = [field.strip() for field in next(csv.reader([line]))]
        if len(fields) != 2:
            check_columns(fields, ("id", "answer"), path)
            raise UserError(f"the line has {len(fields)} fields and needs an id and an answer", file=path, line=number)
        if number == 1 and fields[0].lower() == "id":
            continue
        if found.setdefault(fields[0], (fields[1], number))[0] != fields[1]:
            raise UserError(f"the id {fields[0]} has two answers", file=path, line=number, fix="leave one out")
    return found


def _gold(golds: Answers, row: Row, answers: Path, known: Mapping[str, int]) -> int:
    """The place that the answer to a row names; an answer that is none is told where it stands."""
    identity = given(row, "id")
    if identity not in golds:
        raise UserError(f"the id {identity} has no answer in {answers.name}", fix="give the answers of this file")
    gold, line = golds[identity]
    if gold not in known:
        *others, last = known
        told = f"the answer {gold!r} to the id {identity} is not {', '.join(others)} or {last}"
        raise UserError(told, file=answers, line=line, fix="put it right, or leave the id out of both files")
    return known[gold]
