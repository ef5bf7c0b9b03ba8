"""Files of published datasets, pinned by hash.

``releases.tsv`` names the repository, commit, path and SHA-256 of each file. A few files of some datasets were never
hashed (they are large or missing there) and are not fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from horsesense.data import (
    cache_folder,
    disk_errors,
    read_bytes,
    read_table,
    sha256_of_bytes,
    sha256_of_file,
    write_file,
)
from horsesense.data.checksums import check_sum, keep_sum
from horsesense.data.downloads import Fetched, fetch_url
from horsesense.errors import UserError, unknown
from horsesense.progress import NO_PROGRESS, Progress

_HOST = "https://raw.githubusercontent.com"
_FILE_COLUMNS = ("release", "repository", "commit", "path", "bytes", "sha256")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One file of a published dataset."""

    release: str
    repository: str
    commit: str
    path: str
    bytes: int
    sha256: str
    """Of the unpacked bytes."""

    @property
    def url(self) -> str:
        return f"{_HOST}/{self.repository}/{self.commit}/{quote(self.path)}"


def published_files() -> dict[str, list[PublishedFile]]:
    """Return the pinned files of each published dataset."""
    by_release: dict[str, list[PublishedFile]] = {}
    table = Path(str(files(__package__).joinpath("releases.tsv")))
    for _, row in read_table(table, _FILE_COLUMNS):
        release, repository, commit, path, size, sha256 = (row[column] for column in _FILE_COLUMNS)
        by_release.setdefault(release, []).append(PublishedFile(release, repository, commit, path, int(size), sha256))
    return by_release


def release_sha256(hashes: Sequence[str]) -> str:
    """Return one hash per dataset: SHA-256 over the hashes of its files, sorted and joined."""
    return sha256_of_bytes("".join(sorted(hashes)).encode())


def fetch_release(name: str, source: Path | None = None, progress: Progress = NO_PROGRESS) -> Fetched:
    """Get all files of a dataset into the cache, from their publisher or from a local copy."""
    published = published_files()
    if name not in published:
        raise unknown("release", name, published)
    folder = cache_folder("releases", name)
    wanted = [file for file in published[name] if not _is_here(folder / file.path, file.sha256)]
    if source is None:
        for file in wanted:
            fetch_url(file.url, file.sha256, folder / file.path, progress)
    else:
        for path, content in _copied(wanted, source).items():
            write_file(folder / path, content)
    for file in published[name]:
        keep_sum(folder, folder / file.path, file.sha256)
    return Fetched(name, folder, release_sha256([file.sha256 for file in published[name]]))


def check_fetched(path: Path) -> None:
    """Refuse a fetched file that has changed since."""
    releases = cache_folder("releases").resolve()
    with disk_errors(path):
        place = path.resolve()
    if place.is_relative_to(releases) and place.is_file():
        name = place.relative_to(releases).parts[0]
        check_sum(releases / name, place, f"get it again: horsesense fetch {name}")


def _is_here(path: Path, sha256: str) -> bool:
    return path.is_file() and sha256_of_file(path) == sha256


def _copied(wanted: Sequence[PublishedFile], source: Path) -> dict[str, bytes]:
    """Copy the files of a local copy, plain or gzipped; nothing is stored unless all are present and correct."""
    if not source.is_dir():
        raise UserError("there is no such folder", file=source, fix="give the folder of the whole dataset")
    contents, wrong = {}, []
    for file in wanted:
        path = source / file.path
        copy = next((p for p in (path, path.with_name(f"{path.name}.gz")) if p.is_file()), None)
        content = read_bytes(copy) if copy else b""
        if sha256_of_bytes(content) == file.sha256:
            contents[file.path] = content
        else:
            wrong.append(f"{file.path} ({'another content' if copy else 'missing'})")
    if wrong:
        listed = ", ".join(wrong[:_SHOWN]) + (" …" if len(wrong) > _SHOWN else "")
        raise UserError(
            f"{len(wrong)} of {len(wanted)} files differ from the published ones: {listed}",
            file=source,
            fix="a part of a dataset can be read with: horsesense import",
        )
    return contents
