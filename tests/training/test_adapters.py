"""An adapter folder is a model name; a bad one is told in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from horsesense.errors import UserError
from horsesense.models.hf.load import load_model
from horsesense.models.hf.trainable import open_for_training
from horsesense.training.transformers_trainer import with_adapter
from tests.support.tiny import save_tiny


def test_an_adapter_is_put_into_its_base(tmp_path: Path) -> None:
    base, folder = save_tiny("llama", tmp_path / "base"), tmp_path / "adapter"
    opened = open_for_training(str(base), "causal")
    network = with_adapter(opened.network, seed=0)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if "lora_B" in name:
                parameter.normal_(0, 0.3)
    network.eval()
    ids = torch.tensor([[1, 7, 9, 12, 30]])
    with torch.inference_mode():
        expected = network(input_ids=ids).logits
        plain = load_model(str(base), device="cpu").network(input_ids=ids).logits
    network.peft_config["default"].base_model_name_or_path = str(base)
    network.save_pretrained(folder)
    model = load_model(str(folder), device="cpu")
    with torch.inference_mode():
        found = model.network(input_ids=ids).logits
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    assert not torch.allclose(found, plain, atol=1e-2), "the adapter changes what the model says"
    settings = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(
        json.dumps(settings | {"base_model_name_or_path": str(tmp_path / "gone")})
    )
    with pytest.raises(UserError, match="there is no such model folder"):
        load_model(str(folder))
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(UserError, match=r"not say which model"):
        load_model(str(folder))
    (folder / "adapter_model.safetensors").unlink()
    with pytest.raises(UserError, match=r"the adapter has no adapter_model\.safetensors"):
        load_model(str(folder))
