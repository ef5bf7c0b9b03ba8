"""Files that never end or are too large: a sentence, soon, and little memory."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from horsesense.core import write_probe
from horsesense.core.catalogue import build
from horsesense.data import numbered_lines, read_bytes, read_text, sha256_of_file
from horsesense.data.store import Store
from horsesense.errors import UserError
from horsesense.exchange.inspect_log import open_log
from horsesense.models.folders import hash_of_files
from horsesense.settings import settings_file
from tests.support.made_schemas import made_probe
from tests.support.made_tasks import clozes


def test_a_small_file_that_unpacks_to_gigabytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horsesense.data.text.FREE", 1 << 20)
    path = tmp_path / "bomb.jsonl.gz"
    line = b"0" * 99_999 + b"\n"
    path.write_bytes(gzip.compress(line * 100))
    read: list[int] = []
    with pytest.raises(UserError, match="200 times its size"):
        read.extend(len(text) for _, text in numbered_lines(path))
    assert sum(read) < 2 << 20, "and what has been read is little"
    path.write_bytes(gzip.compress(os.urandom(4 << 10).hex().encode() * 500))
    assert len(read_bytes(path)) == 500 * 8192, "repetitive text is not refused"


def test_a_packed_line_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "long.gz"
    with gzip.open(path, "wb") as handle:
        handle.write(b"x" * (17 << 20))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(UserError, match="longer than 16 MB"):
        list(numbered_lines(path))


COMMANDS = [
    ["show", "PATH"],
    ["import", "winograd", "PATH", "-o", "o.jsonl"],
    ["build", "winoventi", "PATH", "-o", "o.jsonl"],
    ["knowledge", "add", "mine", "PATH"],
]
PROGRAM = """
import sys
from horsesense.cli import main
try:
    main(sys.argv[1:])
finally:
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_meet_the_limits(command: list[str], tmp_path: Path) -> None:
    words = ["/dev/full" if word == "PATH" else word for word in command]
    call = [sys.executable, "-c", PROGRAM, *words]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert int(done.stdout.split()[-2]) < 500 * 1024, "kilobytes"
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("named", ["pipe.json", "pipe.eval"])
def test_a_log_is_not_read_from_a_pipe(named: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / named)
    with pytest.raises(UserError) as caught:
        open_log(tmp_path / named)
    assert caught.value.file == str(tmp_path / named)


def test_settings_are_not_read_from_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    monkeypatch.setenv("HORSESENSE_CONFIG", str(tmp_path / "pipe.toml"))
    with pytest.raises(UserError) as caught:
        settings_file()
    assert caught.value.file == str(tmp_path / "pipe.toml")


def test_a_device_is_not_begun_with() -> None:
    for reader in (read_text, lambda path: list(numbered_lines(path))):
        with pytest.raises(UserError, match=r"device or a pipe"):
            reader(Path("/dev/full"))


def test_a_file_that_is_too_large_to_be_read_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "hole").open("wb") as handle:
        handle.truncate(10 << 30)
    with pytest.raises(UserError, match="larger than 512 MB"):
        read_bytes(tmp_path / "hole")
    with pytest.raises(UserError, match="longer than 16 MB"):
        list(numbered_lines(tmp_path / "hole"))


def test_what_never_ends_has_no_checksum(tmp_path: Path) -> None:
    """A device in the place of a kept file is damage, in the place of weights a sentence; neither is read."""
    with pytest.raises(UserError, match="a device or a pipe"):
        sha256_of_file(Path("/dev/null"))
    (tmp_path / "kept.txt").write_text("kept")
    Store(tmp_path).record_all()
    (tmp_path / "kept.txt").unlink()
    (tmp_path / "kept.txt").symlink_to("/dev/null")
    assert Store(tmp_path).verify().damaged == ("kept.txt",)


def test_weights_that_are_a_device_are_told(tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    folder = Path(shutil.copytree(tiny_folders["gpt2"], tmp_path / "model"))
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to("/dev/null")
    with pytest.raises(UserError, match=r"device or a pipe"):
        hash_of_files([folder / "model.safetensors"])


ASKING = [
    ["score", "-m", "MODEL", "Ice is cold."],
    ["fill", "-m", "MODEL", "Ice is ___."],
    ["saliency", "-m", "MODEL", "It is [cold].", "--method", "gradient"],
    ["run", "-m", "MODEL", "-p", "clozes.jsonl", "--out", "run"],
    ["train", "-m", "MODEL", "--train", "clozes.jsonl", "--test", "others.jsonl", "--out", "trained"],
    [
        *("inoculate", "-m", "MODEL", "--train", "clozes.jsonl", "--dev", "others.jsonl", "--test", "tests.jsonl"),
        *("--original-dev", "dev.jsonl", "--original-test", "last.jsonl", "--size", "2", "--out", "dosed"),
    ],
    ["rica", "views", "rica.jsonl", "-m", "MODEL", "--limit", "2", "--out", "views"],
    ["rica", "study", "-m", "MODEL", "-p", "rica.jsonl", "--limit", "2", "--out", "study"],
    ["profile", "-m", "MODEL", "--ability", "parts", "--limit", "2", "--out", "profile"],
    ["winoventi", "associations", "nouns.txt", "-m", "MODEL", "--ranker", "MODEL"],
    ["winoventi", "evaluate", "wino.jsonl", "-m", "MODEL", "--no-own", "--out", "evaluated"],
    ["winoventi", "make", "nouns.txt", "-m", "MODEL", "--ranker", "MODEL", "--out", "made"],
]
IN_TURN = """
import json, sys
from horsesense.cli import main
for words in json.loads(sys.argv[1]):
    try:
        main(words)
    except SystemExit as stop:
        print(words[:2], stop.code, sorted({"torch", "transformers"} & set(sys.modules)), file=sys.stderr)
"""


def test_weights_are_looked_at_before_torch_is_loaded(tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    """Loading it takes seconds, in which a bomb, or any other file in the place of weights, would not be told."""
    folder = Path(shutil.copytree(tiny_folders["gpt2"], tmp_path / "model"))
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(tiny_folders["gpt2"])}))
    places = [folder / "model.safetensors", adapter / "adapter_model.safetensors", folder / "model.gguf"]
    places[0].write_bytes(gzip.compress(b"x" * 100_000))
    for place in places[1:]:
        place.symlink_to(places[0])
    for probe, seed in (("clozes", 1), ("others", 2), ("tests", 3), ("dev", 4), ("last", 5)):
        write_probe(tmp_path / f"{probe}.jsonl", clozes(4, seed))
    write_probe(tmp_path / "wino.jsonl", made_probe())
    write_probe(tmp_path / "rica.jsonl", build("rica", strategies=["material"], perturbations=["published"], limit=4))
    (tmp_path / "nouns.txt").write_text("stone\nkettle\n")
    given = [(words, folder) for words in ASKING] + [
        (words, name) for words in ASKING[:5] for name in (adapter, places[2])
    ]
    calls = [[str(name) if word == "MODEL" else word for word in words] for words, name in given]
    words = [sys.executable, "-c", IN_TURN, json.dumps(calls)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines()
    assert [line for line in lines if line.startswith("[")] == [f"{call[:2]} 2 []" for call in calls], done.stderr
    told = [line for line in lines if line.startswith("horsesense: ")]
    odd = [line for line in told if "not a safetensors file" not in line and "not a GGUF file" not in line]
    assert (odd, len(told)) == ([], len(calls))
