"""Amazon Mechanical Turk: write the HTML of a HIT and its table of inputs, read the table of results.

MTurk inserts a cell of the input for ``${name}`` in the HTML without escaping, so cells are escaped here. Results come
back as columns ``Input.item``, ``Answer.value`` and ``WorkerId``; an option is named by its letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any

from horsesense.annotate.answer_checks import typed_answers
from horsesense.annotate.instrument import NO_ONE_LABEL, Instrument
from horsesense.annotate.task import Task, fields_of_options, lettered
from horsesense.data import writing
from horsesense.data.tables import write_rows
from horsesense.errors import UserError

_INPUT, _ANSWER = "Input.", "Answer."
_CHOSEN = "value"


def write_mturk(path: Path, instrument: Instrument, tasks: Sequence[Task], round: int) -> list[Path]:
    """Write the inputs of a batch and the HTML of the HIT (paste it into the project's layout)."""
    if path.suffix != ".csv":
        raise UserError("MTurk takes inputs as .csv", file=path, fix="give the file that ending")
    if round != 1:
        raise UserError("MTurk does not return the round", fix="write a table, or judge the second round separately")
    if instrument.kind == "pair":
        raise UserError("a HIT cannot check pairs of texts while they are typed", fix="serve the study instead")
    most = max((len(task.choices) for task in tasks), default=0)
    letters = tuple(lettered([""] * most)) if instrument.kind == "options" else ()
    rows = [_row(task, instrument, letters) for task in tasks]
    fields = fields_of_options(tasks, instrument)
    asked = tuple(f"asked_{i}" for i in range(len(fields or instrument.criteria)))
    write_rows(path, rows, ("item", "instrument", "question", *letters, *asked))
    page = path.with_name(f"{path.stem}.hit.html")
    with writing(page) as temporary:
        temporary.write_text(_page(instrument, letters, fields), encoding="utf-8")
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


def _page(instrument: Instrument, letters: Sequence[str], fields: Sequence[str] = ()) -> str:
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
    shown = {name: row.get(f"{_INPUT}{name}") for name in lettered([""] * 26)}
    options = {name: unescape(text) for name, text in shown.items() if isinstance(text, str)}
    return {"question": "", "value": "", **values, **options, **named, "annotator": row["WorkerId"]}
