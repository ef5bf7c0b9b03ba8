"""Read logs of Inspect (``.eval`` and ``.json``, schema version 2).

An ``.eval`` file is a zip whose members are compressed with zstd, which Python supports only from 3.14 on; pyarrow
decompresses them. Texts that a log stores separately (``attachment://``) are inserted.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import IO, Any

from horsesense.core import Item
from horsesense.data import disk_errors, read_bytes, refuse_devices
from horsesense.errors import UserError, now_reading
from horsesense.exchange.log_reader import (
    LogReader,
    Sample,
    checked,
    gold_of,
    loads_with_nan,
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
    reply = _reply_text(sample, attachments)
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
            task, model, item, parsed=chosen, reply=reply, why=scorer, repeat=repeat, columns=plain_columns(metadata)
        )
    options = [str(each) for each in choices]
    own = own_item(metadata.get("item"))
    chosen = _chosen(score, target, options)
    if own is not None:
        if sorted(own.options) != sorted(options):
            raise UserError("the options of the sample are not those of its item")
        option = None if chosen is None else own.options.index(options[chosen])
        reason = _why(scorer, option)
        return of_ours(metadata, task, model, own, parsed=option, reply=reply, why=reason, repeat=repeat)
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
    return Sample(
        task, model, item, parsed=chosen, reply=reply, why=_why(scorer, chosen), repeat=repeat, columns=columns
    )


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


def _reply_text(sample: Mapping[str, Any], attachments: Any) -> str:
    output = sample.get("output")
    if not isinstance(output, dict):
        return ""
    if isinstance(output.get("completion"), str):
        return str(_resolved(output["completion"], attachments))
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    message = first.get("message") if isinstance(first, dict) else None
    return _text(_resolved([message], attachments), every=True) if message else ""


def _text(source: Any, every: bool = False) -> str:
    """Return the text of an input, or the user's messages of a conversation."""
    if isinstance(source, str):
        return source.strip()
    parts: list[str] = []
    for message in source if isinstance(source, list) else []:
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


_VERSION = 2
_ZSTD = 93
_LARGEST = 512 << 20
"""Maximum size of one member, in bytes."""


def inspect_files(path: Path) -> list[Path]:
    """Return the logs in a folder, or the file itself."""
    if not path.is_dir():
        return [path]
    files = sorted(path.rglob("*.eval")) or sorted(path.rglob("*.json"))
    if not files:
        raise UserError("there is no .eval file in the folder", file=path, fix="name the log")
    return files


def open_log(path: Path) -> tuple[Mapping[str, Any], Iterator[Any]]:
    """Return the header of a log, and an iterator over its samples."""
    with now_reading(path), disk_errors(path):
        refuse_devices(path)  # a log is opened several times, which a pipe cannot be
    with now_reading(path), disk_errors(path), path.open("rb") as handle:
        packed = handle.read(2) == b"PK"
    return _zipped(path) if packed else _plain(path)


def _checked_head(values: Any, path: Path) -> Mapping[str, Any]:
    if not isinstance(values, dict) or "version" not in values:
        raise UserError("this is not a log of Inspect", file=path, fix="give a .eval or .json that inspect eval wrote")
    if values["version"] != _VERSION:
        raise UserError(
            f"the log has version {values['version']!r}, but only {_VERSION} is supported",
            file=path,
            fix="convert it with inspect log convert, or update horsesense",
        )
    return values


def _zipped(path: Path) -> tuple[Mapping[str, Any], Iterator[Any]]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, struct.error) as error:
        raise UserError(
            "the log is cut off or damaged: the list of its parts is missing", file=path, fix="get it again"
        ) from error
    with archive:
        members = dict(archive.NameToInfo)  # the last of a name counts
    start = members.get("header.json") or members.get("_journal/start.json")
    if start is None:
        raise UserError("this is not a log of Inspect: it has no header", file=path, fix="check the file")
    with path.open("rb") as handle:
        head = _checked_head(_json(_member(handle, start, path), path), path)

    def samples() -> Iterator[Any]:
        with path.open("rb") as handle:
            for name, member in members.items():
                if name.startswith("samples/") and name.endswith(".json"):
                    yield _json(_member(handle, member, path), path)

    return head, samples()


def _member(handle: IO[bytes], member: zipfile.ZipInfo, path: Path) -> bytes:
    """Return the decompressed bytes of one member."""
    import pyarrow as pa

    damaged = UserError(f"the part {member.filename!r} of the log is damaged", file=path, fix="get it again")
    if member.file_size > _LARGEST:
        raise UserError(f"the part {member.filename!r} of the log is larger than {_LARGEST >> 20} MB", file=path)
    if not 0 <= member.header_offset <= path.stat().st_size:
        raise damaged
    handle.seek(member.header_offset)
    local = handle.read(30)
    if len(local) < 30 or local[:4] != b"PK\x03\x04":
        raise damaged
    names, extra = struct.unpack("<HH", local[26:30])
    handle.seek(names + extra, 1)
    content = handle.read(member.compress_size)
    if len(content) < member.compress_size:
        raise damaged
    try:
        if member.compress_type == zipfile.ZIP_DEFLATED:
            content = zlib.decompress(content, -15, member.file_size or 1)
        elif member.compress_type == _ZSTD:
            with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
                content = stream.read(member.file_size + 1)
        elif member.compress_type != zipfile.ZIP_STORED:
            raise UserError(f"the log is compressed in an unknown way ({member.compress_type})", file=path)
    except (zlib.error, OSError, pa.ArrowException) as error:
        raise damaged from error
    if len(content) != member.file_size or zlib.crc32(content) != member.CRC:
        raise damaged
    return content


def _plain(path: Path) -> tuple[Mapping[str, Any], Iterator[Any]]:
    """Open a log that is one JSON object; a large one is streamed."""
    if path.stat().st_size <= _LARGEST // 4:
        values = _checked_head(_json(read_bytes(path), path), path)
        samples = values.get("samples") or []
        if not isinstance(samples, list):
            raise UserError("the samples of the log are not a list", file=path, fix="get it again")
        return values, iter(samples)
    import ijson

    head: dict[str, Any] = {}
    with path.open("rb") as handle:
        for name, value in ijson.kvitems(handle, "", use_float=True):
            head[name] = value
            if {"version", "eval", "status"} <= head.keys():
                break
    return _checked_head(head, path), _streamed(path)


def _streamed(path: Path) -> Iterator[Any]:
    import ijson

    count = 0
    with path.open("rb") as handle:
        try:
            for sample in ijson.items(handle, "samples.item", use_float=True):
                yield sample
                count += 1
        except ijson.JSONError as error:
            raise UserError(
                f"the log is damaged or cut off after {count:,} samples", file=path, fix="get it again"
            ) from error


def _json(content: bytes, path: Path) -> Any:
    try:
        return loads_with_nan(content)  # a missing score is NaN
    except ValueError as error:
        raise UserError(f"the log is damaged or cut off ({error})", file=path, fix="get it again") from None
