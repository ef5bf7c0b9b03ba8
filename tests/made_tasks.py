"""Probes of our own making, with or without something that gives the answer away."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from horsesense.records import Card, Item, Probe

COLOURS = ("red", "green", "blue", "white", "black", "brown", "pink", "grey")
SCALE = ("never", "maybe", "always")


def questions(number: int, seed: int, given_away: bool) -> Probe:
    """Three-way questions; where it is given away, the right answer alone has the word "indeed"."""
    lot = random.Random(seed)
    items = []
    for place in range(number):
        options = [f"{lot.choice(COLOURS)} thing {seed}-{place}-{option}" for option in range(3)]
        answer = lot.randrange(3)
        if given_away:
            options[answer] += " indeed"
        items.append(
            Item(
                probe="made",
                form="choice",
                text=f"What colour is thing number {seed}-{place}?",
                options=tuple(options),
                answer=answer,
                family=f"{seed}-{place // 2}",
            )
        )
    return Probe.of(items, Card(name="made"))


def triples(number: int, seed: int) -> Probe:
    """A label on a scale of three that depends on the part alone: even parts never, odd ones always, x9 maybe."""
    lot = random.Random(seed)
    items = []
    for place in range(number):
        part, whole = lot.randrange(20), lot.randrange(50)
        answer = 1 if part % 10 == 9 else 2 * (part % 2)
        about = {"whole": f"w{whole}", "part": f"p{part}", "adjective": lot.choice(COLOURS)}
        items.append(
            Item(
                probe="made",
                form="pair",
                premise=f"The {about['whole']} is {about['adjective']}, number {seed}-{place}.",
                text=f"The {about['part']} is {about['adjective']}.",
                options=SCALE,
                answer=answer,
                ordered=True,
                groups=about,
                facets=about,
            )
        )
    return Probe.of(items, Card(name="made", group="whole"))


def vectors(folder: Path, words: list[str], size: int = 8) -> Path:
    """A file with a random vector for each word."""
    lot = np.random.default_rng(0)
    path = folder / "vectors.txt"
    rows = (f"{word} {' '.join(f'{number:.4f}' for number in lot.normal(size=size))}" for word in words)
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path
