"""Choose the distractors of near questions so that no number cue of the battery answers them.

`rank_balance` balances relatedness alone; questions that another cue answers are dropped afterwards (`trimming`), and
with them most of a set. Here each question gets many possible sets of certified distractors, and a local search chooses
one of them, so that as few cues as possible are above the limit and every answer is offered as often as it should be.
Where kinds are right in many questions, that is four times for each time it is right (with five options). Where an
answer is right once, a reader of the other keys knows that a distractor which is right elsewhere is wrong here. So
most distractors are never right there: one in four is to be the answer of another question, and each of the others is
offered about as often as an answer is in all. Among equal sets the nearest wins. Some questions are answered by a cue
with every set: an encoder may find no certified distractor that is closer than the answer. Only as many of these are
kept as the limit allows. It needs the whole set at once and both encoders, so that it makes the sets that ship, not
those of other sources.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Item
from horsesense.cues.relatedness import Encoder
from horsesense.cues.search import prepare
from horsesense.cues.table import table_of
from horsesense.lexicons.graph import Graph
from horsesense.methods.wordnetqa.distractors import QuestionOptions
from horsesense.methods.wordnetqa.questions import ConceptQuestion
from horsesense.methods.wordnetqa.rank_balance import MARGIN, AnswerPool, Mask, NearQuestion, UnitVectors, certified
from horsesense.methods.wordnetqa.trimming import drop_answered, number_cues

_CLOSER, _NEAREST, _ANY, _BY_ONE = 20, 14, 40, 12
"""Candidates per question: closer by all encoders, nearest to the answer, any, and closer by each encoder or by all
together."""
_POPULAR = 0.7
"""Power of the times that an answer is right, by which it is drawn as a candidate."""
_SETS = 40
_CHUNK = 1500
_LIMIT = 0.22
"""Accuracy of a cue that the search aims at."""
_POSSIBLE = 0.21
"""Accuracy of a cue if every question got the set that is worst for it; questions are left out until it is reached."""
_OF_THE_WHOLE = "offered"
"""The cue that depends on which sets are chosen for other questions; the search counts it by itself."""
KEYS = 0.25
"""Share of distractors that are right elsewhere, where an answer is right once."""
_SWEEPS = 12
_OFTEN, _NEAR = 10.0, 1.0
"""Weights of how often an answer is offered, and of a link between answer and distractor, beside an excess of one
question."""


@dataclass(slots=True)
class PossibleSets:
    """The possible sets of distractors of all questions, those of one question together."""

    questions: list[NearQuestion]
    question: NDArray[np.int64]
    """Index of the question of each set."""
    sets: list[tuple[int, ...]]

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the sets of each question begin, and the end of all."""
        return np.searchsorted(self.question, np.arange(len(self.questions) + 1))


def possible_sets(
    drawn: Sequence[NearQuestion],
    pool: AnswerPool,
    encoders: Sequence[Encoder],
    others: int,
    rng: Callable[..., Random],
) -> PossibleSets:
    """Return random sets of certified distractors; a question without any is left out. A question that has its
    distractors already keeps them."""
    column = {answer: index for index, answer in enumerate(pool.answers)}
    known = [UnitVectors(encoder) for encoder in encoders]
    texts = [pool.text(answer) for answer in pool.answers]
    vectors = [(each.vectors([one.text for one in drawn]), each.vectors(texts)) for each in known]
    counts = Counter(each.question.answer for each in drawn)
    # What is never right is to be offered twice as often as what is right once.
    right = np.array([counts[answer] or 2 for answer in pool.answers], dtype=np.float64)
    questions: list[NearQuestion] = []
    owner: list[int] = []
    sets: list[tuple[int, ...]] = []
    for index, each in enumerate(drawn):
        if each.distractors:
            owner.append(len(questions))
            questions.append(each)
            sets.append(each.distractors)
            continue
        generator = rng("sets", each.question.asked, each.question.answer)
        similar = [asked[index] @ offered.T for asked, offered in vectors]
        closer, rest = _candidates(each.question, pool, column[each.question.answer], similar, right, generator)
        made: set[tuple[int, ...]] = set()
        for place in range(3 * _SETS):
            if len(made) < _SETS and (one := _set(closer, rest, place % (others + 1), others, pool, column, generator)):
                made.add(one)
        if made:
            owner += [len(questions)] * len(made)
            questions.append(each)
            sets += sorted(made)
    return PossibleSets(questions, np.array(owner, dtype=np.int64), sets)


def _candidates(
    question: ConceptQuestion,
    pool: AnswerPool,
    own: int,
    similar: Sequence[NDArray[np.float32]],
    right: NDArray[np.float64],
    generator: Random,
) -> tuple[list[int], tuple[list[int], list[int]]]:
    """Return options closer to the question than the answer, the nearest to the answer, and any."""
    noise = np.random.default_rng(generator.getrandbits(64)).exponential(size=len(pool.answers))
    # What is right often has to be offered often.
    order = np.argsort(noise / right**_POPULAR)
    closer, farther, every = (pool.possible(question, far) & pool.apart[own] for far in (True, False, True))
    above = [values > values[own] + MARGIN for values in similar]
    for values, higher in zip(similar, above, strict=True):
        closer &= higher
        farther &= values < values[own] - MARGIN
    related = np.sum([values / max(values.std(), 1e-6) for values in similar], axis=0)
    above.append(related > related[own] + MARGIN)
    distances = pool.nearness(question)
    nearest = np.lexsort((noise, -related.astype(np.float64) if distances is None else distances))
    anything = [certified(question, pool, every.copy(), order, _ANY, together=False)]
    anything += [certified(question, pool, every & higher, np.argsort(noise), _BY_ONE) for higher in above]
    return (
        certified(question, pool, closer, np.lexsort((noise, -related)), _CLOSER),
        (
            certified(question, pool, farther, nearest, _NEAREST),
            list(dict.fromkeys(other for each in anything for other in each)),
        ),
    )


def _set(
    closer: list[int],
    rest: tuple[list[int], list[int]],
    most: int,
    others: int,
    pool: AnswerPool,
    column: dict[int, int],
    generator: Random,
) -> tuple[int, ...]:
    """Return a random set with up to ``most`` closer options; empty where they are not apart from each other."""
    nearest, anything = rest
    drawn = generator.sample(closer, min(most, len(closer)))
    drawn += generator.sample(nearest, min(len(nearest), generator.randrange(others - most + 1)))
    drawn += generator.sample(anything, min(len(anything), others))
    taken: list[int] = []
    for other in drawn:
        if len(taken) < others and all(pool.apart[column[other], column[one]] for one in taken if one != other):
            taken += [] if other in taken else [other]
    return tuple(sorted(taken)) if len(taken) == others else ()


def search(
    possible: PossibleSets,
    encoders: Sequence[Encoder],
    option: Callable[[int], str],
    choice: Callable[[ConceptQuestion, Sequence[int]], QuestionOptions],
    items: Callable[[Sequence[QuestionOptions]], Sequence[Item]],
    taxonomy: Graph | None,
    rng: Random,
    fixed: int = 0,
    keys: float = 1.0,
) -> list[QuestionOptions]:
    """Return one set per question; the first ``fixed`` questions are never left out. ``keys``: see `choose`."""
    choices = [
        choice(possible.questions[q].question, one) for q, one in zip(possible.question, possible.sets, strict=True)
    ]
    related = _relatedness_credit(possible, encoders, option)
    credit = np.concatenate([_cue_credit(choices, items, taxonomy), related], axis=1).astype(np.float64)
    left, rows, starts = answerable(credit, possible.starts, fixed)
    chosen = choose(
        credit[rows],
        starts,
        np.array([possible.questions[index].question.answer for index in left]),
        np.array(possible.sets)[rows],
        np.array([choices[row].distance for row in rows], dtype=np.float64),
        np.random.default_rng(rng.getrandbits(64)),
        keys=keys,
    )
    return [choices[rows[index]] for index in chosen]


def answerable(
    credit: NDArray[np.float64], starts: NDArray[np.int64], fixed: int = 0, most: float = _POSSIBLE
) -> tuple[list[int], NDArray[np.int64], NDArray[np.int64]]:
    """Return the questions among which no cue has to be above ``most``, their rows (sets), and where each begins.

    >>> answerable(np.array([[1.0], [1.0], [0.0], [1.0], [0.0], [0.0]]), np.array([0, 2, 4, 6]), most=0.2)
    ([1, 2], array([2, 3, 4, 5]), array([0, 2, 4]))
    """
    left = drop_answered(np.minimum.reduceat(credit, starts[:-1]), most, fixed)
    sizes = [starts[index + 1] - starts[index] for index in left]
    rows = np.concatenate([np.arange(starts[index], starts[index + 1]) for index in left])
    return left, rows, np.concatenate([[0], np.cumsum(sizes)])


def _cue_credit(
    choices: Sequence[QuestionOptions],
    items: Callable[[Sequence[QuestionOptions]], Sequence[Item]],
    taxonomy: Graph | None,
) -> NDArray[np.float32]:
    """Return the credit of each number cue, by its maximum, its minimum and what is between; chance where it never
    separates options."""
    cues = number_cues()
    column_of = {cue.name: 3 * index for index, cue in enumerate(cues)}
    parts = []
    for begin in range(0, len(choices), _CHUNK):
        made = list(items(choices[begin : begin + _CHUNK]))
        found = prepare(table_of(made, "asked", taxonomy), cues)
        part = np.full((len(made), 3 * len(cues)), 1 / len(made[0].options), dtype=np.float32)
        for index, cue in enumerate(found.cues):
            if cue.name == _OF_THE_WHOLE:
                continue
            column = column_of[cue.name]
            part[:, column : column + 2] = found.directed[:, 2 * index : 2 * index + 2]
            scores = found.scores[index].reshape(len(made), -1)
            gold = found.table.gold - found.table.starts[:-1]
            part[:, column + 2] = between(scores, gold)
        parts.append(part)
    return np.concatenate(parts)


def _relatedness_credit(
    possible: PossibleSets, encoders: Sequence[Encoder], option: Callable[[int], str]
) -> NDArray[np.float32]:
    """Return whether the answer is nearest to the question, and farthest, by each encoder and by their sum."""
    answers = [possible.questions[index].question.answer for index in possible.question]
    offered = np.array([(answer, *one) for answer, one in zip(answers, possible.sets, strict=True)])
    concepts, place = np.unique(offered, return_inverse=True)
    place = place.reshape(offered.shape)
    similar = []
    for encoder in encoders:
        known = UnitVectors(encoder)
        asked = known.vectors([each.text for each in possible.questions])
        vectors = known.vectors([option(int(concept)) for concept in concepts])
        similar.append(np.einsum("nd,nkd->nk", asked[possible.question], vectors[place]))
    similar.append(np.sum([each / each.std() for each in similar], axis=0))
    signed = [sign * each for each in similar for sign in (1, -1)]
    ends = [(each[:, 0] >= each.max(axis=1)).astype(np.float32) for each in signed]
    first = np.zeros(len(offered), dtype=np.int64)
    return np.stack([*ends, *(between(each.astype(np.float32), first) for each in similar)], axis=1)


def between(scores: NDArray[np.float32], gold: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the accuracy of a guess among the options between the highest and the lowest score, per row.

    Without it, a set has its answers where no single cue looks: neither the deepest option nor the shallowest.

    >>> rows = np.array([[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [1, 1, 2, 2, 2]], dtype=np.float32)
    >>> between(rows, np.array([1, 4, 0])).round(2)
    array([0.33, 0.  , 0.2 ], dtype=float32)
    """
    lowest, highest = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    inside = (scores > lowest) & (scores < highest)
    number = inside.sum(axis=1)
    right = inside[np.arange(len(scores)), gold]
    chance = np.float32(1 / scores.shape[1])
    return np.where(number > 0, right / np.maximum(number, 1), chance).astype(np.float32)


def choose(
    credit: NDArray[np.float64],
    starts: NDArray[np.int64],
    answers: NDArray[np.int64],
    sets: NDArray[np.int64],
    distance: NDArray[np.float64],
    rng: np.random.Generator,
    most: float = _LIMIT,
    keys: float = 1.0,
) -> list[int]:
    """Return one row (set) per question, so that few columns (cues) have a mean above ``most``.

    ``keys`` is the share of distractors that are to be right elsewhere. With less than 1, what is never right is in as
    many questions as an answer is on average, right or wrong.

    >>> rows = choose(np.array([[1.0], [0.0], [1.0], [0.0]]), np.array([0, 2, 4]), np.array([7, 8]),
    ...               np.array([[8], [8], [7], [7]]), np.zeros(4), np.random.default_rng(0), most=0.2)
    >>> rows
    [1, 3]
    """
    concepts, column = np.unique(np.concatenate([answers, sets.ravel()]), return_inverse=True)
    column = column.ravel()
    offered_by: Mask | NDArray[np.int64] = column[len(answers) :].reshape(sets.shape)
    right = np.bincount(column[: len(answers)], minlength=len(concepts))
    target = sets.shape[1] * keys * right.astype(np.float64)
    if keys < 1:
        target[right == 0] = (1 + sets.shape[1] * keys) * right[right > 0].mean()
    weight = _OFTEN / np.maximum(target, sets.shape[1])
    number = len(answers)
    chosen = np.array([rng.integers(starts[i], starts[i + 1]) for i in range(number)])
    total = credit[chosen].sum(axis=0)
    offered = np.bincount(offered_by[chosen].ravel(), minlength=len(concepts)).astype(np.float64)
    for _ in range(_SWEEPS):
        moved = 0
        for index in rng.permutation(number):
            old = chosen[index]
            total -= credit[old]
            offered[offered_by[old]] -= 1
            rows = np.arange(starts[index], starts[index + 1])
            excess = np.clip(total + credit[rows] - most * number, 0, None)
            here = offered_by[rows]
            often = ((2 * (offered[here] - target[here]) + 1) * weight[here]).sum(axis=1)
            new = rows[int(np.argmin((excess**2).sum(axis=1) + often + _NEAR * distance[rows]))]
            moved += int(new != old)
            chosen[index] = new
            total += credit[new]
            offered[offered_by[new]] += 1
        if not moved:
            break
    return [int(row) for row in chosen]
