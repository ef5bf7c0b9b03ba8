"""What a training leaves: weights as safetensors, a tokenizer, a card, and a record of how it went."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from horsesense.files import disk_errors, writing
from horsesense.learning.objectives import Objective
from horsesense.learning.recipe import Trained
from horsesense.models.local.parts import quiet_transformers
from horsesense.models.local.trainable import Opened


def save_trained(folder: Path, network: Any, opened: Opened, trained: Trained, objective: Objective) -> None:
    """The kept weights as safetensors, the tokenizer, and a card; an adapter is saved as one."""
    with disk_errors(folder), quiet_transformers():
        if hasattr(network, "peft_config"):
            for settings in network.peft_config.values():
                there = Path(opened.name).expanduser()
                settings.base_model_name_or_path = str(there.resolve()) if there.exists() else opened.name
            if opened.new:
                # An adapter on a head that is in no file could not be loaded again; it is put into the weights.
                network = network.merge_and_unload()
        network.save_pretrained(folder)
        opened.tokenizer.save_pretrained(folder)
    with writing(folder / "training.json") as temporary:
        temporary.write_text(json.dumps(_card(opened, trained), indent=2, default=str) + "\n", encoding="utf-8")
    with writing(folder / "README.md") as temporary:
        temporary.write_text(_readme(opened, trained, objective), encoding="utf-8")


def _card(opened: Opened, trained: Trained) -> dict[str, Any]:
    values = asdict(trained) | {"base": opened.name, "base_weights": opened.weights, "new": list(opened.new)}
    values["recipe"]["lr"] = trained.recipe.rate
    return values


def _readme(opened: Opened, trained: Trained, objective: Objective) -> str:
    recipe = trained.recipe
    how = "an adapter (LoRA)" if recipe.lora else "all weights"
    lines = [
        "---",
        f"base_model: {opened.name}",
        "tags: [horsesense]",
        "---",
        "",
        f"# {opened.name}, trained by {objective.name}",
        "",
        f"Trained by horsesense to {objective.about}: {how}, {trained.items:,} items, at most {recipe.epochs:g} "
        f"epochs, learning rate {recipe.rate:g}, {recipe.batch * recipe.gather} items a step, seed {recipe.seed}.",
        "",
        f"Kept: step {trained.best.step}, {trained.best.accuracy:.3f} right on the development set; {trained.stopped}.",
        "",
        *(f"- {remark}" for remark in trained.remarks),
        "",
        "All settings, looks and losses are in training.json.",
    ]
    return "\n".join(lines) + "\n"
