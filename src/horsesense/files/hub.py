"""Data sets of the hub by name, through the library ``datasets``: laid down as Parquet, and read as any table."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from horsesense.errors import UserError

_PREFIX = "hf:"


def is_hub_name(path: Path) -> bool:
    """Whether it is ``hf:org/name`` or ``hf:org/name:config``, and no file of that name."""
    return str(path).startswith(_PREFIX) and not path.exists()


@contextmanager
def of_hub(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The same paths, with what the hub has in a folder that goes when the block ends."""
    if not any(map(is_hub_name, paths)):
        yield list(paths)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield [_laid(path, Path(folder)) if is_hub_name(path) else path for path in paths]


def _laid(path: Path, folder: Path) -> Path:
    try:
        import datasets
    except ImportError as error:
        raise UserError("datasets is not installed", fix="pip install datasets, or give the files") from error
    name, _, config = str(path).removeprefix(_PREFIX).partition(":")
    if not name.strip("/"):
        raise UserError(f"{str(path)!r} names no data set", fix="write hf:org/name, or hf:org/name:config")
    datasets.disable_progress_bars()  # whoever watches is told by the command line alone
    try:
        found = datasets.load_dataset(name, config or None)
    except Exception as error:  # whatever the hub, the network or somebody's files do
        told = " ".join(str(error).split())[:200]
        fix = "check name, config and network, or give files"
        raise UserError(f"the data set {name!r} cannot be had ({type(error).__name__}: {told})", fix=fix) from error
    place = folder / name.rpartition("/")[2]
    place.mkdir(parents=True, exist_ok=True)
    for split, rows in found.items():
        rows.to_parquet(str(place / f"{split}-00000-of-00001.parquet"))
    return place
