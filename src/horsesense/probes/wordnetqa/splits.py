"""Which of train, dev and test an item belongs to.

Answer concepts are assigned, so that nothing that is right in training is right in a test. A cluster
stays whole: it goes where most of its answers are, and its questions with other answers are dropped.
Concepts of one branch of the taxonomy go together, which keeps most clusters whole by themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import groupby

import numpy as np

from horsesense.knowledge.graph import Graph
from horsesense.probes.wordnetqa.answers import Question
from horsesense.probes.wordnetqa.plan import Plan

MOST_TRAIN = 3000
_TRAIN = 0.15
"""Share of answer concepts, less where that would be more than 3,000 items."""
_TEST = 0.15
_BRANCHES = 400
"""A branch is the largest part of the taxonomy with at most one in so many of all concepts."""


def split_questions(
    graph: Graph, questions: Sequence[Question], plan: Plan, each: int, rejected: Counter[str]
) -> list[tuple[Question, str]]:
    """Each question with its split; ``each`` is how many items a question will become."""
    train = min(_TRAIN, 0.9 * MOST_TRAIN / max(1, len(questions) * each))
    below = np.diff(graph.down.starts)
    largest = max(1, len(graph) // _BRANCHES)

    @cache
    def split(answer: int) -> str:
        around = [other for other in graph.up.reached(answer) if below[other] <= largest]
        branch = max([answer, *around], key=lambda other: (int(below[other]), -other))
        place = plan.chance("split", graph.ids[branch]).random()
        return "train" if place < train else "test" if place < train + _TEST else "dev"

    found: list[tuple[Question, str]] = []
    used = 0
    for _, cluster in groupby(questions, key=lambda question: question.asked):
        members = list(cluster)
        places = [split(question.answer) for question in members]
        most = max(("test", "train", "dev"), key=places.count)
        kept = [(question, most) for question, place in zip(members, places, strict=True) if place == most]
        rejected["question: its answer is in another split"] += len(members) - len(kept)
        if most == "train":
            used += len(kept) * each
            if used > MOST_TRAIN:
                rejected["question: train is full"] += len(kept)
                continue
        found += kept
    return found
