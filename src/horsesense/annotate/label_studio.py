"""Label Studio: write tasks and a labelling page, read its JSON export."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import orjson

from horsesense.annotate.answer_checks import typed_answers
from horsesense.annotate.instrument import WRITTEN, Instrument
from horsesense.annotate.task import Task, fields_of_options
from horsesense.data import read_text, writing
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
    with writing(path) as temporary:
        temporary.write_bytes(orjson.dumps(listed, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    with writing(page) as temporary:
        temporary.write_text(_page(instrument, fields), encoding="utf-8")
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
