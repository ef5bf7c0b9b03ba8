"""Open files of Inspect (``.eval`` and ``.json``, schema version 2): the header of a log and its samples.

An ``.eval`` file is a zip whose members are compressed with zstd, which Python supports only from 3.14 on; pyarrow
decompresses them.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import orjson

from horsesense.data import disk_errors, read_bytes, refuse_devices
from horsesense.errors import UserError, now_reading

_VERSION = 2
_ZSTD = 93
_LARGEST = 512 << 20
"""Maximum size of one member, in bytes."""


def inspect_files(path: Path) -> list[Path]:
    """Return the logs in a folder, or the file itself."""
    if not path.is_dir():
        return [path]
    found = sorted(path.rglob("*.eval")) or sorted(path.rglob("*.json"))
    if not found:
        raise UserError("there is no .eval file in the folder", file=path, fix="name the log")
    return found


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
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        try:  # a missing score is NaN
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise UserError(f"the log is damaged or cut off ({error})", file=path, fix="get it again") from None
