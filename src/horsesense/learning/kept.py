"""A training that is done already, read back from its folder."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files import read_text
from horsesense.learning.recipe import Look, Recipe, Trained

_MAY_DIFFER = ("batch", "gather", "device")
"""What memory may have changed, or what says only where."""


def kept_training(folder: Path, recipe: Recipe, items: int) -> Trained | None:
    """The training that a folder holds; None where it holds none, an error where it is another one."""
    path = folder / "training.json"
    if not path.is_file():
        return None
    try:
        values: dict[str, Any] = json.loads(read_text(path))
        own = {field.name for field in fields(Trained)}
        kept = values["recipe"]
        trained = Trained(
            **{name: value for name, value in values.items() if name in own}
            | {
                "recipe": Recipe(**kept | {"marks": tuple(kept["marks"])}),
                "looks": tuple(Look(**look) for look in values["looks"]),
                "best": Look(**values["best"]),
                "losses": tuple((step, loss) for step, loss in values["losses"]),
                "remarks": tuple(values["remarks"]),
                "folder": folder,
            }
        )
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise UserError("the record of the training is damaged", file=path, fix="remove the folder") from error
    wanted = asdict(recipe) | {"lr": recipe.rate}
    other = next(
        (name for name in wanted if name not in _MAY_DIFFER and _plain(wanted[name]) != _plain(kept[name])), None
    )
    if other is not None or trained.items != items:
        told = f"{other} {kept[other]!r}" if other else f"{trained.items:,} items"
        raise UserError(f"the folder holds a training with {told}", file=folder, fix="choose another --out")
    return trained


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
