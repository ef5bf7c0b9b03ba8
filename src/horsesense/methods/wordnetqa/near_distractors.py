"""Near distractors: certified false, as related to the question as the answer, and right elsewhere.

A distractor of a near set has a certificate (`disjointness`), is the answer of another question, and is close to the
answer: for hypernymy and hyponymy in the taxonomy, for definitions and synonymy in relatedness. Three things are
balanced, so that neither the options alone nor their similarity to the question give the answer away:

- a distractor is the answer of another drawn question. In hypernymy, where a concept is the answer of many questions,
  it is wrong about three to six times for each time that it is right (with five options);
- an option is *closer* to the question than the answer by every encoder, or *farther* by every encoder; the number of
  closer ones, 0 to 4, is spread evenly. So no increasing combination of the encoders picks the answer above chance;
- no option is above another.

Hypernymy and hyponymy ask at 1 to 4 hops, not about the same words at each. Which answer is offered where is a maximum
flow from questions to answers; questions without enough distractors are dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_flow

from horsesense.cues.relatedness import Encoder
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.words import words, zipf
from horsesense.methods.wordnetqa.attested import AttestedConcepts, sense_number
from horsesense.methods.wordnetqa.balanced_distractors import Options
from horsesense.methods.wordnetqa.certainty_rules import word_class
from horsesense.methods.wordnetqa.disjointness import Disjointness
from horsesense.methods.wordnetqa.distractors import QuestionOptions
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.questions import (
    AskedConcept,
    ConceptQuestion,
    asked_concepts,
    controlled_questions,
    question_text,
)

HOPS = (1, 2, 3, 4)
IN_USE = 2.5
"""Frequency (Zipf) of a word that is not rare."""
_OFFERED = 2.0
"""And of a word that is only offered, beside its definition."""
_BANDS = ((4.0, "Zipf 4 or more"), (3.0, "Zipf 3 to 4"), (IN_USE, "Zipf 2.5 to 3"), (0.0, "Zipf below 2.5"))
_FEWEST_DRAWN = 2000
"""Questions that a limit draws at least: among fewer, too few answers are near each other."""
_SPARE = 4
"""Questions drawn per item of a limit; most have no closer distractor."""
_MOST_SETS = 12
"""Hyponyms asked for per concept and distance."""
_MARGIN = 0.005
"""Difference of cosines from which an option is closer or farther, so that rounding does not decide."""
_CLOSER, _POPULAR, _FARTHER = 60, 15, 45
"""Candidates per question."""
_TRIED = 300
_NO_WAY = 100
"""Distance of concepts without a common concept above them."""
_LONGEST = 14
"""Words of an example or a definition."""
_ROUNDS = 40
_MOST_RIGHT = 60
"""Times that a concept is the answer."""
_LEAST_WRONG, _MOST_WRONG = 0.7, 1.5
"""An answer is wrong at least and at most so many times as often as by chance, which is four times per time right."""
MEANINGS = "meanings"
"""Certificate of definitions and synonymy: no common specific concept above, and glosses without a common stem, also
through synonyms."""


def frequency(word: str) -> float:
    """Frequency (Zipf) of the rarest part of a word."""
    return min(map(zipf, words(word.lower())), default=0.0)


def frequency_band(word: str) -> str:
    """Return the frequency band of a word, which is a facet of its items."""
    return next(name for least, name in _BANDS if frequency(word) >= least)


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
class _NearQuestion:
    """A question, its candidates and its distractors."""

    question: ConceptQuestion
    closer: list[int] = field(default_factory=list)
    farther: list[int] = field(default_factory=list)
    wanted: int = 0
    """Number of closer distractors."""
    distractors: tuple[int, ...] = ()


class NearBuilder:
    """Questions with near distractors for one plan."""

    def __init__(
        self, options: Options, attested: AttestedConcepts, encoders: Sequence[Encoder], rejected: Counter[str]
    ) -> None:
        self.options, self.attested, self.rejected = options, attested, rejected
        self.encoders = [UnitVectors(encoder) for encoder in encoders]
        self.graph: Graph = options.graph
        self.plan: WordNetPlan = options.plan
        self.others = self.plan.options - 1
        self.disjoint = Disjointness(self.graph)
        self.considered: list[int] = []
        self.repeated = self.plan.relation == "hypernymy"
        """Whether a concept is the answer of many questions."""
        self._drawn: Counter[int] = Counter()
        self.usable = lru_cache(maxsize=None)(self._usable)

    def choices(self, limit: int | None) -> list[QuestionOptions]:
        """Return questions with their distractors; exactly ``limit`` where there are as many."""
        drawn = self._draw(limit)
        self.considered = list(dict.fromkeys(each.question.asked for each in drawn))
        left = self._not_too_common(drawn)
        for verify in (False, True):
            self._drawn = Counter(each.question.answer for each in left)
            self._find_candidates(left, verify)
            left = self._spread(left)
        full: list[_NearQuestion] = []
        for _ in range(_ROUNDS):
            full = self._flow(left) if left else []
            if self.repeated:
                full = self._balanced(full)
            if len(full) == len(left):
                break
            left = self._spread(full)
        self.rejected["near: too few certified distractors that keep the balance"] += len(drawn) - len(full)
        return [self._choice(each) for each in full[:limit]]

    def _choice(self, each: _NearQuestion) -> QuestionOptions:
        question = each.question
        distances = [self.distance(question.answer, other) for other in each.distractors]
        return QuestionOptions(
            question=question,
            split="test",
            kind="near",
            distance=round(sum(distances) / len(distances)),
            distractors=each.distractors,
            fillers=0,
            certificates=tuple((other, self.certificate(question, other)) for other in each.distractors),
        )

    # Questions.

    def _draw(self, limit: int | None) -> list[_NearQuestion]:
        """Draw questions; those about one concept stay together."""
        most = self.plan.size["near"] if limit is None else max(_FEWEST_DRAWN, _SPARE * limit)
        drawn: list[_NearQuestion] = []
        for questions in self._clusters():
            drawn += map(_NearQuestion, questions)
            if len(drawn) >= most:
                break
        return drawn

    def _clusters(self) -> Iterator[list[ConceptQuestion]]:
        relation = self.plan.relation
        if relation in ("hypernymy", "hyponymy"):
            for concept in self._shuffled():
                yield self._upwards(concept) if relation == "hypernymy" else self._downwards(concept)
            return
        for asked in asked_concepts(self.graph, self.plan, self.rejected):
            short = tuple(pair for pair in asked.contexts if len(pair[0].split()) <= _LONGEST)
            long = len(self.graph.definitions[asked.concept].split()) > _LONGEST
            if short and not long and self.in_use(asked.concept):
                shown = AskedConcept(asked.concept, short)
                questions = controlled_questions(self.graph, shown, self.plan, self.attested, self.rejected)
                hidden = (q for q in questions if not self.options.given_away(q.answer, q))
                yield [question for question in hidden if not self.options.spelt_alike(question)]

    def in_use(self, concept: int, least: float = IN_USE) -> bool:
        """Return whether the name of a concept is not rare; where frequencies do not cover the source, none is."""
        return not self.options.senses.in_use or frequency(self.graph.lemmas[concept][0]) >= least

    def _usable(self, concept: int) -> bool:
        """Return whether a concept can be asked or offered: fit to be shown, not rare, and possibly certified."""
        certified = self.disjoint.narrow(concept) and not self.disjoint.is_taxon(concept)
        return certified and self.attested.shown(concept) and self.in_use(concept, _OFFERED)

    def _shuffled(self) -> list[int]:
        nouns = [c for c in range(len(self.graph)) if self.graph.lemmas[c] and self.graph.pos[c] in ("n", "")]
        self.plan.rng("near concepts").shuffle(nouns)
        return nouns

    def _upwards(self, concept: int) -> list[ConceptQuestion]:
        """Return one question per distance about a word in its first sense."""
        if not self.usable(concept) or not self.in_use(concept) or sense_number(self.graph, concept) != 1:
            return []
        rng = self.plan.rng("near", self.graph.ids[concept])
        word, template = self.graph.lemmas[concept][0], rng.choice(sorted(self.plan.word_templates))
        asked = []
        for hops in HOPS:
            answers = [other for other, far in self.graph.up.row(concept) if far == hops]
            questions = [ConceptQuestion(concept, answer, hops, "", word, template) for answer in answers]
            good = [question for question in questions if self._good(question)]
            asked += [rng.choice(good)] if good else []
        return asked

    def _downwards(self, concept: int) -> list[ConceptQuestion]:
        """Return questions about a concept that is defined, as many at each distance as there are."""
        if not self.usable(concept) or not self.in_use(concept):
            return []
        rng = self.plan.rng("near", self.graph.ids[concept])
        word, definition = self.graph.lemmas[concept][0], self.graph.definitions[concept]
        template = rng.choice(sorted(self.plan.templates))
        by_hops: dict[int, list[ConceptQuestion]] = {hops: [] for hops in HOPS}
        for answer, hops in self.graph.down.row(concept):
            if hops in by_hops and self.in_use(answer):
                question = ConceptQuestion(concept, answer, hops, definition, word, template)
                if self._good(question):
                    by_hops[hops].append(question)
        return [q for each in by_hops.values() for q in rng.sample(each, min(len(each), _MOST_SETS))]

    def _good(self, question: ConceptQuestion) -> bool:
        graph, answer = self.graph, question.answer
        if not self.usable(answer):
            return False
        own = {lemma.lower() for lemma in graph.lemmas[question.asked]}
        if not own.isdisjoint(lemma.lower() for lemma in graph.lemmas[answer]):
            return False
        return not self.options.given_away(answer, question) and not self.options.spelt_alike(question)

    def distance(self, one: int, other: int) -> int:
        """Return the number of links between two concepts over the nearest one above both; 0 where there is none."""
        ups, others = dict(self.graph.up.row(one)) | {one: 0}, dict(self.graph.up.row(other)) | {other: 0}
        return min((ups[above] + others[above] for above in ups.keys() & others.keys()), default=0)

    # Candidates.

    def certificate(self, question: ConceptQuestion, other: int) -> str:
        """Return why a concept is false for a question; empty if nothing certifies it."""
        reason = self.disjoint.certificate(question.asked, other)
        if reason or self.plan.relation in ("hypernymy", "hyponymy"):
            return reason
        far = self.options.far(question.asked, other) and not self.disjoint.comparable(question.asked, other)
        return MEANINGS if far and self.options.senses.different(question.asked, other) else ""

    def _false(self, question: ConceptQuestion, other: int) -> bool:
        """Return whether a concept can be a distractor: certified, no objection, and without a stem of the question."""
        options, certainty = self.options, self.options.certainty
        reason = self.certificate(question, other)
        if not reason or options.given_away(other, question):
            return False
        if not options.names(other).isdisjoint(certainty.stems(question.asked)):
            return False  # what the gloss of the asked concept names may be true of it
        asked = options.asked(question)
        if self.attested.shown(other) and not certainty.near_objection(asked, other):
            return not certainty.objection(asked, other, certified=reason != MEANINGS)
        return False

    def _find_candidates(self, questions: Sequence[_NearQuestion], verify: bool) -> None:
        """Find closer and farther distractors of each question among all answers; unverified ones are only counted."""
        pool = _Pool(self, questions)
        texts = [question_text(each.question, self.plan.template(each.question.template)) for each in questions]
        vectors = [(e.vectors(texts), e.vectors([self.options.text(c) for c in pool.answers])) for e in self.encoders]
        for index, each in enumerate(questions):
            question = each.question
            own = pool.column[question.answer]
            similar = [asked[index] @ offered.T for asked, offered in vectors]
            closer, farther = pool.possible(question, sorts=True), pool.possible(question, sorts=False)
            for values in similar:
                closer &= values > values[own] + _MARGIN
                farther &= values < values[own] - _MARGIN
            if not verify:
                each.closer, each.farther = np.flatnonzero(closer).tolist(), np.flatnonzero(farther).tolist()
                continue
            related = np.sum([values / max(values.std(), 1e-6) for values in similar], axis=0) if similar else None
            rng = np.random.default_rng(self.plan.rng("candidates", question.asked, question.answer).getrandbits(64))
            noise = rng.random(len(pool.answers))
            each.closer = []
            if related is not None:
                each.closer = self._certified(question, pool, closer, np.lexsort((noise, -related)), _CLOSER)
                farther &= ~pool.related[[pool.column[other] for other in each.closer]].any(axis=0)
            by_relatedness = self.plan.relation in ("definitions", "synonymy") and related is not None
            nearness = -related if by_relatedness and related is not None else pool.distances(question.answer)
            # Answers that are right often have to be wrong often, and near ones alone would not do.
            popular = self._certified(question, pool, farther, np.lexsort((noise, -pool.right)), _POPULAR)
            farther &= ~pool.related[[pool.column[other] for other in popular]].any(axis=0)
            nearest = self._certified(question, pool, farther, np.lexsort((noise, nearness)), _FARTHER)
            each.farther = popular + nearest

    def _certified(
        self, question: ConceptQuestion, pool: _Pool, usable: NDArray[np.bool_], order: NDArray[np.int64], most: int
    ) -> list[int]:
        """Return the first concepts in an order that are certified, none above another."""
        found: list[int] = []
        tried = 0
        for place in order[usable[order]].tolist():
            if len(found) == most or tried == _TRIED:
                break
            if usable[place]:
                tried += 1
                if self._false(question, pool.answers[place]):
                    found.append(pool.answers[place])
                    usable &= ~pool.related[place]
        return found

    # Balance.

    def _not_too_common(self, questions: Sequence[_NearQuestion]) -> list[_NearQuestion]:
        """Drop questions with an answer that is right too often to be wrong often enough elsewhere."""
        room = Counter[int]()
        kept = []
        for each in questions:
            room[each.question.answer] += 1
            if room[each.question.answer] <= _MOST_RIGHT:
                kept.append(each)
        return kept

    def _spread(self, questions: Sequence[_NearQuestion]) -> list[_NearQuestion]:
        """Choose questions, and numbers of closer distractors that are spread evenly at each number of hops."""
        able = [each for each in questions if len(each.closer) + len(each.farther) >= self.others]
        if not self.encoders:
            return able
        chosen: set[int] = set()
        for hops in {each.question.hops for each in able}:
            same = [each for each in able if each.question.hops == hops]
            closest = [each for each in same if not each.closer]
            free = [each for each in same if each.closer]
            # One in five is to have the answer closest.
            # Shuffled first: the beginning of a set, which a limit takes, is to be spread as evenly as the whole.
            free = self.plan.rng("spread", hops).sample(free, len(free))
            ranked = closest[: len(free) // self.others] + sorted(free, key=self._most_closer)
            chosen.update(map(id, ranked))
            for rank, each in enumerate(ranked):
                even = rank * self.plan.options // len(ranked)
                each.wanted = min(max(even, self.others - len(each.farther)), self._most_closer(each))
        return [each for each in able if id(each) in chosen]

    def _balanced(self, questions: Sequence[_NearQuestion]) -> list[_NearQuestion]:
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

    def _most_closer(self, each: _NearQuestion) -> int:
        return min(len(each.closer), self.others)

    def _flow(self, questions: Sequence[_NearQuestion]) -> list[_NearQuestion]:
        """Assign distractors by a maximum flow; return the questions that got all of them."""
        # Where an answer is right once, those of dropped questions stay on offer: too few would be left otherwise.
        right = Counter(each.question.answer for each in questions) if self.repeated else self._drawn
        answers = sorted(right)
        place = {answer: 2 + 2 * len(questions) + index for index, answer in enumerate(answers)}
        source, sink = 0, 1
        edges: list[tuple[int, int, int]] = []
        for index, each in enumerate(questions):
            for side, (candidates, needed) in enumerate(
                ((each.closer, each.wanted), (each.farther, self.others - each.wanted))
            ):
                node = 2 + 2 * index + side
                if needed:
                    edges.append((source, node, needed))
                    edges += [(node, place[other], 1) for other in candidates if other in place]
        edges += [(place[answer], sink, round(_MOST_WRONG * self.others * right[answer])) for answer in answers]
        rows, columns, capacities = np.array(edges, dtype=np.int32).T
        size = 2 + 2 * len(questions) + len(answers)
        flow = maximum_flow(csr_matrix((capacities, (rows, columns)), shape=(size, size)), source, sink).flow.tocsr()
        for index, each in enumerate(questions):
            taken: list[int] = []
            for node in (2 + 2 * index, 3 + 2 * index):
                start, end = flow.indptr[node], flow.indptr[node + 1]
                targets, amounts = flow.indices[start:end], flow.data[start:end]
                taken += [answers[t - 2 - 2 * len(questions)] for t, a in zip(targets, amounts, strict=True) if a > 0]
            each.distractors = tuple(sorted(taken))
        return [each for each in questions if len(each.distractors) == self.others]


class _Pool:
    """All answers of a set, which are offered as distractors, and what holds between them."""

    def __init__(self, builder: NearBuilder, questions: Sequence[_NearQuestion]) -> None:
        graph, disjoint = builder.graph, builder.disjoint
        self.answers = sorted({each.question.answer for each in questions})
        self.column = {answer: index for index, answer in enumerate(self.answers)}
        counts = Counter(each.question.answer for each in questions)
        self.right = np.array([counts[answer] for answer in self.answers])
        above = [disjoint.above(answer) for answer in self.answers]
        upper = sorted(set().union(*above))
        column = {concept: index for index, concept in enumerate(upper)}
        self._hops = np.full((len(self.answers), len(upper)), _NO_WAY, dtype=np.int16)
        for index, answer in enumerate(self.answers):
            for concept, hops in (*graph.up.row(answer), (answer, 0)):
                self._hops[index, column[concept]] = hops
        inside = [column[answer] for answer in self.answers]
        over = self._hops[:, inside] < _NO_WAY
        texts = [builder.options.text(answer) for answer in self.answers]
        same = {text: index for index, text in enumerate(texts)}
        first = np.array([same[text] for text in texts])
        self.related = over | over.T | (first[:, None] == first[None, :])
        """Pairs of which one is above the other, or that have the same text."""
        asked = sorted({each.question.asked for each in questions})
        self._row = {concept: index for index, concept in enumerate(asked)}
        by_kind = builder.plan.relation in ("hypernymy", "hyponymy")
        self._certified = [disjoint.table(asked, self.answers, sorts) for sorts in (False, True)] if by_kind else None
        self._pos = np.array([word_class(graph.pos[answer]) for answer in self.answers])

    def possible(self, question: ConceptQuestion, sorts: bool) -> NDArray[np.bool_]:
        """Return which answers can be distractors of a question as far as a table knows; ``sorts`` certify or not."""
        own = self.column[question.answer]
        usable = ~self.related[own] & (self._pos == self._pos[own])
        if self._certified is not None:
            usable = usable & self._certified[sorts][self._row[question.asked]]
        return np.asarray(usable, dtype=np.bool_)

    def distances(self, answer: int) -> NDArray[np.int64]:
        """Return the number of links to every answer over the nearest concept above both, or `_NO_WAY`."""
        own = self._hops[self.column[answer]]
        above = np.flatnonzero(own < _NO_WAY)
        return np.asarray(np.minimum((self._hops[:, above] + own[above]).min(axis=1), _NO_WAY), dtype=np.int64)
