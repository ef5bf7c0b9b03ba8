"""Writing a file whole or not at all, also when the disk will not have it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from horsesense.core import Card, Item, Probe, write_probe
from horsesense.data import writing
from horsesense.data.disk import _machine, writing_folder
from horsesense.errors import UserError
from tests.support.small_disk import files_of_at_most, python_on_a_disk


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_the_file_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "a.txt"
    with writing(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists()
    assert names(tmp_path) == ["new", "new/deep", "new/deep/a.txt"]
    with writing(str(path)) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "whole"
    assert path.read_text() == "new"


@pytest.mark.parametrize("failure", [RuntimeError, UserError, KeyboardInterrupt, SystemExit, OSError])
def test_an_exception_leaves_the_old_file_and_no_debris(failure: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def half() -> None:
        with writing(path) as temporary:
            temporary.write_text("half")
            raise failure("stop")

    with pytest.raises(failure):
        half()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "there" / "a.txt")
    (tmp_path / "dangling.txt").symlink_to(tmp_path / "there" / "b.txt")
    for name in ("link.txt", "dangling.txt"):
        with writing(tmp_path / name) as temporary:
            temporary.write_text("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert [(tmp_path / "there" / name).read_text() for name in ("a.txt", "b.txt")] == ["new", "new"]
    assert names(tmp_path) == ["dangling.txt", "link.txt", "there", "there/a.txt", "there/b.txt"]


def test_a_device_or_a_pipe_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/null"), Path("/dev/full"), tmp_path / "pipe"):
        with pytest.raises(UserError, match=f"{path}: this is a device or a pipe"), writing(path):
            pytest.fail("the block is not entered")
    assert Path("/dev/null").is_char_device()
    assert (tmp_path / "pipe").is_fifo()


def test_places_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cases = [
        (tmp_path, "this is a folder, not a file"),
        (Path("/"), "this is a folder, not a file"),
        (Path(), "this is a folder, not a file"),
        (tmp_path / "file" / "a.txt", "a file of that name is in the way"),
        (tmp_path / "file" / "deep" / "a.txt", "a part of the path is a file, not a folder"),
        (tmp_path / ("n" * 300), "the name is too long"),
        (tmp_path / ("n" * 250), "the name is too long"),
    ]
    for path, told in cases:
        with pytest.raises(UserError) as caught, writing(path) as temporary:
            temporary.write_text("x")
        assert (caught.value.file, caught.value.problem) == (str(path), told)
    assert names(tmp_path) == ["file"]


WRITE = """
from horsesense.errors import UserError
from horsesense.core import Card, Item, Probe, write_probe
import os, random, sys
words = random.Random(0)
items = [Item(probe="p", form="choice", text=str(words.random()) * 9, options=("a", "b")) for _ in range(3000)]
probe = Probe.of(items, Card(name="p"))
for ending in ("jsonl", "jsonl.gz", "parquet"):
    try:
        write_probe(f"p.{ending}", probe)
    except UserError as error:
        print(error)
    else:
        print(ending, "was written")
print(os.listdir())
"""


def test_a_full_disk(tmp_path: Path) -> None:
    done = python_on_a_disk(WRITE, tmp_path, "size=64k")
    told = "the disk is full; free some space and run the same command again"
    endings = ("jsonl", "jsonl.gz", "parquet")
    assert done.stdout.splitlines() == [*(f"p.{ending}: {told}" for ending in endings), "[]"]
    assert done.stderr == ""


def test_a_read_only_disk(tmp_path: Path) -> None:
    done = python_on_a_disk(WRITE, tmp_path, "ro")
    assert done.stdout.count("the file system is read-only; choose a folder that you can write to") == 3
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stderr == ""


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet"])
def test_a_file_that_may_not_grow(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"p.{ending}"
    old = Probe.of([Item(probe="p", form="choice", text="?", options=("a", "b"))], Card(name="p"))
    write_probe(path, old)
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    items = [Item(probe="p", form="choice", text=os.urandom(40).hex(), options=("a", "b")) for _ in range(500)]
    with pytest.raises(UserError, match=r"larger than the system allows") as caught, files_of_at_most(9000):
        write_probe(path, Probe.of(items, Card(name="p")))
    assert caught.value.file == str(path)
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    """Root may write anywhere but in /sys; others are stopped by the mode of the folder."""
    tmp_path.chmod(0o500)
    folder = Path("/sys") if os.geteuid() == 0 else tmp_path
    if folder == Path("/sys") and not folder.is_dir():
        pytest.skip("there is no folder that root can't write to")
    with pytest.raises(UserError, match=r"no permission|read-only") as caught, writing(folder / "a.txt") as temporary:
        temporary.write_text("x")
    tmp_path.chmod(0o700)
    assert caught.value.file == str(folder / "a.txt")


def test_a_killed_writer_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    code = (
        "import os, sys; from horsesense.data import writing\n"
        "with writing(sys.argv[1]) as temporary:\n"
        "    temporary.write_text('half'); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == -9
    assert path.read_text() == "old"
    assert len(list(tmp_path.glob(".a.txt.*.part"))) == 1
    alive = tmp_path / f".a.txt.{os.getppid()}-{_machine()}.part"
    alive.touch()
    with writing(path) as temporary:
        temporary.write_text("new")
    assert sorted(each.name for each in tmp_path.iterdir()) == [alive.name, "a.txt"], "who is at work is left alone"


def test_a_folder_is_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "there" / "model"
    with writing_folder(folder) as part:
        (part / "a").write_text("1")
        assert not folder.exists()
    with pytest.raises(FileNotFoundError), writing_folder(folder) as part:
        (part / "b" / "missing").write_text("2")
    assert names(tmp_path) == ["there", "there/model", "there/model/a"]
    with writing_folder(folder) as part:
        (part / "c").write_text("3")
    assert names(tmp_path) == ["there", "there/model", "there/model/c"]
