"""Read logs of Inspect (``.eval`` and ``.json``, schema version 2); `inspect_file` opens them.

Texts that a log stores separately (``attachment://``) are inserted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.exchange.inspect_file import inspect_files, open_log
from horsesense.exchange.log_reader import LogReader
from horsesense.exchange.samples import (
    Sample,
    checked,
    gold_of,
    of_ours,
    open_item,
    own_item,
    plain_columns,
    probe_name_of,
)

_ATTACHMENT = "attachment://"
_RIGHT = {"C": True, "I": False, "N": False, 1: True, 0: False}
"""Values of a score: correct, incorrect, no answer."""


def read_inspect(paths: Sequence[Path], reader: LogReader) -> None:
    """Add the samples of all logs to the reader; folders are searched."""
    for path in [file for each in paths for file in inspect_files(each)]:
        head, samples = open_log(path)
        spec = head.get("eval")
        if not isinstance(spec, dict) or "task" not in spec or "model" not in spec:
            raise UserError("the log names no task or no model", file=path, fix="get it again")
        task, model = str(spec["task"]).rpartition("/")[2], reader.model or str(spec["model"])
        if head.get("status") not in (None, "success"):
            reader.warn(f"{path.name}: the run ended with {head['status']!r}, so samples may be missing")
        reader.describe(model, path, _reported(spec))
        for number, sample in enumerate(samples, start=1):
            with reader.at(path, number):
                converted = _sample(sample, task, model, reader)
                if converted is not None:
                    reader.add(converted)
    reader.warn("the log has replies but no likelihoods of options, so there are no normalisations and token tables")


def _reported(spec: Mapping[str, Any]) -> dict[str, Any]:
    packages = spec["packages"] if isinstance(spec.get("packages"), dict) else {}
    task = str(spec["task"])
    return {
        "tool": f"inspect-ai {packages.get('inspect_ai', '')}".strip(),
        "arguments": json.dumps(spec.get("model_args") or {}, default=str),
        "generation": json.dumps(spec.get("model_generate_config") or {}, default=str),
        "created": str(spec.get("created") or ""),
        f"version of {task}": str(spec.get("task_version", "")),
    }


def _sample(sample: Any, task: str, model: str, reader: LogReader) -> Sample | None:
    if not isinstance(sample, dict) or "input" not in sample:
        raise UserError("a sample has no input")
    if sample.get("error"):
        reader.notes["samples that ended in an error, left out"] += 1
        return None
    attachments = sample.get("attachments") or {}
    metadata = _resolved(sample.get("metadata") or {}, attachments)
    scorer, score = _score(sample.get("scores"), reader)
    if score is None:
        reader.notes["samples without a score, left out"] += 1
        return None
    choices = _resolved(sample.get("choices"), attachments)
    target = _resolved(sample.get("target"), attachments)
    said = _said(sample, attachments)
    repeat = sample.get("epoch", 1)
    repeat = repeat - 1 if type(repeat) is int and repeat > 0 else 0
    text = _text(_resolved(sample["input"], attachments))
    if not choices:
        right = _right(score.get("value"))
        if right is None:
            reader.notes["samples whose score is neither right nor wrong, left out"] += 1
            return None
        gold = str(target[0] if isinstance(target, list) and target else target or "")
        item = open_item(probe_name_of(task), text, gold)
        reader.warn(
            f"{task}: asked without options, so the scorer {scorer} decides what is right, and cues cannot be searched"
        )
        chosen: int | None = 0 if right else 1
        return Sample(
            task, model, item, parsed=chosen, said=said, why=scorer, repeat=repeat, columns=plain_columns(metadata)
        )
    options = [str(each) for each in choices]
    own = own_item(metadata.get("item"))
    chosen = _chosen(score, target, options)
    if own is not None:
        if sorted(own.options) != sorted(options):
            raise UserError("the options of the sample are not those of its item")
        option = None if chosen is None else own.options.index(options[chosen])
        said_so = _why(scorer, option)
        return of_ours(metadata, task, model, own, parsed=option, said=said, why=said_so, repeat=repeat)
    item = checked(
        Item(
            probe=probe_name_of(task),
            form="choice",
            text=text or "?",
            options=tuple(options),
            answer=_gold(target, options),
        )
    )
    columns = plain_columns(metadata, without=("item",))
    return Sample(task, model, item, parsed=chosen, said=said, why=_why(scorer, chosen), repeat=repeat, columns=columns)


def _why(scorer: str, chosen: int | None) -> str:
    return f"scorer {scorer}" if chosen is not None else f"no option parsed by {scorer}"


def _score(scores: Any, reader: LogReader) -> tuple[str, Mapping[str, Any] | None]:
    if not isinstance(scores, dict) or not scores:
        return "", None
    name = reader.scorer or next(iter(scores))
    if name not in scores:
        raise UserError(f"the sample has no score of {name!r}", fix=f"use one of {', '.join(map(str, scores))}")
    if len(scores) > 1 and not reader.scorer:
        reader.warn(f"several scorers; {name} is used")
    score = scores[name]
    if not isinstance(score, dict) or score.get("value") is None or score["value"] != score["value"]:
        return name, None
    return name, score


def _right(value: Any) -> bool | None:
    return _RIGHT.get(value) if isinstance(value, str | int | float) else None


def _gold(target: Any, options: Sequence[str]) -> int | None:
    if isinstance(target, list) and len(target) > 1:
        raise UserError("several options are right, but only one can be")
    return gold_of(target, options)


def _chosen(score: Mapping[str, Any], target: Any, options: Sequence[str]) -> int | None:
    """Return the option that the scorer parsed from the reply; if it names none, a right reply is the gold."""
    answer = score.get("answer")
    if isinstance(answer, str) and answer.strip():
        letter = answer.strip().upper()
        if len(letter) == 1 and letter in ascii_uppercase[: len(options)]:
            return ascii_uppercase.index(letter)
        return options.index(answer.strip()) if answer.strip() in options else None
    return _gold(target, options) if answer is None and _right(score.get("value")) else None


def _said(sample: Mapping[str, Any], attachments: Any) -> str:
    output = sample.get("output")
    if not isinstance(output, dict):
        return ""
    if isinstance(output.get("completion"), str):
        return str(_resolved(output["completion"], attachments))
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    message = first.get("message") if isinstance(first, dict) else None
    return _text(_resolved([message], attachments), every=True) if message else ""


def _text(given: Any, every: bool = False) -> str:
    """Return the text of an input, or the user's messages of a conversation."""
    if isinstance(given, str):
        return given.strip()
    parts: list[str] = []
    for message in given if isinstance(given, list) else []:
        if isinstance(message, dict) and (every or message.get("role") == "user"):
            content = message.get("content")
            pieces = content if isinstance(content, list) else [content]
            parts += [p if isinstance(p, str) else str(p.get("text", "")) for p in pieces if isinstance(p, str | dict)]
    return "\n".join(part for part in parts if part).strip()


def _resolved(value: Any, attachments: Any) -> Any:
    """Insert texts that are stored separately."""
    if isinstance(value, str):
        if not value.startswith(_ATTACHMENT) or not isinstance(attachments, dict):
            return value
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [_resolved(each, attachments) for each in value]
    if isinstance(value, dict):
        return {name: _resolved(each, attachments) for name, each in value.items()}
    return value
