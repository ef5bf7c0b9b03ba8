"""Pictures beside a question, with labelled boxes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horsesense.annotate.study import PICTURES
from horsesense.core import Item, Probe
from horsesense.data.tables import iter_rows
from horsesense.errors import UserError

FOLDER = "pictures"
KINDS: Mapping[str, str] = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Box:
    """A bounding box in pixels."""

    name: str
    """Label of the box, such as the whole or the part."""
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture with its boxes."""

    file: str
    """File name in the folder ``pictures`` of the study."""
    width: int
    height: int
    boxes: tuple[Box, ...] = ()

    @property
    def description(self) -> str:
        """Alternative text."""
        return "A picture with " + " and ".join(f"a {box.name}" for box in self.boxes) if self.boxes else "A picture"


def read_pictures(folder: Path, probes: Mapping[str, Probe]) -> dict[str, tuple[Picture, ...]]:
    """Read the pictures of each item from ``pictures.jsonl``; none if the study has no such file.

    A row has file, width, height, boxes, and either ``item`` or ``where``: facets that an item must have, such as
    whole and part.
    """
    file = folder / PICTURES
    if not file.is_file():
        return {}
    items = [item for probe in probes.values() for item in probe.items]
    pictures: dict[str, list[Picture]] = {}
    for line, row in iter_rows(file):
        try:
            picture, where = _picture(folder, row), _where(row)
        except (KeyError, TypeError, ValueError):
            raise UserError(
                "this is not a picture", file=file, line=line, fix="give file, width, height, boxes, and item or where"
            ) from None
        except UserError as error:
            raise error.at(file, line) from None
        for item in items:
            if where(item):
                pictures.setdefault(item.id, []).append(picture)
    return {item: tuple(of_item) for item, of_item in pictures.items()}


def _picture(folder: Path, row: Mapping[str, Any]) -> Picture:
    name = row["file"]
    if not isinstance(name, str) or not _NAME.fullmatch(name) or Path(name).suffix.lower() not in KINDS:
        raise UserError(
            f"the name {name!r} is not the name of a picture", fix=f"use a plain name with {', '.join(KINDS)}"
        )
    if not (folder / FOLDER / name).is_file():
        raise UserError(f"there is no picture {name!r}", fix=f"put it into the folder {FOLDER}")
    boxes = tuple(
        Box(str(box["name"]), *(float(box[side]) for side in ("x", "y", "width", "height")))
        for box in row.get("boxes", ())
    )
    return Picture(name, int(row["width"]), int(row["height"]), boxes)


def _where(row: Mapping[str, Any]) -> Callable[[Item], bool]:
    """Return a function that selects the items of a picture."""
    if "item" in row:
        return lambda item: bool(row["item"] == item.id)
    facets = dict(row["where"])
    return lambda item: all(str(item.facets.get(name)) == str(value) for name, value in facets.items())
