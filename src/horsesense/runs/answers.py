"""Answers on disk: one Parquet file a shard, written once and never changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files import disk_errors, writing
from horsesense.records import Answer
from horsesense.runs.manifest import Part


def shard_path(folder: Path, model: str, probe: str, number: int) -> Path:
    return folder / "answers" / f"{_slug(model)}~{_slug(probe)}.{number:05d}.parquet"


def is_finished(folder: Path, part: Part) -> bool:
    """Whether all answers of one model to one probe are there."""
    return all(shard_path(folder, part.model.name, part.probe.name, n).is_file() for n in range(part.shards))


def _slug(name: str) -> str:
    """A name as part of a file name.

    >>> _slug("org/name@main")
    'org_name_main'
    """
    return re.sub(r"[^\w.-]+", "_", name).strip("_.") or "model"


def _schema() -> Any:
    import pyarrow as pa

    text, number = pa.string(), pa.list_(pa.float64())
    places = pa.list_(pa.list_(pa.int32()))
    return pa.schema(
        [
            ("model", text),
            ("probe", text),
            ("item", text),
            ("view", text),
            ("scores", number),
            ("logprobs", pa.list_(pa.list_(pa.float32()))),
            ("starts", places),
            ("ends", places),
            ("flags", pa.list_(text)),
            ("baseline", number),
        ]
    )


_COLUMNS = ("item", "view", "scores", "logprobs", "starts", "ends", "flags", "baseline")


def write_answers(path: Path, model: str, probe: str, answers: Sequence[Answer]) -> None:
    """Write one shard, whole or not at all; the same answers give the same bytes."""
    import pyarrow as pa
    from pyarrow import parquet

    columns: dict[str, list[Any]] = {"model": [model] * len(answers), "probe": [probe] * len(answers)}
    for name in _COLUMNS:
        columns[name] = [getattr(answer, name) for answer in answers]
    with writing(path) as temporary:
        parquet.write_table(pa.table(columns, schema=_schema()), temporary, compression="zstd")


def read_answers(folder: Path, model: str, probe: str, shards: int) -> dict[str, Answer]:
    """The answers of one model to one probe, by item id; a missing shard is an error."""
    import pyarrow as pa
    from pyarrow import parquet

    answers: dict[str, Answer] = {}
    for number in range(shards):
        path = shard_path(folder, model, probe, number)
        if not path.is_file():
            raise UserError(
                f"the run of {model} on {probe} is not finished: {number} of {shards} answer files are there",
                file=folder,
                fix="run the same command again to finish it",
            )
        with disk_errors(path):
            try:
                rows = parquet.read_table(path, columns=list(_COLUMNS)).to_pylist()
            except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
                raise UserError("the answer file is damaged", file=path, fix="remove it and run again") from error
        for row in rows:
            answers[row["item"]] = Answer(
                item=row["item"],
                view=row["view"],
                scores=tuple(row["scores"]),
                logprobs=_nested(row["logprobs"]),
                starts=_nested(row["starts"]),
                ends=_nested(row["ends"]),
                flags=tuple(row["flags"]),
                baseline=tuple(row["baseline"]),
            )
    return answers


def _nested(lists: list[list[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(values) for values in lists)
