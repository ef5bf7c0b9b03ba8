"""Pick pictures of pairs, with boxes around whole and part (section 4.1), from the files of Visual Genome."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import orjson
from annotated_types import Ge

from horsesense.core import Probe
from horsesense.core.document import Document
from horsesense.data import json_elements, write_file
from horsesense.errors import UserError, translate_errors
from horsesense.methods.partwhole.pairs import PREDICATES, Pair, in_visual_genome, noun_of


@dataclass(frozen=True, slots=True)
class PairPictures(Document):
    """Pictures that were picked for pairs of whole and part."""

    out: Path
    """File for a study: one picture and its boxes per row."""
    pairs: int
    """Number of pairs in the items."""
    with_pictures: int
    """Number of pairs with enough pictures."""
    without: tuple[str, ...]
    """Pairs without pictures, as "whole, part"."""
    images: tuple[str, ...]
    """Picture files that the folder of the study needs."""


@translate_errors()
def pick_pictures(
    probe: Probe | str | Path,
    *,
    relationships: str | Path,
    images: str | Path,
    out: str | Path,
    per_pair: Annotated[int, Ge(1)] = 3,
    seed: Annotated[int, Ge(0)] = 0,
) -> PairPictures:
    """Pick pictures for annotators, with boxes around whole and part (section 4.1).

    Args:
        probe: Name or file of a probe of triples. In Python, also a `Probe`.
        relationships: File relationships.json of Visual Genome.
        images: File image_data.json of Visual Genome.
        out: File pictures.jsonl, for the folder of a study, together with the pictures.
        per_pair: Number of pictures per pair.
        seed: Random seed.

    Returns:
        The number of pairs with pictures, and the image files that are needed.
    """
    from horsesense.core.catalogue import as_probe

    if per_pair < 1:
        raise UserError(f"{per_pair} pictures per pair are not possible", fix="ask for 1 or more")
    items = as_probe(probe).items
    wanted = {(item.groups["whole"], item.groups["part"]) for item in items if {"whole", "part"} <= set(item.groups)}
    if not wanted:
        raise UserError("the items have no whole and part", fix="give part-whole triples")
    seen = _seen(Path(relationships), wanted)
    sizes = _sizes(Path(images))
    draw = random.Random(seed)
    rows, without, full = [], [], 0
    for pair in sorted(wanted):
        candidates = [row for row in seen.get(pair, ()) if row[0] in sizes]
        if not candidates:
            without.append(", ".join(pair))
        chosen = draw.sample(candidates, min(per_pair, len(candidates)))
        full += len(chosen) == per_pair
        rows += [_row(pair, image, boxes, sizes[image]) for image, boxes in chosen]
    write_file(Path(out), b"".join(orjson.dumps(row) + b"\n" for row in rows))
    files = tuple(sorted({str(row["file"]) for row in rows}))
    return PairPictures(Path(out), len(wanted), full, tuple(without), files)


Boxes = tuple[Mapping[str, float], Mapping[str, float]]


def _seen(path: Path, wanted: Collection[Pair]) -> dict[Pair, list[tuple[int, Boxes]]]:
    """Return the pictures of each pair, once each, with the boxes of whole and part."""
    by_pair: dict[Pair, dict[int, Boxes]] = {}
    with in_visual_genome(path, "relationships"):
        for picture in json_elements(path):
            for relation in picture["relationships"]:
                if " ".join(relation["predicate"].lower().split()) in PREDICATES["have"]:
                    whole, part = relation["subject"], relation["object"]
                    pair = noun_of(whole, {}), noun_of(part, {})
                    if pair in wanted:
                        by_pair.setdefault(pair, {}).setdefault(int(picture["image_id"]), (_box(whole), _box(part)))
    return {pair: sorted(pictures.items()) for pair, pictures in by_pair.items()}


def _box(thing: Mapping[str, Any]) -> Mapping[str, float]:
    return {"x": thing["x"], "y": thing["y"], "width": thing["w"], "height": thing["h"]}


def _sizes(path: Path) -> dict[int, tuple[int, int]]:
    try:
        return {int(each["image_id"]): (int(each["width"]), int(each["height"])) for each in json_elements(path)}
    except (KeyError, TypeError, ValueError) as error:
        fix = "give image_data.json of Visual Genome, unpacked"
        raise UserError(f"a picture has no size ({error!r})", file=path, fix=fix) from None


def _row(pair: Pair, image: int, boxes: Boxes, size: tuple[int, int]) -> dict[str, object]:
    framed = [{"name": name, **box} for name, box in zip(pair, boxes, strict=True)]
    where = {"whole": pair[0], "part": pair[1]}
    return {"file": f"{image}.jpg", "width": size[0], "height": size[1], "boxes": framed, "where": where}
