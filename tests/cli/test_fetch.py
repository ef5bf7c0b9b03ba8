"""``horsesense fetch``, and what it stands on: pinned package files and published releases. No network."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import shutil
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.cli import main
from horsesense.data import downloads as pinned_files
from horsesense.data.downloads import Wheel, bytes_below, fetch_url, fetch_wheel
from horsesense.data.store import SUMS
from horsesense.data.text import read_bytes
from horsesense.errors import UserError
from horsesense.methods.published import read_files, readers
from horsesense.progress import Progress
from horsesense.runs.verify import verify
from tests.support.calling import hold_to

MEMBERS = ("toy/LICENSE", "toy/model/")
CONTENT = {"toy/LICENSE": b"free", "toy/model/a.bin": b"\x00" * 9, "toy/model/deep/b.txt": b"b", "toy/code.py": b"1/0"}


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@cache  # an archive keeps the second in which it was made
def wheel_bytes() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in CONTENT.items():
            archive.writestr(name, content)
    return packed.getvalue()


@cache
def sdist_bytes() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in (CONTENT | {"toy/model/../../evil": b"!"}).items():
            entry = tarfile.TarInfo(f"toy-1.0/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".pinned.json"
    }


@pytest.mark.parametrize(
    ("name", "make"), [("toy_data-1.0-py3-none-any.whl", wheel_bytes), ("toy-data-1.0.tar.gz", sdist_bytes)]
)
def test_only_the_wanted_members_are_unpacked(tmp_path: Path, name: str, make: Callable[[], bytes]) -> None:
    source, folder = tmp_path / "source", tmp_path / "cache" / "toy"
    source.mkdir()
    (source / name).write_bytes(make())
    wheel = Wheel("toy-data", "1.0", sha((source / name).read_bytes()), MEMBERS)
    assert fetch_wheel(wheel, folder, source) == folder
    unpacked = {name: content for name, content in tree(folder).items() if name != SUMS}
    assert unpacked == {"LICENSE": b"free", "a.bin": b"\x00" * 9, "deep/b.txt": b"b"}
    assert [path.name for path in folder.parent.iterdir()] == ["toy"], "no temporary folder is left"
    (source / name).unlink()
    assert fetch_wheel(wheel, folder, source) == folder, "what is there is not fetched again"
    (folder / "a.bin").write_bytes(b"cut")
    with pytest.raises(UserError, match="there is no package file of toy-data"):
        fetch_wheel(wheel, folder, source)


def test_a_package_file_must_be_the_pinned_one(tmp_path: Path) -> None:
    (tmp_path / "toy-1.0.whl").write_bytes(wheel_bytes())
    with pytest.raises(UserError, match="and not the pinned 000000000000"):
        fetch_wheel(Wheel("toy", "1.0", "0" * 64, MEMBERS), tmp_path / "toy", tmp_path)
    with pytest.raises(UserError, match="there is no such folder"):
        fetch_wheel(Wheel("toy", "1.0", "0" * 64, MEMBERS), tmp_path / "toy", tmp_path / "none")
    damaged = b"PK not really"
    (tmp_path / "toy-1.0.whl").write_bytes(damaged)
    with pytest.raises(UserError, match="the package file is damaged"):
        fetch_wheel(Wheel("toy", "1.0", sha(damaged), MEMBERS), tmp_path / "toy", tmp_path)
    (tmp_path / "toy-1.0.whl").write_bytes(wheel_bytes())
    with pytest.raises(UserError, match="holds none of"):
        fetch_wheel(Wheel("toy", "1.0", sha(wheel_bytes()), ("other/",)), tmp_path / "toy", tmp_path)
    assert not (tmp_path / "toy").exists()


class Seen(Progress):
    """What a fetch tells of itself."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, int, str]] = []

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        self.told.append((stage, done, total, unit))


def in_place_of_pip(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Another program is asked in place of Python."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


def test_a_folder_named_pip_in_the_working_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text("open('ran', 'w')\nraise SystemExit(1)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(UserError):
        fetch_wheel(Wheel("toy", "1.0", sha(wheel_bytes()), MEMBERS), tmp_path / "toy")
    assert not (tmp_path / "ran").exists()


def test_pip_is_asked_with_the_hash_and_bytes_are_told_while_it_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wheel").write_bytes(wheel_bytes())
    script = """
        here=$(dirname "$0")
        printf '%s\\n' "$@" > "$here/asked"
        head -c 5000000 /dev/zero > "$TMPDIR/part"
        while [ $# -gt 1 ]; do
            case $1 in --dest) dest=$2;; --requirement) cat "$2" >> "$here/asked";; esac
            shift
        done
        sleep 0.8
        rm "$TMPDIR/part"
        mkdir "$dest" && cp "$here/wheel" "$dest/toy-1.0-py3-none-any.whl"
    """
    in_place_of_pip(tmp_path, monkeypatch, script)
    seen = Seen()
    fetch_wheel(Wheel("toy", "1.0", sha(wheel_bytes()), MEMBERS), tmp_path / "toy", progress=seen)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[1:4] == ["-m", "pip", "download"]
    assert {"--no-deps", "--require-hashes"} <= set(asked)
    assert asked[-1] == f"toy==1.0 --hash=sha256:{sha(wheel_bytes())}"
    loading = [done for stage, done, _, unit in seen.told if stage.startswith("downloading toy") and unit == "bytes"]
    assert loading[0] == 0
    assert max(loading) >= 5_000_000
    with pytest.raises(UserError, match="and not the pinned"):
        fetch_wheel(Wheel("toy", "1.0", "0" * 64, MEMBERS), tmp_path / "other")


def test_a_failing_pip_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = "WARNING: retrying\\nERROR: No matching distribution found for toy==1.0\\n"
    in_place_of_pip(tmp_path, monkeypatch, f"printf '{told}' >&2; exit 1\n")
    with pytest.raises(UserError, match=r"pip cannot download toy==1.0 \(No matching .*and give folder") as caught:
        fetch_wheel(Wheel("toy", "1.0", "0" * 64, MEMBERS), tmp_path / "toy")
    assert "\n" not in str(caught.value)


def test_folders_that_come_and_go_can_be_counted(tmp_path: Path) -> None:
    """pip makes and removes folders while its bytes are counted; a missing one must not end the download."""
    (tmp_path / "kept").write_bytes(b"12345")
    stop = threading.Event()

    def come_and_go() -> None:
        while not stop.is_set():
            (tmp_path / "a" / "b").mkdir(parents=True)
            shutil.rmtree(tmp_path / "a")

    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        assert {bytes_below(tmp_path) for _ in range(3000)} == {5}
    finally:
        stop.set()
        other.join()


def test_a_url_is_kept_only_with_its_hash(tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_bytes(b"here")
    url, path = (tmp_path / "there.txt").as_uri(), tmp_path / "cache" / "kept.txt"
    with pytest.raises(UserError, match="and not the pinned"):
        fetch_url(url, sha(b"other"), path)
    assert not path.exists()
    seen = Seen()
    assert fetch_url(url, sha(b"here"), path, seen).read_bytes() == b"here"
    assert seen.told == [("downloading kept.txt", 4, 4, "bytes")]
    (tmp_path / "there.txt").unlink()
    assert fetch_url(url, sha(b"here"), path) == path
    with pytest.raises(UserError, match="cannot be reached"):
        fetch_url(url, sha(b"here"), tmp_path / "new.txt")


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A local copy of a toy release of two files, one of them gzipped; the cache lies beside it."""
    copy = tmp_path / "copy"
    (copy / "data").mkdir(parents=True)
    (copy / "a.txt").write_bytes(b"first\r\n")
    (copy / "data" / "b.txt.gz").write_bytes(gzip.compress(b"second"))
    pinned = [
        pinned_files.PublishedFile("toy", "some/where", "0" * 40, "a.txt", 7, sha(b"first\r\n")),
        pinned_files.PublishedFile("toy", "some/where", "0" * 40, "data/b.txt", 6, sha(b"second")),
    ]
    for module in ("horsesense.cache", "horsesense.data.downloads"):
        monkeypatch.setattr(f"{module}.published_files", lambda: {"toy": pinned, "twin": pinned})
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    return copy


def fetch(*arguments: object) -> tuple[int, str]:
    err, code = io.StringIO(), 0
    with redirect_stderr(err):
        try:
            main(["fetch", *map(str, arguments)])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
    return code, err.getvalue()


def validated(output: bytes) -> Any:
    document = json.loads(output)
    hold_to("fetch", document)
    return document


def test_a_release_from_a_local_copy(release: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert fetch("toy", "--folder", release, "--json")[0] == 0
    (document,) = validated(capfdbinary.readouterr().out)["fetched"]
    kept = tree(Path(document["path"]))
    assert kept.pop(SUMS).split() == [
        word for n, c in (("a.txt", b"first\r\n"), ("data/b.txt", b"second")) for word in (sha(c).encode(), n.encode())
    ]
    assert kept == {"a.txt": b"first\r\n", "data/b.txt": b"second"}
    hashes = sorted([sha(b"first\r\n"), sha(b"second")])
    assert document == {"name": "toy", "path": document["path"], "sha256": sha("".join(hashes).encode())}
    assert fetch("toy", "twin", "--folder", release, "--json")[0] == 0
    assert [entry["name"] for entry in validated(capfdbinary.readouterr().out)["fetched"]] == ["toy", "twin"]


def test_what_is_here_is_not_fetched_again(release: Path, tmp_path: Path) -> None:
    assert fetch("toy", "--folder", release)[0] == 0
    empty = tmp_path / "empty"
    empty.mkdir()
    assert fetch("toy", "--folder", empty)[0] == 0
    (tmp_path / "cache/releases/toy/a.txt").write_bytes(b"spoilt")
    code, told = fetch("toy", "--folder", empty)
    assert code == 2
    assert re.search(r"1 of 1 files .*a\.txt \(missing\)", told)


def test_a_fetched_file_that_rots_is_told(release: Path, tmp_path: Path) -> None:
    """By whoever reads it, and by ``verify``; one of the user's own is not held against anything."""
    assert fetch("toy", "--folder", release)[0] == 0
    folder = tmp_path / "cache/releases/toy"
    assert verify(folder).intact == 2
    path = folder / "data/b.txt"
    path.write_bytes(b"secnod")
    assert verify(folder).damaged == ("data/b.txt",)
    with pytest.raises(UserError, match=r"b\.txt: the file is damaged.*horsesense fetch toy"):
        hs.read_release("cats", path)
    with pytest.raises(UserError) as told:
        hs.read_release("cats", Path(shutil.copy(path, tmp_path / "b.txt")))
    assert "damaged" not in str(told.value)


def test_a_partial_or_changed_copy_is_refused_whole(release: Path, tmp_path: Path) -> None:
    (release / "a.txt").write_bytes(b"first\n")
    (release / "data" / "b.txt.gz").unlink()
    code, told = fetch("toy", "--folder", release)
    assert code == 2
    assert re.search(r"2 of 2 files .*a\.txt \(another content\), data/b\.txt \(missing\)", told)
    assert not (tmp_path / "cache").exists(), "nothing is kept"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("tyo",), "there is no thing to fetch 'tyo'; did you mean 'toy'?"),
        (("toy", "--folder", "no-such-folder"), "no-such-folder: there is no such folder"),
        (("toy", "nothing"), "there is no thing to fetch 'nothing'"),
    ],
)
def test_bad_input_is_one_sentence(release: Path, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    code, err = fetch(*arguments)
    assert code == 2
    assert told in err.splitlines()[-1]
    assert not (tmp_path / "cache").exists()


def test_no_network_is_one_sentence(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinned_files, "_HOST", (tmp_path / "nowhere").as_uri())
    code, err = fetch("toy")
    assert code == 2
    assert "cannot be reached" in err.splitlines()[-1]
    assert "--folder FOLDER" in err.splitlines()[-1]


def test_the_list(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert fetch("--json")[0] == 0
    names = {entry["name"] for entry in validated(capfdbinary.readouterr().out)["available"]}
    assert {"cats", "rica", "winoventi", "partwhole", "mcqa", "smollm2", "minilm", "wordnet"} <= names


def test_pinned_files_are_those_of_the_shared_copy(shared: Path) -> None:
    """The pinned hashes fit the files beside us, unless a file there is marked as a subset."""
    same: list[str] = []
    other: list[str] = []
    for release, pinned in pinned_files.published_files().items():
        for file in pinned:
            path = shared / "data" / release / file.path
            found = next((p for p in (path, path.with_name(f"{path.name}.gz")) if p.is_file()), None)
            if found:
                content = read_bytes(found)
                (same if (sha(content), len(content)) == (file.sha256, file.bytes) else other).append(file.path)
    assert len(same) >= 40
    described = (shared / "data" / "README.md").read_text(encoding="utf-8")
    for name in other:
        line = next(line for line in described.splitlines() if Path(name).name in line)
        assert "subset" in line or "(of " in line, name


def test_a_reader_for_every_release() -> None:
    # Sources that are not the five studies' own (science exams, what CATs was made from) have readers too.
    assert {name.partition("-")[0] for name in readers()} >= set(pinned_files.published_files())
    with pytest.raises(UserError, match="no such file"):
        read_files("cats", [Path("no-such-file.txt")])
