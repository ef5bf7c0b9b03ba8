"""Models that are not there, not whole, or not what they seem: one sentence that names them, and no answers."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.calling import Call, caller, lay, names, toy_lines

WEIGHTS = "model.safetensors"


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def cut(folder: Path) -> None:
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(content[: len(content) // 2])


def pickled(folder: Path) -> None:
    import torch

    (folder / WEIGHTS).unlink()
    torch.save({}, folder / "pytorch_model.bin")


def rewritten(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Path], None]:
    """The weights after a change, as a sound safetensors file."""

    def damage(folder: Path) -> None:
        from safetensors.torch import load_file, save_file

        save_file(change(load_file(folder / WEIGHTS)), folder / WEIGHTS, metadata={"format": "pt"})

    return damage


def encoder(folder: Path) -> None:
    from transformers import BertConfig, BertModel

    BertModel(BertConfig.from_pretrained(folder)).save_pretrained(folder)


def config(name: str = "config.json", **changes: Any) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        values = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(values | changes))

    return damage


def replaced(name: str, content: bytes) -> Callable[[Path], int]:
    return lambda folder: (folder / name).write_bytes(content)


def removed(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def without_tokenizer(folder: Path) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


FOLDERS: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "no weights": ("gpt2", removed(WEIGHTS), "the folder has no weights"),
    "no config": ("gpt2", removed("config.json"), "the folder has no config.json"),
    "pickled weights": ("gpt2", pickled, "the weights are pickled, and loading them can run any code"),
    "cut weights": ("gpt2", cut, "the weights are damaged"),
    "noise for weights": ("gpt2", replaced(WEIGHTS, bytes(range(256)) * 2), "the weights are damaged"),
    "an empty file": ("gpt2", replaced(WEIGHTS, b""), "the weights are damaged"),
    "no tensors": ("gpt2", rewritten(lambda weights: {}), "are not in its files and would be random"),
    "a layer too few": ("gpt2", config(n_layer=3), "12 weights of"),
    "another shape": ("gpt2", config(n_embd=64), "transformers cannot load it"),
    "no head": (
        "bert",
        rewritten(lambda weights: {n: v for n, v in weights.items() if not n.startswith("cls.")}),
        "(cls.predictions.bias …)",
    ),
    "an encoder": ("bert", encoder, "is a BertModel and so has no language-model head"),
    "config that is not JSON": ("gpt2", replaced("config.json", b"{"), "is not a valid JSON file"),
    "empty config": ("gpt2", replaced("config.json", b"{}"), "transformers cannot load it"),
    "unknown kind": ("gpt2", config(model_type="gpt99"), "`gpt99`"),
    "an architecture that is no list": ("gpt2", config(architectures=-1), "does not say what it is in its config"),
    "no architecture": ("gpt2", config(architectures=None), "does not say what it is in its config"),
    "no tokenizer": ("gpt2", without_tokenizer, "tokenizer"),
    "a longest input that is no number": (
        "gpt2",
        config("tokenizer_config.json", model_max_length=[None]),
        "is not a number ([None])",
    ),
    "damaged tokenizer": ("gpt2", replaced("tokenizer.json", b'{"version": '), "transformers cannot load it"),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_bad_folder(kind: str, tiny_folders: dict[str, Path], tmp_path: Path, call: Call) -> None:
    base, damage, told = FOLDERS[kind]
    folder = Path(shutil.copytree(tiny_folders[base], tmp_path / "model"))
    damage(folder)
    called = call("score", "-m", folder, "It rained.", "--json")
    assert told in called.err
    assert str(folder) in called.err
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    probe = lay(tmp_path / "toy.jsonl", *toy_lines())
    assert call("run", "-m", folder, "-p", probe, "--out", tmp_path / "out") == called, "run says the same"
    assert not [name for name in names(tmp_path / "out") if name.endswith((".part", ".parquet", ".html"))]


def test_weights_that_are_not_numbers(tiny_folders: dict[str, Path], tmp_path: Path, call: Call) -> None:
    folder = Path(shutil.copytree(tiny_folders["gpt2"], tmp_path / "model"))
    rewritten(lambda weights: {name: values * float("nan") for name, values in weights.items()})(folder)
    probe = lay(tmp_path / "toy.jsonl", *toy_lines())
    called = call("run", "-m", folder, "-p", probe, "--out", tmp_path / "out")
    last = called.err.splitlines()[-1]
    assert last.startswith(f"horsesense: {folder} gives log-probabilities that are NaN or infinite")
    assert called.code == 2
    assert not [name for name in names(tmp_path / "out") if name.endswith((".part", ".parquet", ".html"))]


def packed(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


HEADER = b"GGUF" + struct.pack("<IQQ", 3, 1, 1)
ARCHITECTURE = packed(b"general.architecture") + struct.pack("<I", 8) + packed(b"llama")
GGUF = {
    "empty": b"",
    "noise": bytes(range(256)) * 3,
    "magic only": b"GGUF",
    "no content": b"GGUF" + struct.pack("<IQQ", 3, 0, 0),
    "cut in a field": (HEADER + ARCHITECTURE)[:-3],
    "cut in a tensor": HEADER + ARCHITECTURE + packed(b"output.weight") + struct.pack("<I", 2),
    "too many tensors": b"GGUF" + struct.pack("<IQQ", 3, 10**12, 10**12) + ARCHITECTURE,
    "other version": b"GGUF" + struct.pack("<IQQ", 99, 0, 0),
    "header and noise": HEADER + bytes(range(255, 0, -1)) * 9,
}


@pytest.mark.parametrize("kind", GGUF)
def test_a_bad_gguf(kind: str, tmp_path: Path, call: Call) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(GGUF[kind])
    called = call("score", "-m", path, "It rained.")
    assert called.err.startswith(f"horsesense: {path}: ")
    assert "GGUF file" in called.err
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert names(tmp_path) == ["model.gguf"]


def test_no_model_at_that_place(tmp_path: Path, call: Call) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "seeds" / "seed-0").mkdir(parents=True)
    (tmp_path / "folder.gguf").mkdir()
    (tmp_path / "model.bin").write_bytes(b"x")
    told = {
        "none": "there is no such model folder or GGUF file",
        "none.gguf": "no such file or folder",
        "folder.gguf": "this is a folder, not a file",
        "model.bin": "there is no such model folder or GGUF file",
        "empty": "the folder has no config.json",
        "seeds": "the folder has a model per seed (seed-0); give one of them, such as",
    }
    for name, problem in told.items():
        called = call("score", "-m", tmp_path / name, "It rained.")
        assert called.err.startswith(f"horsesense: {tmp_path / name}: {problem}")
        assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)


def test_a_control_of_a_profile_is_not_a_model_of_a_run(tmp_path: Path, call: Call) -> None:
    for name in ("guesser", "cue-reader", "relatedness-reader"):
        called = call("run", "-m", name, "-p", "starter", "--out", tmp_path / "out")
        assert called.err.startswith(f"horsesense: {name} is a built-in control of a profile, not a model; use it in")
        assert (called.code, called.err.count("\n")) == (2, 1)
    assert not (tmp_path / "out").exists()


OPTIONS = [
    ("gpt2", ["--device", "cuda:77"], "the device 'cuda:77' cannot be used here"),
    ("gpt2", ["--device", "quantum"], "the device 'quantum' cannot be used here"),
    ("gpt2", ["--model-type", "casual"], "there is no model type 'casual'; did you mean 'causal'?"),
    ("gpt2", ["--model-type", "masked"], "is a gpt2 model, which transformers cannot load as masked"),
    ("gpt2", ["--spec", "bos=<|nobody|>"], "the tokenizer has no BOS token '<|nobody|>'"),
]


@pytest.mark.parametrize(("name", "options", "told"), OPTIONS, ids=[" ".join(options) for _, options, _ in OPTIONS])
def test_options_that_do_not_fit_the_model(
    name: str, options: list[str], told: str, tiny_folders: dict[str, Path], call: Call
) -> None:
    called = call("score", "-m", tiny_folders[name], "It rained.", *options)
    assert told in called.err
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("name", ["gpt2", "bert"])
def test_a_text_longer_than_the_window(name: str, tiny_folders: dict[str, Path], tmp_path: Path, call: Call) -> None:
    long = "the stone melts " * 60
    called = call("score", "-m", tiny_folders[name], long)
    assert "tokens and the model sees 64: 'the stone melts" in called.err.splitlines()[-1]
    assert (called.code, called.out) == (2, "")
    assert call("score", "-m", tiny_folders[name], long, "--spec", "truncation=left").code == 0
    probe = lay(tmp_path / "toy.jsonl", *toy_lines(), toy_lines()[2] | {"text": long})
    called = call("run", "-m", tiny_folders[name], "-p", probe, "--out", tmp_path / "out")
    assert called.err.splitlines()[-1].startswith("horsesense: item toy-")
    assert (called.code, called.out) == (2, "")


def test_an_unknown_name_where_no_hub_answers() -> None:
    """In a process of its own: the hub's address is read when its library is loaded. Port 9 refuses at once."""
    began = time.monotonic()
    code = "from horsesense.cli import main; main(['score', '-m', 'smolm2', 'It rained.'])"
    environment = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "'smolm2', and the Hugging Face Hub does not answer; did you mean 'smollm2'?" in done.stderr
    assert time.monotonic() - began < 60
