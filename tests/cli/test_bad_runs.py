"""Run folders that are damaged or hold something else: one sentence that names the file, and nothing changed."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from horsesense.cli import main
from horsesense.runs.manifest import FORMAT
from tests.support.calling import Call, caller, lay, names, toy_lines
from tests.support.small_disk import files_of_at_most


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture(scope="module")
def kept(tiny_folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; tests copy it before they damage it."""
    folder = tmp_path_factory.mktemp("kept")
    probe = lay(folder / "toy.jsonl", *toy_lines())
    with pytest.raises(SystemExit) as stop:
        main(["run", "-m", str(tiny_folders["gpt2"]), "-p", str(probe), "--out", str(folder / "run")])
    assert stop.value.code == 0
    return folder / "run"


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "run"))


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def shard(folder: Path) -> Path:
    (path,) = (folder / "answers").iterdir()
    return path


def manifest(**changes: Any) -> Callable[[Path], int]:
    def damage(folder: Path) -> int:
        values = json.loads((folder / "manifest.json").read_text())
        return (folder / "manifest.json").write_text(json.dumps(values | changes))

    return damage


def in_spec(**changes: Any) -> Callable[[Path], int]:
    return lambda folder: manifest(spec=json.loads((folder / "manifest.json").read_text())["spec"] | changes)(folder)


def written(name: str, content: bytes) -> Callable[[Path], int]:
    return lambda folder: (folder / name).write_bytes(content)


def column(name: str, value: Any) -> Callable[[Path], None]:
    """The answers with another value in one column, in a sound file; ``...`` takes it out."""

    def damage(folder: Path) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        table = parquet.read_table(shard(folder))
        place = table.schema.get_field_index(name)
        if value is ...:
            table = table.remove_column(place)
        else:
            new = pa.array([value] * len(table), table.schema.field(place).type)
            table = table.set_column(place, name, new)
        parquet.write_table(table, shard(folder))

    return damage


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "run: this is not a run folder"),
    "an empty manifest": (written("manifest.json", b""), "manifest.json: the manifest is damaged"),
    "a cut manifest": (written("manifest.json", b'{"format": %d,' % FORMAT), "manifest.json: the manifest is damaged"),
    "a list": (written("manifest.json", b"[]"), "manifest.json: the manifest is damaged"),
    "noise": (written("manifest.json", b"\xff\xfe\x00"), "manifest.json:1: byte 0xff is not UTF-8"),
    "an unknown field": (manifest(colour="red"), "manifest.json: the manifest is damaged (colour is unknown)"),
    "a wrong type": (manifest(seed="one"), "manifest.json: the manifest is damaged (seed is wrong)"),
    "a newer format": (manifest(format=99), "manifest.json: the run was written by a newer horsesense"),
    "no parts": (manifest(parts=[]), "run: the run has no answers yet"),
    "another PLL": (in_spec(pll="words"), "the spec has pll='words', which means nothing"),
    "a field of the future": (in_spec(colour="red"), "the spec has the unknown field 'colour'"),
    "a missing answer file": (lambda f: shard(f).unlink(), "is not finished: 0 of 1 answer files exist"),
    "no answers": (lambda f: shutil.rmtree(f / "answers"), "is not finished: 0 of 1 answer files exist"),
    "an empty answer file": (lambda f: shard(f).write_bytes(b""), ".parquet: the answer file is damaged"),
    "a cut answer file": (
        lambda f: shard(f).write_bytes(shard(f).read_bytes()[:-30]),
        ".parquet: the answer file is damaged",
    ),
    "no scores": (column("scores", ...), ".parquet: the answer file is damaged"),
    "answers to other items": (column("item", "toy-0"), "5 of 5 items of toy have no answer of "),
    "no probe": (lambda f: (f / "probes" / "toy.jsonl.gz").unlink(), "toy.jsonl.gz: no such file or folder"),
    "a damaged probe": (written("probes/toy.jsonl.gz", b"\x1f\x8bxx"), "toy.jsonl.gz: the gzipped file is damaged"),
    "a damaged card": (written("probes/toy.card.json", b"{"), "toy.card.json:1: this is not JSON"),
    "a card of its own mind": (
        written("probes/toy.card.json", b'{"name": "toy", "normalise": "luck"}'),
        "the normalisation 'luck' is unknown",
    ),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_report_of_a_damaged_run(kind: str, folder: Path, call: Call) -> None:
    damage, told = DAMAGES[kind]
    damage(folder)
    (folder / "SHA256SUMS").unlink()  # as an earlier version left it; with it, each of these is another checksum
    before = contents(folder)
    called = call("report", folder, "--json")
    assert told in called.err
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert contents(folder) == before


PLACES = [
    ("..", "this is a folder, not a file"),
    ("run", "this is a folder, not a file"),
    ("run/manifest.json/x.html", "a file of that name is in the way"),
    ("/dev/null", "this is a device or a pipe, not a file"),
]


@pytest.mark.parametrize(("place", "told"), PLACES, ids=[place for place, _ in PLACES])
def test_places_where_no_page_can_be(
    place: str, told: str, folder: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    before = names(folder)
    called = call("report", folder, "-o", place)
    assert called.err.startswith(f"horsesense: {place}: {told}")
    assert (called.code, called.err.count("\n")) == (2, 1)
    assert names(folder) == before


OTHERWISE: list[tuple[list[str], str]] = [
    (["--limit", "2"], "a run with limit None, and this call asks for 2"),
    (["--seed", "7"], "a run with seed 0, and this call asks for 7"),
    (["--batch-tokens", "64"], "a run with budget 4096, and this call asks for 64"),
    (["--spec", "case=lower"], "a run with spec.case 'keep', and this call asks for 'lower'"),
    (["--dtype", "bfloat16"], "a run with spec.dtype 'float32', and this call asks for 'bfloat16'"),
    (["--normalise", "pmi"], "a run with spec.baseline False, and this call asks for True"),
]


@pytest.mark.parametrize(("options", "told"), OTHERWISE, ids=[" ".join(options) for options, _ in OTHERWISE])
def test_a_folder_holds_one_way_of_asking(
    options: list[str], told: str, folder: Path, tiny_folders: dict[str, Path], call: Call
) -> None:
    probe = lay(folder.parent / "toy.jsonl", *toy_lines())
    before = contents(folder)
    called = call("run", "-m", tiny_folders["gpt2"], "-p", probe, "--out", folder, *options)
    assert called.err.startswith(f"horsesense: {folder}: the folder holds {told}")
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert contents(folder) == before


def test_a_folder_holds_one_version_of_a_probe(folder: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    probe = lay(folder.parent / "toy.jsonl", *toy_lines()[:3])
    called = call("run", "-m", tiny_folders["gpt2"], "-p", probe, "--out", folder)
    assert called.err.startswith(f"horsesense: {folder}: the folder holds answers to another version of toy; ")
    assert (called.code, called.err.count("\n")) == (2, 1)


def test_a_full_disk_while_answers_are_written(tiny_folders: dict[str, Path], tmp_path: Path, call: Call) -> None:
    """What was written stays sound, and the same call finishes the run when there is room again."""
    probe = lay(tmp_path / "toy.jsonl", *toy_lines())
    words = ("run", "-m", tiny_folders["gpt2"], "-p", probe, "--out", tmp_path / "out", "--no-cache")
    with files_of_at_most(3_000):
        called = call(*words)
    (last,) = [line for line in called.err.splitlines() if line.startswith("horsesense: ")]
    assert "/answers/" in last
    assert last.endswith("the file is larger than the system allows; free some space or write elsewhere")
    assert (called.code, called.out, called.err.splitlines()[-1]) == (2, "", last)
    assert not [name for name in names(tmp_path / "out") if name.endswith((".part", ".html", ".parquet"))]
    assert call(*words).code == 0


def test_a_full_disk_while_a_page_is_written(folder: Path, call: Call) -> None:
    before = contents(folder)
    with files_of_at_most(4000):
        called = call("report", folder)
    assert called.err == (
        f"horsesense: {folder / 'report.html'}: the file is larger than the system allows; "
        "free some space or write elsewhere\n"
    )
    assert called.code == 2
    assert contents(folder) == before


@pytest.mark.parametrize(
    "damage",
    [column("scores", None), column("scores", [-1.0]), column("logprobs", None), column("view", "essay")],
    ids=["no scores", "too few scores", "no tokens", "another form"],
)
def test_answers_that_do_not_fit_their_items(damage: Callable[[Path], None], folder: Path, call: Call) -> None:
    damage(folder)
    called = call("report", folder)
    assert called.err.startswith(f"horsesense: {shard(folder)}: ")
    assert (called.code, called.err.count("\n")) == (2, 1)


def test_no_damage_to_answers_fails_unexpectedly(folder: Path, call: Call) -> None:
    whole, chance = shard(folder).read_bytes(), random.Random(0)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(chance.choice([1, 3, 30])):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        shard(folder).write_bytes(damaged)
        called = call("report", folder)
        assert called.code in (0, 2), called.err


def test_a_call_that_fails_leaves_the_folder_free(tiny_folders: dict[str, Path], tmp_path: Path, call: Call) -> None:
    """A wrong name at first must not bind the folder to the settings and the probe of that call."""
    out = tmp_path / "out"
    probe = lay(tmp_path / "toy.jsonl", *toy_lines())
    assert call("run", "-m", tmp_path / "none", "-p", probe, "--out", out).code == 2
    lay(probe, *toy_lines()[:3])
    assert call("run", "-m", tiny_folders["gpt2"], "-p", probe, "--out", out, "--seed", "1").code == 0


def test_models_of_like_names_keep_their_own_answers(
    tiny_folders: dict[str, Path], tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(tiny_folders["gpt2"], tmp_path / "a" / "b")
    shutil.copytree(tiny_folders["bert"], tmp_path / "a_b")
    monkeypatch.chdir(tmp_path)
    lay(tmp_path / "toy.jsonl", *toy_lines())
    assert call("run", "-m", "a/b", "-m", "a_b", "-p", "toy.jsonl", "--out", "out").code == 0
    assert len(list((tmp_path / "out" / "answers").iterdir())) == 2


def test_answers_without_a_manifest_are_not_taken_over(folder: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    probe = lay(folder.parent / "toy.jsonl", *toy_lines())
    (folder / "manifest.json").unlink()
    called = call("run", "-m", tiny_folders["gpt2"], "-p", probe, "--out", folder, "--spec", "case=lower")
    assert (called.code, called.err.count("\n")) == (2, 1)
