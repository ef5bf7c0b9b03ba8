"""Check stored files against their checksums: runs, trainings, studies, models, probes and the cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from horsesense.core.catalogue import PathLike
from horsesense.core.document import Document
from horsesense.data import cache_folder, disk_errors
from horsesense.data.store import SUMS, Store
from horsesense.errors import UserError, translate_errors
from horsesense.registry import load


@dataclass(frozen=True, slots=True)
class Verification(Document):
    """What was found where something is kept."""

    path: Path
    """What was looked at."""
    intact: int
    """Files, and rows of kept scores, that are as they were written."""
    damaged: tuple[str, ...]
    """Files that have changed since, or cannot be read."""
    missing: tuple[str, ...]
    """Files that were written and are not there."""
    unknown: int
    """Files without a checksum, which are not part of what was stored, such as an exported table."""
    changed: tuple[str, ...]
    """Models of runs that are another one by now: other weights, another config or tokenizer under the same name."""

    @property
    def well(self) -> bool:
        """Whether nothing is damaged or missing; a model that has changed does no harm to what it said before."""
        return not self.damaged and not self.missing

    @property
    def exit_code(self) -> int:
        """0 where nothing is damaged or missing, else 2."""
        return 0 if self.well else 2

    @property
    def problem(self) -> UserError:
        """What the command line prints where something is damaged or missing."""
        broken = (*self.damaged, *self.missing)
        about = f"{len(broken):,} stored files are damaged or missing ({broken[0]})"
        return UserError(about, file=self.path, fix="get an intact copy, or make it again")


@translate_errors()
def verify(path: PathLike | None = None, /) -> Verification:
    """Check the checksums of stored files, and whether the models of runs have changed.

    Args:
        path: Run, training, inoculation, study, model or probe, or a folder of such. By default, the cache folder.

    Returns:
        What is intact, damaged, missing, without a checksum, and which models have changed.
    """
    target = cache_folder() if path is None else Path(path).expanduser()
    with disk_errors(target):
        target.stat()
    if target.is_file():
        return _file(target)
    intact, unknown = 0, 0
    damaged: list[str] = []
    missing: list[str] = []
    changed: list[str] = []
    roots = list(_roots(target))
    for root in roots:
        checked = Store(root).verify()
        intact += len(checked.sound)
        unknown += len(checked.unknown)
        damaged += [_relative(target, root / name) for name in checked.damaged]
        missing += [_relative(target, root / name) for name in checked.missing]
    if target not in roots and (target / "config.json").is_file():
        weights_damaged = _weights(target)
        intact, damaged = intact + (not weights_damaged), damaged + weights_damaged
    for manifest in sorted(target.rglob("manifest.json")):
        wrong, others = _run(manifest.parent)
        damaged += [name for name in (_relative(target, each) for each in wrong) if name not in damaged + missing]
        changed += others
    for base in sorted(target.rglob("scores.sqlite")):
        rows, problems = _scores(base)
        intact += rows
        damaged += [f"{_relative(target, base)}{each}" for each in problems]
    for base in sorted(target.rglob("study.sqlite")):
        rows, problems = _judgements(base.parent)
        intact += rows
        damaged += [f"{_relative(target, base)}: {each}" for each in problems]
    return Verification(target, intact, tuple(damaged), tuple(missing), unknown, tuple(dict.fromkeys(changed)))


def _roots(place: Path) -> Iterator[Path]:
    """The folders that keep checksums."""
    for folder, inner, names in os.walk(place):
        inner.sort()
        if SUMS in names:
            yield Path(folder)


def _relative(place: Path, path: Path) -> str:
    return path.relative_to(place).as_posix()


def _file(path: Path) -> Verification:
    """A probe: the id of each item is the hash of its content, so that reading it is looking at it."""
    from horsesense.core import read_probe

    damaged: tuple[str, ...] = ()
    try:
        read_probe(path)
    except UserError as error:
        damaged = (str(error),)
    return Verification(path, int(not damaged), damaged, (), 0, ())


def _weights(folder: Path) -> list[str]:
    """Check an external model: compare the remembered hash with the files."""
    from horsesense.models.folders import hash_of_files, weight_files, weight_hash

    files = weight_files(folder, allow_pickle=True)
    return [] if weight_hash(files) == hash_of_files(files) else [files[0].name]


def _run(folder: Path) -> tuple[list[Path], list[str]]:
    """Return the files of a run that cannot be read, and models that have changed."""
    from horsesense.models.folders import hash_of_files, identity_of, weight_files
    from horsesense.models.locate import locate
    from horsesense.runs.manifest import manifest_path, read_manifest
    from horsesense.runs.probe_answers import read_run

    try:
        manifest = read_manifest(folder)
        if manifest.parts:
            read_run(folder, unfinished=True)
    except UserError as error:
        return [Path(error.file) if error.file else manifest_path(folder)], []
    changed = []
    for name, model in {part.model.name: part.model for part in manifest.parts}.items():
        if not model.identity:
            continue
        try:
            where = locate(model.found_by or name, allow_pickle=True, download=False).folder
            files = weight_files(where, allow_pickle=True)
        except UserError:  # not here any more, which says nothing about the run
            continue
        if identity_of(where, hash_of_files(files)) != model.identity:
            changed.append(name)
    return [], changed


def _scores(path: Path) -> tuple[int, list[str]]:
    from horsesense.runs.score_cache import count_rows

    try:
        intact, bad = count_rows(path)
    except UserError as error:
        return 0, [f": {error.problem}"]
    return intact, [f": {bad:,} rows, which are recomputed when needed"] if bad else []


def _judgements(folder: Path) -> tuple[int, list[str]]:
    """Check the rows of a study's database; reading it needs the extra ``annotate``."""
    check_rows: Callable[[Path], tuple[int, list[str]]] = load("horsesense.annotate.database.judgement_log:check_rows")
    try:
        return check_rows(folder)
    except UserError as error:
        return 0, [error.problem]
