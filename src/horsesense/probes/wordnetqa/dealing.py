"""Dealing answers out as distractors of other questions, each as often as the balance wants."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from horsesense.probes.wordnetqa.answers import Question

_LOOK_BACK = 60
"""How many of the concepts that did not fit before are tried first."""
_SWAPS = 400
"""Exchanges tried for a question that is left without distractors."""


@dataclass(slots=True)
class Seat:
    """A question that waits for distractors."""

    question: Question
    kind: str
    distance: int
    near: tuple[int, ...]
    """Those of the kind; none where it is random."""
    fillers: list[int] = field(default_factory=list)

    @property
    def distractors(self) -> tuple[int, ...]:
        return (*self.near, *self.fillers)


Fits = Callable[[int, Seat], bool]
"""Whether a concept can be a distractor beside those that the question has."""


def deal(seats: Sequence[Seat], others: int, chance: Random, fits: Fits) -> None:
    """Fill the seats up to ``others`` distractors: an answer is wrong ``others`` times for each time it is right."""
    right = Counter(seat.question.answer for seat in seats)
    owed = Counter({answer: others * count for answer, count in right.items()})
    owed.subtract(concept for seat in seats for concept in seat.near)
    cards = [concept for concept in sorted(owed) for _ in range(owed[concept])]
    chance.shuffle(cards)
    waiting: deque[int] = deque()

    def place(card: int, seat: Seat) -> None:
        if len(seat.distractors) < others and fits(card, seat):
            seat.fillers.append(card)
        else:
            waiting.append(card)

    for seat in chance.sample(seats, len(seats)):
        for _ in range(min(_LOOK_BACK, len(waiting))):
            place(waiting.popleft(), seat)
        while cards and len(seat.distractors) < others:
            place(cards.pop(), seat)
    for seat in seats:
        while waiting and len(seat.distractors) < others and _swap(seat, seats, waiting, chance, fits):
            pass


def _swap(seat: Seat, seats: Sequence[Seat], waiting: deque[int], chance: Random, fits: Fits) -> bool:
    """Give a waiting concept to a question that has one to spare for this one."""
    for _ in range(_SWAPS):
        waiting.rotate(-1)
        card, other = waiting[-1], chance.choice(seats)
        if other is seat or not other.fillers:
            continue
        number = chance.randrange(len(other.fillers))
        given = other.fillers[number]
        if fits(given, seat) and fits(card, other):
            waiting.pop()
            other.fillers[number] = card
            seat.fillers.append(given)
            return True
    return False
