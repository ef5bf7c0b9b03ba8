"""Which model it is: weights, config, tokenizer, and of an adapter its base and settings; and bits that rot."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.load import load_model
from horsesense.models.locate import identify, locate
from horsesense.runs.ask_models import ask_models
from horsesense.runs.probe_answers import read_run
from horsesense.runs.tasks import Settings
from horsesense.scoring.option_scores import answer_items
from tests.support.made_tasks import clozes
from tests.support.tiny import save_tiny


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def change(path: Path, **values: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def adapter(base: Path, folder: Path) -> Path:
    network = get_peft_model(
        AutoModelForCausalLM.from_pretrained(base), LoraConfig(r=2, lora_alpha=4, target_modules="all-linear")
    )
    network.save_pretrained(folder)
    weights = load_file(folder / "adapter_model.safetensors")
    save_file({name: value + 0.05 for name, value in weights.items()}, folder / "adapter_model.safetensors")
    change(folder / "adapter_config.json", base_model_name_or_path=str(base))
    return folder


def scores(name: Path) -> list[tuple[float, ...]]:
    return [a.scores for a in answer_items(load_model(str(name), device="cpu"), clozes(2, 1).items, ScoringSpec())]


def test_another_config_is_another_model(tmp_path: Path) -> None:
    folder, items = save_tiny("gpt2", tmp_path / "m"), {"made": clozes(4, 1)}
    ask_models([str(folder)], items, tmp_path / "run", Settings(device="cpu"))
    before = read_run(tmp_path / "run")[1][0].answers
    identity = identify(str(folder)).whole
    change(folder / "config.json", layer_norm_epsilon=0.5)
    assert identify(str(folder)).whole != identity
    with pytest.raises(UserError, match="another config or tokenizer"):
        ask_models([str(folder)], items, tmp_path / "run", Settings(device="cpu"))
    ask_models([str(folder)], items, tmp_path / "other", Settings(device="cpu"))
    after = read_run(tmp_path / "other")[1][0].answers
    assert [a.scores for a in after] != [a.scores for a in before], "kept scores are those of the other config"


def test_another_tokenizer_is_another_model(tmp_path: Path) -> None:
    folder = save_tiny("gpt2", tmp_path / "m")
    identity = identify(str(folder)).whole
    change(folder / "tokenizer_config.json", model_max_length=17)
    assert identify(str(folder)).whole != identity


def test_weights_with_the_size_and_time_of_others(tmp_path: Path) -> None:
    folder = save_tiny("gpt2", tmp_path / "m")
    path = folder / "model.safetensors"
    old = time.time() - 3600
    os.utime(path, (old, old))
    time.sleep(2.1)  # what was changed this moment is not remembered at all
    first = identify(str(folder)).weights
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, (old, old))
    assert identify(str(folder)).weights != first


@pytest.mark.parametrize("what", ["alpha", "base"])
def test_an_adapter_is_its_base_and_its_settings_too(what: str, tmp_path: Path) -> None:
    base = save_tiny("gpt2", tmp_path / "base")
    folder = adapter(base, tmp_path / "adapter")
    first = scores(folder)
    if what == "alpha":
        change(folder / "adapter_config.json", lora_alpha=64)
    else:
        other = save_tiny("gpt2", tmp_path / "other", seed=3)
        change(folder / "adapter_config.json", base_model_name_or_path=str(other))
    assert scores(folder) != first


def test_a_made_folder_that_is_damaged_is_made_again(tmp_path: Path) -> None:
    folder = adapter(save_tiny("gpt2", tmp_path / "base"), tmp_path / "adapter")
    first = scores(folder)
    made = locate(str(folder)).folder / "model.safetensors"
    content = bytearray(made.read_bytes())
    content[-2] ^= 64
    made.write_bytes(content)
    assert scores(folder) == first


def test_weights_that_the_config_leaves_out(tmp_path: Path) -> None:
    for name, field in (("gpt2", "n_layer"), ("bert", "num_hidden_layers"), ("llama", "num_hidden_layers")):
        folder = save_tiny(name, tmp_path / name)
        change(folder / "config.json", **{field: 1})
        with pytest.raises(UserError, match=r"weights .* are not used"):
            load_model(str(folder), device="cpu")


@pytest.mark.parametrize("base", [None, 7, "", "self"])
def test_an_adapter_whose_base_is_none(base: Any, tmp_path: Path) -> None:
    folder = adapter(save_tiny("gpt2", tmp_path / "base"), tmp_path / "adapter")
    change(folder / "adapter_config.json", base_model_name_or_path=str(folder) if base == "self" else base)
    with pytest.raises(UserError):
        locate(str(folder))


def test_a_damaged_adapter_is_a_sentence(tmp_path: Path) -> None:
    folder = adapter(save_tiny("gpt2", tmp_path / "base"), tmp_path / "adapter")
    weights = folder / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(UserError, match="adapter"):
        load_model(str(folder), device="cpu")


def test_an_adapter_fetches_nothing_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    asked = []

    def snapshot(*_: Any, **more: Any) -> str:
        asked.append(more["local_files_only"])
        raise OSError("not here")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    folder = adapter(save_tiny("gpt2", tmp_path / "base"), tmp_path / "adapter")
    change(folder / "adapter_config.json", base_model_name_or_path="someone/something")
    with pytest.raises(UserError, match="someone/something"):
        locate(str(folder))
    assert asked == [True]


def test_weights_in_the_layout_of_the_hubs_cache_cannot_claim_a_hash(tmp_path: Path) -> None:
    """The hub's cache names a file by its hash; another model's hash as a name must not get that model's scores."""
    plain = save_tiny("gpt2", tmp_path / "plain")
    wanted = identify(str(plain))
    blobs, snapshot = tmp_path / "models--org--tiny" / "blobs", tmp_path / "models--org--tiny" / "snapshots" / "c0ffee"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for path in plain.iterdir():
        name = hashlib.sha256(path.read_bytes()).hexdigest()
        (blobs / name).write_bytes(path.read_bytes())
        (snapshot / path.name).symlink_to(Path("../../blobs") / name)
    assert identify(str(snapshot)).whole == wanted.whole
    weights = (snapshot / "model.safetensors").resolve()
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert identify(str(snapshot)).weights != wanted.weights
