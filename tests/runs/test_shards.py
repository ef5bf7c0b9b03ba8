"""Batches and shards: by device at first, then by the folder."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from horsesense.core import Card, Item, Probe
from horsesense.runs import shards as module
from horsesense.runs.ask_models import ask_models
from horsesense.runs.shards import sizes
from horsesense.runs.tasks import Settings


def test_a_begun_folder_keeps_its_sizes_on_any_device(
    tmp_path: Path, tiny_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = sizes(tmp_path, "cpu")
    monkeypatch.setattr(module, "choose_device", lambda wanted: (torch.device("cuda"), ""))
    there = sizes(tmp_path, "auto")
    assert there[0] > here[0]
    assert there[1] > here[1]
    assert sizes(tmp_path, "auto", 77) == (77, there[1])
    items = (Item(probe="t", form="choice", text="A stone is", options=("hard", "soft")),)
    probe = Probe(items, Card(name="t", method="t", licence="CC0-1.0", made="by hand"))
    settings = Settings(budget=300, shard=500, device="cpu", cache=False)
    ask_models([str(tiny_folders["gpt2"])], {"t": probe}, tmp_path, settings)
    assert sizes(tmp_path, "auto") == (300, 500)
    # Another one is refused later, with the sentence that the folder has for it.
    assert sizes(tmp_path, "auto", 77) == (77, 500)
