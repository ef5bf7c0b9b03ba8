"""The trainer against a bare Trainer of transformers on the same examples: processor seconds, and their ratio.

    python bench/training.py [--items 200] [--model FOLDER]

Without a model, a small GPT-2 with random weights is made. Both train the same epoch on the same tokens with the same
batches; neither evaluates a development set more than once.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from horsesense.core import Item
from horsesense.models.hf.trainable import as_language_model, open_for_training
from horsesense.training.objectives import objective_of
from horsesense.training.trainer import train_model
from horsesense.training.training_record import Recipe


def made(folder: Path) -> Path:
    """A GPT-2 of 6 layers and 256 dimensions over a byte tokenizer."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate([*letters, "<|endoftext|>"])}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    name = "<|endoftext|>"
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=name, eos_token=name, pad_token=name)
    config = GPT2Config(n_embd=256, n_layer=6, n_head=4, n_positions=256, vocab_size=len(wrapped))
    GPT2LMHeadModel(config).save_pretrained(folder)
    wrapped.save_pretrained(folder)
    return folder


def bare(model: str, items: list[Item], recipe: Recipe) -> float:
    """A plain Trainer with the network's own loss."""
    from transformers import PrinterCallback, Trainer

    from horsesense.training.transformers_trainer import arguments

    began = time.process_time()
    objective = objective_of("causal")
    opened = open_for_training(model, "causal")
    asked = as_language_model(opened, opened.network, "causal")
    examples = objective.losses.examples(items, asked, "causal")
    plain = arguments(recipe, Path(tempfile.mkdtemp()), len(examples), False)
    plain.eval_strategy = "no"

    def collate(batch: Any) -> Any:
        return objective.losses.collate(batch, opened.tokenizer, "causal")

    trainer = Trainer(model=opened.network, args=plain, train_dataset=examples, data_collator=collate)
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--model", default="")
    given = parser.parse_args()
    model = given.model or str(made(Path(tempfile.mkdtemp())))
    text = "kettle {0} is made of iron and feather {0} is not, so kettle {0} is ___ heavy than feather {0}"
    items = [
        Item(probe="bench", form="cloze", text=text.format(n), options=("less", "more"), answer=1)
        for n in range(given.items)
    ]
    recipe = Recipe(objective="causal", epochs=1, batch=8, device="cpu", patience=0)
    times: dict[str, list[float]] = {"bare": [], "ours": []}
    for _ in range(2):
        times["bare"].append(bare(model, items, recipe))
        began = time.process_time()
        train_model(model, items, items[:1], recipe)
        times["ours"].append(time.process_time() - began)
    best = {name: min(values) for name, values in times.items()}
    print(f"bare Trainer {best['bare']:.2f} s, ours {best['ours']:.2f} s, both with opening and tokenising")
    print(f"ratio {best['ours'] / best['bare']:.3f}")


if __name__ == "__main__":
    main()
