"""Model folders: weight files, their hashes, and folders that are converted on first use."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from horsesense.data import cache_folder, disk_errors, refuse_devices, sha256_of_file
from horsesense.data.store import SUMS, Store, store_folder
from horsesense.errors import UserError, argument

_PICKLED = ("pytorch_model*.bin", "*.pt", "*.pth", "*.ckpt")
_BESIDE_WEIGHTS = (
    "config.json",
    "tokenizer*",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab*",
    "merges.txt",
    "*.model",
    "tekken.json",
    "chat_template*",
)
"""Files that influence answers as much as the weights do."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SETTLED = 2.0
"""Seconds after which a rewritten file certainly has another modification time."""


def weight_files(folder: Path, *, allow_pickle: bool = False) -> list[Path]:
    """Return the weight files; a folder without any, or with pickled ones only, is an error."""
    if not (folder / "config.json").is_file():
        seeds = sorted(path.name for path in folder.glob("seed-*") if path.is_dir())
        if seeds:
            problem = f"the folder has a model per seed ({', '.join(seeds)})"
            raise UserError(problem, file=folder, fix=f"give one of them, such as {folder / seeds[0]}")
        raise UserError("the folder has no config.json", file=folder, fix="give a folder as transformers saves it")
    safe = sorted(folder.glob("*.safetensors"))
    if safe:
        return safe
    pickled = sorted(path for pattern in _PICKLED for path in folder.glob(pattern))
    if not pickled:
        fix = "save the model there with save_pretrained, or download it again"
        raise UserError("the folder has no weights (*.safetensors)", file=folder, fix=fix)
    if not allow_pickle:
        raise UserError(
            "the weights are pickled, and loading them can run any code",
            file=pickled[0],
            fix=f"convert them to safetensors, or add {argument('allow_pickle')} if you trust the source",
        )
    return pickled


def look_at_weights(files: Iterable[Path]) -> None:
    """Refuse by their first bytes files that cannot be weights, before torch is loaded and gigabytes are hashed.

    A safetensors file begins with eight bytes that give the length of its header, and the header is JSON.
    """
    for path in files:
        if path.suffix != ".safetensors":
            continue
        refuse_devices(path)
        with disk_errors(path), path.open("rb") as handle:
            begin = handle.read(9)
            rest = path.stat().st_size - 8
        if begin[8:] != b"{" or int.from_bytes(begin[:8], "little") > rest:
            raise UserError(
                "the weights are damaged (not a safetensors file)", file=path, fix="download the model again"
            )


def weight_hash(files: list[Path]) -> str:
    """Return the SHA-256 over the hashes of the files.

    The bytes are read, also where the Hugging Face cache names a file by its hash, because a folder in that layout can
    claim any hash. Weights are large, so the hash is remembered by path, size, times and inode; the change time cannot
    be set back. A file of this moment could change once more within the same tick, and is not remembered.
    """
    with disk_errors(files[0]):
        states = [path.stat() for path in files]
        about = [
            (str(path.resolve()), each.st_size, each.st_mtime_ns, each.st_ctime_ns, each.st_ino)
            for path, each in zip(files, states, strict=True)
        ]
    store = Store(cache_folder("hashes"))
    memory = store.root / hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]
    with suppress(OSError, UserError, ValueError):  # a cache that cannot be used costs time only
        if store.has(memory, recorded=True) and _SHA256.fullmatch(known := memory.read_text(encoding="ascii")):
            return known
    with disk_errors(files[0]):
        value = hash_of_files(files)
    if time.time() - max(max(each.st_mtime, each.st_ctime) for each in states) > _SETTLED:
        with suppress(UserError):
            store.write(memory, value)
    return value


def hash_of_files(files: list[Path]) -> str:
    """Return the SHA-256 over the hashes of files, computed now."""
    return hashlib.sha256("".join(sha256_of_file(path) for path in files).encode()).hexdigest()


def identity_of(folder: Path, weights: str) -> str:
    """Return the SHA-256 over everything that an answer depends on: the hash of the weights, config and tokenizer.

    The same weights with another number of layers, or with another vocabulary, are another model.
    """
    beside = sorted({path for pattern in _BESIDE_WEIGHTS for path in folder.glob(pattern) if path.is_file()})
    with disk_errors(folder):
        lines = [f"{path.name} {sha256_of_file(path)}" for path in beside]
    return hashlib.sha256("\n".join([f"weights {weights}", *lines]).encode()).hexdigest()


def cached_model_folder(kind: str, name: str, make: Callable[[Path], None]) -> Path:
    """Return the cache folder of a converted model; ``make`` writes it if it is missing or damaged.

    The name contains the hash of the source, so that another source makes another folder.
    """
    return store_folder(cache_folder(kind, name), make)


def check_trained(folder: Path) -> None:
    """Refuse a model trained by this package if a file of it has changed since."""
    if (folder / "training.json").is_file() and (folder / SUMS).is_file() and not Store(folder).is_whole():
        broken = Store(folder).verify().broken[0]
        raise UserError("the trained model is damaged", file=folder / broken, fix="remove the folder and train again")
