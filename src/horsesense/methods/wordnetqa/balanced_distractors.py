"""Distractors that give nothing away to somebody who does not read the question.

Every answer is offered as a distractor of other questions, four times for each time it is right (with five options).
So whatever can be seen of an option alone, its generality, frequency, length or wording, says nothing about its being
right. Nor does what options have to do with each other: none lies above or below another, and where two are near, the
right one is of the pair as often as chance has it (two times in five), because the other pairs are the near pairs of
other questions. No option, right or wrong, shares a stem with the question.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from random import Random

from horsesense.lexicons.graph import Graph
from horsesense.lexicons.stems import looks_alike, spelt_alike, stems, with_derived
from horsesense.lexicons.words import words
from horsesense.methods.wordnetqa.attested import Attested
from horsesense.methods.wordnetqa.certainty_rules import Asked
from horsesense.methods.wordnetqa.distractors import Choice
from horsesense.methods.wordnetqa.near_senses import Senses
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.questions import Question, option_text, question_text
from horsesense.methods.wordnetqa.word_forms import standing_lemmas

_PEOPLE = re.compile(
    r"\b(?:someone|somebody|persons?|people|humans?|members?|workers?|soldiers?|m[ae]n|wom[ae]n|organizations?)\b", re.I
)
"""What a definition says of a concept that is somebody, or several."""


class Options:
    """What can be said of options and of questions, each worked out once."""

    def __init__(self, graph: Graph, plan: WordNetPlan, attested: Attested) -> None:
        self.graph, self.plan, self.attested, self.sound = graph, plan, attested, attested.sound
        self.senses = Senses(graph, graph)
        self.text = lru_cache(maxsize=None)(lambda concept: option_text(graph, plan.relation, concept))
        self.stems = lru_cache(maxsize=None)(lambda concept: stems(self.text(concept)))
        self.asked = lru_cache(maxsize=None)(self._asked)
        self.around = lru_cache(maxsize=None)(self._around)
        self.of_people = lru_cache(maxsize=None)(lambda concept: bool(_PEOPLE.search(graph.definitions[concept])))
        self.parents = lru_cache(maxsize=None)(lambda concept: frozenset(_above(graph, concept, 1)))
        self.elders = lru_cache(maxsize=None)(lambda concept: frozenset(_above(graph, concept, 2)))
        self.name = lru_cache(maxsize=None)(lambda concept: " ".join(graph.lemmas[concept]).lower())
        self.names = lru_cache(maxsize=None)(lambda concept: stems(self.name(concept)))
        self.question_text = lru_cache(maxsize=None)(
            lambda question: question_text(question, plan.templates[question.template]).lower()
        )
        self.question_stems = lru_cache(maxsize=None)(
            lambda question: with_derived(self.question_text(question), graph.derived)
        )

    def _asked(self, question: Question) -> Asked:
        graph, concept = self.graph, question.asked
        names = graph.lemmas[concept]
        if not self.plan.by_definition:
            names = [*standing_lemmas(graph, concept, question.sentence), question.word]
        senses = self.sound.senses(names, graph.pos[concept]) | {concept}
        return Asked(self.plan.relation, concept, senses, question.answer)

    def _around(self, concept: int) -> frozenset[int]:
        """The part of the taxonomy that a concept belongs to: itself, what is beside it, and what is above it and
        not too general. Two concepts are near where these meet."""
        specific = self.sound.above(concept) - self.sound.general
        return specific | self.graph.beside.get(concept, frozenset()) | {concept}

    def far(self, one: int, other: int) -> bool:
        return (
            self.around(one).isdisjoint(self.around(other))
            and self.text(one) != self.text(other)
            and (self.plan.relation != "hypernymy" or not self.akin(one, other))
        )

    def akin(self, one: int, other: int) -> bool:
        """Whether what is one kind may well be the other too, whatever the taxonomy says: one is an aunt of the other
        (members are a body, and people), or the gloss of one names the other (a noise is a sound)."""
        for lower, upper in ((one, other), (other, one)):
            if not self.parents(upper).isdisjoint(self.elders(lower)):
                return True
            if not self.names(upper).isdisjoint(self.sound.stems(lower)):
                return True
        return False

    def false(self, concept: int, question: Question) -> bool:
        """Whether it can be a distractor at all: fit, false for sure, and without a stem of the question."""
        if self.given_away(concept, question):
            return False
        # What the gloss of the asked concept names may be true of it, whatever the taxonomy says.
        if not self.names(concept).isdisjoint(self.sound.stems(question.asked)):
            return False
        if self.plan.relation == "hypernymy" and self.of_people(concept) and self.of_people(question.answer):
            return False  # veterans are servicemen, and they are people
        asked = self.asked(question)
        if not self.attested.fit(concept) or self.sound.near_objection(asked, concept):
            return False
        return not self.sound.objection(asked, concept)

    def given_away(self, concept: int, question: Question) -> bool:
        """Whether an option has a stem of the question, or its name looks like a word of it."""
        if not self.stems(concept).isdisjoint(self.question_stems(question)):
            return True
        # A definition is shown without its name.
        return self.plan.relation != "definitions" and looks_alike(self.question_text(question), self.name(concept))

    def spelt_alike(self, question: Question) -> bool:
        """Whether a word of the answer's name is spelt much like a word of the question."""
        if self.plan.relation == "definitions":
            return False
        name = words(self.name(question.answer))
        return any(spelt_alike(one, other) for one in name for other in words(self.question_text(question)))

    def near(self, question: Question) -> list[int]:
        """Nouns that lie near the answer: its sisters; of hyponymy its cousins. The sisters of verbs are too often
        true as well."""
        graph, answer = self.graph, question.answer
        if graph.pos[answer] != "n":
            return []
        sisters = sisters_of(graph, answer)
        if self.plan.relation == "hyponymy":
            parents = [parent for parent, hops in graph.up.row(answer) if hops == 1]
            cousins = {c for parent in parents for aunt in sisters_of(graph, parent) for c in _children(graph, aunt)}
            return sorted(cousins - set(sisters) - {answer})
        return sisters


def _above(graph: Graph, concept: int, most: int) -> list[int]:
    """What lies so few links above, but for what lies above half of the source: that makes nobody kin."""
    below = graph.down.starts
    near = (other for other, hops in graph.up.row(concept) if 1 <= hops <= most)
    return [other for other in near if below[other + 1] - below[other] <= len(graph) / 2]


def _children(graph: Graph, concept: int) -> list[int]:
    return [child for child, hops in graph.down.row(concept) if hops == 1]


def sisters_of(graph: Graph, concept: int) -> list[int]:
    parents = [parent for parent, hops in graph.up.row(concept) if hops == 1]
    return sorted({child for parent in parents for child in _children(graph, parent)} - {concept})


_LOOK_BACK = 60
"""How many of the concepts that did not fit before are tried first."""
_SWAPS = 400
"""Exchanges tried for a question that is left without distractors."""
_DEALS = 6
"""A question that cannot be dealt leaves, and all are dealt anew, so many times: else its answer would be wrong too
often for the times it is right."""
NEAR_KINDS = {
    "hypernymy": ("aunt", 1),
    "hyponymy": ("sister", 2),
    "definitions": ("sister", 1),
    "synonymy": ("sister", 1),
}
"""The near distractor of a controlled set, and its distance: an aunt is a sister of the hypernym."""


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


def deal_evenly(seats: Sequence[Seat], others: int, chance: Random, fits: Fits) -> list[Seat]:
    """Deal, leave out what could not be dealt, and deal anew, until every answer is wrong as often as it should be."""
    left = list(seats)
    for _ in range(_DEALS):
        for seat in left:
            seat.fillers.clear()
        deal(left, others, chance, fits)
        full = [seat for seat in left if len(seat.distractors) == others]
        if len(full) == len(left):
            break
        right = {seat.question.answer for seat in full}
        left = [seat for seat in full if right.issuperset(seat.near)]
    return [seat for seat in left if len(seat.distractors) == others]


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
    graph: Graph,
    questions: Sequence[tuple[Question, str]],
    plan: WordNetPlan,
    attested: Attested,
    rejected: Counter[str],
) -> Iterator[Choice]:
    """The questions of each split and part of speech share their answers as distractors."""
    dealers: dict[tuple[str, str], list[Question]] = {}
    for question, split in questions:
        dealers.setdefault((split, graph.pos[question.answer]), []).append(question)
    options = Options(graph, plan, attested)
    for (split, pos), members in sorted(dealers.items()):
        dealer = _Dealer(options, plan, members, plan.chance("control", split, pos), rejected)
        for seat in dealer.seats():
            fillers = len(seat.fillers) if seat.near else 0
            yield Choice(seat.question, split, seat.kind, seat.distance, seat.distractors, fillers)


class _Dealer:
    """The questions of one split and part of speech, and the answers that they share."""

    def __init__(
        self, options: Options, plan: WordNetPlan, questions: list[Question], chance: Random, rejected: Counter[str]
    ) -> None:
        self.options, self.plan, self.chance, self.rejected = options, plan, chance, rejected
        self.others = plan.ways - 1
        hidden = [
            question
            for question in questions
            if not options.given_away(question.answer, question) and not options.spelt_alike(question)
        ]
        rejected["question: a word of it looks like the answer"] += len(questions) - len(hidden)
        self.questions = self._not_too_common(hidden)

    @cached_property
    def answers(self) -> Counter[int]:
        return Counter(question.answer for question in self.questions)

    def seats(self) -> list[Seat]:
        """Every question with its distractors, in the order they came."""
        seats = [Seat(question, "random", 0, ()) for question in self.questions]
        if self.plan.size["perturbations"] > 1:
            seats += self._with_pairs()
        dealt = deal_evenly(seats, self.others, self.chance, self._fits)
        self.rejected["item: no distractor left that keeps the balance"] += len(seats) - len(dealt)
        order = {question: number for number, question in enumerate(self.questions)}
        return sorted(dealt, key=lambda seat: order[seat.question])

    def _not_too_common(self, questions: list[Question]) -> list[Question]:
        """An answer that is right in too many questions cannot be wrong often enough in the others."""
        most = max(1, len(questions) // (3 * self.others))
        room = Counter[int]()
        kept = set()
        for question in self.chance.sample(questions, len(questions)):
            room[question.answer] += 1
            if room[question.answer] <= most:
                kept.add(question)
        self.rejected["question: its answer is right too often elsewhere"] += len(questions) - len(kept)
        return [question for question in questions if question in kept]

    def _with_pairs(self) -> list[Seat]:
        """Questions again with a distractor near the answer; and, three for every two of these, with two distractors
        that are the answer and the near distractor of another question."""
        room = Counter({answer: self.others * count for answer, count in self.answers.items()})
        kind, distance = NEAR_KINDS[self.plan.relation]
        near: list[Seat] = []
        lonely: list[Question] = []
        most = 2 * len(self.questions) // 5
        for question in self.chance.sample(self.questions, len(self.questions)):
            usable = [c for c in self.options.near(question) if self._spare(c, room) and self._near(c, question)]
            if usable and len(near) < most:
                neighbour = self.chance.choice(usable)
                room[neighbour] -= 1
                near.append(Seat(question, kind, distance, (neighbour,)))
            else:
                lonely.append(question)
        decoys = self._decoys(near, lonely, room)
        return near[: len(decoys) * 2 // 3] + decoys

    def _decoys(self, near: list[Seat], lonely: list[Question], room: Counter[int]) -> list[Seat]:
        pairs = deque([(seat.question.answer, *seat.near) for seat in near] * 2)
        self.chance.shuffle(pairs)
        decoys: list[Seat] = []
        for question in lonely:
            if len(decoys) == len(near) * 3 // 2:
                break
            for _ in range(min(_LOOK_BACK, len(pairs))):
                pair = pairs.popleft()
                if not all(self._spare(concept, room) for concept in pair):
                    continue
                if self._beside(pair, question):
                    room.subtract(pair)
                    decoys.append(Seat(question, "pair", 0, pair))
                    break
                pairs.append(pair)
        return decoys

    def _spare(self, concept: int, room: Counter[int]) -> bool:
        """Only answers are offered, and each must be left over for other questions."""
        return room[concept] > 0

    def _near(self, concept: int, question: Question) -> bool:
        above = self.options.sound.above
        if question.answer in above(concept) or concept in above(question.answer):
            return False
        return self.options.senses.different(concept, question.answer) and self.options.false(concept, question)

    def _beside(self, pair: tuple[int, ...], question: Question) -> bool:
        far = all(self.options.far(concept, question.answer) for concept in pair)
        return far and all(self.options.false(concept, question) for concept in pair)

    def _fits(self, card: int, seat: Seat) -> bool:
        options = self.options
        if not all(options.far(card, other) for other in (seat.question.answer, *seat.distractors)):
            return False
        return options.false(card, seat.question)
