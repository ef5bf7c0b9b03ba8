"""A model's folder: its weight files, which model that is, and one that is made of something else on first use."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from horsesense.data import cache_folder, disk_errors, refuse_devices, sha256_of_file, writing, writing_folder
from horsesense.data.checksums import check_folder, kept_sums, sum_folder
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
"""What decides an answer as much as the weights do."""
_REMEMBERED = re.compile(r"[0-9a-f]{64}")
_SETTLED = 2.0
"""Seconds after which a file that is written again has another time for certain."""
_DAY = 24 * 60 * 60.0


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


def look_at_weights(files: Iterable[Path]) -> None:
    """Refuse what cannot be weights by its first bytes, before torch is loaded for it and gigabytes are hashed.

    A safetensors file begins with eight bytes that tell how long its head is, and the head is JSON.
    """
    for path in files:
        if path.suffix != ".safetensors":
            continue
        refuse_devices(path)
        with disk_errors(path), path.open("rb") as handle:
            begin = handle.read(9)
            rest = path.stat().st_size - 8
        if begin[8:] != b"{" or int.from_bytes(begin[:8], "little") > rest:
            raise UserError("the weights are damaged (no safetensors file)", file=path, fix="get the model again")


def weight_hash(files: list[Path]) -> str:
    """SHA-256 over the hashes of the files.

    The hub's cache has weights under the hash that the hub gives, which is taken (`verify` reads the bytes). Else it
    is remembered by path, size, times and place on the disk, since weights are large; the time of the last change
    cannot be set back. A file of this moment could change once more within the same tick, and is not remembered.
    """
    with disk_errors(files[0]):
        given = [_hub_hash(path) for path in files]
        if all(given):
            return hashlib.sha256("".join(given).encode()).hexdigest()
        states = [path.stat() for path in files]
        state = [
            [str(path.resolve()), each.st_size, each.st_mtime_ns, each.st_ctime_ns, each.st_ino]
            for path, each in zip(files, states, strict=True)
        ]
        paths = json.dumps([path for path, *_ in state])
        memory = cache_folder("hashes", hashlib.sha256(paths.encode()).hexdigest()[:32])
        known = _remembered(memory)
        if known is not None and known["files"] == state:
            return str(known["sha256"])
        value = hash_of_files(files)
    if time.time() - max(max(each.st_mtime, each.st_ctime) for each in states) > _SETTLED:
        with suppress(UserError), writing(memory) as temporary:  # a cache that can't be written costs time only
            temporary.write_text(
                json.dumps({"files": state, "sha256": value, "check": _check(value)}), encoding="ascii"
            )
        _forget_what_is_gone(memory.parent)
    return value


def _remembered(memory: Path) -> dict[str, Any] | None:
    """Files as they were, and their hash; None where nothing is remembered, or a bit of it has flipped."""
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        known: dict[str, Any] = json.loads(memory.read_text(encoding="ascii"))
        value = known["sha256"]
        if _REMEMBERED.fullmatch(value) and known["check"] == _check(value) and known["files"][0][0]:
            return known
    return None


def _forget_what_is_gone(folder: Path) -> None:
    """At most once a day: the hashes of files that are not there any more, and what cannot be read."""
    mark = folder / ".swept"
    with suppress(OSError):
        if mark.exists() and time.time() - mark.stat().st_mtime < _DAY:
            return
        mark.touch()
        for memory in folder.glob("[!.]*"):
            known = _remembered(memory)
            if known is None or not all(Path(path).exists() for path, *_ in known["files"]):
                memory.unlink(missing_ok=True)


def _hub_hash(path: Path) -> str:
    """The SHA-256 by which the hub's cache has a file: ``snapshots/…/model.safetensors`` leads to ``blobs/HASH``."""
    blob = path.resolve()
    known = path.is_symlink() and blob.parent.name == "blobs" and blob.parent.parent == path.parents[2].resolve()
    return blob.name if known and _REMEMBERED.fullmatch(blob.name) else ""


def hash_of_files(files: list[Path]) -> str:
    """SHA-256 over the hashes of files, computed now."""
    return hashlib.sha256("".join(sha256_of_file(path) for path in files).encode()).hexdigest()


def _check(value: str) -> str:
    """A remembered hash is believed only with this behind it: a bit of it may flip too."""
    return hashlib.sha256(value.encode()).hexdigest()[:8]


def identity_of(folder: Path, weights: str) -> str:
    """SHA-256 over all that an answer depends on: the weights' hash, the config and the tokenizer, by name and content.

    The same weights under another number of layers, or with another vocabulary, are another model.
    """
    beside = sorted({path for pattern in _BESIDE_WEIGHTS for path in folder.glob(pattern) if path.is_file()})
    with disk_errors(folder):
        lines = [f"{path.name} {sha256_of_file(path)}" for path in beside]
    return hashlib.sha256("\n".join([f"weights {weights}", *lines]).encode()).hexdigest()


def made_once(kind: str, name: str, make: Callable[[Path], None]) -> Path:
    """The folder of a model that is made of something else, in the cache; ``make`` writes it where it is not there yet.

    The name tells what it was made from, so that another origin makes another folder. One that has changed since it
    was made, by whatever hand or bit, is made again.
    """
    folder = cache_folder(kind, name)
    with disk_errors(folder):
        if not (folder / "config.json").is_file() or not _as_made(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            with writing_folder(folder) as part:
                make(part)
                sum_folder(part)
    return folder


_looked_at: set[tuple[Path, int]] = set()
"""Folders that this process has looked at, and when they were changed: a command locates its model several times."""


def _as_made(folder: Path) -> bool:
    """Whether all files are as they were made; those of an earlier version get their checksums now."""
    if not kept_sums(folder):
        with suppress(UserError):
            sum_folder(folder)
        return True
    seen = folder, max(path.stat().st_ctime_ns for path in folder.iterdir())
    if seen not in _looked_at:
        found = check_folder(folder)
        if found.damaged or found.missing:
            return False
        _looked_at.add(seen)
    return True


def check_trained(folder: Path) -> None:
    """Refuse a model that we trained and kept with checksums, where a file of it has changed since."""
    if (folder / "training.json").is_file() and kept_sums(folder) and not _as_made(folder):
        found = check_folder(folder)
        broken = (*found.damaged, *found.missing)[0]
        raise UserError("the trained model is damaged", file=folder / broken, fix="remove the folder and train again")
