"""Balanced distractors: options that give nothing away without the question.

Every answer is offered as a distractor of other questions, four times for each time it is right (with five options).
So no property of an option alone (generality, frequency, length, wording) predicts whether it is right. Nor do
relations between options: none is above or below another, and where two are near, the right one is in the pair as often
as by chance (two times in five), because the other pairs are the near pairs of other questions. No option, right or
wrong, shares a stem with the question.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from random import Random

from horsesense.lexicons.graph import Graph
from horsesense.lexicons.word_forms import looks_alike, spelt_alike, stems, with_derived
from horsesense.lexicons.words import words
from horsesense.methods.wordnetqa.attested import AttestedConcepts
from horsesense.methods.wordnetqa.certainty_rules import Asked
from horsesense.methods.wordnetqa.distractors import QuestionOptions
from horsesense.methods.wordnetqa.near_senses import Senses
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.questions import ConceptQuestion, option_text, question_text
from horsesense.methods.wordnetqa.word_forms import standing_lemmas

_PEOPLE = re.compile(
    r"\b(?:someone|somebody|persons?|people|humans?|members?|workers?|soldiers?|m[ae]n|wom[ae]n|organizations?)\b", re.I
)
"""Words in the definition of a person or a group."""


class Options:
    """Cached properties of options and questions."""

    def __init__(
        self, graph: Graph, plan: WordNetPlan, attested: AttestedConcepts, template_words: bool = True
    ) -> None:
        """Options may share no stem with a question; without ``template_words``, only with what its template quotes."""
        quoted = "{sentence}" if plan.relation == "synonymy" else "{word} {sentence}"
        self.graph, self.plan, self.attested, self.certainty = graph, plan, attested, attested.certainty
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
            lambda question: question_text(
                question, plan.template(question.template) if template_words else quoted
            ).lower()
        )
        self.question_stems = lru_cache(maxsize=None)(
            lambda question: with_derived(self.question_text(question), graph.derived)
        )

    def _asked(self, question: ConceptQuestion) -> Asked:
        graph, concept = self.graph, question.asked
        names = graph.lemmas[concept]
        if not self.plan.by_definition:
            names = [*standing_lemmas(graph, concept, question.sentence), question.word]
        senses = self.certainty.senses(names, graph.pos[concept]) | {concept}
        return Asked(self.plan.relation, concept, senses, question.answer)

    def _around(self, concept: int) -> frozenset[int]:
        """The part of the taxonomy that a concept belongs to: itself, what is beside it, and what is above it and
        not too general. Two concepts are near where these meet."""
        specific = self.certainty.above(concept) - self.certainty.general
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
            if not self.names(upper).isdisjoint(self.certainty.stems(lower)):
                return True
        return False

    def false(self, concept: int, question: ConceptQuestion) -> bool:
        """Return whether it can be a distractor: showable, certainly false, and without a stem of the question."""
        if self.given_away(concept, question):
            return False
        # What the gloss of the asked concept names may be true of it, whatever the taxonomy says.
        if not self.names(concept).isdisjoint(self.certainty.stems(question.asked)):
            return False
        if self.plan.relation == "hypernymy" and self.of_people(concept) and self.of_people(question.answer):
            return False  # veterans are servicemen, and also people
        asked = self.asked(question)
        if not self.attested.fit(concept) or self.certainty.near_objection(asked, concept):
            return False
        return not self.certainty.objection(asked, concept)

    def given_away(self, concept: int, question: ConceptQuestion) -> bool:
        """Return whether an option has a stem of the question, or a name that looks like one of its words."""
        if not self.stems(concept).isdisjoint(self.question_stems(question)):
            return True
        # A definition is shown without its name.
        return self.plan.relation != "definitions" and looks_alike(self.question_text(question), self.name(concept))

    def spelt_alike(self, question: ConceptQuestion) -> bool:
        """Return whether a word of the answer's name is spelt like a word of the question."""
        if self.plan.relation == "definitions":
            return False
        name = words(self.name(question.answer))
        return any(spelt_alike(one, other) for one in name for other in words(self.question_text(question)))

    def near(self, question: ConceptQuestion) -> list[int]:
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
    """Return concepts at most ``most`` links above, except those above half of the source."""
    below = graph.down.starts
    near = (other for other, hops in graph.up.row(concept) if 1 <= hops <= most)
    return [other for other in near if below[other + 1] - below[other] <= len(graph) / 2]


def _children(graph: Graph, concept: int) -> list[int]:
    return [child for child, hops in graph.down.row(concept) if hops == 1]


def sisters_of(graph: Graph, concept: int) -> list[int]:
    parents = [parent for parent, hops in graph.up.row(concept) if hops == 1]
    return sorted({child for parent in parents for child in _children(graph, parent)} - {concept})


_LOOK_BACK = 60
"""Number of concepts that did not fit before and are tried first."""
_SWAPS = 400
"""Number of exchanges to try for a question without distractors."""
_DEALS = 6
"""Number of restarts: a question without distractors is dropped and all are assigned again, because its answer would
otherwise be wrong too often for the times it is right."""
NEAR_KINDS = {
    "hypernymy": ("aunt", 1),
    "hyponymy": ("sister", 2),
    "definitions": ("sister", 1),
    "synonymy": ("sister", 1),
}
"""The near distractor of a controlled set, and its distance: an aunt is a sister of the hypernym."""


Fits = Callable[[int, QuestionOptions], bool]
"""Returns whether a concept can be added to the distractors of a question."""


def assign_evenly(slots: Sequence[QuestionOptions], others: int, rng: Random, fits: Fits) -> list[QuestionOptions]:
    """Assign distractors, drop questions without, and repeat until every answer is wrong as often as it should be."""
    left = list(slots)
    for _ in range(_DEALS):
        for slot in left:
            slot.fillers.clear()
        assign(left, others, rng, fits)
        full = [slot for slot in left if len(slot.distractors) == others]
        if len(full) == len(left):
            break
        right = {slot.question.answer for slot in full}
        left = [slot for slot in full if right.issuperset(slot.near)]
    return [slot for slot in left if len(slot.distractors) == others]


def assign(slots: Sequence[QuestionOptions], others: int, rng: Random, fits: Fits) -> None:
    """Assign ``others`` distractors to each question: an answer is wrong ``others`` times for each time it is right."""
    right = Counter(slot.question.answer for slot in slots)
    owed = Counter({answer: others * count for answer, count in right.items()})
    owed.subtract(concept for slot in slots for concept in slot.near)
    cards = [concept for concept in sorted(owed) for _ in range(owed[concept])]
    rng.shuffle(cards)
    waiting: deque[int] = deque()

    def place(card: int, slot: QuestionOptions) -> None:
        if len(slot.distractors) < others and fits(card, slot):
            slot.fillers.append(card)
        else:
            waiting.append(card)

    for slot in rng.sample(slots, len(slots)):
        for _ in range(min(_LOOK_BACK, len(waiting))):
            place(waiting.popleft(), slot)
        while cards and len(slot.distractors) < others:
            place(cards.pop(), slot)
    for slot in slots:
        while waiting and len(slot.distractors) < others and _swap(slot, slots, waiting, rng, fits):
            pass


def _swap(
    slot: QuestionOptions, slots: Sequence[QuestionOptions], waiting: deque[int], rng: Random, fits: Fits
) -> bool:
    """Give an unassigned concept to a question that can exchange one of its own for this one."""
    for _ in range(_SWAPS):
        waiting.rotate(-1)
        card, other = waiting[-1], rng.choice(slots)
        if other is slot or not other.fillers:
            continue
        number = rng.randrange(len(other.fillers))
        spared = other.fillers[number]
        if fits(spared, slot) and fits(card, other):
            waiting.pop()
            other.fillers[number] = card
            slot.fillers.append(spared)
            return True
    return False


def controlled_choices(
    graph: Graph,
    questions: Sequence[tuple[ConceptQuestion, str]],
    plan: WordNetPlan,
    attested: AttestedConcepts,
    rejected: Counter[str],
) -> Iterator[QuestionOptions]:
    """Yield questions with distractors; those of one split and part of speech share their answers as distractors."""
    by_split: dict[tuple[str, str], list[ConceptQuestion]] = {}
    for question, split in questions:
        by_split.setdefault((split, graph.pos[question.answer]), []).append(question)
    options = Options(graph, plan, attested)
    for (split, pos), members in sorted(by_split.items()):
        yield from _Assigner(options, split, members, plan.rng("control", split, pos), rejected).slots()


class _Assigner:
    """The questions of one split and part of speech, and the answers that they share."""

    def __init__(
        self, options: Options, split: str, questions: list[ConceptQuestion], rng: Random, rejected: Counter[str]
    ) -> None:
        self.options, self.split, self.rng, self.rejected = options, split, rng, rejected
        self.plan = options.plan
        self.others = self.plan.options - 1
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

    def slots(self) -> list[QuestionOptions]:
        """Yield every question with its distractors, in order."""
        slots = [QuestionOptions(question, self.split, "random", 0, ()) for question in self.questions]
        if self.plan.size["perturbations"] > 1:
            slots += self._with_pairs()
        assigned = assign_evenly(slots, self.others, self.rng, self._fits)
        self.rejected["item: no distractor left that keeps the balance"] += len(slots) - len(assigned)
        order = {question: number for number, question in enumerate(self.questions)}
        return sorted(assigned, key=lambda slot: order[slot.question])

    def _not_too_common(self, questions: list[ConceptQuestion]) -> list[ConceptQuestion]:
        """Drop questions of an answer that is right too often to be wrong often enough elsewhere."""
        most = max(1, len(questions) // (3 * self.others))
        room = Counter[int]()
        kept = set()
        for question in self.rng.sample(questions, len(questions)):
            room[question.answer] += 1
            if room[question.answer] <= most:
                kept.add(question)
        self.rejected["question: its answer is right too often elsewhere"] += len(questions) - len(kept)
        return [question for question in questions if question in kept]

    def _with_pairs(self) -> list[QuestionOptions]:
        """Questions again with a distractor near the answer; and, three for every two of these, with two distractors
        that are the answer and the near distractor of another question."""
        room = Counter({answer: self.others * count for answer, count in self.answers.items()})
        kind, distance = NEAR_KINDS[self.plan.relation]
        near: list[QuestionOptions] = []
        lonely: list[ConceptQuestion] = []
        most = 2 * len(self.questions) // 5
        for question in self.rng.sample(self.questions, len(self.questions)):
            usable = [c for c in self.options.near(question) if self._spare(c, room) and self._near(c, question)]
            if usable and len(near) < most:
                neighbour = self.rng.choice(usable)
                room[neighbour] -= 1
                near.append(QuestionOptions(question, self.split, kind, distance, (neighbour,)))
            else:
                lonely.append(question)
        decoys = self._decoys(near, lonely, room)
        return near[: len(decoys) * 2 // 3] + decoys

    def _decoys(
        self, near: list[QuestionOptions], lonely: list[ConceptQuestion], room: Counter[int]
    ) -> list[QuestionOptions]:
        pairs = deque([(slot.question.answer, *slot.near) for slot in near] * 2)
        self.rng.shuffle(pairs)
        decoys: list[QuestionOptions] = []
        for question in lonely:
            if len(decoys) == len(near) * 3 // 2:
                break
            for _ in range(min(_LOOK_BACK, len(pairs))):
                pair = pairs.popleft()
                if not all(self._spare(concept, room) for concept in pair):
                    continue
                if self._beside(pair, question):
                    room.subtract(pair)
                    decoys.append(QuestionOptions(question, self.split, "pair", 0, pair))
                    break
                pairs.append(pair)
        return decoys

    def _spare(self, concept: int, room: Counter[int]) -> bool:
        """Only answers are offered, and each must be left over for other questions."""
        return room[concept] > 0

    def _near(self, concept: int, question: ConceptQuestion) -> bool:
        above = self.options.certainty.above
        if question.answer in above(concept) or concept in above(question.answer):
            return False
        return self.options.senses.different(concept, question.answer) and self.options.false(concept, question)

    def _beside(self, pair: tuple[int, ...], question: ConceptQuestion) -> bool:
        far = all(self.options.far(concept, question.answer) for concept in pair)
        return far and all(self.options.false(concept, question) for concept in pair)

    def _fits(self, card: int, slot: QuestionOptions) -> bool:
        options = self.options
        if not all(options.far(card, other) for other in (slot.question.answer, *slot.distractors)):
            return False
        return options.false(card, slot.question)
