"""Probes of our own making, with or without something that gives the answer away."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from horsesense.core import Card, Item, Probe

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


def short_questions(number: int, seed: int) -> Probe:
    """Two-way questions in which one word is always right, short enough to show their options to a tiny model."""
    items = [
        Item(
            probe="made",
            form="choice",
            text=f"{seed}-{place}?",
            options=("fire", "ice"),
            answer=1,
            family=f"{seed}-{place}",
        )
        for place in range(number)
    ]
    return Probe.of(items, Card(name="made"))


def triples(number: int, seed: int) -> Probe:
    """A label on a scale of three that depends on the part alone: even parts never, odd ones always, x9 maybe.

    No triple stands in a set of an odd and in one of an even seed.
    """
    lot = random.Random(seed)
    items = []
    for place in range(number):
        part, whole = lot.randrange(20), lot.randrange(50)
        answer = 1 if part % 10 == 9 else 2 * (part % 2)
        about = {"whole": f"w{whole}", "part": f"p{part}", "adjective": lot.choice(COLOURS[seed % 2 :: 2])}
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


def clozes(number: int, seed: int, right: str = "faster") -> Probe:
    """Statements about numbered kettles in which one word is always right: any model can learn it."""
    items = [
        Item(
            probe="made",
            form="cloze",
            text=f"The kettle {seed} {place} is ___ than the stove.",
            options=("faster", "heavier"),
            answer=("faster", "heavier").index(right),
            family=f"{seed} {place}",
            facets={"comparative": right},
        )
        for place in range(number)
    ]
    return Probe.of(items, Card(name="made", normalise="sum"))


def statements(number: int, seed: int) -> Probe:
    """RICA's shape: two made-up names, an axiom."""
    lot = random.Random(seed)
    items = []
    for place in range(number):
        one, other = ("".join(lot.choice("bdgklmnprtvz") for _ in range(7)) for _ in range(2))
        word = lot.choice(("more", "less"))
        thing = f"{seed}x{place // 3}"
        items.append(
            Item(
                probe="made",
                form="cloze",
                text=f"{one} is stone {thing} and {other} is feather {thing}, so {one} is ___ heavy than {other}",
                options=("less", "more"),
                answer=("less", "more").index(word),
                family=f"{one} {other}",
                groups={"axiom": f"axiom {seed} {place // 3}"},
                facets={"comparative": word},
            )
        )
    return Probe.of(items, Card(name="made", normalise="sum", group="axiom"))


def schemas(number: int) -> Probe:
    """WinoVenti's shape: a generic and an exception of each schema."""
    items = []
    for place in range(number):
        for test, answer in (("generic", 0), ("exception", 1)):
            context = "sweet" if test == "generic" else "rotten"
            items.append(
                Item(
                    probe="made",
                    form="cloze",
                    text=f"The fruit number {place} was {context}. The fruit is ___.",
                    options=("edible", "harmful"),
                    answer=answer,
                    family=f"schema {place}",
                    member=test,
                    groups={"noun": f"noun {place // 2}"},
                    facets={"test": test},
                )
            )
    return Probe.of(items, Card(name="made", normalise="sum", group="noun"))
