"""Models are read in one place, where no code of theirs is run and no pickle is opened unasked."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from horsesense.errors import UserError
from horsesense.models.hf.load import load_model, read_part
from tests.support import ROOT
from tests.support.tiny import save_tiny

DOOR = "src/horsesense/models/hf/load.py"
FORBIDDEN = {"from_pretrained", "trust_remote_code", "hf_hub_download", "unsafe_load"}
"""Names that only the door may say."""
LOADERS = {("torch", "load"), ("pickle", "load"), ("pickle", "loads"), ("joblib", "load"), ("dill", "load")}


def names(tree: ast.AST) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr in FORBIDDEN:
                found.append((node.lineno, node.attr))
            if isinstance(node.value, ast.Name) and (node.value.id, node.attr) in LOADERS:
                found.append((node.lineno, f"{node.value.id}.{node.attr}"))
        if isinstance(node, ast.keyword) and node.arg in FORBIDDEN:
            found.append((node.value.lineno, node.arg))
        if isinstance(node, ast.Constant) and node.value in FORBIDDEN:  # getattr(auto, "from_pretrained")
            found.append((node.lineno, str(node.value)))
    return found


def test_nothing_else_reads_a_model() -> None:
    for path in sorted((ROOT / "src").rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if place != DOOR:
            found = names(ast.parse(path.read_text(encoding="utf-8")))
            assert not found, f"{place}: {found}; models are read by read_part and its neighbours in {DOOR}"
    assert names(ast.parse((ROOT / DOOR).read_text(encoding="utf-8"))), "the rule finds what it forbids"


def code_beside(folder: Path, ran: Path, auto: str) -> None:
    """A model type of its own, whose code leaves a file where it runs."""
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w').write('ran')\nclass Evil: pass\n")
    config = json.loads((folder / "config.json").read_text()) if (folder / "config.json").is_file() else {}
    config |= {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Evil", auto: "evil.Evil"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"auto_map": {"AutoTokenizer": ["evil.Evil", None]}}))


def say_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``yes | horsesense …`` does."""
    monkeypatch.setattr("builtins.input", lambda *_: "y")


def test_word_vectors_run_no_code_and_open_no_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from horsesense.models.hf.sentence_vectors import sentence_vectors

    say_yes(monkeypatch)
    folder = save_tiny("bert", tmp_path / "m")
    code_beside(folder, tmp_path / "ran", "AutoModel")
    with pytest.raises(UserError):
        sentence_vectors(str(folder), ["ice"])
    assert not (tmp_path / "ran").exists()
    pickled = save_tiny("bert", tmp_path / "p")
    from safetensors.torch import load_file

    torch.save(load_file(pickled / "model.safetensors"), pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    with pytest.raises(UserError, match="pickled"):
        sentence_vectors(str(pickled), ["ice"])
    with pytest.raises(UserError, match="transformers cannot load it"):  # the door itself, whoever forgets to look
        read_part(pickled, "AutoModel")


def test_a_gguf_runs_no_code_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, smollm2: str) -> None:
    from horsesense.models.gguf import convert_gguf
    from horsesense.models.locate import bundled_folder

    say_yes(monkeypatch)
    packed = next(bundled_folder("smollm2").glob("*.gguf"))
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "m").mkdir()
    path = tmp_path / "m" / "model.gguf"
    with packed.open("rb") as source:
        path.write_bytes(source.read(4_000_000))  # its head; the code would run before the weights are read
    code_beside(tmp_path / "m", tmp_path / "ran", "AutoModelForCausalLM")
    with pytest.raises(UserError):
        convert_gguf(path)
    assert not (tmp_path / "ran").exists()
    shutil.rmtree(tmp_path / "m")


def test_a_base_runs_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from horsesense.models import adapters

    say_yes(monkeypatch)
    folder = save_tiny("llama", tmp_path / "m")
    code_beside(folder, tmp_path / "ran", "AutoModelForCausalLM")
    data: Any = Path(adapters.__file__).parent / "data" / "smollm2-masked.safetensors"
    with pytest.raises(UserError):
        adapters.write_adapted(folder, data, tmp_path / "made")
    assert not (tmp_path / "ran").exists()


def test_a_config_cannot_name_a_kernel_to_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = save_tiny("gpt2", tmp_path / "model")
    asked: list[str] = []

    def is_kernel(name: str | None) -> bool:
        asked.append(name or "")
        return False

    monkeypatch.setattr("transformers.modeling_utils.is_kernel", is_kernel)
    for key in ("attn_implementation", "_attn_implementation"):
        config = json.loads((folder / "config.json").read_text()) | {key: "someone/kernel"}
        (folder / "config.json").write_text(json.dumps(config))
        load_model(str(folder), device="cpu")
    assert "someone/kernel" not in asked
