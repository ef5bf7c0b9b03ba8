"""Near distractors that neither relatedness nor the options alone give away.

Questions share their answers as distractors. Three things are balanced:

- an option is *closer* to the question than the answer by every encoder, or *farther* by every encoder; the number of
  closer ones, 0 to 4, is spread evenly. So no increasing combination of the encoders picks the answer above chance;
- a distractor is the answer of another question. Where a concept is the answer of many questions, it is wrong about
  three to six times for each time that it is right (with five options);
- no option is above another.

Which answer is offered where is a maximum flow from questions to answers; questions without enough distractors are
dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_flow

from horsesense.cues.relatedness import Encoder
from horsesense.methods.wordnetqa.questions import ConceptQuestion

MARGIN = 0.005
"""Difference of cosines from which an option is closer or farther, so that rounding does not decide."""
_CLOSER, _POPULAR, _FARTHER = 40, 15, 30
"""Candidates per question."""
_TRIED = 300
_ROUNDS = 40
_STABLE = 0.95
"""Share of questions that a round keeps at least when it is the last."""
_MOST_RIGHT = 150
"""Times that a concept is the answer."""
_LEAST_WRONG, _MOST_WRONG = 0.5, (1.0, 1.5, 2.5)
"""An answer is wrong at least so many times as often as by chance, which is four times per time right; and at most,
flow by flow."""

Mask = NDArray[np.bool_]


class UnitVectors:
    """Vectors of length 1 by an encoder; each text is encoded once."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._known: dict[str, NDArray[np.float32]] = {}

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            vectors = np.asarray(self.encoder.encode(new), dtype=np.float64)
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            known = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0).astype(np.float32)
            self._known.update(zip(new, known, strict=True))
        return np.stack([self._known[text] for text in texts])


@dataclass(slots=True)
class NearQuestion:
    """A question, its candidates and its distractors."""

    question: ConceptQuestion
    text: str
    closer: list[int] = field(default_factory=list)
    farther: list[int] = field(default_factory=list)
    wanted: int = 0
    """Number of closer distractors."""
    distractors: tuple[int, ...] = ()


class AnswerPool(Protocol):
    """The answers of a set, which are offered as distractors, and what is known about them."""

    answers: list[int]
    apart: Mask
    """Pairs of answers that one question may offer: neither is above the other, and their texts differ."""

    def text(self, answer: int) -> str:
        """Return the answer as an option."""

    def possible(self, question: ConceptQuestion, far: bool) -> Mask:
        """Return which answers a question may offer as far as tables know; ``far``: also those of other topics."""

    def nearness(self, question: ConceptQuestion) -> NDArray[np.float64] | None:
        """Return the distance of every answer to the right one; None where only relatedness counts."""

    def certified(self, question: ConceptQuestion, other: int) -> bool:
        """Return whether an answer is certainly false for a question, and does not give itself away."""


class RankBalance:
    """Assigns near distractors to the questions of one set."""

    def __init__(
        self,
        encoders: Sequence[Encoder],
        others: int,
        rng: Callable[..., Random],
        repeated: bool = False,
    ) -> None:
        """Prepare a set.

        Args:
            encoders: Encoders whose relatedness is balanced.
            others: Number of distractors per question.
            rng: Returns a generator by its purpose.
            repeated: Whether a concept is the answer of many questions.
        """
        self.encoders = [UnitVectors(encoder) for encoder in encoders]
        self.others, self.rng, self.repeated = others, rng, repeated

    def assign(
        self, drawn: Sequence[NearQuestion], pool_of: Callable[[Sequence[ConceptQuestion]], AnswerPool]
    ) -> list[NearQuestion]:
        """Return the questions that got distractors."""
        left = self._not_too_common(drawn)
        for verify in (False, True):
            if left:
                self._find_candidates(left, pool_of([each.question for each in left]), verify)
            left = self._spread(left)
        full: list[NearQuestion] = []
        for _ in range(_ROUNDS):
            full = self._often_offered(self._flow(left)) if left else []
            if len(full) >= _STABLE * len(left):
                break
            left = self._spread(full)
        return full

    def _find_candidates(self, questions: Sequence[NearQuestion], pool: AnswerPool, verify: bool) -> None:
        """Find closer and farther distractors of each question among all answers; unverified ones are only counted."""
        column = {answer: index for index, answer in enumerate(pool.answers)}
        counts = Counter(each.question.answer for each in questions)
        right = np.array([counts[answer] for answer in pool.answers])
        texts = [each.text for each in questions]
        vectors = [(e.vectors(texts), e.vectors([pool.text(answer) for answer in pool.answers])) for e in self.encoders]
        for index, each in enumerate(questions):
            question = each.question
            own = column[question.answer]
            similar = [asked[index] @ offered.T for asked, offered in vectors]
            closer, farther = (pool.possible(question, far) & pool.apart[own] for far in (True, False))
            for values in similar:
                closer &= values > values[own] + MARGIN
                farther &= values < values[own] - MARGIN
            if not verify:
                each.closer, each.farther = np.flatnonzero(closer).tolist(), np.flatnonzero(farther).tolist()
                continue
            related = np.sum([values / max(values.std(), 1e-6) for values in similar], axis=0) if similar else None
            rng = np.random.default_rng(self.rng("candidates", question.asked, question.answer).getrandbits(64))
            noise = rng.random(len(pool.answers))
            each.closer = []
            if related is not None:
                each.closer = certified(question, pool, closer, np.lexsort((noise, -related)), _CLOSER)
                farther &= pool.apart[[column[other] for other in each.closer]].all(axis=0)
            distances = pool.nearness(question)
            if distances is None:
                distances = np.zeros(len(pool.answers)) if related is None else -related.astype(np.float64)
            # Answers that are right often have to be wrong often, and near ones alone would not do.
            popular = certified(question, pool, farther, np.lexsort((noise, -right)), _POPULAR) if self.repeated else []
            farther &= pool.apart[[column[other] for other in popular]].all(axis=0)
            nearest = certified(question, pool, farther, np.lexsort((noise, distances)), _FARTHER)
            each.farther = popular + nearest

    def _not_too_common(self, questions: Sequence[NearQuestion]) -> list[NearQuestion]:
        """Drop questions with an answer that is right too often to be wrong often enough elsewhere."""
        room = Counter[int]()
        kept = []
        for each in questions:
            if room[each.question.answer] < _MOST_RIGHT:
                room[each.question.answer] += 1
                kept.append(each)
        return kept

    def _spread(self, questions: Sequence[NearQuestion]) -> list[NearQuestion]:
        """Choose questions, and numbers of closer distractors that are spread evenly at each number of hops."""
        able = [e for e in questions if len(e.closer) + len(e.farther) >= self.others]
        if not self.encoders:
            return able
        able = self._not_too_close(able)
        for hops in {each.question.hops for each in able}:
            same = [each for each in able if each.question.hops == hops]
            # Shuffled first: the beginning of a set, which a limit takes, is to be spread as evenly as the whole.
            same = self.rng("spread", hops).sample(same, len(same))
            for rank, each in enumerate(sorted(same, key=self._most_closer)):
                even = rank * (self.others + 1) // len(same)
                each.wanted = min(max(even, self.others - len(each.farther)), self._most_closer(each))
        return able

    def _not_too_close(self, questions: Sequence[NearQuestion]) -> list[NearQuestion]:
        """Drop questions without a closer distractor, so that one in five at each number of hops has none."""
        counts = Counter(each.question.hops for each in questions if each.closer)
        closest: Counter[int] = Counter()
        kept = []
        for each in questions:
            hops = each.question.hops
            if not each.closer:
                if closest[hops] >= counts[hops] // self.others:
                    continue
                closest[hops] += 1
            kept.append(each)
        return kept

    def _often_offered(self, questions: Sequence[NearQuestion]) -> list[NearQuestion]:
        """Drop questions of an answer that is offered too rarely for the times that it is right."""
        offered = Counter(other for each in questions for other in each.distractors)
        room = {
            each.question.answer: offered[each.question.answer] / (_LEAST_WRONG * self.others) for each in questions
        }
        seen: set[int] = set()
        kept = []
        for each in questions:
            answer = each.question.answer
            room[answer] -= 1
            if room[answer] >= 0 or (answer not in seen and offered[answer]):
                kept.append(each)
            seen.add(answer)
        return kept

    def _most_closer(self, each: NearQuestion) -> int:
        return min(len(each.closer), self.others)

    def _flow(self, questions: Sequence[NearQuestion]) -> list[NearQuestion]:
        """Assign distractors by maximum flows; return the questions that got all of them.

        The first flow offers no answer more often than by chance, so that those that are hard to place are placed; the
        others complete what is missing.
        """
        right = Counter(each.question.answer for each in questions)
        for each in questions:
            each.distractors = ()
        for most in _MOST_WRONG:
            self._flow_within(questions, {answer: round(most * self.others * count) for answer, count in right.items()})
        return [each for each in questions if len(each.distractors) == self.others]

    def _flow_within(self, questions: Sequence[NearQuestion], most: Mapping[int, int]) -> None:
        """Add distractors, each answer at most so many times in all."""
        offered = Counter(other for each in questions for other in each.distractors)
        answers = sorted(most)
        place = {answer: 2 + 2 * len(questions) + index for index, answer in enumerate(answers)}
        source, sink = 0, 1
        edges: list[tuple[int, int, int]] = []
        for index, each in enumerate(questions):
            closer = len(set(each.closer) & set(each.distractors))
            farther = len(each.distractors) - closer
            for side, (candidates, needed) in enumerate(
                ((each.closer, each.wanted - closer), (each.farther, self.others - each.wanted - farther))
            ):
                node = 2 + 2 * index + side
                if needed > 0:
                    edges.append((source, node, needed))
                    free = (other for other in candidates if other in place and other not in each.distractors)
                    edges += [(node, place[other], 1) for other in free]
        if not edges:
            return
        edges += [(place[answer], sink, most[answer] - offered[answer]) for answer in answers]
        rows, columns, capacities = np.array(edges, dtype=np.int32).T
        size = 2 + 2 * len(questions) + len(answers)
        flow = maximum_flow(csr_matrix((capacities, (rows, columns)), shape=(size, size)), source, sink).flow.tocsr()
        for index, each in enumerate(questions):
            taken = list(each.distractors)
            for node in (2 + 2 * index, 3 + 2 * index):
                start, end = flow.indptr[node], flow.indptr[node + 1]
                targets, amounts = flow.indices[start:end], flow.data[start:end]
                taken += [answers[t - 2 - 2 * len(questions)] for t, a in zip(targets, amounts, strict=True) if a > 0]
            each.distractors = tuple(sorted(taken))


def certified(
    question: ConceptQuestion,
    pool: AnswerPool,
    usable: Mask,
    order: NDArray[np.int64],
    most: int,
    together: bool = True,
) -> list[int]:
    """Return the first answers in an order that are certified; ``together``: and apart from each other."""
    found: list[int] = []
    tried = 0
    for index in order[usable[order]].tolist():
        if len(found) == most or tried == _TRIED:
            break
        if usable[index]:
            tried += 1
            if pool.certified(question, pool.answers[index]):
                found.append(pool.answers[index])
                if together:
                    usable &= pool.apart[index]
    return found
