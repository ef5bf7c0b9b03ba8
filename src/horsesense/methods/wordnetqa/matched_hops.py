"""Hops without confounds: the same answer, asked from several distances.

In the paper's sets a far hypernym is also a general one, and its distractors differ (section 5, figure 3). Here one
answer is asked about from several distances, by words that are about as frequent, and with the same number of near
distractors, 0 to all, of one kind: ``aunt`` (sisters of the answer, the same from every distance) or ``sister`` (of the
asked concept). The fillers are the same throughout. Answers are attested, distractors false, by the rules of controlled
sets; nothing else is balanced, so the analysis gives the cue from relations of options for each cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from horsesense.core import Card, Item, Probe, Source
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.words import words, zipf
from horsesense.methods.wordnetqa.attested import AttestedConcepts
from horsesense.methods.wordnetqa.balanced_distractors import Options, sisters_of
from horsesense.methods.wordnetqa.certainty_rules import CertaintyRules
from horsesense.methods.wordnetqa.plan import MOST_HOPS, WordNetPlan
from horsesense.methods.wordnetqa.questions import (
    AskedConcept,
    ConceptQuestion,
    asked_concepts,
    option_text,
    question_text,
)

KINDS = ("aunt", "sister")
_APART = 0.5
"""Maximum difference of word frequencies (Zipf) within one set."""
_MOST_SETS = 400
"""Number of answers without a limit."""
_TRIES = 300
_DRAWN = 40


@dataclass(frozen=True, slots=True)
class _MatchedSet:
    """One answer asked about from several distances."""

    answer: int
    questions: tuple[ConceptQuestion, ...]
    """One per distance."""
    fillers: tuple[int, ...]
    near: dict[tuple[str, int], tuple[int, ...]]
    """(kind, index of the question) → concepts, as many as there are distractors."""


def build_matched_hops(graph: Graph, plan: WordNetPlan) -> Probe:
    """Build items of hypernymy whose distance and near distractors vary for the same answer."""
    if plan.relation != "hypernymy" or plan.as_paper:
        raise UserError("hops are matched for hypernymy, and not as in the paper", fix="leave the other options out")
    rejected: Counter[str] = Counter()
    attested = AttestedConcepts(graph, CertaintyRules(graph))
    options = Options(graph, plan, attested)
    items: list[Item] = []
    each = plan.options * len(KINDS)
    most = plan.limit if plan.limit is not None else _MOST_SETS * each * 3
    for made in _sets(graph, plan, attested, options, rejected):
        new = list(_items(graph, plan, made))
        if len(items) + len(new) > most:
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
        f"words as frequent, with 0 to {plan.options - 1} near distractors.",
        seed=plan.seed,
        group="answer",
    )
    return Probe.of(items, card, {name: rejected[name] for name in sorted(rejected) if rejected[name]})


def _sets(
    graph: Graph, plan: WordNetPlan, attested: AttestedConcepts, options: Options, rejected: Counter[str]
) -> Iterator[_MatchedSet]:
    below: dict[int, list[tuple[AskedConcept, int]]] = {}
    for asked in asked_concepts(graph, plan, rejected):
        if attested.fit(asked.concept):
            distances = dict(graph.up.row(asked.concept))
            for answer in attested.answers(asked.concept, graph.up, True, MOST_HOPS):
                if attested.fit(answer):
                    below.setdefault(answer, []).append((asked, distances[answer]))
    pool: dict[str, list[int]] = {}
    for answer in sorted(below):
        pool.setdefault(graph.pos[answer], []).append(answer)
    order = sorted(answer for answer, each in below.items() if len({hops for _, hops in each}) > 1)
    plan.rng("hops").shuffle(order)
    for answer in order:
        rng = plan.rng("hops", graph.ids[answer])
        questions = _matched(graph, plan, options, answer, below[answer], rng)
        if len(questions) < 2:
            rejected["answer: no two distances with words as frequent"] += 1
            continue
        made = _with_distractors(graph, options, plan, answer, questions, pool[graph.pos[answer]], rng)
        if made is None:
            rejected["answer: too few near distractors are false"] += 1
        else:
            yield made


def _matched(
    graph: Graph,
    plan: WordNetPlan,
    options: Options,
    answer: int,
    below: Sequence[tuple[AskedConcept, int]],
    rng: Random,
) -> list[ConceptQuestion]:
    """Return one question per distance, with words about as frequent as that of the furthest."""
    found: dict[int, tuple[float, ConceptQuestion]] = {}
    anchor: float | None = None
    for hops in sorted({hops for _, hops in below}, reverse=True):
        candidates = []
        for asked, far in below:
            question = _question(graph, plan, options, asked, answer, hops, rng) if far == hops else None
            if question:
                frequency = min(map(zipf, words(question.word)), default=0.0)
                candidates.append((0.0 if anchor is None else abs(frequency - anchor), frequency, question))
        if candidates:
            apart, frequency, question = min(candidates, key=lambda each: (each[0], graph.ids[each[2].asked]))
            anchor = frequency if anchor is None else anchor
            if apart <= _APART:
                found[hops] = frequency, question
    return [found[hops][1] for hops in sorted(found)]


def _question(
    graph: Graph, plan: WordNetPlan, options: Options, asked: AskedConcept, answer: int, hops: int, rng: Random
) -> ConceptQuestion | None:
    """Return a wording that does not give the answer away."""
    if {lemma.lower() for lemma in graph.lemmas[asked.concept]} & {lemma.lower() for lemma in graph.lemmas[answer]}:
        return None
    for sentence, word in asked.contexts:
        question = ConceptQuestion(asked.concept, answer, hops, sentence, word, rng.choice(sorted(plan.templates)))
        if not options.given_away(answer, question):
            return question
    return None


def _with_distractors(
    graph: Graph,
    options: Options,
    plan: WordNetPlan,
    answer: int,
    questions: Sequence[ConceptQuestion],
    pool: Sequence[int],
    rng: Random,
) -> _MatchedSet | None:
    others = plan.options - 1

    def false(concept: int) -> bool:
        return all(options.false(concept, question) for question in questions)

    fillers: list[int] = []
    for _ in range(_TRIES):
        card = pool[int(rng.random() * len(pool))]
        if len(fillers) < others and all(options.far(card, other) for other in (answer, *fillers)) and false(card):
            fillers.append(card)
    near = sisters_of(graph, answer)
    aunts = [aunt for aunt in rng.sample(near, min(len(near), _DRAWN)) if false(aunt)]
    if len(fillers) < others or len(aunts) < others:
        return None
    chosen = {("aunt", place): tuple(aunts[:others]) for place in range(len(questions))}
    for place, question in enumerate(questions):
        near = sisters_of(graph, question.asked)
        sisters = [c for c in rng.sample(near, min(len(near), _DRAWN)) if options.false(c, question) and c != answer]
        if len(sisters) >= others:
            chosen["sister", place] = tuple(sisters[:others])
    return _MatchedSet(answer, tuple(questions), tuple(fillers), chosen)


def _items(graph: Graph, plan: WordNetPlan, made: _MatchedSet) -> Iterator[Item]:
    answer = graph.ids[made.answer]
    for place, question in enumerate(made.questions):
        cells = [
            ("random", 0),
            *((kind, n) for kind in KINDS for n in range(1, plan.options) if (kind, place) in made.near),
        ]
        for kind, near in cells:
            nearest = made.near[kind, place][:near] if near else ()
            concepts = [made.answer, *nearest, *made.fillers[: plan.options - 1 - near]]
            asked = graph.ids[question.asked]
            plan.rng("order", asked, answer, kind, near).shuffle(concepts)
            yield Item(
                probe="wordnetqa-hops",
                form="choice",
                text=question_text(question, plan.templates[question.template]),
                options=tuple(option_text(graph, plan.relation, concept) for concept in concepts),
                answer=concepts.index(made.answer),
                concepts=tuple(graph.ids[concept] for concept in concepts),
                family=f"hops: {answer}",
                member=f"{asked} {kind}{near}",
                groups={"asked": asked, "answer": answer},
                facets={
                    "task": plan.relation,
                    "split": "test",
                    "template": question.template,
                    "hops": question.hops,
                    "distractor_kind": kind,
                    "distractor_hops": int(near > 0),
                    "near": near,
                    "fillers": plan.options - 1 - near,
                    "asked": asked,
                    "pos": graph.pos[question.asked],
                },
                source=Source(triples=((plan.relation, asked, answer),), licence=graph.origin.licence),
            )
