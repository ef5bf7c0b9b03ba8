"""The sets that CATs was made from, in their own formats: sense making, argument reasoning, SWAG and HellaSwag.

- Sense making, and sense making with reasons: the files of SemEval-2020 task 4, subtasks A and B (Wang and others 2019,
  2020; CATs, sections "Sense Making (SM)" and "Sense Making with Reasoning (SMR)"). Subtask A has ``id,sent0,sent1``,
  subtask B ``id,FalseSent,OptionA,OptionB,OptionC``; answers are in a file of their own without a header. The answer
  to A is the statement *against* common sense (the starting kit's page says the opposite of what its files hold), so
  the sensible one is the other.
- Argument reasoning: a reason, one of two warrants, a claim; and its negated augmentation (Habernal and others 2018;
  Niven and Kao 2019; CATs, section "Argument Reasoning Comprehension Task (ARCT)"). Tab-separated: ``#id warrant0
  warrant1 correctLabelW0orW1 reason claim debateTitle debateInfo``. The augmentation has one column more, which says
  whether a row's claim is negated, so that the other warrant is right; it is known by that column (adversarial,
  negated …) or by its file's name (test-adv-negated). The released join says "and since" before the first warrant and
  "but since" before the second. A model that likes one of the two words better is then right or wrong by place; the
  neutral join has no such cue.
- SWAG and HellaSwag: what happens next, the context joined with each ending (Zellers and others 2018, 2019; CATs,
  sections "SWAG" and "HellaSwag"). Only the part of HellaSwag from ActivityNet is taken, as in the paper; the
  brackets of WikiHow are removed everywhere.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from horsesense.core import Facet, Probe
from horsesense.data import numbered_lines
from horsesense.errors import UserError
from horsesense.methods.cats.joining import joined, spaced, without_brackets
from horsesense.methods.cats.reframing import Reframing, SourceRow, filled_cell, rows_of
from horsesense.methods.published.reading import Reading, check_columns, json_of, text_field, whole_number

Answers = dict[str, tuple[str, int]]
"""By id, the answer and its line."""

_REASONS = ("OptionA", "OptionB", "OptionC")
_ARGUMENT_COLUMNS = ("#id", "warrant0", "warrant1", "correctLabelW0orW1", "reason", "claim")
_TRUE = ("true", "1", "yes")
_AUGMENTED = re.compile(r"adv|negat", re.IGNORECASE)
_ENDINGS = ("ending0", "ending1", "ending2", "ending3")
_NOT_TAKEN = "items of WikiHow left out"
_HOW = "the context is joined with each ending"


# Sense making.


def read_sense_making(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Subtask A: two statements, of which the sensible one is right."""
    questions, answers = paths
    reframing, golds = Reframing(Reading(skip_bad), "sm"), _answers(answers)
    for line, row in rows_of(reframing.reading, questions, ("id", "sent0", "sent1")):
        with reframing.reading.line(questions, line):
            nonsense = _gold(golds, row, answers, {"0": 0, "1": 1})
            statements = [spaced(filled_cell(row, name)) for name in ("sent0", "sent1")]
            reframing.add(statements, 1 - nonsense, questions, line, identity=row["id"].strip())
    return reframing.probe(paths, "the statements are unchanged")


def read_sense_reasons(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Subtask B: a nonsense statement with each of three reasons."""
    questions, answers = paths
    reframing, golds = Reframing(Reading(skip_bad), "smr"), _answers(answers)
    for line, row in rows_of(reframing.reading, questions, ("id", "FalseSent", *_REASONS)):
        with reframing.reading.line(questions, line):
            gold = _gold(golds, row, answers, {"A": 0, "B": 1, "C": 2})
            statement = spaced(filled_cell(row, "FalseSent")).rstrip(" .")
            reasons = [spaced(filled_cell(row, name)).rstrip(" .") for name in _REASONS]
            options = [joined("smr", place, statement=statement, reason=each) for place, each in enumerate(reasons)]
            reframing.add(options, gold, questions, line, identity=row["id"].strip())
    return reframing.probe(paths, "the statement is said to be against common sense because of each reason")


def _answers(path: Path) -> Answers:
    """The answer to each id; a file with a header line has it left out."""
    answers: Answers = {}
    for number, line in numbered_lines(path):
        fields = [field.strip() for field in next(csv.reader([line]))]
        if len(fields) != 2:
            check_columns(fields, ("id", "answer"), path)
            raise UserError(f"the line has {len(fields)} fields and needs an id and an answer", file=path, line=number)
        if number == 1 and fields[0].lower() == "id":
            continue
        if answers.setdefault(fields[0], (fields[1], number))[0] != fields[1]:
            raise UserError(f"the id {fields[0]} has two answers", file=path, line=number, fix="leave one out")
    return answers


def _gold(golds: Answers, row: SourceRow, answers: Path, places: Mapping[str, int]) -> int:
    """Return the index that the answer to a row names; an invalid answer is an error with its line."""
    identity = filled_cell(row, "id")
    if identity not in golds:
        raise UserError(f"the id {identity} has no answer in {answers.name}", fix="give the answers of this file")
    gold, line = golds[identity]
    if gold not in places:
        *others, last = places
        problem = f"the answer {gold!r} to the id {identity} is not {', '.join(others)} or {last}"
        raise UserError(problem, file=answers, line=line, fix="put it right, or leave the id out of both files")
    return places[gold]


# Argument reasoning.


def _negation_column(row: SourceRow) -> str:
    """The column that says whether the claim is negated; empty where there is none."""
    return next((name for name in row if _AUGMENTED.search(name)), "")


def _read_arguments(paths: Sequence[Path], skip_bad: bool, wording: str) -> Probe:
    reading = Reading(skip_bad)
    rows = [(path, line, row) for path in paths for line, row in rows_of(reading, path, _ARGUMENT_COLUMNS, tabs=True)]
    negated = any(_negation_column(row) or _AUGMENTED.search(path.name) for path, _, row in rows)
    reframing = Reframing(reading, "arct_2" if negated else "arct_1", licence="Apache-2.0")
    for path, line, row in rows:
        with reading.line(path, line):
            _add_argument(reframing, row, path, line, wording)
    return reframing.probe(paths, f"reason, warrant and claim are joined ({wording} wording)")


def _add_argument(reframing: Reframing, row: SourceRow, path: Path, line: int, wording: str) -> None:
    reason, claim = (spaced(filled_cell(row, name)).rstrip(" .") for name in ("reason", "claim"))
    warrants = [spaced(filled_cell(row, name)).rstrip(" .") for name in ("warrant0", "warrant1")]
    gold = whole_number(filled_cell(row, "correctLabelW0orW1"), "label", 1)
    options = [
        joined("arct", place, wording, reason=reason, warrant=warrant, claim=claim)
        for place, warrant in enumerate(warrants)
    ]
    facets: dict[str, Facet] = {"join": wording}
    if column := _negation_column(row):
        facets["negated"] = row[column].strip().lower() in _TRUE
    identity = filled_cell(row, "#id")
    reframing.add(options, gold, path, line, facets=facets, identity=identity)


read_arct = partial(_read_arguments, wording="released")
"""As the paper joins them."""

read_arct_neutral = partial(_read_arguments, wording="neutral")
"""The same words before both warrants."""


# SWAG and HellaSwag.


def read_swag(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """SWAG's csv: ``sent1`` is the context, ``sent2`` how the next sentence begins."""
    reframing = Reframing(Reading(skip_bad), "swag")
    for path in paths:
        for line, row in rows_of(reframing.reading, path, ("sent1", "sent2", *_ENDINGS, "label")):
            with reframing.reading.line(path, line):
                endings = [filled_cell(row, name) for name in _ENDINGS]
                gold = whole_number(filled_cell(row, "label"), "label", len(endings) - 1)
                options = _with_endings("swag", filled_cell(row, "sent1"), row["sent2"], endings)
                reframing.add(options, gold, path, line, identity=row.get("video-id", "").strip())
    return reframing.probe(paths, _HOW)


def read_hellaswag(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """HellaSwag's JSON lines: ``ctx_a`` is the context, ``ctx_b`` how the next sentence begins."""
    reframing = Reframing(Reading(skip_bad), "hella_swag")
    for path in paths:
        for line, raw in reframing.reading.lines(path):
            with reframing.reading.line(path, line):
                values = json_of(raw)
                if not str(values.get("source_id", "")).startswith("activitynet"):
                    reframing.reading.notes[_NOT_TAKEN] += 1
                    continue
                _add_endings(reframing, values, path, line)
    return reframing.probe(paths, f"{_HOW}; ActivityNet only")


def _add_endings(reframing: Reframing, values: dict[str, Any], path: Path, line: int) -> None:
    endings = values.get("endings")
    if not isinstance(endings, list) or len(endings) < 2 or not all(isinstance(each, str) for each in endings):
        raise UserError("the field 'endings' is not a list of texts", fix="check that it is a file of HellaSwag")
    if "label" not in values or values["label"] in ("", None):
        raise UserError("the line has no label", fix="the test split of HellaSwag has none; use train or val")
    begins = values.get("ctx_b", "")
    start = begins[:1].upper() + begins[1:] if isinstance(begins, str) else ""
    gold = whole_number(values["label"], "label", len(endings) - 1)
    options = _with_endings("hella_swag", text_field(values, "ctx_a"), start, endings)
    facets = {"activity": values["activity_label"]} if isinstance(values.get("activity_label"), str) else {}
    reframing.add(options, gold, path, line, facets={**facets}, identity=str(values.get("ind", "")))


def _with_endings(task: str, context: str, start: str, endings: Sequence[str]) -> list[str]:
    parts = {"context": without_brackets(context), "start": without_brackets(start)}
    cleaned = [without_brackets(ending) for ending in endings]
    if not all(cleaned):
        raise UserError("an ending is empty", fix="fill it in, or leave the instance out")
    return [joined(task, place, ending=ending, **parts) for place, ending in enumerate(cleaned)]
