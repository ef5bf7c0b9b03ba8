"""A fitted control kept as a model: what it has learned lies beside its answers, and it can be asked other items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import orjson

from horsesense.core import Item
from horsesense.data import read_text, writing
from horsesense.errors import UserError, argument
from horsesense.training.controls.control import Fitted, Task, Weights, control

FILE, ARRAYS = "control.json", "control.safetensors"


@dataclass(frozen=True, slots=True)
class KeptControl:
    """A control as its folder has it."""

    name: str
    """Which control it is."""
    seed: int
    vectors: str
    """The word vectors that it was fitted with; they are not kept."""
    train: int
    """Items that it was trained on."""
    words: tuple[str, ...] = ()
    """Words of its own."""


def is_kept(folder: Path) -> bool:
    """Whether a folder holds a fitted control."""
    return (folder / FILE).is_file()


def keep_weights(folder: Path, name: str, seed: int, vectors: str, train: int, weights: Weights) -> None:
    """Write what a control has learned into the folder of its answers."""
    import numpy as np
    from safetensors.numpy import save_file

    with writing(folder / ARRAYS) as temporary:
        save_file({key: np.ascontiguousarray(value) for key, value in weights.arrays.items()}, temporary)
    values = {"name": name, "seed": seed, "vectors": vectors, "train": train, "words": list(weights.words)}
    with writing(folder / FILE) as temporary:
        temporary.write_bytes(orjson.dumps(values))


def read_kept(folder: Path) -> tuple[KeptControl, Weights]:
    """A control out of its folder."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        values = orjson.loads(read_text(folder / FILE))
        values["words"] = tuple(values["words"])
        kept = KeptControl(**values)
        weights = Weights(load_file(folder / ARRAYS), kept.words)
    except (ValueError, KeyError, TypeError, OSError, SafetensorError):
        raise UserError("this is not a fitted control", file=folder, fix="fit it again") from None
    return kept, weights


def ask_kept(folder: Path, items: list[Item]) -> tuple[KeptControl, Fitted]:
    """The answers of a kept control to items that it may never have seen."""
    kept, weights = read_kept(folder)
    fitter = control(kept.name)
    if not fitter.again:
        fix = f"fit it with {argument('train', 'PROBE')} instead"
        raise UserError(f"the control {kept.name} cannot be asked again", file=folder, fix=fix)
    return kept, fitter.ask_again(Task((), (), items, seed=kept.seed, vectors=kept.vectors), weights)
