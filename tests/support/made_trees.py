"""A taxonomy and a dictionary of our own making, of invented words: no two begin alike, so none gives another away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random


def invented(seed: int = 0) -> Iterator[str]:
    """Words that nobody has seen, each with a beginning of its own."""
    chance, seen = Random(seed), set()
    while True:
        letters = [chance.choice("bdfgjklmnprtv" if place % 2 == 0 else "aiou") for place in range(6)]
        word = "".join(letters) + "k"
        if word[:3] not in seen:
            seen.add(word[:3])
            yield word


def write_tree(path: Path, branches: int = 12) -> Path:
    """thing → branches → two kinds each → two kinds each; the examples have the plural."""
    lines = ["# licence: CC0-1.0", "lemma\tthing\tthing", "definition\tthing\tall there is"]
    words = invented()
    for _ in range(branches):
        top = next(words)
        lines += _concept(top, "thing", words)
        for _ in range(2):
            middle = next(words)
            lines += _concept(middle, top, words)
            for _ in range(2):
                lines += _concept(next(words), middle, words)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _concept(name: str, parent: str, words: Iterator[str]) -> list[str]:
    return [
        f"lemma\t{name}\t{name}",
        f"pos\t{name}\tn",
        f"definition\t{name}\t{next(words)} {next(words)}",
        f"example\t{name}\tshe saw many {name}s there",
        f"isa\t{name}\t{parent}",
    ]


def write_dictionary(path: Path, size: int = 24) -> Path:
    """Words with three senses each, the third without an example."""
    lines = []
    words = invented()
    for _ in range(size):
        word = next(words)
        for sense in (1, 2, 3):
            name = f"{word}.n.{sense}"
            lines += [
                f"lemma\t{name}\t{word}",
                f"pos\t{name}\tn",
                f"definition\t{name}\tof {next(words)} {next(words)}",
            ]
            lines += [f"example\t{name}\twe like our {word}s best"] if sense < 3 else []
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
