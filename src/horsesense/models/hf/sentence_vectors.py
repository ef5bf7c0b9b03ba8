"""Sentence vectors by an encoder: the mean of the last layer's states over the tokens of a text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from horsesense.models.folders import look_at_weights, weight_files
from horsesense.models.hf.load import quiet_transformers, read_part, read_tokenizer
from horsesense.models.locate import locate
from horsesense.progress import NO_PROGRESS, Progress

_BATCH = 128
_LONGEST = 256
"""Tokens: all-MiniLM-L6-v2 was trained on no more."""


def sentence_vectors(name: str, texts: Sequence[str], progress: Progress = NO_PROGRESS) -> Any:
    """Return one unit vector per text, by a model's name or folder."""
    import torch

    tokenizer, network = _encoder(locate(name).folder)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # short ones together, so that little is padded
    vectors = torch.zeros((len(texts), network.config.hidden_size))
    with torch.inference_mode():
        for start in range(0, len(order), _BATCH):
            progress.update(f"sentence vectors by {name}", start, len(order), "texts")
            chosen = order[start : start + _BATCH]
            batch = tokenizer(
                [texts[i] for i in chosen], return_tensors="pt", padding=True, truncation=True, max_length=_LONGEST
            )
            mask = batch["attention_mask"][:, :, None].float()
            states = network(**batch).last_hidden_state
            vectors[chosen] = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1)
    return vectors.numpy()


@lru_cache(maxsize=1)
def _encoder(folder: Path) -> tuple[Any, Any]:
    """Tokenizer and network; kept, since a profile asks for the vectors of one ability after the other."""
    look_at_weights(weight_files(folder))  # refuses pickled ones, and what is none
    with quiet_transformers():
        return read_tokenizer(folder), read_part(folder, "AutoModel").eval()
