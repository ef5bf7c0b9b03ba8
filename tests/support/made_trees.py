"""A taxonomy of our own making: a tree of invented things, each with a word, a definition and an example."""

from __future__ import annotations

from pathlib import Path

NAMES = ("blim", "crat", "dorl", "fesk", "gumo", "hapt", "jurn", "kibe", "lonz", "mard", "nisp", "orvo")


def write_tree(path: Path, branches: int = 6) -> Path:
    """thing → branches → two kinds each → two kinds each; the examples have the plural."""
    lines = ["# licence: CC0-1.0", "lemma\tthing\tthing", "definition\tthing\tall there is"]
    for branch in range(branches):
        top = NAMES[branch]
        lines += _concept(top, "thing", f"first of sort {branch}")
        for kind in "ab":
            middle = f"{top}{kind}"
            lines += _concept(middle, top, f"second of sort {branch} {kind}")
            for leaf in "xy":
                lines += _concept(f"{middle}{leaf}", middle, f"third of sort {branch} {kind} {leaf}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _concept(name: str, parent: str, definition: str) -> list[str]:
    return [
        f"lemma\t{name}\t{name}",
        f"pos\t{name}\tn",
        f"definition\t{name}\t{definition}",
        f"example\t{name}\tshe saw many {name}s there",
        f"isa\t{name}\t{parent}",
    ]


def write_dictionary(path: Path) -> Path:
    """Words with three senses each, the third without an example."""
    lines = []
    for number, first in enumerate(NAMES):
        for last in "tk":
            word = f"{first}{last}"
            for sense in (1, 2, 3):
                name = f"{word}.n.{sense}"
                lines += [
                    f"lemma\t{name}\t{word}",
                    f"pos\t{name}\tn",
                    f"definition\t{name}\tno {sense} of {number} {last}",
                ]
                lines += [f"example\t{name}\twe like our {word}s best"] if sense < 3 else []
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
