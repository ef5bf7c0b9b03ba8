"""A model's folder: its weight files, their hash, and one that is made of something else on first use."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from horsesense.errors import UserError, argument
from horsesense.files import cache_folder, disk_errors, sha256_of_file, writing, writing_folder

_PICKLED = ("pytorch_model*.bin", "*.pt", "*.pth", "*.ckpt")


def weight_files(folder: Path, *, allow_pickle: bool = False) -> list[Path]:
    """The files that hold the weights; a folder without any, or with pickled ones only, is an error."""
    if not (folder / "config.json").is_file():
        raise UserError("the folder has no config.json", file=folder, fix="give a folder as transformers saves it")
    safe = sorted(folder.glob("*.safetensors"))
    if safe:
        return safe
    pickled = sorted(path for pattern in _PICKLED for path in folder.glob(pattern))
    if not pickled:
        raise UserError("the folder has no weights (*.safetensors)", file=folder, fix="get the model again")
    if not allow_pickle:
        raise UserError(
            "the weights are pickled, and loading them can run any code",
            file=pickled[0],
            fix=f"convert them to safetensors, or add {argument('allow_pickle')} if you trust the source",
        )
    return pickled


def weight_hash(files: list[Path]) -> str:
    """SHA-256 over the hashes of the files; remembered by path, size and time, since weights are large."""
    with disk_errors(files[0]):
        state = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
        memory = cache_folder("hashes", hashlib.sha256(json.dumps(state).encode()).hexdigest()[:32])
        if memory.is_file():
            return memory.read_text(encoding="ascii")
        joined = "".join(sha256_of_file(path) for path in files)
    value = hashlib.sha256(joined.encode()).hexdigest()
    with suppress(UserError), writing(memory) as temporary:  # a cache that can't be written costs time only
        temporary.write_text(value, encoding="ascii")
    return value


def made_once(kind: str, name: str, make: Callable[[Path], None]) -> Path:
    """The folder of a model that is made of something else, in the cache; ``make`` writes it where it is not there yet.

    The name tells what it was made from, so that another origin makes another folder.
    """
    folder = cache_folder(kind, name)
    if not (folder / "config.json").is_file():
        with disk_errors(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            with writing_folder(folder) as part:
                make(part)
    return folder
