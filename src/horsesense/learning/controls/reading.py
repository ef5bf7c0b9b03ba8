"""Questions and options as numbers of words, and the vectors that the numbers stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from horsesense.errors import UserError
from horsesense.language.vectors import open_vectors
from horsesense.language.words import words
from horsesense.learning.controls.task import Task
from horsesense.records import Item

if TYPE_CHECKING:
    import torch

PAD, UNKNOWN = 0, 1
_LONGEST = 60
"""Words of a text that are read; only a few definitions are longer."""
_FEWEST = 2
"""How often a word must occur in training to get an embedding of its own."""
_FROM_SCRATCH = 50
"""Dimensions of embeddings that are trained from nothing."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some items: their questions, and all their options in one flat list."""

    questions: torch.Tensor
    """Items × words."""
    options: torch.Tensor
    """Options of all items × words."""
    owners: torch.Tensor
    """For each option, the number of its item in the batch."""
    golds: torch.Tensor
    """For each item, the row of its right option; -1 without a gold."""


class Reader:
    """Turns items into numbers; the words are those of the vectors, or those that training has often enough."""

    def __init__(self, task: Task) -> None:
        everything = [*task.train, *task.dev, *task.test]
        needed = {word for item in everything for text in _texts(item) for word in words(text)}
        lot = np.random.default_rng(task.seed)
        self.from_scratch = task.vectors == "none"
        if self.from_scratch:
            counts = Counter(word for item in task.train for text in _texts(item) for word in words(text))
            known = sorted(word for word, number in counts.items() if number >= _FEWEST)
            table = lot.normal(0, 0.1, (len(known), _FROM_SCRATCH)).astype(np.float32)
            self.told = "embeddings trained from scratch"
        else:
            vectors = open_vectors(task.vectors, needed)
            known, table, self.told = list(vectors.places), vectors.table, vectors.described
        if not known:
            raise UserError("no word of the probe is known", fix="give other --vectors, or a larger training set")
        self._numbers = {word: number for number, word in enumerate(known, start=2)}
        # An unknown word gets a small vector of its own, which training may move.
        self.table = np.concatenate([np.zeros((1, table.shape[1])), lot.normal(0, 0.1, (1, table.shape[1])), table])
        self.unknown = sum(word not in self._numbers for word in needed)
        self._cut = {item.id: [self._cut_up(text) for text in _texts(item)] for item in everything}

    def _cut_up(self, text: str) -> list[int]:
        return [self._numbers.get(word, UNKNOWN) for word in words(text)[:_LONGEST]] or [UNKNOWN]

    def batch(self, items: Sequence[Item]) -> Batch:
        import torch

        golds, owners, options, start = [], [], [], 0
        for number, item in enumerate(items):
            golds.append(-1 if item.answer is None else start + item.answer)
            owners += [number] * len(item.options)
            options += self._cut[item.id][1:]
            start += len(item.options)
        questions = [self._cut[item.id][0] for item in items]
        return Batch(_padded(questions), _padded(options), torch.tensor(owners), torch.tensor(golds))


def _texts(item: Item) -> list[str]:
    return [f"{item.premise} {item.text}".strip(), *item.options]


def _padded(rows: Sequence[Sequence[int]]) -> torch.Tensor:
    import torch

    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])
