"""A run folder: one process at a time, the probes that were asked, and the answers.

Answers lie in one Parquet file a shard, written once and never changed.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from horsesense.errors import UserError, argument
from horsesense.files import disk_errors, sha256_of_file
from horsesense.files.checksums import check_sum, is_sound, keep_sum, summed
from horsesense.records import FORMS, Answer, Probe, card_path, read_probe, write_probe
from horsesense.runs.manifest import Part

_LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder; a second process is refused. The lock goes with the process, however it ends.

    Where nothing comes of it, a folder that was made for it goes too.
    """
    from filelock import FileLock, Timeout

    with disk_errors(folder):
        made = [place for place in (folder, *folder.parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / _LOCK, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise UserError(
                "another process is at work in this folder",
                file=folder,
                fix=f"wait for it, or choose another {argument('out')}",
            ) from None
    try:
        _sweep(folder)
        yield
    except BaseException:
        _leave_nothing(folder, made)
        raise
    finally:
        lock.release()


def _leave_nothing(folder: Path, made: Sequence[Path]) -> None:
    """Remove the lock of a folder that holds nothing else, and the folders that were made for it."""
    with suppress(OSError):
        if [path.name for path in folder.iterdir()] == [_LOCK]:
            (folder / _LOCK).unlink()
        for place in made:
            place.rmdir()  # fails, and ends this, where anything lies in it


def _sweep(folder: Path) -> None:
    """Remove what a killed process left half-written."""
    for part in [*folder.glob(".*.part"), *folder.glob("*/.*.part")]:
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def probe_path(folder: Path, name: str) -> Path:
    return folder / "probes" / f"{name}.jsonl.gz"


def keep_probe(folder: Path, name: str, probe: Probe) -> None:
    """Keep what was asked beside the answers, so that a run can be read without the file it came from."""
    path = probe_path(folder, name)
    write_probe(path, probe)
    for each in (path, card_path(path)):
        keep_sum(folder, each, sha256_of_file(each))


def kept_probe(folder: Path, name: str) -> Probe:
    path = probe_path(folder, name)
    for each in (path, card_path(path)):
        if each.is_file():
            check_sum(folder, each, f"run again with another {argument('out')}")
    return read_probe(path)


def shard_path(folder: Path, model: str, probe: str, number: int, way: str = "options") -> Path:
    """Where answers lie; those by options have no way in their name, as when there was no other."""
    return folder / "answers" / _shard_name(model, probe, number, way)


def replies_path(folder: Path, model: str, probe: str, number: int, way: str) -> Path:
    """Where what was said lies, beside the answers that were made of it."""
    return folder / "replies" / _shard_name(model, probe, number, way)


def _shard_name(model: str, probe: str, number: int, way: str) -> str:
    asked = "" if way == "options" else f"~{way}"
    return f"{_slug(model)}~{_slug(probe)}{asked}.{number:05d}.parquet"


def is_finished(folder: Path, part: Part) -> bool:
    """Whether all answers of one model to one probe in one way are there."""
    model, probe = part.model.name, part.probe.name
    return all(shard_path(folder, model, probe, n, part.way).is_file() for n in range(part.shards))


def is_kept(folder: Path, path: Path) -> bool:
    """Whether a shard is there as it was written; one that is damaged is computed again."""
    return path.is_file() and is_sound(folder, path)


def _slug(name: str) -> str:
    """A name as part of a file name; one that has to be changed for it gets a hash, so that no two meet.

    >>> _slug("smollm2"), _slug("org/name@main")
    ('smollm2', 'org_name_main-bfe56419')
    """
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_.")
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


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


def table_of_answers(model: str, probe: str, answers: Sequence[Answer]) -> Any:
    """Answers as the table that is kept of them."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {"model": [model] * len(answers), "probe": [probe] * len(answers)}
    for name in _COLUMNS:
        columns[name] = [getattr(answer, name) for answer in answers]
    return pa.table(columns, schema=_schema())


def write_table(path: Path, table: Any) -> None:
    """Write one shard, whole or not at all; the same answers give the same bytes."""
    from pyarrow import parquet

    # A folder of thousands of shards is swept once, by whoever locks it.
    with summed(path.parents[1], path, sweep=False) as temporary:
        parquet.write_table(table, temporary, compression="zstd")


def write_answers(path: Path, model: str, probe: str, answers: Sequence[Answer]) -> None:
    write_table(path, table_of_answers(model, probe, answers))


def read_answers(
    folder: Path,
    model: str,
    probe: str,
    shards: int,
    options: Mapping[str, int] | None = None,
    way: str = "options",
) -> dict[str, Answer]:
    """The answers of one model to one probe, by item id; a missing or damaged shard is an error.

    ``options`` has the number of options of each item, to hold the answers against.
    """
    answers: dict[str, Answer] = {}
    for number in range(shards):
        path = shard_path(folder, model, probe, number, way)
        if not path.is_file():
            raise UserError(
                f"the run of {model} on {probe} is not finished: {number} of {shards} answer files are there",
                file=folder,
                fix="run the same command again to finish it",
            )
        check_sum(folder, path, "run the same command again, which computes it anew")
        try:
            for answer in _answers(path):
                _check(answer, options or {})
                answers[answer.item] = answer
        except _DAMAGED as error:
            raise UserError("the answer file is damaged", file=path, fix="remove it and run again") from error
    return answers


_DAMAGED = (ValueError, KeyError, TypeError)


def _answers(path: Path) -> Iterator[Answer]:
    import pyarrow as pa
    from pyarrow import parquet

    with disk_errors(path):
        try:
            table = parquet.read_table(path, columns=list(_COLUMNS))
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ValueError(str(error)) from error
    return answers_in(table)


def answers_in(table: Any) -> Iterator[Answer]:
    """The answers of a table."""
    import pyarrow as pa

    if not table.num_rows:
        return iter(())
    # By column: row by row it takes four times as long.
    return map(Answer, *(_values(pa.concat_arrays(table.column(name).chunks)) for name in _COLUMNS))


def _values(column: Any) -> Sequence[Any]:
    """A column as Python has it, lists as tuples, whatever their depth."""
    import pyarrow as pa

    if column.null_count:
        raise ValueError("a value is missing")
    if not pa.types.is_list(column.type):
        values: Sequence[Any] = column.to_pylist() if pa.types.is_string(column.type) else column.to_numpy().tolist()
        return values
    inner, offsets = _values(column.values), column.offsets.to_numpy().tolist()
    return [tuple(inner[start:end]) for start, end in pairwise(offsets)]


def _check(answer: Answer, options: Mapping[str, int]) -> None:
    wanted = options.get(answer.item, len(answer.scores))
    tokens = (answer.logprobs, answer.starts, answer.ends)
    if len(answer.scores) != wanted or any(part and len(part) != wanted for part in tokens):
        raise ValueError(f"the answer to {answer.item} does not fit its options")
    if answer.view not in FORMS:
        raise ValueError(f"the answer to {answer.item} is none")
