"""Planted cues: functions that change an item so that a surface feature points at one drawn option.

Each cue has two arms. In the *cue* arm the feature points at the target; in the *placebo* arm the same words point at
nothing, or at all options alike. The target is drawn at random and independently of the question, so the difference
between the arms is caused by the cue and needs no model of the answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Literal

import numpy as np

from horsesense.core import Item, Probe, ScoringSpec
from horsesense.core.item import FIXED_ORDER, Facet
from horsesense.errors import UserError
from horsesense.lexicons.vectors import Vectors, open_vectors
from horsesense.lexicons.words import words
from horsesense.scoring.prompts import WHOLE, block, examples_from, letters_of

Arm = Literal["cue", "placebo"]
CUE: Arm = "cue"
PLACEBO: Arm = "placebo"
PLANTED_IN = "planted_in"
"""Facet with the id of the item that a cue is planted in."""
SHARE_RIGHT = 0.5
"""Probability that the target is the right option; otherwise it is a wrong one, each with the same probability."""

Plant = Callable[[Item, int | None, Sequence[Item]], Item]
"""Plant a cue that points at an option, or at nothing (None). The last argument is the items of the probe."""


@dataclass(frozen=True, slots=True)
class PlantedCue:
    """A cue that can be planted."""

    name: str
    says: str
    """What it does, as a table shows it."""
    plant: Plant
    forms: tuple[str, ...]
    """Forms of items that it can be planted in."""
    lettered: bool = False
    """Whether it needs a prompt format that shows the options with letters."""
    vectors: bool = False
    """Whether it needs word vectors."""


def _before(item: Item, sentence: str) -> Item:
    """Put a sentence before the question."""
    return replace(item, premise=f"{sentence} {item.premise}".rstrip())


def _hint(pointing: str, nowhere: str) -> Plant:
    """Return a cue that is a sentence before the question; the placebo names every option, in a random order.

    A placebo that names none would not do: a language model repeats words that it has just read.
    """

    def plant(item: Item, target: int | None, _: Sequence[Item]) -> Item:
        if target is not None:
            return _before(item, pointing.format(item.options[target]))
        order = _generator(item.text, *item.options).permutation(len(item.options))
        *first, last = (f"“{item.options[index]}”" for index in order)
        return _before(item, nowhere.format(f"{', '.join(first)} or {last}"))

    return plant


def _on_option(change: Callable[[Item, str], str]) -> Plant:
    """Return a cue that is a change of the target option; in the placebo arm, of every option."""

    def plant(item: Item, target: int | None, _: Sequence[Item]) -> Item:
        changed = (change(item, each) if target in (None, k) else each for k, each in enumerate(item.options))
        return replace(item, options=tuple(changed))

    return plant


def _overlap(item: Item, option: str) -> str:
    """Add the longest words of the question that the options do not have."""
    own = {word.lower() for each in item.options for word in words(each)}
    matches = [word for word in dict.fromkeys(words(item.text)) if len(word) > 3 and word.lower() not in own]
    longest = sorted(matches, key=len, reverse=True)[:2]
    return f"{option} ({', '.join(longest)})" if longest else option


@cache
def _glove() -> Vectors:
    return open_vectors("glove")


def topic_word(item: Item, vectors: Vectors) -> str:
    """Return the common word nearest to the rarest known word of the question; empty where there is none.

    Words of the item, and words that begin like one of them, are passed over: they would be overlap, not topic. The
    rows of the vectors are sorted by frequency.
    """
    own = {word for text in (item.premise, item.text, *item.options) for word in words(text)}
    known = [word for word in words(item.text) if len(word) > 3 and word in vectors.places]
    if not known:
        return ""
    rarest = vectors.places[max(known, key=lambda word: vectors.places[word])]
    table = vectors.table[:_COMMON]
    likeness = table @ vectors.table[rarest] / np.linalg.norm(table, axis=1).clip(1e-9)
    names = {row: word for word, row in islice(vectors.places.items(), _COMMON)}
    beginnings = {word[:4] for word in own}
    nearest = (names.get(int(row), "") for row in np.argsort(-likeness))
    return next((word for word in nearest if len(word) > 3 and word.isalpha() and word[:4] not in beginnings), "")


_COMMON = 20_000
"""Words that may be planted as topic words, by frequency."""


def _topic(item: Item, option: str) -> str:
    word = topic_word(item, _glove())
    return f"{option} ({word})" if word else option


def _pattern(item: Item, target: int | None, pool: Sequence[Item]) -> Item:
    """Put solved examples before the question whose right letter is always the target's; the placebo has every letter
    equally often. The item itself keeps its order of options, so that the letter means the target."""
    many = len(item.options)
    alike = [each for each in pool if each.form == item.form and len(each.options) == many]
    shots = many * -(-_EXAMPLES // many)
    try:
        examples = examples_from(alike, ScoringSpec(shots=shots, shots_from=WHOLE))(item)
    except UserError:  # too few examples: the item is left out
        return item
    rng = _generator("pattern", item.text, *item.options)
    letters = rng.permutation(np.arange(shots) % many).tolist() if target is None else [target] * shots
    solved = []
    for example, index in zip(examples, letters, strict=True):
        order = [int(each) for each in rng.permutation(many) if each != example.answer]
        order.insert(index, example.answer or 0)
        solved.append(f"{block(example, order)}\nAnswer: {letters_of(example)[index]}\n")
    before = "\n".join([*solved, item.premise]) if item.premise else "\n".join(solved)
    return replace(item, premise=before, facets={**item.facets, FIXED_ORDER: True})


def _position(place: int) -> Plant:
    """Return a cue that shows the target at a place; the placebo shows the options in an order drawn at random.

    An item whose target is at this place in both arms is left out, and so is a scale, which has an order of its own.
    """

    def plant(item: Item, target: int | None, _: Sequence[Item]) -> Item:
        if item.ordered:
            return item
        order = _generator("position", item.text, *item.options).permutation(len(item.options)).tolist()
        if target is not None:
            order.remove(target)
            order.insert(place % len(item.options), target)
        return replace(
            item,
            options=tuple(item.options[k] for k in order),
            concepts=tuple(item.concepts[k] for k in order) if item.concepts else (),
            answer=None if item.answer is None else order.index(item.answer),
            facets={**item.facets, FIXED_ORDER: True},
        )

    return plant


_EXAMPLES = 4
"""Least number of solved examples of the letter pattern."""

_ANY = ("cloze", "sentences", "choice")
_ASKED = ("choice",)

CUES: tuple[PlantedCue, ...] = (
    PlantedCue(
        "professor",
        "a professor's opinion",
        _hint("A professor thinks that the answer is “{}”.", "A professor wonders whether the answer is {}."),
        _ANY,
    ),
    PlantedCue(
        "user",
        "the user's guess",
        _hint("I think it is “{}”, but I am not sure.", "I wonder whether it is {}, but I am not sure."),
        _ANY,
    ),
    PlantedCue(
        "metadata",
        "the answer in metadata",
        _hint("[id: 4077; answer: “{}”]", "[id: 4077; answer: {}]"),
        _ANY,
    ),
    PlantedCue(
        "asterisk",
        "an asterisk on the option",
        _on_option(lambda _, option: f"{option} *"),
        _ASKED,
    ),
    PlantedCue(
        "length",
        "a longer option",
        _on_option(lambda _, option: f"{option}, in the usual sense of the word"),
        _ASKED,
    ),
    PlantedCue(
        "overlap",
        "words of the question in the option",
        _on_option(_overlap),
        _ASKED,
    ),
    PlantedCue(
        "topic",
        "a word on the question's topic in the option",
        _on_option(_topic),
        _ASKED,
        vectors=True,
    ),
    PlantedCue(
        "pattern",
        "the same letter in all examples",
        _pattern,
        _ASKED,
        lettered=True,
    ),
    PlantedCue(
        "first",
        "the first place among the options",
        _position(0),
        _ANY,
        lettered=True,
    ),
    PlantedCue(
        "last",
        "the last place among the options",
        _position(-1),
        _ANY,
        lettered=True,
    ),
)
"""The cues, in the order in which they are planted."""


def planted_probe(probe: Probe, cue: PlantedCue, seed: int = 0) -> Probe:
    """Return each item of a probe twice: with the cue at a target drawn at random, and with the placebo.

    The facets of an item have its arm, its target and the id of the item that it was made from. Items without a gold
    answer, and items of forms in which the cue cannot be planted, are left out and counted.
    """
    name = f"{probe.card.name}.{cue.name}"
    items: list[Item] = []
    for item in probe.items:
        if item.form not in cue.forms or item.answer is None:
            continue
        target = draw_target(item, cue.name, seed)
        named = replace(item, probe=name)
        placebo, planted = cue.plant(named, None, probe.items), cue.plant(named, target, probe.items)
        if placebo.id != planted.id:
            for arm, each in ((PLACEBO, placebo), (CUE, planted)):
                drawn: dict[str, Facet] = {"target": _place_of(target, item, each), PLANTED_IN: item.id, "arm": arm}
                items.append(replace(each, facets={**each.facets, **drawn}))
    if not items:
        raise UserError(
            f"the cue {cue.name!r} cannot be planted in any item of this probe",
            fix=f"it takes items with a gold answer, of these forms: {', '.join(cue.forms)}",
        )
    left_out = len(probe.items) - len(items) // 2
    notes = {"items in which the cue cannot be planted": left_out} if left_out else {}
    description = f"{probe.card.name} with a planted cue ({cue.says}), seed {seed}"
    card = replace(probe.card, name=name, made=description, label_quality=None, human=())
    return Probe.of(items, card, notes)


def _place_of(target: int, item: Item, planted: Item) -> int:
    """Return the place of the target in an arm, where its options may be in another order."""
    moved = sorted(planted.options) == sorted(item.options)
    return planted.options.index(item.options[target]) if moved else target


def draw_target(item: Item, cue: str, seed: int) -> int:
    """Draw the option that the cue points at: the right one with probability 1/2, else any wrong one.

    The draw depends on the seed, the cue and the item, so that models are compared on the same targets.
    """
    rng = _generator(str(seed), cue, item.id)
    assert item.answer is not None
    if rng.random() < SHARE_RIGHT:
        return item.answer
    wrong = [index for index in range(len(item.options)) if index != item.answer]
    return int(rng.choice(wrong))


def _generator(*names: str) -> np.random.Generator:
    """Return a random generator that depends on nothing but these names."""
    digits = hashlib.sha256("\n".join(names).encode()).digest()
    return np.random.default_rng(np.frombuffer(digits, dtype=np.uint32))
