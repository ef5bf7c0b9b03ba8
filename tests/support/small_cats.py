"""A small release of CATs of our own making: schemas, conjunctions made from them, robust pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

SEP = "\x01"
WSC = [
    ("0", "The jar hit the cup because the jar fell.", "The jar hit the cup because the cup fell."),
    ("1", "Ida saw Ruth when ida left.", "Ida saw Ruth when ruth left."),
    ("0", "A stone broke the pot since the stone was hard.", "A stone broke the pot since the pot was hard."),
]
CA = [
    ("0", WSC[0][1], "The jar hit the cup and the jar fell."),
    ("1", "Ida saw Ruth before ruth left.", WSC[1][2]),
]
ADD = [
    ("1", "a pan is for naps", "a pan is for frying", "0", "a pan is not for naps", "a pan is not for frying"),
    ("0", "ice is cold", "ice is warm", "1", "ice is never cold", "ice is never warm"),
    ("0", "milk is white", "milk is loud", "1", "milk is not white", "milk is not loud"),
]


def lay(folder: Path, name: str, rows: Sequence[tuple[str, ...]]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(SEP.join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def lay_all(folder: Path) -> Path:
    """The folder, with two general sets and a robust one."""
    lay(folder, "general/wsc.txt", WSC)
    lay(folder, "general/ca.txt", CA)
    lay(folder, "robust/add.txt", ADD)
    return folder
