"""Small files in the formats of ConceptNet and ATOMIC, of our own making; a function writes one and gives its path."""

from __future__ import annotations

import json
from pathlib import Path

FACTS = [
    ("CapableOf", "parrot", "talk to sailors"),
    ("CapableOf", "mole", "dig a tunnel"),
    ("NotCapableOf", "mole", "talk to sailors"),
    ("AtLocation", "mole", "garden"),
    ("AtLocation", "cod", "fish market"),
    ("CapableOf", "baker", "knead dough"),
    ("CapableOf", "baker", "x1 %"),
    ("HasProperty", "slate", "brittle"),
    ("HasProperty", "felt", "fluffy"),
]
TRAITS = [
    ("PersonX helps PersonY up the hill", "kind"),
    ("PersonX helps PersonY up the hill", "caring"),
    ("PersonX mocks PersonY's hat", "unkind"),
    ("PersonX meets PersonY for tea", "friendly"),
    ("PersonX waters PersonX's roses", "careful"),
    ("PersonX breaks ___", "careless"),
    ("PersonX gives PersonZ a map", "helpful"),
    ("it rains", "wet"),
    ("PersonX skips lunch", "none"),
]
LISTS = {
    "animals": ["parrot", "mole", "cod"],
    "materials": ["slate", "felt"],
    "occupations": ["baker"],
}


def plain_conceptnet(path: Path) -> Path:
    path.write_text("".join(f"{relation}\t{head}\t{tail}\t2.0\n" for relation, head, tail in FACTS))
    return path


def json_conceptnet(path: Path) -> Path:
    lines = [{"rel": relation, "start": head.title(), "end": tail.title()} for relation, head, tail in FACTS]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def official_conceptnet(path: Path) -> Path:
    lines = []
    for relation, head, tail in FACTS:
        start, end = (f"/c/en/{word.replace(' ', '_')}" for word in (head, tail))
        about = json.dumps({"dataset": "/d/made/up", "weight": 2.0})
        lines.append(f"/a/[/r/{relation}/,{start}/,{end}/]\t/r/{relation}\t{start}/n\t{end}\t{about}\n")
    lines.append('/a/[x]\t/r/IsA\t/c/fr/chat\t/c/en/cat\t{"weight": 1.0}\n')
    path.write_text("".join(lines))
    return path


def official_atomic(path: Path) -> Path:
    rows = ["event,oEffect,xAttr,prefix,split"]
    for event, trait in TRAITS:
        traits = json.dumps([trait]).replace('"', '""')
        rows.append(f'{event},[],"{traits}","[]",trn')
    path.write_text("\n".join(rows) + "\n")
    return path


def preprocessed_atomic(path: Path) -> Path:
    lines = []
    for event, trait in TRAITS:
        named = event.replace("PersonX", "John").replace("PersonY", "Tom").replace("___", "")
        lines.append(f"{named}\txAttr\t{trait}\n")
        lines.append(f"{named}\txWant\tto rest\n")
    path.write_text("".join(lines))
    return path
