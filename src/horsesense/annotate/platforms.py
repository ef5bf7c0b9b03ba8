"""Tasks for annotation platforms, and judgements from their exports: Label Studio, Potato and Amazon Mechanical Turk.

Label Studio gets tasks and a labelling page, and exports JSON. Potato gets items and a config, and exports JSONL. Its
schemes are named after the instrument, with the criterion where there are several. Labels of a scheme are the same for
all items, so options of an item's own are shown in the text and chosen by letter. MTurk gets the HTML of a HIT and a
table of inputs. It inserts a cell of the input for ``${name}`` in the HTML without escaping, so cells are escaped here.
Results come back as columns ``Input.item``, ``Answer.value`` and ``WorkerId``; an option is named by its letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import orjson

from horsesense.annotate.answer_checks import typed_answers
from horsesense.annotate.instrument import NO_ONE_LABEL, WRITTEN, Instrument
from horsesense.annotate.task import Task, fields_of_options, lettered
from horsesense.data import read_text, write_file
from horsesense.data.tables import write_rows
from horsesense.errors import UserError

_VALUE = "value"
_REASON = "reason"


def write_label_studio(path: Path, instrument: Instrument, tasks: Sequence[Task], round: int) -> list[Path]:
    """Write a JSON list of tasks and the labelling page (paste it into the project's settings)."""
    if path.suffix != ".json":
        raise UserError("Label Studio takes tasks as .json", file=path, fix="give the file that ending")
    listed = []
    fields = fields_of_options(tasks, instrument)
    for task in tasks:
        data: dict[str, Any] = {"item": task.item, "instrument": instrument.name, "round": round}
        data |= {"question": task.question, "options": list(task.choices)}
        data["choices"] = [{"value": choice} for choice in _choices(instrument, task)]
        asked = task.choices if fields else task.criteria.values()
        data |= {f"asked_{i}": question for i, question in enumerate(asked)}
        listed.append({"data": data})
    page = path.with_name(f"{path.stem}.page.xml")
    write_file(path, orjson.dumps(listed, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    write_file(page, _page(instrument, fields))
    return [path, page]


def _choices(instrument: Instrument, task: Task) -> tuple[str, ...]:
    own = () if instrument.kind == "each" else task.choices
    return (*own, *instrument.beside) if task.choices else ()


def _page(instrument: Instrument, fields: Sequence[str] = ()) -> str:
    lines = ["<View>", f"  <Header value={quoteattr(instrument.title)}/>"]
    if instrument.instructions:
        lines.append(f"  <Header size='6' value={quoteattr(' '.join(instrument.instructions.split()))}/>")
    lines.append('  <Text name="question" value="$question"/>')
    if instrument.kind in WRITTEN:
        lines.append(f"  <Header size='6' value={quoteattr(f'Write: {typed_answers(instrument)}')}/>")
        lines.append(f'  <TextArea name="{_VALUE}" toName="question" maxSubmissions="1" required="true"/>')
    # An annotator who objects to the whole item judges no option.
    needed, answers = ("false", instrument.labels) if fields else ("true", ("yes", "no"))
    for i, name in enumerate(fields or instrument.criteria):
        lines.append(f'  <Text name="asked_{i}" value="$asked_{i}"/>')
        lines.append(f'  <Choices name={quoteattr(name)} toName="asked_{i}" choice="single" required="{needed}">')
        lines += [*(f"    <Choice value={quoteattr(answer)}/>" for answer in answers), "  </Choices>"]
    if fields:
        lines.append(f'  <Choices name="{_VALUE}" toName="question" choice="single" value="$choices"/>')
    if instrument.kind in ("labels", "options"):
        lines.append(f'  <Choices name="{_VALUE}" toName="question" choice="single" required="true" value="$choices"/>')
    if instrument.reasons:
        lines.append(f'  <Choices name="{_REASON}" toName="question" choice="single">')
        lines += [f"    <Choice value={quoteattr(reason)}/>" for reason in instrument.reasons]
        lines.append("  </Choices>")
    return "\n".join([*lines, "</View>", ""])


def iter_label_studio(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Iterate over a JSON export, one row per annotation, with the number of the task in the list.

    A skipped task (``was_cancelled``) has no answer.
    """
    try:
        tasks = orjson.loads(read_text(path))
    except orjson.JSONDecodeError as error:
        raise UserError(f"this is not JSON: {error.msg}", file=path, line=error.lineno) from None
    if not isinstance(tasks, list):
        raise UserError("this is not a list of tasks", file=path, fix="export the project as JSON")
    for number, task in enumerate(tasks, start=1):
        try:
            yield from ((number, row) for row in _answers(task))
        except (KeyError, TypeError, AttributeError, IndexError):
            raise UserError(
                "the task was not written by horsesense, or this is not a JSON export", file=path, line=number
            ) from None


def _answers(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    data = task["data"]
    about = {name: data[name] for name in ("item", "instrument", "round", "question")}
    about["choices"] = data["options"]
    for annotation in task.get("annotations", []):
        if annotation.get("was_cancelled"):
            continue
        who = annotation["completed_by"]
        answers = {result["from_name"]: _answer(result["value"]) for result in annotation["result"]}
        yield about | {
            "annotator": str(who.get("email") or who["id"]) if isinstance(who, dict) else str(who),
            "at": annotation.get("created_at", ""),
            "value": answers.pop(_VALUE, ""),
            **answers,
        }


def _answer(value: dict[str, Any]) -> str:
    answer = value["choices"] if "choices" in value else value["text"]
    return answer if isinstance(answer, str) else ", ".join(answer)


def _check_batch(takes: str, platform: str, suffix: str, path: Path, round: int) -> None:
    """Raise an error for a file that a platform does not take, and for a round that it would not return."""
    if path.suffix != suffix:
        raise UserError(f"{takes} as {suffix}", file=path, fix="give the file that ending")
    if round != 1:
        fix = "write a table, or judge the second round separately"
        raise UserError(f"{platform} does not return the round", fix=fix)


# Potato.


_YES = ("yes", "no")


def write_potato(path: Path, instrument: Instrument, tasks: Sequence[Task], round: int) -> list[Path]:
    """Write items as JSON lines, and the config (JSON is YAML)."""
    _check_batch("Potato takes items", "Potato", ".jsonl", path, round)
    config = path.with_name(f"{path.stem}.config.yaml")
    write_rows(path, ({"id": task.item, "text": _text(task, instrument)} for task in tasks), ())
    write_file(
        config, orjson.dumps(_config(path, instrument, tasks), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
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


# Mechanical Turk.


_INPUT, _ANSWER = "Input.", "Answer."
_CHOSEN = "value"


def write_mturk(path: Path, instrument: Instrument, tasks: Sequence[Task], round: int) -> list[Path]:
    """Write the inputs of a batch and the HTML of the HIT (paste it into the project's layout)."""
    _check_batch("MTurk takes inputs", "MTurk", ".csv", path, round)
    if instrument.kind == "pair":
        raise UserError("a HIT cannot check pairs of texts while they are typed", fix="serve the study instead")
    most = max((len(task.choices) for task in tasks), default=0)
    letters = tuple(lettered([""] * most)) if instrument.kind == "options" else ()
    rows = [_row(task, instrument, letters) for task in tasks]
    fields = fields_of_options(tasks, instrument)
    asked = tuple(f"asked_{i}" for i in range(len(fields or instrument.criteria)))
    write_rows(path, rows, ("item", "instrument", "question", *letters, *asked))
    page = path.with_name(f"{path.stem}.hit.html")
    write_file(page, _hit_page(instrument, letters, fields))
    return [path, page]


def _row(task: Task, instrument: Instrument, letters: Sequence[str]) -> dict[str, str]:
    row = {"item": task.item, "instrument": instrument.name, "question": _html(task.question).replace("\n", "<br>")}
    row |= {name: _html(text) for name, text in lettered(task.choices).items() if name in letters}
    asked = task.choices if instrument.kind == "each" else task.criteria.values()
    return row | {f"asked_{i}": _html(text) for i, text in enumerate(asked)}


def _html(text: str) -> str:
    """Escape a text, and its first character if a spreadsheet would take the cell for a formula.

    >>> _html("=1+1 < 3")
    '&#61;1+1 &lt; 3'
    """
    return f"&#{ord(text[0])};{escape(text[1:])}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else escape(text)


def _hit_page(instrument: Instrument, letters: Sequence[str], fields: Sequence[str] = ()) -> str:
    lines = [
        "<!-- MTurk fills in ${…} from the columns of the inputs. -->",
        f"<h2>{escape(instrument.title)}</h2>",
        f"<p>{escape(' '.join(instrument.instructions.split()))}</p>",
        *(f"<p>Good: {escape(text)}</p>" for text in instrument.good),
        *(f"<p>Bad: {escape(text)}</p>" for text in instrument.bad),
        "<p><strong>${question}</strong></p>",
    ]
    if instrument.kind == "words":
        how = escape(typed_answers(instrument))
        lines.append(f'<p><label>Write: {how} <input type="text" name="{_CHOSEN}" required></label></p>')
    for i, name in enumerate(fields or instrument.criteria):
        lines.append(f"<p>${{asked_{i}}}</p>")
        lines += [
            _radio(name, answer, answer, not fields) for answer in (instrument.labels if fields else ("yes", "no"))
        ]
    if fields:
        lines += [
            _radio(_CHOSEN, name, escape(instrument.wording.get(name, name)), False) for name in instrument.beside
        ]
    if instrument.kind not in NO_ONE_LABEL:
        # Options are sent as letters: a cell cannot be escaped for an attribute and for text at once.
        lines += [_radio(_CHOSEN, name, f"${{{name}}}") for name in letters]
        named = (*(() if letters else instrument.labels), *instrument.beside)
        lines += [_radio(_CHOSEN, label, escape(instrument.wording.get(label, label))) for label in named]
    if instrument.reasons:
        lines.append(f"<p>Why, with {escape(' or '.join(instrument.objections))}:</p>")
        wording = instrument.wording
        lines += [
            _radio("reason", name, escape(wording.get(name, name)), required=False) for name in instrument.reasons
        ]
    return "\n".join(lines) + "\n"


def _radio(name: str, value: str, text: str, required: bool = True) -> str:
    attribute = " required" if required else ""
    field = f'<input type="radio" name="{escape(name)}" value="{escape(value)}"{attribute}>'
    return f"<p><label>{field} {text}</label></p>"


def is_mturk(row: Mapping[str, Any]) -> bool:
    """Whether a row is a result of a batch."""
    return "WorkerId" in row and f"{_INPUT}item" in row


def from_mturk(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a row of results to a row of judgements; a rejected assignment has no answer.

    >>> row = {"WorkerId": "A1", "Input.item": "i", "Input.instrument": "choice", "Answer.value": "B"}
    >>> from_mturk(row)["annotator"], from_mturk(row)["value"]
    ('A1', 'B')

    The options are among the inputs, so letters can be read without the probe.
    """
    values = {name.removeprefix(_ANSWER): value for name, value in row.items() if name.startswith(_ANSWER)}
    if row.get("AssignmentStatus") == "Rejected":
        values = {}
    named = {"item": row[f"{_INPUT}item"], "instrument": row.get(f"{_INPUT}instrument", "")}
    cells = {name: row.get(f"{_INPUT}{name}") for name in lettered([""] * 26)}
    options = {name: unescape(text) for name, text in cells.items() if isinstance(text, str)}
    return {"question": "", "value": "", **values, **options, **named, "annotator": row["WorkerId"]}
