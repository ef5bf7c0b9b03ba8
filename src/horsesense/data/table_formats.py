"""Rows of any table: CSV, TSV, JSON lines, a JSON list, Parquet, Arrow, a Hugging Face dataset folder or name.

The format is recognised by content, not by file name. Rows are read lazily, a JSON list element by element, so that
memory stays flat.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horsesense.data.disk import disk_errors
from horsesense.data.tables import ANY_DELIMITER, json_lines, open_table
from horsesense.data.text import open_bytes
from horsesense.errors import UserError

_CHUNK = 1 << 14
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def json_elements(path: str | Path, chunk: int = _CHUNK) -> Iterator[Any]:
    """Yield the elements of a JSON list; a file that is not a list, or is truncated, is an error.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> _ = path.write_text('[{"a": 1}, [2.5], "three"]')
    >>> list(json_elements(path, chunk=5))
    [{'a': 1}, [2.5], 'three']
    """
    import ijson

    path, count = Path(path), 0
    with open_bytes(path) as handle:
        if handle.peek(3)[:3] == _BYTE_ORDER_MARK:
            handle.read(3)
        start = handle.peek(_CHUNK).lstrip()[:1]
        if start not in (b"[", b""):
            raise UserError("the file is not a JSON list", file=path, fix="check that it is the right file")
        try:
            for element in ijson.items(handle, "item", use_float=True, buf_size=chunk):
                yield element
                count += 1
        except (ijson.JSONError, UnicodeDecodeError) as error:
            if isinstance(error, UnicodeDecodeError) or "UTF8" in str(error):
                raise UserError("the file is not UTF-8", file=path, fix="save the file as UTF-8") from error
            raise UserError(
                f"the JSON list is damaged or cut off after {count:,} elements", file=path, fix="get it again"
            ) from error


# Formats.


Row = Mapping[str, Any]
_HUB = "hf:"
_ARROW = b"ARROW1"
_PARQUET = b"PAR1"
_AT_ONCE = 2_000
_DATA = (".parquet", ".arrow", ".jsonl", ".json", ".csv", ".tsv", ".jsonl.gz", ".csv.gz", ".tsv.gz")
_SPLIT = re.compile(r"(?<![a-z])(train|dev|eval|validation|valid|test)(?![a-z])")


@dataclass(frozen=True, slots=True)
class TableFile:
    """One file of a table."""

    path: Path
    split: str = ""
    """The split in the file or folder name; empty if there is none."""


def table_files(path: Path) -> list[TableFile]:
    """List the files of a table: one, or those of a folder in hub layout (``data/train-00000-of-00001.parquet``)."""
    if not path.is_dir():
        with disk_errors(path):
            path.stat()
        return [TableFile(path, _split_of(path.name))]
    inside = sorted(each for each in path.rglob("*") if each.is_file() and each.name.endswith(_DATA))
    files = [each for each in inside if not _is_about(each, path)]
    if not files:
        raise UserError("the folder has no table", file=path, fix="name a file, or a folder with Parquet, CSV or JSON")
    # A folder that has Parquet beside other files has the same rows in both.
    best = [each for each in files if each.suffix == ".parquet"] or files
    return [TableFile(each, _split_of(each.relative_to(path).as_posix())) for each in best]


def _is_about(path: Path, folder: Path) -> bool:
    """Whether a file describes the data instead of containing it."""
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return hidden or path.name.endswith((".card.json", "dataset_infos.json", "dataset_info.json", "state.json"))


def _split_of(name: str) -> str:
    match = _SPLIT.search(name.lower())
    return match[1] if match else ""


def any_rows(path: Path) -> Iterator[tuple[int, Row | UserError]]:
    """Yield each row with its line or number; a line that is not a row is yielded as an error."""
    if path.is_fifo():
        yield from _of_pipe(path)
        return
    with open_bytes(path) as handle:
        start = handle.read(512)
    if start.startswith(_PARQUET):
        yield from _rows_of(parquet_batches(path))
    elif start.startswith(_ARROW) or start.startswith(b"\xff\xff\xff\xff"):
        yield from _rows_of(_arrow_batches(path))
    else:
        first = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if not first:
            raise UserError("the file is empty", file=path)
        if first == b"[":
            yield from enumerate(map(_object, json_elements(path)), start=1)
        elif first == b"{":
            yield from json_lines(path)
        else:
            table = open_table(path, ANY_DELIMITER)
            for line, cells in table.rows:
                yield line, dict.fromkeys(table.header) | dict(zip(table.header, cells, strict=False))


def _of_pipe(path: Path) -> Iterator[tuple[int, Row | UserError]]:
    """Copy a pipe to a temporary file, because it can be read only once."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        with open_bytes(path) as handle, copy.open("wb") as target:
            shutil.copyfileobj(handle, target)
        yield from any_rows(copy)


def _object(values: Any) -> Row | UserError:
    if isinstance(values, dict):
        return values
    return UserError("an entry of the list is not an object")


def parquet_batches(path: Path) -> Iterator[Any]:
    """Yield the record batches of a Parquet file."""
    from pyarrow import parquet

    with _arrow_errors(path, "Parquet"), path.open("rb") as handle:
        # More rows as Python values keep the garbage collector busy, and reading takes twice as long.
        yield from parquet.ParquetFile(handle).iter_batches(_AT_ONCE)


def _arrow_batches(path: Path) -> Iterator[Any]:
    """Yield the record batches of Arrow's file format, or its stream format, in which ``datasets`` stores data."""
    import pyarrow as pa

    with _arrow_errors(path, "Arrow"), path.open("rb") as handle:
        if handle.read(6) == _ARROW:
            reader = pa.ipc.open_file(handle)
            yield from (reader.get_batch(number) for number in range(reader.num_record_batches))
        else:
            handle.seek(0)
            yield from pa.ipc.open_stream(handle)


@contextmanager
def _arrow_errors(path: Path, kind: str) -> Iterator[None]:
    """Translate what Arrow raises about damaged bytes; what the system says about the disk has a number."""
    import pyarrow as pa

    with disk_errors(path):
        try:
            yield
        except (pa.ArrowException, OSError, ValueError) as error:
            if getattr(error, "errno", None) is not None:
                raise
            problem = f"this is not {'an' if kind == 'Arrow' else 'a'} {kind} file, or it is damaged"
            raise UserError(problem, file=path, fix="make or get it again") from error


def _rows_of(batches: Iterator[Any]) -> Iterator[tuple[int, Row]]:
    return enumerate((row for batch in batches for row in batch.to_pylist()), start=1)


def is_hub_name(path: Path) -> bool:
    """Whether it is ``hf:org/name`` or ``hf:org/name:config``, and no file of that name."""
    return str(path).startswith(_HUB) and not path.exists()


@contextmanager
def of_hub(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Replace Hugging Face dataset names by temporary folders that are removed when the block ends."""
    if not any(map(is_hub_name, paths)):
        yield list(paths)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield [_download_dataset(path, Path(folder)) if is_hub_name(path) else path for path in paths]


def _download_dataset(path: Path, folder: Path) -> Path:
    try:
        import datasets
    except ImportError as error:
        raise UserError("datasets is not installed", fix="pip install datasets, or give the files") from error
    name, _, config = str(path).removeprefix(_HUB).partition(":")
    if not name.strip("/"):
        raise UserError(f"{str(path)!r} names no data set", fix="write hf:org/name, or hf:org/name:config")
    datasets.disable_progress_bars()  # whoever watches is told by the command line alone
    try:
        splits = datasets.load_dataset(name, config or None)
    except Exception as error:  # whatever the hub, the network or somebody's files do
        reason = " ".join(str(error).split())[:200]
        fix = "check name, config and network, or give files"
        raise UserError(f"the data set {name!r} cannot be had ({type(error).__name__}: {reason})", fix=fix) from error
    target = folder / name.rpartition("/")[2]
    target.mkdir(parents=True, exist_ok=True)
    for split, rows in splits.items():
        rows.to_parquet(str(target / f"{split}-00000-of-00001.parquet"))
    return target
