"""A GGUF becomes a folder once, with the same weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from horsesense.data import cache_folder
from horsesense.errors import UserError
from horsesense.models import gguf
from horsesense.models.gguf import convert_gguf
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.locate import bundled_folder


def test_the_folder_has_the_weights_of_the_file(bundled: LanguageModel) -> None:
    """Dequantised by the gguf package, tensor by tensor, beside what the folder loads."""
    from gguf import GGUFReader
    from gguf.quants import dequantize

    (path,) = bundled_folder("smollm2").glob("*.gguf")
    kept = bundled.network.state_dict()
    tensors = {tensor.name: tensor for tensor in GGUFReader(str(path)).tensors}
    pairs = {
        "token_embd.weight": "model.embed_tokens.weight",
        "blk.3.ffn_down.weight": "model.layers.3.mlp.down_proj.weight",
        "blk.29.attn_v.weight": "model.layers.29.self_attn.v_proj.weight",
        "output_norm.weight": "model.norm.weight",
    }
    for name, ours in pairs.items():
        wanted = dequantize(tensors[name].data, tensors[name].tensor_type)
        assert np.array_equal(kept[ours].numpy(), wanted.reshape(kept[ours].shape)), name
    assert bundled.parameters == 134_515_008


def test_it_is_converted_once(smollm2: str) -> None:
    (path,) = bundled_folder("smollm2").glob("*.gguf")
    folder = convert_gguf(path)
    before = (folder / "model.safetensors").stat().st_mtime_ns
    assert convert_gguf(path) == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == before


@pytest.mark.parametrize("content", [b"", b"GGU", b"not a model at all", b"GGUF" + bytes(60), b"GGUF\x03\x00\x00\x00"])
def test_damaged_files_are_told_and_leave_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(UserError) as told:
        convert_gguf(path)
    assert str(told.value).startswith(f"{path}: ")
    left = list(cache_folder("converted").glob(".*.part")) if cache_folder("converted").is_dir() else []
    assert left == []


def test_what_is_too_large_to_convert_is_asked_through_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand parameters take 8,000 bytes: refused on a machine with fewer, begun on one with as many."""
    from gguf import GGUFWriter

    path = tmp_path / "large.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_tensor("output.weight", np.zeros((10, 100), dtype=np.float32))
    for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file, writer.close):
        step()
    monkeypatch.setattr(gguf, "_memory", lambda: 7_999.0)
    with pytest.raises(UserError, match=r"to be converted, .*llama-server -m large\.gguf --port 8080"):
        convert_gguf(path)
    monkeypatch.setattr(gguf, "_memory", lambda: 8_000.0)
    with pytest.raises(UserError, match="cannot be read"):
        convert_gguf(path)
    part = path.rename(tmp_path / "large-00001-of-00003.gguf")
    with pytest.raises(
        UserError, match=r"several GGUF files .*; serve it \(llama-server -m large-00001-of-00003\.gguf"
    ):
        convert_gguf(part)
