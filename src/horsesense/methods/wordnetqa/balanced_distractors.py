"""Distractors that give nothing away to somebody who does not read the question.

Every answer is offered as a distractor of other questions, four times for each time it is right (with five options).
So whatever can be seen of an option alone, its generality, frequency, length or wording, says nothing about its being
right. One distractor at most is near the asked concept: a sister is the child of the nearest hypernym, so with m of
them the option that includes most others is right in 1/(5 - m) at least.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from horsesense.knowledge.graph import Graph
from horsesense.methods.wordnetqa.distractors import Choice, Falsehood, Neighbours
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.questions import Question

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
        spared = other.fillers[number]
        if fits(spared, seat) and fits(card, other):
            waiting.pop()
            other.fillers[number] = card
            seat.fillers.append(spared)
            return True
    return False


def controlled_choices(
    graph: Graph, questions: Sequence[tuple[Question, str]], plan: WordNetPlan, rejected: Counter[str]
) -> Iterator[Choice]:
    """The questions of each split and part of speech share their answers as distractors."""
    false = Falsehood(graph, plan.relation)
    dealers: dict[tuple[str, str], list[Question]] = {}
    for question, split in questions:
        dealers.setdefault((split, graph.pos[question.answer]), []).append(question)
    for (split, pos), members in sorted(dealers.items()):
        dealer = _Dealer(false, plan, members, plan.chance("control", split, pos), rejected)
        for seat in dealer.seats():
            fillers = len(seat.fillers) if seat.near else 0
            yield Choice(seat.question, split, seat.kind, seat.distance, seat.distractors, fillers)


class _Dealer:
    def __init__(
        self, false: Falsehood, plan: WordNetPlan, questions: list[Question], chance: Random, rejected: Counter[str]
    ) -> None:
        self.false, self.plan, self.chance, self.rejected = false, plan, chance, rejected
        self.others = plan.ways - 1
        self.questions = self._false_elsewhere(questions)
        self.answers = Counter(question.answer for question in self.questions)

    def seats(self) -> list[Seat]:
        """Every question with its distractors, in the order they came."""
        seats = self._near()
        deal(seats, self.others, self.chance, self._fits)
        full = [seat for seat in seats if len(seat.distractors) == self.others]
        self.rejected["item: no distractor left that keeps the balance"] += len(seats) - len(full)
        return full

    def _false_elsewhere(self, questions: list[Question]) -> list[Question]:
        """Leave out questions whose answer is right nearly everywhere, and so cannot be a distractor often enough."""
        answers = Counter(question.answer for question in questions)
        right: Counter[int] = Counter()
        for question in questions:
            right.update(
                concept for concept in self.false.barred(question.asked, question.answer) if concept in answers
            )
        room = {answer: (len(questions) - right[answer]) // self.others for answer in answers}
        kept = []
        for question in self.chance.sample(questions, len(questions)):
            if room[question.answer] > 0:
                room[question.answer] -= 1
                kept.append(question)
        self.rejected["question: its answer is right too often elsewhere"] += len(questions) - len(kept)
        distinct = set(kept)
        return [question for question in questions if question in distinct]

    def _near(self) -> list[Seat]:
        """Each question once with random distractors, and again with one near the asked concept."""
        neighbours = Neighbours(self.false.graph, self.plan.relation)
        room = Counter({answer: self.others * count // 2 for answer, count in self.answers.items()})
        seats = []
        for question in self.questions:
            seats.append(Seat(question, "random", 0, ()))
            barred = self.false.barred(question.asked, question.answer)
            near = sorted(neighbours.near(question.asked).items())
            self.chance.shuffle(near)
            left = self.plan.size["perturbations"] - 1
            for (kind, distance), concepts in near:
                usable = [
                    c for c in concepts if self._spare(c, room) and c not in barred and self._apart(c, question, [])
                ]
                if usable and left:
                    neighbour = self.chance.choice(usable)
                    room[neighbour] -= 1
                    left -= 1
                    seats.append(Seat(question, kind, distance, (neighbour,)))
            self.rejected["perturbation: no concept near enough is false"] += left
        return seats

    def _spare(self, concept: int, room: Counter[int]) -> bool:
        """An answer must be left over for other questions; any other concept must look like one."""
        if concept in self.answers:
            return room[concept] > 0
        graph = self.false.graph
        return bool(graph.definitions[concept] and (graph.examples[concept] or self.plan.relation != "definitions"))

    def _fits(self, card: int, seat: Seat) -> bool:
        barred = self.false.barred(seat.question.asked, seat.question.answer)
        return card not in barred and self._apart(card, seat.question, seat.distractors)

    def _apart(self, concept: int, question: Question, others: Sequence[int]) -> bool:
        return self.false.apart(concept, [question.answer, *others])
