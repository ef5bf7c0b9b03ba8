"""Hops without confounds: the same answer, asked from several distances.

In the paper's sets a far hypernym is also a general one, and its distractors differ (section 5, figure 3). Here one
answer is asked about from several distances, by words that are about as frequent, with the same distractors. None of
them is near: sisters of the answer or of the asked concept are too often true as well (a lady is a woman, and also
female offspring). Answers are attested, distractors false, by the rules of controlled sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from horsesense.core import Card, Item, Probe, Source
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.words import words, zipf
from horsesense.methods.wordnetqa.attested import AttestedConcepts
from horsesense.methods.wordnetqa.balanced_distractors import Options
from horsesense.methods.wordnetqa.certainty_rules import CertaintyRules
from horsesense.methods.wordnetqa.plan import MOST_HOPS, WordNetPlan
from horsesense.methods.wordnetqa.questions import (
    AskedConcept,
    ConceptQuestion,
    asked_concepts,
    option_text,
    question_text,
)

_APART = 0.5
"""Maximum difference of word frequencies (Zipf) within one set."""
_TRIES = 300


Matched = tuple[int, list[ConceptQuestion], list[int]]
"""An answer, a question about it per distance, and the distractors."""


def build_matched_hops(graph: Graph, plan: WordNetPlan) -> Probe:
    """Build items of hypernymy whose distance and near distractors vary for the same answer."""
    if plan.relation != "hypernymy" or plan.as_paper:
        raise UserError("hops are matched for hypernymy, and not as in the paper", fix="leave the other options out")
    matcher = _Matcher(graph, plan)
    items: list[Item] = []
    for made in matcher.sets():
        new = list(_items(graph, plan, *made))
        if plan.limit is not None and len(items) + len(new) > plan.limit:
            break
        items += new
    if not items:
        raise UserError(
            f"{graph.origin.name} has no answer that can be asked about from two distances",
            fix="raise the limit, or give a source with deeper isa and more examples",
        )
    card = Card(
        name="wordnetqa-hops",
        method="wordnetqa",
        licence=graph.origin.licence,
        made=f"Answers from {graph.origin.name} {graph.origin.version}, each asked about from several distances by "
        "words as frequent, with the same distractors.",
        seed=plan.seed,
        group="answer",
    )
    return Probe.of(items, card, {name: count for name, count in sorted(matcher.rejected.items()) if count})


class _Matcher:
    """Answers, each asked about from several distances."""

    def __init__(self, graph: Graph, plan: WordNetPlan) -> None:
        self.graph, self.plan = graph, plan
        self.attested = AttestedConcepts(graph, CertaintyRules(graph))
        self.options = Options(graph, plan, self.attested)
        self.rejected: Counter[str] = Counter()

    def sets(self) -> Iterator[Matched]:
        graph, attested = self.graph, self.attested
        below: dict[int, list[tuple[AskedConcept, int]]] = {}
        for asked in asked_concepts(graph, self.plan, self.rejected):
            if attested.fit(asked.concept):
                distances = dict(graph.up.row(asked.concept))
                for answer in attested.answers(asked.concept, graph.up, True, MOST_HOPS):
                    if attested.fit(answer):
                        below.setdefault(answer, []).append((asked, distances[answer]))
        pool: dict[str, list[int]] = {}
        for answer in sorted(below):
            pool.setdefault(graph.pos[answer], []).append(answer)
        order = sorted(answer for answer, each in below.items() if len({hops for _, hops in each}) > 1)
        self.plan.rng("hops").shuffle(order)
        for answer in order:
            rng = self.plan.rng("hops", graph.ids[answer])
            questions = self._matched(answer, below[answer], rng)
            if len(questions) < 2:
                self.rejected["answer: no two distances with words as frequent"] += 1
                continue
            distractors = self._distractors(answer, questions, pool[graph.pos[answer]], rng)
            if len(distractors) < self.plan.options - 1:
                self.rejected["answer: too few distractors are false"] += 1
            else:
                yield answer, questions, distractors

    def _matched(self, answer: int, below: Sequence[tuple[AskedConcept, int]], rng: Random) -> list[ConceptQuestion]:
        """Return one question per distance, with words about as frequent as that of the furthest."""
        found: dict[int, ConceptQuestion] = {}
        anchor: float | None = None
        for hops in sorted({hops for _, hops in below}, reverse=True):
            candidates = []
            for asked, far in below:
                question = self._question(asked, answer, hops, rng) if far == hops else None
                if question:
                    frequency = min(map(zipf, words(question.word)), default=0.0)
                    candidates.append((0.0 if anchor is None else abs(frequency - anchor), frequency, question))
            if candidates:
                apart, frequency, question = min(candidates, key=lambda each: (each[0], self.graph.ids[each[2].asked]))
                anchor = frequency if anchor is None else anchor
                if apart <= _APART:
                    found[hops] = question
        return [found[hops] for hops in sorted(found)]

    def _question(self, asked: AskedConcept, answer: int, hops: int, rng: Random) -> ConceptQuestion | None:
        """Return a wording that does not give the answer away."""
        own, others = ({lemma.lower() for lemma in self.graph.lemmas[each]} for each in (asked.concept, answer))
        for sentence, word in asked.contexts if own.isdisjoint(others) else ():
            template = rng.choice(sorted(self.plan.templates))
            question = ConceptQuestion(asked.concept, answer, hops, sentence, word, template)
            if not self.options.given_away(answer, question):
                return question
        return None

    def _distractors(
        self, answer: int, questions: Sequence[ConceptQuestion], pool: Sequence[int], rng: Random
    ) -> list[int]:
        """Return as many distractors of all questions as are found in some tries."""
        chosen: list[int] = []
        for _ in range(_TRIES):
            other = pool[int(rng.random() * len(pool))]
            far = all(self.options.far(other, concept) for concept in (answer, *chosen))
            if far and all(self.options.false(other, question) for question in questions):
                chosen.append(other)
            if len(chosen) == self.plan.options - 1:
                break
        return chosen


def _items(
    graph: Graph, plan: WordNetPlan, answer: int, questions: Sequence[ConceptQuestion], distractors: Sequence[int]
) -> Iterator[Item]:
    right = graph.ids[answer]
    for question in questions:
        asked = graph.ids[question.asked]
        concepts = [answer, *distractors]
        plan.rng("order", asked, right).shuffle(concepts)
        yield Item(
            probe="wordnetqa-hops",
            form="choice",
            text=question_text(question, plan.templates[question.template]),
            options=tuple(option_text(graph, plan.relation, concept) for concept in concepts),
            answer=concepts.index(answer),
            concepts=tuple(graph.ids[concept] for concept in concepts),
            family=f"hops: {right}",
            member=asked,
            groups={"asked": asked, "answer": right},
            facets={
                "task": plan.relation,
                "split": "test",
                "template": question.template,
                "hops": question.hops,
                "distractor_kind": "random",
                "asked": asked,
                "pos": graph.pos[question.asked],
            },
            source=Source(triples=((plan.relation, asked, right),), licence=graph.origin.licence),
        )
