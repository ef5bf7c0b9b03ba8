"""Small sources in the formats of the large ones, of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def relationships(path: Path) -> Path:
    """Four pictures: the jeep has a tyre in three of them, twice in one; a lamp has a shade in one."""

    def relation(subject: str, predicate: str, thing: str) -> dict[str, Any]:
        # Some versions of the official file give a list of names.
        return {"predicate": predicate, "subject": {"name": subject}, "object": {"names": [thing]}}

    pictures = [
        [relation("jeep", "has", "tire"), relation("Jeeps", "HAS", "tires"), relation("lamp", "has", "shade")],
        [relation("jeep", "has a", "tire"), relation("tree", "near", "jeep")],
        [relation("jeep", "has", "tire"), relation("jeep", "has", "jeep")],
        [relation("tire", "of", "jeep"), relation("lamp", "has", "big round shade")],
    ]
    listed = [{"image_id": n, "relationships": each} for n, each in enumerate(pictures)]
    path.write_text(json.dumps(listed), encoding="utf-8")
    return path


def attributes(path: Path) -> Path:
    """What is said of jeeps and tyres; ``first``, ``awake`` and ``parked car`` are for the rules to reject."""
    of_jeep = ["old", "red", "green", "muddy", "first", "awake", "parked car"]
    things = [
        {"names": ["jeep"], "attributes": of_jeep},
        {"names": ["jeep"], "attributes": ["old", "Red "]},
        {"names": ["tire"], "attributes": ["old", "red", "green"]},
        {"names": ["lamp"], "attributes": ["white"]},
        {"names": ["sky"]},
    ]
    path.write_text(json.dumps([{"image_id": 1, "attributes": things}]), encoding="utf-8")
    return path


def ngrams(path: Path) -> Path:
    """Arcs: an old jeep 70 times, a jeep that is somebody's 9 times, and/or as a word."""
    lines = [
        "jeep\told/JJ/amod/2 jeep/NN/pobj/0\t70\t1990,30\t2000,40",
        "jeeps\trusty/JJ/amod/2 jeeps/NNS/pobj/0\t5\t1990,5",
        "jeep\this/PRP$/poss/2 jeep/NN/dobj/0\t9\t1990,9",
        "tire\told/JJ/amod/3 and/or/CC/cc/3 tire/NN/dobj/0\t4\t1990,4",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def text(path: Path) -> Path:
    """Sentences, one a line."""
    lines = [
        "He drove an old jeep to the lake.",
        "Two muddy jeeps stood there.",
        "The jeep is very old.",
        "The paint on the jeep is red.",
        "I have never seen a rusty jeep.",
        "The tire was muddy.",
        "That is an older jeep than mine.",
        "An old boat-cloak lay there.",
        "A jeep dealer sold the green jeep door.",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
