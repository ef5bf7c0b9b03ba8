"""Controls that only count: a random guess, the most frequent answer, the same per slot value, the best surface cue."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from horsesense.core import Item
from horsesense.errors import UserError, argument
from horsesense.training.controls.control import ControlTask, Fitted, accuracy_on, kinds, slot_value

_UNSEEN = 1e-6


def guess(task: ControlTask) -> Fitted:
    """Guess at random, by the item's id and the seed: the order of items does not matter."""
    scores = []
    for item in task.test:
        rng = random.Random(f"{task.seed} {item.id}")
        scores.append(tuple(rng.random() for _ in item.options))
    return Fitted(scores, "a random guess")


def majority(task: ControlTask) -> Fitted:
    """Take the most frequent answer of training: a label if there is a label set, else a position."""
    answers = _Answered(task.train)
    scores = [_scores(_names(item, answers), Counter(), answers.counts) for item in task.test]
    return Fitted(scores, f"the most frequent {answers.what} of training")


def majority_per_slot(task: ControlTask) -> Fitted:
    """Take the most frequent answer among training items with the same slot values.

    Ties and unseen values go to the answer that is more frequent in training. Without a slot, the one that does best on
    the development set is taken.
    """
    if not task.slots:
        return _best_slot(task)
    answers = _Answered(task.train)
    beside: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for item in task.train:
        beside[_values(item, task.slots)][answers.right(item)] += 1
    places = [_values(item, task.slots) for item in task.test]
    scores = [
        _scores(_names(item, answers), beside.get(place, Counter()), answers.counts)
        for item, place in zip(task.test, places, strict=True)
    ]
    unseen = sum(place not in beside for place in places)
    method = f"the commonest {answers.what} beside the same {' and '.join(task.slots)} in training"
    return Fitted(scores, method, {"items with an unseen value": unseen})


def _best_slot(task: ControlTask) -> Fitted:
    slots = [name for name in ("part", "whole", "adjective") if all(name in item.facets for item in task.train)]
    if not slots:
        raise UserError(
            "there is no slot to count by", fix=f"give {argument('slots')} with the name of a facet or a group"
        )
    choices = [(slot,) for slot in slots] + ([("part", "adjective")] if {"part", "adjective"} <= set(slots) else [])

    def on_dev(choice: tuple[str, ...]) -> float:
        fitted = majority_per_slot(replace(task, slots=choice, test=task.dev))
        return accuracy_on(fitted.scores, task.dev)

    return majority_per_slot(replace(task, slots=max(choices, key=on_dev)))


class _Answered:
    """Counts of the right answers in training."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.by_label = kinds(items) is not None
        self.what = "label" if self.by_label else "place"
        self.counts = Counter(self.right(item) for item in items)

    def right(self, item: Item) -> str:
        return self.name(item, item.answer or 0)

    def name(self, item: Item, option: int) -> str:
        return item.options[option] if self.by_label else str(option)


def _names(item: Item, answers: _Answered) -> list[str]:
    return [answers.name(item, option) for option in range(len(item.options))]


def _values(item: Item, slots: Sequence[str]) -> tuple[str, ...]:
    return tuple(slot_value(item, slot) for slot in slots)


def _scores(names: Sequence[str], here: Counter[str], overall: Counter[str]) -> tuple[float, ...]:
    """Return logarithms of counts; an answer's overall share only breaks ties."""
    total = sum(overall.values())
    counts = [here[name] + 0.5 * overall[name] / total + _UNSEEN for name in names]
    return tuple(math.log(count / sum(counts)) for count in counts)


def best_cue(task: ControlTask) -> Fitted:
    """Follow the best surface cue (length, overlap, position …); it needs no training set."""
    from horsesense.cues import chosen_cue
    from horsesense.lexicons.sources import find_wordnet_graph

    wordnet = find_wordnet_graph() if any(item.concepts for item in task.test) else None
    answers = chosen_cue(task.test, task.group, wordnet, None, task.seed).answers
    scores = {answer.item: answer.scores for answer in answers}
    return Fitted([scores[item.id] for item in task.test], "the best cue of the half without the item")
