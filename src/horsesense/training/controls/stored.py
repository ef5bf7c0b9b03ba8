"""Fitted controls on disk: their weights are stored beside their answers, so that they can answer other items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import orjson

from horsesense.core import Item
from horsesense.data import read_text, writing
from horsesense.errors import UserError, argument
from horsesense.training.controls.control import ControlTask, Fitted, Weights, control

FILE, ARRAYS = "control.json", "control.safetensors"


@dataclass(frozen=True, slots=True)
class StoredControl:
    """The description of a stored control."""

    name: str
    """Name of the control."""
    seed: int
    vectors: str
    """The word vectors that it was fitted with; they are not stored."""
    train: int
    """Number of training items."""
    words: tuple[str, ...] = ()
    """Its own vocabulary."""


def is_stored(folder: Path) -> bool:
    """Whether a folder holds a fitted control."""
    return (folder / FILE).is_file()


def store_weights(folder: Path, name: str, seed: int, vectors: str, train: int, weights: Weights) -> None:
    """Write the weights of a control into the folder of its answers."""
    import numpy as np
    from safetensors.numpy import save_file

    with writing(folder / ARRAYS) as temporary:
        save_file({key: np.ascontiguousarray(value) for key, value in weights.arrays.items()}, temporary)
    values = {"name": name, "seed": seed, "vectors": vectors, "train": train, "words": list(weights.words)}
    with writing(folder / FILE) as temporary:
        temporary.write_bytes(orjson.dumps(values))


def read_stored(folder: Path) -> tuple[StoredControl, Weights]:
    """Read a control from its folder."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        values = orjson.loads(read_text(folder / FILE))
        values["words"] = tuple(values["words"])
        stored = StoredControl(**values)
        weights = Weights(load_file(folder / ARRAYS), stored.words)
    except (ValueError, KeyError, TypeError, OSError, SafetensorError):
        raise UserError("this is not a fitted control", file=folder, fix="fit it again") from None
    return stored, weights


def answer_with_stored(folder: Path, items: list[Item]) -> tuple[StoredControl, Fitted]:
    """Answer items with a stored control."""
    stored, weights = read_stored(folder)
    fitter = control(stored.name)
    if not fitter.again:
        fix = f"fit it with {argument('train', 'PROBE')} instead"
        raise UserError(f"the control {stored.name} cannot answer other items", file=folder, fix=fix)
    return stored, fitter.answer_again(ControlTask((), (), items, seed=stored.seed, vectors=stored.vectors), weights)
