"""Potato: write items and a config, read its JSONL export.

A scheme is named after the instrument, with the criterion where there are several. Labels of a scheme are the
same for all items, so options of an item's own are shown in the text and chosen by letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from horsesense.annotate.answer_checks import typed_answers
from horsesense.annotate.instrument import WRITTEN, Instrument
from horsesense.annotate.task import Task, fields_of_options, lettered
from horsesense.data import writing
from horsesense.data.tables import write_rows
from horsesense.errors import UserError

_YES = ("yes", "no")


def write_potato(path: Path, instrument: Instrument, tasks: Sequence[Task], round: int) -> list[Path]:
    """Write items as JSON lines, and the config (JSON is YAML)."""
    if path.suffix != ".jsonl":
        raise UserError("Potato takes items as .jsonl", file=path, fix="give the file that ending")
    if round != 1:
        raise UserError("Potato does not return the round", fix="write a table, or judge the second round separately")
    config = path.with_name(f"{path.stem}.config.yaml")
    write_rows(path, ({"id": task.item, "text": _text(task, instrument)} for task in tasks), ())
    with writing(config) as temporary:
        temporary.write_bytes(
            orjson.dumps(_config(path, instrument, tasks), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        )
    return [path, config]


def _text(task: Task, instrument: Instrument) -> str:
    lines = [task.question]
    if instrument.kind in ("options", "each"):
        lines += [f"{name}. {choice}" for name, choice in lettered(task.choices).items()]
    lines += [f"{name}: {question}" for name, question in task.criteria.items()]
    return "\n".join(lines)


def _config(path: Path, instrument: Instrument, tasks: Sequence[Task]) -> dict[str, Any]:
    most = max((len(task.choices) for task in tasks), default=0)
    choices = tuple(lettered([""] * most)) if instrument.kind == "options" else instrument.labels
    if instrument.kind == "criteria":
        schemes = [_scheme(f"{instrument.name}.{name}", name, _YES) for name in instrument.criteria]
    elif instrument.kind == "each":
        answers = (*instrument.labels, *instrument.beside)
        schemes = [_scheme(f"{instrument.name}.{name}", name, answers) for name in fields_of_options(tasks, instrument)]
    elif instrument.kind in WRITTEN:
        description = f"{instrument.title} Write: {typed_answers(instrument)}"
        schemes = [{"annotation_type": "text", "name": instrument.name, "description": description}]
    else:
        labels = (*choices, *instrument.beside)
        schemes = [_scheme(instrument.name, instrument.title, labels)]
    return {
        "annotation_task_name": instrument.title,
        "task_dir": ".",
        "data_files": [path.name],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "output_annotation_dir": "annotation_output/",
        "export_annotation_format": "jsonl",
        "annotation_schemes": schemes,
        "user_config": {"allow_all_users": True, "users": []},
    }


def _scheme(name: str, description: str, labels: Sequence[str]) -> dict[str, Any]:
    kind = {"annotation_type": "radio", "name": name, "description": description}
    return {**kind, "labels": list(labels), "sequential_key_binding": True}


def is_potato(row: Mapping[str, Any]) -> bool:
    """Whether a row is from Potato's export."""
    return "instance_id" in row and "user_id" in row and isinstance(row.get("labels"), dict)


def from_potato(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a row of Potato's export to a row of judgements.

    >>> from_potato({"instance_id": "i", "user_id": "ann", "labels": {"naturalness": {"natural": True}}})["value"]
    'natural'
    """
    values: dict[str, Any] = {"item": row["instance_id"], "annotator": row["user_id"], "question": "", "value": ""}
    for scheme, labels in row["labels"].items():
        chosen = _chosen(labels)
        instrument, _, criterion = scheme.partition(".")
        values |= {"instrument": instrument, criterion or "value": chosen}
    if "instrument" not in values:
        raise UserError("the row has no scheme of horsesense", fix="export a project made by annotate new")
    return values


def _chosen(labels: Any) -> str:
    if not isinstance(labels, dict) or len(labels) != 1:
        raise UserError("a scheme of the row does not have one label", fix="export the project as jsonl")
    label, value = next(iter(labels.items()))
    # A text scheme has its text as the value, a radio one its label as the name.
    return str(value) if label in ("text_box", "text") else str(label)
