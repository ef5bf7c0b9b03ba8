"""Which sets of a suite lie in a folder, and which are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.errors import UserError

_ENDINGS = (".txt", ".txt.gz", ".jsonl", ".jsonl.gz", ".parquet")
_ALIASES = {"hellaswag": "hella_swag", "arct1": "arct_1", "arct": "arct_1", "arct2": "arct_2", "delete": "del"}
_ALIASES |= {"substitute": "sub"}


@dataclass(frozen=True, slots=True)
class Found:
    """The sets of a suite in a folder."""

    paths: Mapping[str, Path]
    """By set, in the order of the suite."""
    missing: tuple[str, ...]


def find_sets(folder: Path, names: Sequence[str]) -> Found:
    """Look for one file a set, in the folder or below it; the file's name is the set's."""
    if not folder.is_dir():
        raise UserError("there is no such folder", file=folder, fix="give the folder of the sets with --data")
    paths: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        ending = next((ending for ending in reversed(_ENDINGS) if path.name.endswith(ending)), None)
        if ending is None or not path.is_file():
            continue
        name = path.name.removesuffix(ending).lower().replace("-", "_")
        name = _ALIASES.get(name, name)
        if name in names and paths.setdefault(name, path) != path:
            raise UserError(
                f"{paths[name]} and {path.relative_to(folder)} are both the set {name!r}",
                file=folder,
                fix="leave one of them in the folder",
            )
    if not paths:
        raise UserError(
            f"none of the sets {', '.join(names)} is here",
            file=folder,
            fix="give a folder with files such as ca.txt, or: horsesense fetch cats",
        )
    return Found({name: paths[name] for name in names if name in paths}, tuple(n for n in names if n not in paths))
